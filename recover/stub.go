// Package recovery makes a sound memory file out of any bytes, and throws nothing away. Pure.
package recovery

import "github.com/memctl/memctl/memfile"

// Options for Recover and Salvage.
type Options struct {
	Today     string // YYYY-MM-DD, UTC: added and updated of what is salvaged
	NoSalvage bool   // keep the settings (enabled: false stays false) and the original, salvage no items
	Scope     string // for the policy
}

// SetAside is something that was not taken into the document, and stays in the notes.
type SetAside struct {
	Line int    `json:"line"`
	Why  string `json:"why"`
}

// Result of a recovery.
type Result struct {
	Needed   bool
	Reasons  []string         // e.g. "yaml-syntax (line 34)"
	Document memfile.Document // what the result's block says
	Bytes    []byte           // the sound file; the source itself where not needed
	Kept     int              // items that stood in our shape in the first block and stay as they were
	Salvaged int              // items rebuilt from anything else
	SetAside []SetAside
	Secret   bool // the source holds a secret: the copy in the notes is redacted
}

// Recover returns the sound file. The original stands byte for byte under the notes heading (redacted where
// it holds a secret). Recovering the result changes nothing. Errors: *TooLargeError where the result would pass memfile.MaxFileBytes.
func Recover(name string, src []byte, opt Options) (Result, error) { panic("stub") }

// Salvage reads what can be read, for acts that only read. It never fails.
func Salvage(name string, src []byte, opt Options) memfile.Document { panic("stub") }
