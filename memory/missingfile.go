package memory

import (
	"context"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
)

// MissingFile is what an act says of a memory file that is not on disk where git has it: the
// session's own, or that of another scope. nil where there is none.
func MissingFile(ctx context.Context, ss *store.Stores, only string) *fault.Error {
	stores, err := StoresOf(ctx, ss, only)
	if err != nil {
		return nil
	}
	for _, st := range stores {
		if src, err := contents.BytesAsRead(st); src != nil || err != nil {
			continue
		}
		if m, err := contents.Read(ctx, st); err == nil && txn.Absent(ctx, m) {
			return txn.Missing(ctx, st)
		}
	}
	return nil
}

// OrMissingFile adds to the refusal of what is not there that a memory file is missing, with the command
// that brings it back.
func (r *Refusal) OrMissingFile(ctx context.Context, ss *store.Stores, only string) *Refusal {
	if missing := MissingFile(ctx, ss, only); missing != nil {
		r.Findings[0].Message += "; " + missing.Error()
		r.Hints = []string{missing.RestoreCommand}
	}
	return r
}

// MissingFileNote is MissingFile for an agent, of one store: it is a person who brings the file back.
func MissingFileNote(ctx context.Context, m *contents.Memory) []string {
	if !txn.Absent(ctx, m) {
		return nil
	}
	missing := txn.Missing(ctx, m.Store)
	return []string{missing.Error() + "; a person can restore it with `" + missing.RestoreCommand + "`"}
}

// DamagedNote says of a store's memory that it is what can be read of a damaged file, or the file's last sound version; nil
// where the file is sound.
func DamagedNote(m *contents.Memory) []string {
	if !m.Salvaged {
		return nil
	}
	return []string{Quoted(m.Store.Name()) + " " + Damage(m) + "; a person can repair it with `" + m.Mend + ScopeFlag(m.Store.Scope) + "`"}
}

// Damage says what is wrong with a damaged memory file, and what readers get instead.
func Damage(m *contents.Memory) string {
	if m.Earlier {
		return "has no memory block any more; this is its last sound version"
	}
	return "is damaged; this is the readable part"
}

// WarnMissingFile tells the person of such a file where only reading is asked for.
func WarnMissingFile(ctx context.Context, ss *store.Stores, only string) {
	if missing := MissingFile(ctx, ss, only); missing != nil {
		ss.Talk("warning: " + missing.Error())
		ss.Talk("hint: " + missing.RestoreCommand)
	}
}
