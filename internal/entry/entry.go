// Package entry reads and changes entries: memories of the higher tiers, each
// one Markdown file whose YAML front matter says what it is and whose body is
// the memory.
//
// It is pure: bytes in, bytes out. No disk, no clock, no network.
//
// Words. A fact is one thing that lasts; a note one thing of one day; a summary
// what a conversation came to; a turn what was said, word for word. The tier
// says which. A conversation is what entries belong to together: "project" for
// the repository. A problem is one thing that is wrong with a file, at one
// place; one that is damage means that the file is not read. An anchor is the
// place in the code that a fact is about, and what stood there.
package entry

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/linemerge"
	"github.com/memctl/memctl/memfile"
)

// Sizes above which a file, and its front matter, are not parsed. MaxTextBytes
// caps the body that memctl writes.
const (
	MaxFileBytes = 1 << 20
	MaxHeadBytes = 64 << 10
	MaxTextBytes = 256 << 10
)

// The tiers.
const (
	Fact    = "fact"
	Note    = "note"
	Summary = "summary"
	Turn    = "turn"
)

// The roles, as the front matter has them.
const (
	RoleFact      = "memory"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleSummary   = "summary"
	RoleNote      = "note"
)

// Conversations with a meaning: ProjectConversation is the repository's,
// GlobalConversation, in the user's store, is searched with every other.
const (
	ProjectConversation = "project"
	GlobalConversation  = "global"
)

// Categories lists what a fact can be about, in the order of printing.
func Categories() []string {
	return []string{"fact", "architecture", "pattern", "preference", "gotcha", "project", "personal", "rule", "decision", "feedback", "context"}
}

// CategoryOf returns the category that a word means, in lower case: itself, or the category
// that people use the word for.
func CategoryOf(word string) string {
	switch word = strings.ToLower(strings.TrimSpace(word)); word {
	case "bug", "issue", "lesson", "pitfall", "warning":
		return "gotcha"
	case "convention", "style":
		return "pattern"
	case "design":
		return "architecture"
	case "note", "info":
		return "fact"
	}
	return word
}

// CutBracketedWord cuts a text that begins with one word in brackets, as in "[gotcha] the tests need
// Docker". A link, a check box and brackets of several words are no category.
func CutBracketedWord(text string) (word, rest string, ok bool) {
	head, rest, ok := strings.Cut(text, "] ")
	if !ok || !strings.HasPrefix(head, "[") || len(head) < 3 || strings.ContainsFunc(head[1:], func(r rune) bool { return !unicode.IsLetter(r) }) {
		return "", text, false
	}
	return head[1:], strings.TrimLeft(rest, " \t"), true
}

// Entry is one memory. Times are RFC 3339 text, in UTC where memctl wrote them;
// days are text, "2006-01-02". A zero field is not written. An entry with paths,
// commands or ask cannot be written.
type Entry struct {
	labels.Labels
	ID           string
	Role         string
	Conversation string
	Created      string
	Session      string
	Category     string
	Topics       []string
	Weight       float64 // of recall; 0 counts as 1
	Anchors      []Anchor
	SummaryKind  string
	Stale        bool   // a summary that lost lines since it was written
	ReplacedBy   string // id of the entry that took its place
	Deleted      string // time at which it was replaced or merged
	Reason       string
	Text         string  // the body, without blank lines around it, lines ended by "\n"
	Extra        []Extra // fields that memctl does not know, in the file's order
}

// Anchor is a place in the code that an entry is about.
type Anchor struct {
	Path   string // from the repository's root, with slashes; may end in #L1-L9
	Commit string // at which it was true; "" where there was none
	Hash   string // of the text that stood there; see HashLines
}

// Extra is a field that memctl does not know: it is kept as it is.
type Extra struct {
	Name    string
	Scalars []string // every scalar in it, for the policy to rule on
	raw     string   // as it is written, key included
}

// Tier is the tier that the entry's role puts it in.
func (e Entry) Tier() string {
	switch e.Role {
	case RoleNote:
		return Note
	case RoleSummary:
		return Summary
	case RoleUser, RoleAssistant:
		return Turn
	}
	return Fact
}

// IsSuperseded reports whether the entry says of itself that something took its place.
func (e Entry) IsSuperseded() bool { return e.ReplacedBy != "" || e.Deleted != "" }

func (e Entry) clone() Entry {
	e.Labels, e.Topics, e.Anchors, e.Extra = e.Labels.Clone(), slices.Clone(e.Topics), slices.Clone(e.Anchors), slices.Clone(e.Extra)
	return e
}

// Problem is one thing that is wrong with a file, at one place. The message
// never repeats the text.
type Problem = memfile.Problem

// CleanText is a text as a body can hold it: lines ended by "\n", no blank
// lines before it and no white space after it. A line that is one of git's
// conflict markers is set in by a blank: at the margin it would say that the
// file waits for a merge.
func CleanText(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(strings.TrimRight(s, " \t\n"), "\n")
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for i, l := range lines {
		if m := linemerge.ConflictMarker(l); m == '<' || m == '>' {
			lines[i] = " " + l
		}
	}
	return strings.Join(lines, "\n")
}

// ParseAnchor reads "path" or "path#L1-L9" ("#L4" is one line) as a person
// gives it. ok is false for a path that leads out of the repository or into what
// git keeps there (.git, in any letters), and for lines that are none.
func ParseAnchor(text string) (a Anchor, ok bool) {
	a.Path = strings.ReplaceAll(strings.TrimSpace(text), `\`, "/")
	name, _, _, lines := a.Lines()
	if !lines && strings.Contains(a.Path, "#L") {
		return Anchor{}, false
	}
	clean := path.Clean(name)
	if name == "" || clean == "." || path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") || strings.ContainsAny(name, "\x00\n\r") {
		return Anchor{}, false
	}
	if InGitFolder(clean) {
		return Anchor{}, false
	}
	a.Path = clean + a.Path[len(name):]
	return a, true
}

// InGitFolder reports whether a path with slashes leads into git's own folder on
// some file system: some make no difference between letters, and drop dots and
// spaces at a name's end.
func InGitFolder(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		part = strings.ToLower(strings.TrimRight(part, ". "))
		return part == ".git" || part == "git~1" || strings.HasPrefix(part, ".git:")
	})
}

// Lines splits an anchor's path: the file, and the lines from first to last,
// 1-based, where it names any (ok).
func (a Anchor) Lines() (name string, first, last int, ok bool) {
	name, spec, found := strings.Cut(a.Path, "#L")
	if !found {
		return a.Path, 0, 0, false
	}
	from, to, several := strings.Cut(spec, "-")
	first, err := strconv.Atoi(from)
	last = first
	if several && err == nil {
		last, err = strconv.Atoi(strings.TrimPrefix(to, "L"))
	}
	if err != nil || first < 1 || last < first {
		return name, 0, 0, false
	}
	return name, first, last, true
}
