package memory

import (
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store/txn"
)

// announcement is the one line that says what was stored, and to a person what it replaced.
func (a *adding) announcement(key string, out txn.Outcome) string {
	undo := takeBack(out, "forget", key)
	i := find(&out.After, a.Key)
	switch {
	case a.beside:
		return "Saved: " + key + " has another value in conflict: " + oneLine(a.Value) + undo
	case i >= 0 && !memfile.Same(out.After.Items[i].Value, a.Value):
		return "Counted as a repeat: " + key + " = " + oneLine(out.After.Items[i].Value) + undo
	}
	if i := find(&out.Before, a.Key); i >= 0 && a.explicit() && !memfile.Equal(out.Before.Items[i].Value, a.Value) {
		was := "was: " + beginning(redacted(out.Before.Items[i].Value.Plain()))
		if command := undoCommand(out, "", key); command != "" { // forget would not bring the old value back
			was += "; undo: " + command
		}
		return "Changed: " + key + " = " + oneLine(a.Value) + " (" + was + ")"
	}
	return "Saved: " + key + " = " + oneLine(a.Value) + undo
}

// beginning is a text that was, cut to fit into a line beside others.
func beginning(text string) string {
	return policy.Cut(policy.Inert(text), 60)
}
