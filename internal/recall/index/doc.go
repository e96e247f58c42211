// Package index keeps the docs that recall can find in one compact file, and reads what
// a search needs of them.
//
// A [Doc] is one thing that can be found: an item of the memory file, a fact, a
// note, a summary, a turn, or a chunk of a Markdown file. [Build] writes docs to
// a segment, and [Open] puts segments together: a base, and small ones with what has
// changed since. An [Index] reads straight from their bytes. Its docs have numbers.
//
// Words: a doc's *source* is the file it was read from, and what a newer segment
// drops; its *group* is what it stands in (its session, its file, or its day), and
// its *neighbours* are the docs before and after it there.
package index

import (
	"cmp"
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Tier says what kind of memory a doc is.
type Tier uint8

// The tiers, in the order in which a briefing packs them.
const (
	TierItem Tier = iota
	TierSummary
	TierFact
	TierNote
	TierTurn
	TierFile // a chunk of a Markdown file that memctl reads and never writes
	tierCount
)

var tierNames = [...]string{"item", "summary", "fact", "note", "turn", "file"}

func (t Tier) String() string {
	if int(t) < len(tierNames) {
		return tierNames[t]
	}
	return "unknown"
}

// ParseTier is the tier of that name.
func ParseTier(name string) (Tier, bool) {
	i := slices.Index(tierNames[:], name)
	return Tier(max(i, 0)), i >= 0
}

// Source names the file that docs were read from: a path in the store of a scope.
type Source struct{ Scope, Path string }

// Doc is one thing that recall can find. Only ID and Text are needed.
type Doc struct {
	ID           string // the item's key, the entry's id, or the path with #L1-L9
	Tier         Tier
	Scope        string // project, private or user
	Source       string // the file it was read from, relative to its store
	Digest       string // of that file, for an entry: contents.Entry.Digest
	Conversation string
	Session      string
	Path         string // where a person finds it; for a chunk with #L1-L9
	Speaker      string // who said it: a role or a name
	Category     string
	Tags, Topics []string
	When         []string // words of later requests that the text does not have; Search passes them over
	Anchors      []string // the files that it is tied to
	Text         string
	Time         time.Time // when it was said or written; kept to the second
	Seq          int       // the order where times are equal, from 0
	Weight       float64   // what a person gave it; 0 counts as 1
	Confidence   float64   // 0 to 1; 0 counts as 1
	Pinned       bool
	AtCommand    bool // Index.CommandDocs gives it
	Marked       bool // a session starts with it: Index.StartDocs gives it without a question
	Counted      bool // it counts in Index.Counts, by its kind and topics
	Unconfirmed  bool // it waits for a person; Index.Counts counts it apart, and Counted is not set
}

// maxChunks is how many docs of an entry EntrySeq tells apart.
const maxChunks = 1 << 16

// EntrySeq is the Seq of an entry's doc: the entry's milliseconds, in which an import keeps the order of lines with one time, and
// the number of the chunk.
func EntrySeq(made time.Time, chunk int) int {
	return made.Nanosecond()/int(time.Millisecond)*maxChunks + min(chunk, maxChunks-1)
}

// MadeAt is the time of an entry's doc, to the millisecond.
func (d *Doc) MadeAt() time.Time {
	return d.Time.Add(time.Duration(d.Seq/maxChunks) * time.Millisecond)
}

// maxTextBytes is the length up to which a doc's text is indexed and kept; callers cut
// longer texts in chunks.
const maxTextBytes = 64 << 10

// GroupName is what the doc stands in: its session, or its file where it is a chunk;
// empty where it stands alone.
func (d *Doc) GroupName() string {
	switch {
	case d.Session != "":
		return "s" + d.Session
	case strings.Contains(d.Path, "#L"):
		return "f" + d.Source
	}
	return ""
}

// compareDocs is the order of docs in a segment: what stands together lies together.
func compareDocs(a, b *Doc) int {
	if n := cmp.Or(
		cmp.Compare(a.Scope, b.Scope),
		cmp.Compare(a.Conversation, b.Conversation),
		cmp.Compare(a.GroupName(), b.GroupName()),
		cmp.Compare(a.Time.Unix(), b.Time.Unix()),
		cmp.Compare(a.Seq, b.Seq),
	); n != 0 {
		return n // without a look at the texts
	}
	return cmp.Or(
		cmp.Compare(a.Text, b.Text), // before the id, which is random
		cmp.Compare(a.ID, b.ID),
		cmp.Compare(a.Source, b.Source),
	)
}

// groupHash tells groups apart; 0 is that of a doc that stands alone.
func groupHash(d *Doc) uint64 {
	together := d.GroupName()
	if together == "" {
		return 0
	}
	h := fnv.New64a()
	io.WriteString(h, d.Scope+"\x00"+d.Conversation+"\x00"+together)
	return max(h.Sum64(), 1)
}

func sourceHash(s Source) uint32 { return hashWords(s.Scope, s.Path) }

// TextHash is the hash that a doc with that text has in its record.
func TextHash(text string) uint32 { return hashWords(text) }

func hashWords(words ...string) uint32 {
	h := fnv.New32a()
	for _, w := range words {
		h.Write(append([]byte(w), 0))
	}
	return h.Sum32()
}

// endsWithQuestion reports whether a text ends with a question; a remark in brackets behind it, such as that of a photo, is no
// part of what was said.
func endsWithQuestion(text string) bool {
	text = strings.TrimRight(text, " \t\r\n\"'”»)")
	if strings.HasSuffix(text, "]") {
		text = strings.TrimRight(text[:max(strings.LastIndexByte(text, '['), 0)], " \t\r\n")
	}
	end, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune("?？؟", end)
}
