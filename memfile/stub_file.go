package memfile

// File is a sound memory file.
type File struct{}

// Template is the memory file that init writes, byte for byte as DESIGN.md 4.1.
const Template = "```yaml\nsaved_memory:\n  version: 1\n  updated: 1970-01-01\n  settings:\n    enabled: true\n    announce_writes: true\n  items: []\ndeletions: []\n```\n"

// Parse reads a memory file. name is used in problems only. The File is nil
// when any problem is damage; problems that are not damage come with a File.
//
// Damage: too large, invalid UTF-8 (in the block), too deep, no block, several blocks, unclosed
// fence, conflict markers, YAML syntax, anchors/aliases/tags, a block of another shape,
// an item or tombstone that is not a map with a key (or, for a tombstone, key or value),
// items or deletions appended below the fence ("stray-items").
// Not damage: version above 1 ("newer-version": read, never written), unknown
// fields, key form, duplicate keys, items with a tombstone of the same day or later ("forgotten"),
// missing or wrong field types, low without the tag, deletions inside saved_memory.
func Parse(name string, src []byte) (*File, []Problem) { panic("stub") }

// Document is a copy of what the block says; changing it does not change f.
func (f *File) Document() Document { panic("stub") }

// Bytes are the file's bytes, as given to Parse.
func (f *File) Bytes() []byte { panic("stub") }

// Rewrite returns the file's bytes changed so that the block says want. Items and tombstones
// are matched by Line (which Document() set; 0 is new); fields that do not differ stay byte for
// byte, as does every line that the change does not name: comments, order, quoting,
// blank lines, flow style, CRLF, BOM, a missing final newline, prose. New items go in key order among keys that are
// in order; new tombstones are appended. An item whose value changes loses its allowance comments. Item order in want
// is ignored for items that stand in the file. The result is parsed again and compared with want:
// a difference is an error and nothing is returned. Equal documents give equal bytes.
func (f *File) Rewrite(want Document) ([]byte, error) { panic("stub") }

// New renders a whole new memory file for the document (recovery's and the template's form).
func New(doc Document) ([]byte, error) { panic("stub") }

// Block is the byte range of the document's fenced block, fences included.
func (f *File) Block() (start, end int) { panic("stub") }

// RenderItem prints one item as block YAML, as Rewrite would insert it in the template's layout.
func RenderItem(it Item) string { panic("stub") }

// KeyForm reports whether key has the form that memctl writes (DESIGN.md 4.1).
func KeyForm(key string) bool { panic("stub") }

// NormalKey trims, lower-cases and turns spaces to '-'; nearest is the nearest key that has
// the form ("" where none can be made).
func NormalKey(key string) (normal, nearest string) { panic("stub") }

// Delta is one difference between two documents, for log, diff, undo and announcements.
type Delta struct {
	Kind   string // "item", "tombstone" or "setting"
	Key    string // the item's or tombstone's key ("" for a tombstone by value); the setting's name
	Before *Item  // nil: not there
	After  *Item
	// for tombstones
	TombBefore, TombAfter *Tombstone
	// for settings: the text, "true"/"false"
	SettingBefore, SettingAfter string
}

// Diff lists the differences between two documents, in the order: settings, items by key, tombstones by key. Lines and columns do not count.
func Diff(before, after Document) []Delta { panic("stub") }

// Settle merges items of one key without a base (DESIGN.md 5.4): the winner, with the rest in its Conflict.
func Settle(items []Item) Item { panic("stub") }

// AddRival puts r into the list: each value once, sorted by canonical JSON.
func AddRival(list []Rival, r Rival) []Rival { panic("stub") }

// Duplicates lists, by key, the indexes into doc.Items of keys that stand more than once.
func Duplicates(doc Document) map[string][]int { panic("stub") }

// ForgottenBy returns the tombstone of the item's key whose day is the item's or later, if any.
func ForgottenBy(doc Document, it Item) *Tombstone { panic("stub") }

// NotesHeading begins the part of a file that recovery wrote; nothing in it is ever read as memory.
const NotesHeading = "## Non-authoritative notes"

// SplitNotes returns where our own notes section begins (len(src) where there is none).
func SplitNotes(src []byte) int { panic("stub") }

// Traces reports whether the bytes show any trace of a memory file (the word saved_memory).
func Traces(src []byte) bool { panic("stub") }
