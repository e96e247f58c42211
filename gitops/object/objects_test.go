package object

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/tests/gittest"
)

// TestObjects reads the same from every form of repository, and says of each
// whether it was read in this process.
func TestObjects(t *testing.T) {
	t.Parallel()
	clone := func(b *gittest.Box, args ...string) *gittest.Box {
		dir := filepath.Join(gittest.RealTemp(b.T), "clone")
		b.Git(append(append([]string{"clone", "-q"}, args...), b.Root, dir)...)
		return b.At(dir)
	}
	for name, c := range map[string]struct {
		init  []string
		setup func(b *gittest.Box) *gittest.Box
		plain bool
	}{
		"loose objects": {plain: true},
		"packed":        {setup: func(b *gittest.Box) *gittest.Box { b.Git("gc", "-q"); return b }, plain: true},
		"packed in parts": {setup: func(b *gittest.Box) *gittest.Box {
			b.Git("repack", "-q", "-d")
			b.Step("x", "x")
			b.Git("repack", "-q", "-d")
			return b
		}, plain: true},
		"multi-pack index": {setup: func(b *gittest.Box) *gittest.Box {
			b.Git("repack", "-q", "-d", "--write-midx")
			return b
		}, plain: true},
		"a linked worktree": {setup: func(b *gittest.Box) *gittest.Box {
			dir := filepath.Join(gittest.RealTemp(b.T), "w")
			b.Git("worktree", "add", "-q", dir)
			return b.At(dir)
		}, plain: true},
		"worktreeConfig": {setup: func(b *gittest.Box) *gittest.Box { b.Git("config", "extensions.worktreeConfig", "true"); return b }, plain: true},
		"borrowed":       {setup: func(b *gittest.Box) *gittest.Box { return clone(b, "--shared") }},
		"SHA-256":        {init: []string{"--object-format=sha256"}},
		"a partial clone": {setup: func(b *gittest.Box) *gittest.Box {
			b.Git("config", "uploadpack.allowFilter", "true")
			b.Git("config", "uploadpack.allowAnySHA1InWant", "true")
			dir := filepath.Join(gittest.RealTemp(b.T), "clone")
			b.Git("clone", "-q", "--filter=blob:none", "file://"+b.Root, dir)
			return b.At(dir)
		}, plain: true},
		"a replaced object": {setup: func(b *gittest.Box) *gittest.Box {
			b.Step("x", "replaced\n")
			b.Git("replace", b.Git("rev-parse", "HEAD:"+gittest.Memory), b.Git("rev-parse", "HEAD~1:"+gittest.Memory))
			return b
		}},
		"a replaced object, packed": {setup: func(b *gittest.Box) *gittest.Box {
			b.Step("x", "replaced\n")
			b.Git("replace", b.Git("rev-parse", "HEAD:"+gittest.Memory), b.Git("rev-parse", "HEAD~1:"+gittest.Memory))
			b.Git("pack-refs", "--all")
			return b
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := gittest.NewBox(t, c.init...)
			if c.setup != nil {
				b = c.setup(b)
			}
			r := findRepo(b)
			if got := plainReader(r) != nil; got != c.plain {
				t.Errorf("read in this process: %v, want %v", got, c.plain)
			}
			want := b.Git("cat-file", "blob", "HEAD:"+gittest.Memory) + "\n"
			for _, commit := range []string{"HEAD", b.Head(), "main", b.Head()[:12]} {
				data, ok, err := FileAt(background, r, commit, gittest.Memory)
				if err != nil || !ok || string(data) != want && string(data)+"\n" != want {
					t.Errorf("FileAt(%s) = %q, %v, %v; want %q", commit, data, ok, err, want)
				}
			}
			id := b.Git("rev-parse", "HEAD:other.txt")
			if data, err := Blob(background, r, id); err != nil || string(data) != "first\nsecond\nthird\n" {
				t.Errorf("Blob = %q, %v", data, err)
			}
		})
	}
}

