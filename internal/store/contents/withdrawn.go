package contents

import (
	"context"
	"crypto/sha256"
	"os"
	"strings"

	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/capture"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/managed"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
)

// RuleWithdrawn is the rule of a memory whose line somebody removed from the instruction file that it was imported from.
const RuleWithdrawn = "withdrawn"

const (
	maxInstructionBytes = 1 << 20 // of one instruction file
	maxInstructionFiles = 100     // in which a removed line is looked for
)

// InstructionFile reads an instruction file, by its name from the project's root or with store.HomePrefix. A link inside the folder
// is followed, and at is where it leads. Errors: the folder cannot be opened; those of safefile.Read.
func InstructionFile(ss *store.Stores, name string) (data []byte, at string, err error) {
	dir := ss.Root()
	if file, home := strings.CutPrefix(name, store.HomePrefix); home {
		dir, name = ss.Home(), file
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, "", err
	}
	defer root.Close()
	at = safefile.Behind(root, name)
	data, _, err = safefile.Read(root, at, maxInstructionBytes)
	return data, at, err
}

// sentences are those of an instruction file, without the part that memctl writes; "" where there is no file.
func sentences(ss *store.Stores, name string) (all string) {
	data, _, _ := InstructionFile(ss, name)
	if rest, err := managed.MemoryBlock().Set(data, ""); err == nil {
		data = rest
	}
	for _, s := range capture.Instructions(name, data) {
		all += capture.Sentences(s.Text)
	}
	return all
}

// importedFrom is the instruction file that a source in a scope names; "" for none. One in the home is the person's alone.
func importedFrom(scope, source string) string {
	name, imported := strings.CutPrefix(source, memfile.ImportedFrom)
	if !imported || !store.IsInstruction(name) || scope == store.Only || strings.HasPrefix(name, store.HomePrefix) != (scope == store.User) {
		return ""
	}
	return name
}

// stamp is the SHA-256 of a memory file and of the instruction files that the items were imported from.
func (m *Memory) stamp(src []byte) [sha256.Size]byte {
	sum, read := sha256.Sum256(src), map[string]bool{"": true}
	for i := 0; m != nil && i < len(m.Items); i++ {
		if name := importedFrom(m.Store.Scope, m.Items[i].Source); !read[name] {
			read[name] = true
			data, _, _ := InstructionFile(m.Store.Stores, name)
			sum = sha256.Sum256(append(sum[:], data...))
		}
	}
	return sum
}

// findUnsaid sets Said and Unsaid of each item. One that somebody reworded by hand is neither.
func (m *Memory) findUnsaid(ctx context.Context) {
	var unsaid []memfile.Item
	files := map[string]string{"": ""}
	for i := range m.Items {
		it := &m.Items[i]
		name := importedFrom(m.Store.Scope, it.Source)
		if _, read := files[name]; !read {
			files[name] = sentences(m.Store.Stores, name)
		}
		it.Said, it.Unsaid = capture.Says(files[name], it.Value.Plain()), false
		if !it.Said && files[name] != "" && it.Edit == nil {
			unsaid = append(unsaid, it.Item)
		}
	}
	edits := HandEdits(ctx, m.Store, "", unsaid)
	for _, it := range unsaid {
		m.Find(it.Key).Unsaid = edits[it.Key] == nil
	}
}

// withdraw hides the items that no instruction file says any more. What a person pinned or locked is not hidden.
func (v *View) withdraw(m *Memory) {
	for _, it := range m.Items {
		if it.Said {
			v.kept[m.Store.Scope+" "+importedFrom(m.Store.Scope, it.Source)] = true
		}
	}
	for i := range m.Items {
		if it := &m.Items[i]; it.Unsaid && !it.Pinned && !it.Locked && v.withdraws(m.Store.Scope, it.Source, it.Value.Plain()) {
			it.hide(RuleWithdrawn)
		}
	}
}

// HasImported reports whether items of a scope are from an instruction file that still says some of them: a fact from it may be
// withdrawn, which only its file and that one tell.
func (v *View) HasImported(scope string) bool {
	for kept := range v.kept {
		if strings.HasPrefix(kept, scope+" ") {
			return true
		}
	}
	return false
}

// withdrawn reports whether an entry was imported from a line that no instruction file has any more. One that somebody reworded by
// hand has the id of its first text.
func (v *View) withdrawn(e *Entry) bool {
	return !e.Pinned && entry.IsFactID(e.ID, e.Text) && v.withdraws(e.Scope, e.Source, e.Text)
}

// withdraws reports whether no instruction file still says a text that was imported from one. It is false if that file says none
// of its items any more, as after a replacement, or if the reader may not read it.
func (v *View) withdraws(scope, source, text string) bool {
	name := importedFrom(scope, source)
	if !v.kept[scope+" "+name] {
		return false
	}
	if v.Reviewed != nil && scope != store.User {
		if data, at, err := InstructionFile(v.ss, name); err != nil || !v.Reviewed.HasFile(v.ctx, at, data) {
			return false
		}
	}
	if v.instructions == "" {
		names, _ := store.InstructionNames()
		if v.ss.Repo() != nil {
			worktree.CountTracked(v.ss.Repo(), func(file string) bool {
				if store.IsInstruction(file) {
					names = append(names, file)
				}
				return len(names) == maxInstructionFiles
			}, 1)
		}
		for _, name := range names {
			v.instructions += sentences(v.ss, name)
		}
	}
	return !capture.Says(v.instructions, text)
}
