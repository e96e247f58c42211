package contextfile

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/capture"
	"github.com/memctl/memctl/internal/managed"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
)

// Instructions reads an instruction file, by its name from the project's root or with store.HomePrefix. ok is false where
// it does not count for the reader: one of a repository counts where the person trusts it, under trust reviewed as it is on
// the default branch, and a CLAUDE.local.md only where git does not track it. A link inside the project is followed.
func (r Reader) Instructions(ctx context.Context, ss *store.Stores, name string) (data []byte, ok bool) {
	data, _, ok = r.instructions(ctx, ss, name)
	return data, ok
}

// instructions is Instructions with the name of the file behind a link.
func (r Reader) instructions(ctx context.Context, ss *store.Stores, name string) (data []byte, at string, ok bool) {
	project := !strings.HasPrefix(name, store.HomePrefix)
	if project && (r.Guarded || path.Base(name) == store.LocalFile && tracked(ss, name)) {
		return nil, "", false
	}
	data, at, err := contents.InstructionFile(ss, name)
	if err != nil || project && r.Reviewed != nil && !r.Reviewed.HasFile(ctx, at, data) {
		return nil, "", false
	}
	return data, at, true
}

// asCommitted reports whether a file, and the link that leads to it, are as HEAD has them. Files in the home are not asked for.
func asCommitted(ctx context.Context, ss *store.Stores, name, at string, data []byte) bool {
	if strings.HasPrefix(name, store.HomePrefix) {
		return true
	}
	if ss.Repo() == nil {
		return false
	}
	head, ok, err := contents.AsWritten(ctx, ss.Repo(), "HEAD", at)
	if err != nil || !ok || contents.DigestOf(head) != contents.DigestOf(data) {
		return false
	}
	if at == name {
		return true
	}
	link, err := worktree.StateOf(ctx, ss.Repo(), name)
	return err == nil && link.Tracked && !link.Dirty
}

func tracked(ss *store.Stores, name string) bool {
	return ss.Repo() != nil && worktree.CountTracked(ss.Repo(), func(file string) bool { return file == name }, 1) > 0
}

// maxInstructionBytes is how much of an instruction file is compared with memory.
const maxInstructionBytes = 64 << 10

// FindStated returns where instruction files state something ("CLAUDE.md, line 14"), by the text of each statement with its labels
// in front, as imports store it, and by the text alone of each that is whole, as session.Folded has them. It reads the files of
// these names that the person trusts. With a client, only statements count that the client loads itself: all of a file in the home
// or as HEAD has it, of others those that memctl exported, because an agent can change a statement's meaning by the text around
// it. The text alone of one below a label then has the label in front, as a part of a key, because a heading can change its meaning.
func FindStated(ctx context.Context, ss *store.Stores, names []string, client *session.Client) map[string]string {
	said, reader := map[string]string{}, Trusted(ctx, ss, "", "")
	for _, name := range names {
		data, at, ok := reader.instructions(ctx, ss, name)
		if !ok || client != nil && replaced(ss, name) {
			continue
		}
		most, whole := maxInstructionBytes, data
		if client != nil && client.MaxFile > 0 {
			most = client.MaxFile
		}
		if len(data) > most {
			data = data[:bytes.LastIndexByte(data[:most], '\n')+1] // a part of a line is another text
		}
		var list []capture.Instruction
		if client != nil {
			list = capture.Instructions(name, managed.MemoryBlock().BlankOutside(data))
		}
		exported := len(list)
		if client == nil || asCommitted(ctx, ss, name, at, whole) {
			list = append(list, capture.Instructions(name, data)...)
		}
		for i, st := range list {
			note := func(text string) {
				if text = session.Folded(text); said[text] == "" {
					said[text] = name + ", line " + strconv.Itoa(st.Line)
				}
			}
			note(st.Full)
			label, labelled := strings.CutSuffix(st.Full, ": "+st.Text)
			switch {
			case !st.Whole:
			case client == nil || !labelled || i < exported:
				note(st.Text)
			default:
				note(memfile.KeyPart(label, 256) + ": " + st.Text)
			}
		}
	}
	return said
}

// Listed is where an instruction file that an agent loads states an item; "" for nowhere.
func Listed(ctx context.Context, ss *store.Stores, key, text string) string {
	for _, agent := range store.Loaders() {
		client := session.ClientOf(agent)
		said := FindStated(ctx, ss, client.Loads, &client)
		for _, form := range session.ListedAs(key, text) {
			if at := said[form]; at != "" {
				return at
			}
		}
	}
	return ""
}

// SaysSo is where an instruction file of the session's folder, of a folder above it or of the home says a text in a line; "" for
// nowhere.
func SaysSo(ctx context.Context, ss *store.Stores, text string) string {
	if ss.IsSingleStore() {
		return ""
	}
	names, below := store.InstructionNames()
	for folder := ss.SessionFolder(); folder != "." && folder != ""; folder = path.Dir(folder) {
		for _, name := range below {
			names = append(names, path.Join(folder, name))
		}
	}
	for _, name := range names {
		if folder, file, some := strings.Cut(name, "/**/"); some && ss.Root() != "" {
			found, _ := fs.Glob(os.DirFS(ss.Root()), folder+"/"+file)
			names = append(names, found...)
		}
	}
	return FindStated(ctx, ss, names, nil)[session.Folded(text)]
}

// replaced reports whether agents load another file instead of the one of that name.
func replaced(ss *store.Stores, name string) bool {
	variable, file := store.InsteadOf(name)
	if variable != "" && ss.Getenv(variable) != "" {
		return true
	}
	if file == "" {
		return false
	}
	_, err := os.Lstat(filepath.Join(ss.Root(), file))
	return err == nil
}
