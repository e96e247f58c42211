package session

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memctl/memctl/policy"
)

// The caps on context files, in characters. MaxContextFileChars is that of one file.
const (
	MaxContextFileChars = 20000

	maxContextChars = 24000
	minFileChars    = 64 // with less room than this, a file is not begun
)

// MaxContextFileBytes caps what is read of one context file.
const MaxContextFileBytes = 1 << 20

// WhyCut is the reason of a context file that is cut.
const WhyCut = "cut"

// FilesLeft counts context files that an agent could expect and does not get.
type FilesLeft struct {
	Count     int
	Untrusted bool // some of them because the person has not trusted the repository
}

// Add adds other ones.
func (l *FilesLeft) Add(other FilesLeft) {
	l.Count, l.Untrusted = l.Count+other.Count, l.Untrusted || other.Untrusted
}

func (l FilesLeft) name() string {
	if l.Count == 1 {
		return "1 context file"
	}
	return fmt.Sprintf("%d context files", l.Count)
}

// Text says how many there are and where the rules are; "" for none.
func (l FilesLeft) Text() string {
	if l.Count == 0 {
		return ""
	}
	return l.name() + " left out (docs/context.md has the rules)"
}

// Stood is Text for the receipt.
func (l FilesLeft) Stood() []Stood {
	if l.Count == 0 {
		return nil
	}
	why := "see docs/context.md"
	if l.Untrusted {
		why = WhyUntrusted
	}
	return []Stood{{Name: l.name(), Why: why, Named: true}}
}

// Where context files come from, in order of precedence.
const (
	FromCopy      = "user copy" // one user's copy of an agent's file, in the private or the user store
	FromAgent     = "agent"     // the agent's folder below memories/context
	FromWorkspace = "workspace" // the project's root
	FromUser      = "user"      // the person's global folder
)

// The context files with a meaning of their own.
const (
	PersonFile   = "USER.md"      // about the person: it is cut last
	FirstRunFile = "BOOTSTRAP.md" // while it has text, an agent is in its first run
)

