package session

import (
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/store"
)

// Unit is what an agent counts its own limit in.
type Unit int

// The units. Characters are Unicode code points.
const (
	Bytes Unit = iota
	Characters
	UTF16
)

func (u Unit) String() string {
	return [...]string{Bytes: "bytes", Characters: "characters", UTF16: "UTF-16 units"}[u]
}

// Size is the length of the text in the unit.
func (u Unit) Size(text string) int {
	switch u {
	case Characters:
		return utf8.RuneCountInString(text)
	case UTF16:
		n := 0
		for _, r := range text {
			n += utf16.RuneLen(r) // what is no UTF-8 decodes to a character of one unit
		}
		return n
	}
	return len(text)
}

// History is what a resumed session still has of what its hooks handed in before.
type History int

// The histories of clients.
const (
	HistoryUnknown History = iota
	HistoryKept
	HistoryDropped
)

// Client is what the briefing must know of an agent.
type Client struct {
	Limit int      // of what one hook may hand in, in Unit; 0 for none known
	Unit  Unit     // what Limit is counted in
	Loads []string // the instruction files that it reads by itself at each start
	// MaxFile is how many bytes of such a file it reads; 0 for all.
	MaxFile int
	// Skills are the folders whose skills it loads by itself, from the project and the home
	// folder.
	Skills []string
	// History is what a resumed session has of it.
	History History
}

// The modes of a briefing.
const (
	ModeIndex = "index"
	ModeFull  = "full" // index, and what a search finds for the session
	ModeOff   = "off"
)

// ClientOf is what is known of the agent of that name; of any other, nothing.
// The limits of claude and codex and every history were seen by running them, the
// files and skills that the others load are from their documentation.
func ClientOf(name string) (c Client) {
	switch name {
	case "claude", "claude-code":
		name = "claude"
		c = Client{Limit: 10000, Unit: UTF16, Skills: []string{".claude/skills"}, History: HistoryKept}
	case "codex":
		c = Client{Limit: 10000, Unit: Characters, MaxFile: 32 << 10, Skills: []string{".agents/skills"}, History: HistoryKept}
	case "gemini":
		c = Client{Skills: []string{".agents/skills"}, History: HistoryKept}
	case "copilot":
		c = Client{Skills: []string{".agents/skills", ".claude/skills"}, History: HistoryDropped}
	case "qwen":
		c = Client{History: HistoryDropped}
	case "cursor", "opencode":
		c = Client{Skills: []string{".agents/skills", ".claude/skills"}}
	case "windsurf":
		c = Client{MaxFile: 6000}
	}
	c.Loads = store.LoadedBy(name)
	return c
}

// loads reports whether the agent reads the file by itself.
func (c Client) loads(name string) bool { return slices.Contains(c.Loads, name) }
