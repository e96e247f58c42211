package committer

import (
	"cmp"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memctl/memctl/gitops"
)

// Settings is what git's settings of all levels say of commits, as far as memctl
// has to know it to make one by itself.
type Settings struct {
	Author    Person `json:"author"`
	Committer Person `json:"committer"`
	// Git names a setting because of which git makes the commits; "" for none.
	Git string `json:"git,omitempty"`
	// Reflogs is core.logAllRefUpdates, "" where that is not set.
	Reflogs string `json:"reflogs,omitempty"`
	// Signed is commit.gpgSign.
	Signed bool `json:"signed,omitempty"`
}

// Person is a name and a mail address as the settings give them; either may be empty.
type Person struct {
	Name  string `json:"name,omitempty"`
	Email string `json:"email,omitempty"`
}

// SettingsOf reads the settings of commits.
func SettingsOf(c *gitops.Config) Settings {
	get := func(key string) string { e, _ := c.Get(key); return e.Value }
	user := Person{get("user.name"), get("user.email")}
	s := Settings{
		Author:    Person{cmp.Or(get("author.name"), user.Name), cmp.Or(get("author.email"), user.Email)},
		Committer: Person{cmp.Or(get("committer.name"), user.Name), cmp.Or(get("committer.email"), user.Email)},
		Signed:    !gitops.IsFalse(get("commit.gpgsign")),
		Reflogs:   strings.ToLower(get("core.logallrefupdates")),
	}
	for _, key := range []string{"core.ignorecase", "core.sparsecheckout", "core.splitindex", "core.fsyncobjectfiles"} {
		if !gitops.IsFalse(get(key)) {
			s.Git = key
		}
	}
	if e, set := c.Get("core.logallrefupdates"); set && (e.Value == "" || !gitops.IsTrue(e.Value) && !gitops.IsFalse(e.Value) && s.Reflogs != "always") {
		s.Git = "core.logAllRefUpdates" // another number, or nothing, which git takes for false
	}
	for _, key := range []string{"core.worktree", "core.fsync", "core.fsyncmethod", "attr.tree"} {
		if get(key) != "" {
			s.Git = key
		}
	}
	if encoding := get("i18n.commitencoding"); encoding != "" && !strings.EqualFold(encoding, "utf-8") && !strings.EqualFold(encoding, "utf8") {
		s.Git = "i18n.commitEncoding"
	}
	return s
}

// signature is a line of a commit: "Name <mail> seconds zone". role is AUTHOR or
// COMMITTER, as in git's variables, which win over the settings, even when they are set to
// nothing. ok is false where git has to work it out: nobody is named, the name has
// characters that git strips or converts, or the date is in words.
func (p Person) signature(role string, now time.Time) (line string, ok bool) {
	name, email := p.Name, p.Email
	if value, set := os.LookupEnv("GIT_" + role + "_NAME"); set {
		name = value
	}
	if value, set := os.LookupEnv("GIT_" + role + "_EMAIL"); set {
		email = value
	}
	when, ok := moment(os.Getenv("GIT_"+role+"_DATE"), now)
	if !ok || !asItStands(name) || !asItStands(email) {
		return "", false
	}
	return name + " <" + email + "> " + when, true
}

// asItStands reports whether git takes the text as it is. It strips these characters at
// both ends, and angle brackets and line ends anywhere (strbuf_addstr_without_crud). In a
// commit it converts what is not UTF-8 as if it were Latin-1.
func asItStands(text string) bool {
	const crud = ".,:;<>\"\\'"
	return text != "" && utf8.ValidString(text) && !strings.ContainsAny(text, "<>\n\x00") && strings.TrimFunc(text, func(c rune) bool {
		return c <= ' ' || strings.ContainsRune(crud, c)
	}) == text
}

// lastMoment is in the year 2099, the last one that git takes in every form of a date.
const lastMoment = 4102444800 - 24*60*60

// moment is a time as commits have it. Of the forms of git's dates only RFC 3339 is read here.
func moment(date string, now time.Time) (text string, ok bool) {
	if date == "" {
		return format(now), zoneIsKnown()
	}
	t, err := time.Parse(time.RFC3339, date)
	return format(t), err == nil && t.Unix() > 0 && t.Unix() < lastMoment
}

func format(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) + t.Format(" -0700") }

// zoneIsKnown reports whether Go and the C library read the variable TZ alike.
func zoneIsKnown() bool {
	zone := strings.TrimPrefix(os.Getenv("TZ"), ":")
	if zone == "" {
		return true
	}
	_, err := time.LoadLocation(zone)
	return err == nil
}