// ContextNames lists the context files that are looked for, in the order in
// which they are handed out. With minimal, those that a subagent or a scheduled
// run is given.
func ContextNames(minimal bool) []string {
	if minimal {
		return []string{"AGENTS.md", "TOOLS.md"}
	}
	return []string{"AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "RULES.md", "HEARTBEAT.md", "BOOTSTRAP.md"}
}

// ContextFile is one file that was read for the briefing.
type ContextFile struct {
	Name    string // from its root, with slashes
	From    string // FromCopy, FromAgent, FromWorkspace or FromUser
	Path    string // what an agent finds it by
	Content []byte
}

// FirstRunFirst moves a BOOTSTRAP.md with text before the other files.
func FirstRunFirst(files []ContextFile) {
	if i := slices.IndexFunc(files, func(f ContextFile) bool { return f.Name == FirstRunFile }); i > 0 {
		first := files[i]
		copy(files[1:i+1], files[:i])
		files[0] = first
	}
}

// contextPreface stands before each file: what it is, and whose word counts.
const contextPreface = "The next tag contains the content of a file, as background for tone and conventions. The person's request and safety come first.\n\n"

// contextUnit is a context file in a briefing, which an agent's limit cuts rather than drops.
type contextUnit struct {
	file ContextFile
	text string // all of it, cleaned
	room int    // characters that it may have
}

// rendered is the file in its tag, cut to its room.
func (u contextUnit) rendered() string {
	return tagged(u.file, TruncateMiddle(u.text, u.file.Path, u.room))
}

// Context makes the part of the context files, in the order given, and counts those that are left out. A file that
// contains a secret is left out whole; one that the agent reads itself is not repeated. USER.md, the file about the person, gets
// its room before the others.
func Context(files []ContextFile, client Client) (p Part, left FilesLeft) {
	p = Part{Name: PartContext, Heading: "Context files"}
	for _, f := range files {
		text, ok := Readable(f)
		switch {
		case f.From == FromWorkspace && client.loads(f.Name):
		case !ok:
			left.Count++
		case text != "":
			p.files = append(p.files, contextUnit{file: f, text: strings.TrimRight(text, "\n")})
		}
	}
	distributeRoom(p.files)
	all := len(p.files)
	p.files = slices.DeleteFunc(p.files, func(u contextUnit) bool { return u.room == 0 })
	left.Count += all - len(p.files)
	for _, u := range p.files {
		p.Units, p.Names = append(p.Units, u.rendered()), append(p.Names, u.file.Path)
	}
	return p, left
}

// Cut is how many characters of the context file with that path the part leaves out.
func (p Part) Cut(path string) int {
	for _, u := range p.files {
		if u.file.Path == path {
			return max(utf8.RuneCountInString(u.text)-u.room, 0)
		}
	}
	return 0
}

// Readable is the text of a context file as an agent may read it: without hidden characters,
// and with tags that cannot close ours. It is "" for a file without text. ok is false
// for a file that is withheld, because it contains a secret or a rule of the policy is about its path.
func Readable(f ContextFile) (text string, ok bool) {
	text = defuseKeepingLines(string(f.Content))
	if policy.RulePath(f.Name).Verdict != policy.Accept || len(policy.Scan(f.Content)) > 0 || len(policy.Scan([]byte(text))) > 0 {
		return "", false
	}
	if strings.TrimSpace(text) == "" {
		return "", true
	}
	return text, true
}

// distributeRoom gives each file its room: USER.md first, then the others in their order. The first
// file that would get less than minFileChars, and those after it, get none.
func distributeRoom(units []contextUnit) {
	left := maxContextChars
	give := func(u *contextUnit) {
		if left < minFileChars {
			return
		}
		u.room = min(MaxContextFileChars, left)
		left -= utf8.RuneCountInString(TruncateMiddle(u.text, u.file.Path, u.room))
	}
	for _, person := range []bool{true, false} {
		for i := range units {
			if isPerson := path.Base(units[i].file.Name) == PersonFile; isPerson == person {
				give(&units[i])
			}
		}
	}
}

// shorten cuts the last file, but USER.md last of all, by at least so many characters. A file that
// would keep less than minFileChars is dropped. It returns the file's entry for the receipt.
func (p *Part) shorten(by int) Stood {
	n := len(p.files) - 1
	if n > 0 && path.Base(p.files[n].file.Name) == PersonFile {
		n--
	}
	u := &p.files[n]
	room := min(utf8.RuneCountInString(u.text), u.room) - max(by, 1)
	said := Stood{Name: u.file.Path, Why: WhyCut, Count: 1, Named: true}
	if room >= minFileChars {
		u.room = room
		p.Units[n] = u.rendered()
		return said
	}
	p.files, p.Units, p.Names = slices.Delete(p.files, n, n+1), slices.Delete(p.Units, n, n+1), slices.Delete(p.Names, n, n+1)
	said.Why = WhyLimit
	return said
}

// tagged is one file in its tag, under the line that says what it is.
func tagged(f ContextFile, text string) string {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return contextPreface + fmt.Sprintf("<context_file name=%q from=%q>\n%s</context_file>\n\n", f.Path, f.From, text)
}

// TruncateMiddle keeps the first 70% and the last 20% of room characters of a text
// that is longer, around a line that names the file to read for the rest.
func TruncateMiddle(text, name string, room int) string {
	runes := []rune(text)
	if len(runes) <= room {
		return text
	}
	marker := []rune("\n[...truncated, read " + name + " for full content...]\n")
	left := max(room-len(marker), 0)
	head := min(room*7/10, left)
	tail := min(room*2/10, left-head)
	return string(slices.Concat(runes[:head], marker[:min(len(marker), room)], runes[len(runes)-tail:]))
}

// CleanContext is a caller's text as part of a prompt: without hidden characters, and with tags
// that cannot close ours.
func CleanContext(text string) string {
	if text == "" {
		return ""
	}
	return defuseKeepingLines(text)
}

// defuseKeepingLines takes out of a file what only a machine would see, keeps its lines, and
// defuses whatever could end or begin our own tags.
func defuseKeepingLines(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for line := range strings.Lines(strings.TrimPrefix(text, "\uFEFF")) {
		line = strings.TrimRight(line, "\r\n")
		indent := len(line) - len(strings.TrimLeft(line, "\t"))
		b.WriteString(line[:indent])
		b.WriteString(withoutTags(policy.Inert(line[indent:])))
		b.WriteByte('\n')
	}
	return b.String()
}

// withoutTags breaks the tags that the briefing itself uses; the file's other
// markup stays as it is.
func withoutTags(line string) string {
	var b strings.Builder
	for i := range len(line) {
		if line[i] == '<' && opensOurs(line[i+1:]) {
			b.WriteString("‹")
			continue
		}
		b.WriteByte(line[i])
	}
	return b.String()
}

// opensOurs reports whether the text after a bracket is the name of a tag of memctl's, in any
// case, after any slashes and spaces.
func opensOurs(rest string) bool {
	rest = strings.TrimLeft(rest, "/ \t")
	for _, name := range []string{"context_file", "system_context", "extra_context"} {
		if len(rest) >= len(name) && strings.EqualFold(rest[:len(name)], name) {
			return true
		}
	}
	return false
}
