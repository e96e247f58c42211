package txn

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/memfile"
)

// UnifiedDiff shows what changes in a file, "" where nothing does. nil stands
// for no file.
func UnifiedDiff(name string, before, after []byte) string {
	name = strings.TrimPrefix(filepath.ToSlash(name), "/")
	from, to := "a/"+name, "b/"+name
	if before == nil {
		from = "/dev/null"
	}
	if after == nil {
		to = "/dev/null"
	}
	return strings.ReplaceAll(string(diff.Diff(from, notesMarked(before), to, notesMarked(after))), notesMark, "")
}

// notesMark stands before the notes' lines while they are compared. No text has the byte.
const notesMark = "\xff"

// notesMarked marks the lines of recovery's notes. Diff aligns the texts by the lines that
// occur once, and an original in the notes has the lines of the block a second time.
func notesMarked(src []byte) []byte {
	start, _ := memfile.SplitNotes(src)
	if start == len(src) {
		return src
	}
	notes := strings.ReplaceAll(string(src[start:]), "\n", "\n"+notesMark)
	return append(bytes.Clone(src[:start]), notesMark+strings.TrimSuffix(notes, notesMark)...)
}

// forAgent reports whether the answer to the write is an agent's.
func (w Write) forAgent() bool { return w.Origin != "" && w.Origin != ledger.OriginExplicit }

// byAgent reports whether an agent, or memctl for it, asked for the write.
func (w Write) byAgent() bool { return w.forAgent() || w.Clean }

// originRelayed is a person's word that an agent passes on.
const originRelayed = "relayed"
