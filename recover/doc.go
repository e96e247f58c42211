// Package recovery makes a sound memory file out of any bytes, and throws
// nothing away. It is pure: bytes in, bytes out.
//
// Words. The first block is the first fenced YAML block of a file: the one
// that was the memory. An entry is one list item of memory, with the lines
// that belong to it. A record is what an entry says: an item or a tombstone.
//
// # What becomes of an entry
//
// One that memfile can read by itself is kept as it is. One from outside the
// first block gets low confidence, waits for confirmation and counts as
// automatic. One that cannot be read is salvaged: field by field if it has
// the fields of an item, else as a text, named "recovered." and the slug of
// its title or first words. It waits for confirmation too, and gives way to an
// item of its key, in the file or in the earlier version (Options.Base). What
// the file lacks of that version is added back. The rest is set aside.
//
// # How the result looks
//
// The block comes first, then the notes (memfile.NotesHeading). Each recovery
// adds a fence there, the newest first: where git has the file as it was
// (Options.Named), the command that prints it, and the lines that no memory was
// made of; else the whole file, under a line that states its length in bytes.
package recovery

import (
	"fmt"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// Options for Recover and Salvage.
type Options struct {
	Today string       // YYYY-MM-DD, UTC: added and updated of what is salvaged
	Scope string       // for the policy
	Team  *policy.Team // what a team has added to it; nil for nothing
	// Base is the earlier version: what the damaged file lacks of it is added back. Nil for none.
	Base *memfile.Document
	// Named is the command that prints these bytes of the file as a commit has them, "" if none is known to. Nil for none.
	Named func(src []byte) string
}

// SetAside is something that was not taken into the document, and stays in the notes.
type SetAside struct {
	Line int    `json:"line"` // 1-based, in the source
	Why  string `json:"why"`  // names of rules, or a few words; never the text
}

// Result of a recovery.
type Result struct {
	Needed   bool
	Reasons  []string         // e.g. "yaml-syntax (line 34)"
	Document memfile.Document // what the result's block says
	Bytes    []byte           // the sound file; the source itself where not needed
	Kept     int              // items of the first block that stay as they were
	Salvaged int              // items rebuilt from anything else
	SetAside []SetAside       // in the order of lines
	Original string           // the command that prints the source; "" if the notes have all of it
	Notes    []fault.Note     // what was added back from Options.Base, and a list that is no memory
	Secret   bool             // the source contains a secret, which no note has
	lacked   []string         // what was added back: keys, "" for a text that was forgotten, names of settings
}

// Where says where the file as it was is.
func (r Result) Where() string {
	if r.Original == "" {
		return "the original text is in its notes"
	}
	return "for the original: " + r.Original
}

// tooLarge is the error of a recovered file that would have at least size bytes, more than a
// memory file may. Nothing was changed.
func tooLarge(name string, size int) error {
	return &fault.Error{Code: fault.TooLarge, Thing: name, Status: 1, Cause: fmt.Sprintf("the recovered file would have %d bytes, more than the limit of %d", size, memfile.MaxFileBytes)}
}