// TestFileAtOfOtherThings: no regular file is no file; no such commit is an error.
func TestFileAtOfOtherThings(t *testing.T) {
	t.Parallel()
	b := gittest.NewBox(t)
	b.Write("a/b/c.md", "deep\n")
	gittest.Symlink(t, gittest.Memory, filepath.Join(b.Root, "link.md"))
	b.Git("add", ".")
	b.Git("commit", "-q", "-m", "things")
	b.Git("tag", "-a", "-m", "t", "v1")
	r := findRepo(b)
	for path, want := range map[string]string{
		"a/b/c.md": "deep\n", "a": "", "a/b": "", "a/b/c.md/d": "", "link.md": "", "nowhere": "", "memories.md/x": "", "a/b/": "",
	} {
		data, ok, err := FileAt(background, r, "v1", path)
		if err != nil || string(data) != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, %v", path, data, ok, err)
		}
	}
	for _, commit := range []string{strings.Repeat("1", 40), "nope", "", "-p", "HEAD~9"} {
		if _, _, err := FileAt(background, r, commit, gittest.Memory); !fault.Is(err, fault.UnknownRevision) {
			t.Errorf("%q: %v", commit, err)
		}
	}
	for _, id := range []string{strings.Repeat("1", 40), b.Head(), "HEAD", "", strings.Repeat("z", 40)} {
		if data, err := Blob(background, r, id); err == nil {
			t.Errorf("Blob(%q) = %q", id, data)
		}
	}
}

// TestObjectsPackedMeanwhile: a gc between two reads moves what was loose.
func TestObjectsPackedMeanwhile(t *testing.T) {
	t.Parallel()
	b := gittest.NewBox(t)
	r := findRepo(b)
	if _, ok, err := FileAt(background, r, "HEAD", gittest.Memory); !ok || err != nil {
		t.Fatal(ok, err)
	}
	b.Step("more", "two\n")
	b.Git("gc", "-q", "--prune=now")
	for rev, want := range map[string]string{"HEAD": "two\n", "HEAD~1": "one\n"} {
		if data, ok, err := FileAt(background, r, rev, gittest.Memory); err != nil || !ok || string(data) != want {
			t.Errorf("%s: %q, %v, %v", rev, data, ok, err)
		}
	}
}

// TestDamagedObjects are an error, never an empty file.
func TestDamagedObjects(t *testing.T) {
	t.Parallel()
	b := gittest.NewBox(t)
	id := b.Git("rev-parse", "HEAD:"+gittest.Memory)
	file := filepath.Join(b.Root, ".git", "objects", id[:2], id[2:])
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if data, ok, err := FileAt(background, findRepo(b), "HEAD", gittest.Memory); err == nil {
		t.Errorf("a lost blob: %q, %v", data, ok)
	}
	b.Write(".git/objects/"+id[:2]+"/"+id[2:], "rubbish")
	if data, ok, err := FileAt(background, findRepo(b), "HEAD", gittest.Memory); err == nil {
		t.Errorf("a damaged blob: %q, %v", data, ok)
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	b := gittest.NewBox(t)
	b.Git("tag", "-a", "-m", "t", "v1")
	r := findRepo(b)
	for rev, want := range map[string]string{
		"HEAD": b.Head(), "@": b.Head(), "main": b.Head(), "v1": b.Head(), "HEAD~1": b.Git("rev-parse", "HEAD~1"), b.Head()[:8]: b.Head(),
	} {
		if got, err := Resolve(background, r, rev); err != nil || got != want {
			t.Errorf("%q: %q, %v", rev, got, err)
		}
	}
	for _, rev := range []string{"", "nope", "--all", "HEAD:memories.md", "HEAD\nHEAD", "^HEAD", "HEAD~1..HEAD"} {
		if got, err := Resolve(background, r, rev); !fault.Is(err, fault.UnknownRevision) {
			t.Errorf("%q: %q, %v", rev, got, err)
		}
	}
	b.Git("checkout", "-q", "--orphan", "new")
	if got, err := Resolve(background, r, "HEAD"); !fault.Is(err, fault.UnknownRevision) {
		t.Errorf("unborn: %q, %v", got, err)
	}
}

// FuzzTreeEntry: no tree hurts; an entry that is found is in it.
func FuzzTreeEntry(f *testing.F) {
	f.Add([]byte("100644 a\x0001234567890123456789"), "a")
	f.Add([]byte("100644 a\x000123"), "a")
	f.Add([]byte("0\x0000000000000000000000"), "")
	f.Fuzz(func(t *testing.T, tree []byte, name string) {
		mode, id := treeEntry(tree, name, 20)
		if id != "" && (len(id) != 40 || !strings.Contains(string(tree), mode+" "+name+"\x00")) {
			t.Errorf("%q %q in %q", mode, id, tree)
		}
	})
}

// TestInit makes a repository that can take a commit at once.
func TestInit(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(gittest.RealTemp(t), "data", "user")
	for range 2 { // a second time changes nothing
		r, err := gitops.Init(background, dir, func(*gitops.Repo) {})
		if err != nil || r.Root != dir {
			t.Fatalf("Init = %+v, %v", r, err)
		}
		if s, err := r.State(); err != nil || s != (gitops.State{Branch: "main", Unborn: true}) {
			t.Errorf("State = %+v, %v", s, err)
		}
	}
	if fi, err := os.Stat(dir); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
}
