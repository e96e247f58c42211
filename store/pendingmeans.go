package store

import (
	"context"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/memfile"
)

// version is one version of a file: its bytes' digest, "" where it was not there, and,
// where it was noted, that of what it says: a formatter changes the first alone.
type version struct{ digest, means string }

func (f pendingFile) before() version { return version{f.Before, f.BeforeMeans} }
func (f pendingFile) after() version  { return version{f.After, f.Means} }

// is reports whether the bytes are that version of the file, or say the same.
func (v version) is(path string, src []byte) bool {
	return digestOf(src) == v.digest || v.means != "" && meaningOf(path, src) == v.means
}

// meaningOf names what a file says, "" where nobody can tell. The words around the
// memory file's entries are a person's.
func meaningOf(path string, src []byte) string {
	if path == memfile.FileName {
		if f, _ := memfile.Parse(path, src); f != nil {
			return f.Document().Meaning() + "+" + f.Around()
		}
		return ""
	}
	if e := entry.In(path, src); e != nil {
		return e.Meaning()
	}
	return ""
}

// withMeanings is the write with what its files said before and after it. Of many it is
// not noted.
func (p pendingWrite) withMeanings(changes []FileChange) pendingWrite {
	if len(changes) > manyFiles || len(changes) != len(p.Files) {
		return p
	}
	for i, c := range changes {
		if c.Before != nil {
			p.Files[i].BeforeMeans = meaningOf(c.Path, c.Before)
		}
		if c.After != nil {
			p.Files[i].Means = meaningOf(c.Path, c.After)
		}
	}
	return p
}

// byHook is what a hook that refused the commit of what waits made of a file.
type byHook struct{ was, now []byte }

// mendedMeanwhile reports whether a hook that refused the commit of what waits has
// changed one of its files, so that the commit is worth another try.
func (t *transaction) mendedMeanwhile(ctx context.Context, v *tree) bool {
	if t.blocked != gitops.WhyHook || t.refused >= maxRefused || ctx.Err() != nil {
		return false
	}
	t.refused++
	for path, was := range v.now {
		if now, err := t.st.wholeBytes(ctx, path); err == nil && digestOf(now) != digestOf(was) {
			t.blocked = ""
			if t.hooked == nil {
				t.hooked = map[string]byHook{}
			}
			t.hooked[path] = byHook{was: v.unhooked(path, was), now: now}
		}
	}
	return t.blocked == ""
}

// unhooked are the file's bytes without what a hook has written around the memory
// file's entries as it refused the commit: that is nobody's edit.
func (v *tree) unhooked(path string, now []byte) []byte {
	h, ok := v.hooked[path]
	if !ok || path != memfile.FileName || digestOf(h.now) != digestOf(now) {
		return now
	}
	a, _ := memfile.Parse(path, h.was)
	b, _ := memfile.Parse(path, now)
	if a == nil || b == nil || a.Document().Meaning() != b.Document().Meaning() {
		return now
	}
	return h.was
}
