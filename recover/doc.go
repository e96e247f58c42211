// Package recovery makes a sound memory file out of any bytes, and throws
// nothing away. It is pure: bytes in, bytes out.
//
// Words. The first block is the first fenced YAML block of a file: the one
// that was the memory. A stray is an entry that stands below a block's fence.
// An entry is one list item of memory, with the lines that belong to it. An
// entry in our shape is a map with a key; any other is foreign. Kept is an
// item of the first block that comes out as it went in; salvaged is an item
// rebuilt from anything else; set aside is what stays in the notes alone.
//
// # What a foreign entry becomes
//
// Its key is "recovered." and the slug of its title, or of its first words
// where it has none. For "Title: text" the value is the text where the key
// says the whole title ("Learning Loop" is recovered.learning-loop), and
// "Title: text" where the slug loses some of it ("The 85% Bar"). It is of low
// confidence, waits for confirmation, and is set by recovery, which counts as
// automatic.
//
// # How the result looks
//
// The block comes first, then the notes (memfile.NotesHeading). Each recovery
// puts the file as it was into a fence there, newest first, under a line that
// states its length in bytes, so that Originals returns it byte for byte.
package recovery

import (
	"fmt"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// Options for Recover and Salvage.
type Options struct {
	Today     string       // YYYY-MM-DD, UTC: added and updated of what is salvaged
	NoSalvage bool         // keep the settings (enabled: false stays false), the tombstones, the original and a first block that is sound on its own; salvage no items
	Scope     string       // for the policy
	Team      *policy.Team // what a team has added to it; nil for nothing
	// Base is what the file said before, where a merge knows it: what a damaged
	// file merely lacks stands as it did there. Nil for none.
	Base *memfile.Document
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
	Kept     int              // items that stood in our shape in the first block and stay as they were
	Salvaged int              // items rebuilt from anything else
	SetAside []SetAside       // in the order of lines
	Lacked   []string         // what stands as it did in Options.Base: keys, "" for a text that was forgotten, names of settings
	Secret   bool             // the source contains a secret: the copy in the notes is redacted
}

// tooLarge is the error of a recovered file that would have at least size bytes, more than a
// memory file may. Nothing was changed.
func tooLarge(name string, size int) error {
	return &fault.Error{Code: fault.TooLarge, Thing: name, Status: 1, Cause: fmt.Sprintf("the recovered file would have %d bytes, more than the limit of %d", size, memfile.MaxFileBytes)}
}
