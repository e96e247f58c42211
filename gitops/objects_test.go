package gitops

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestObjects reads the same from every form of repository, and says of each
// whether it was read in this process.
func TestObjects(t *testing.T) {
	t.Parallel()
	clone := func(b *box, args ...string) *box {
		dir := filepath.Join(realTemp(b.t), "clone")
		b.git(append(append([]string{"clone", "-q"}, args...), b.root, dir)...)
		return b.at(dir)
	}
	for name, c := range map[string]struct {
		init  []string
		setup func(b *box) *box
		plain bool
	}{
		"loose objects": {plain: true},
		"packed":        {setup: func(b *box) *box { b.git("gc", "-q"); return b }, plain: true},
		"packed in parts": {setup: func(b *box) *box {
			b.git("repack", "-q", "-d")
			b.step("x", "x")
			b.git("repack", "-q", "-d")
			return b
		}, plain: true},
		"multi-pack index": {setup: func(b *box) *box {
			b.git("repack", "-q", "-d", "--write-midx")
			return b
		}, plain: true},
		"a linked worktree": {setup: func(b *box) *box {
			dir := filepath.Join(realTemp(b.t), "w")
			b.git("worktree", "add", "-q", dir)
			return b.at(dir)
		}, plain: true},
		"worktreeConfig": {setup: func(b *box) *box { b.git("config", "extensions.worktreeConfig", "true"); return b }, plain: true},
		"borrowed":       {setup: func(b *box) *box { return clone(b, "--shared") }, plain: true},
		"borrowed twice": {setup: func(b *box) *box { return clone(clone(b, "--shared"), "--shared") }, plain: true},
		"borrowed by a relative path": {setup: func(b *box) *box {
			n := clone(b, "--shared")
			rel, err := filepath.Rel(filepath.Join(n.root, ".git", "objects"), filepath.Join(b.root, ".git", "objects"))
			if err != nil {
				b.t.Fatal(err)
			}
			n.write(".git/objects/info/alternates", rel+"\n")
			return n
		}, plain: true},
		"SHA-256": {init: []string{"--object-format=sha256"}},
		"a partial clone": {setup: func(b *box) *box {
			b.git("config", "uploadpack.allowFilter", "true")
			b.git("config", "uploadpack.allowAnySHA1InWant", "true")
			dir := filepath.Join(realTemp(b.t), "clone")
			b.git("clone", "-q", "--filter=blob:none", "file://"+b.root, dir)
			return b.at(dir)
		}, plain: true},
		"a replaced object": {setup: func(b *box) *box {
			b.step("x", "replaced\n")
			b.git("replace", b.git("rev-parse", "HEAD:"+memory), b.git("rev-parse", "HEAD~1:"+memory))
			return b
		}},
		"a replaced object, packed": {setup: func(b *box) *box {
			b.step("x", "replaced\n")
			b.git("replace", b.git("rev-parse", "HEAD:"+memory), b.git("rev-parse", "HEAD~1:"+memory))
			b.git("pack-refs", "--all")
			return b
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t, c.init...)
			if c.setup != nil {
				b = c.setup(b)
			}
			r := findRepo(b)
			if got := r.plainReader() != nil; got != c.plain {
				t.Errorf("read in this process: %v, want %v", got, c.plain)
			}
			want := b.git("cat-file", "blob", "HEAD:"+memory) + "\n"
			for _, commit := range []string{"HEAD", b.head(), "main", b.head()[:12]} {
				data, ok, err := r.FileAt(background, commit, memory)
				if err != nil || !ok || string(data) != want && string(data)+"\n" != want {
					t.Errorf("FileAt(%s) = %q, %v, %v; want %q", commit, data, ok, err, want)
				}
			}
			id := b.git("rev-parse", "HEAD:other.txt")
			if data, err := r.Blob(background, id); err != nil || string(data) != "first\nsecond\nthird\n" {
				t.Errorf("Blob = %q, %v", data, err)
			}
		})
	}
}

// TestFileAtOfOtherThings: no regular file is no file; no such commit is an error.
func TestFileAtOfOtherThings(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write("a/b/c.md", "deep\n")
	symlink(t, memory, filepath.Join(b.root, "link.md"))
	b.git("add", ".")
	b.git("commit", "-q", "-m", "things")
	b.git("tag", "-a", "-m", "t", "v1")
	r := findRepo(b)
	for path, want := range map[string]string{
		"a/b/c.md": "deep\n", "a": "", "a/b": "", "a/b/c.md/d": "", "link.md": "", "nowhere": "", "memories.md/x": "", "a/b/": "",
	} {
		data, ok, err := r.FileAt(background, "v1", path)
		if err != nil || string(data) != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, %v", path, data, ok, err)
		}
	}
	var unknown *UnknownRevisionError
	for _, commit := range []string{strings.Repeat("1", 40), "nope", "", "-p", "HEAD~9"} {
		if _, _, err := r.FileAt(background, commit, memory); !errors.As(err, &unknown) {
			t.Errorf("%q: %v", commit, err)
		}
	}
	for _, id := range []string{strings.Repeat("1", 40), b.head(), "HEAD", "", strings.Repeat("z", 40)} {
		if data, err := r.Blob(background, id); err == nil {
			t.Errorf("Blob(%q) = %q", id, data)
		}
	}
}

// TestObjectsPackedMeanwhile: a gc between two reads moves what was loose.
func TestObjectsPackedMeanwhile(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	r := findRepo(b)
	if _, ok, err := r.FileAt(background, "HEAD", memory); !ok || err != nil {
		t.Fatal(ok, err)
	}
	b.step("more", "two\n")
	b.git("gc", "-q", "--prune=now")
	for rev, want := range map[string]string{"HEAD": "two\n", "HEAD~1": "one\n"} {
		if data, ok, err := r.FileAt(background, rev, memory); err != nil || !ok || string(data) != want {
			t.Errorf("%s: %q, %v, %v", rev, data, ok, err)
		}
	}
}

// TestDamagedObjects are an error, never an empty file.
func TestDamagedObjects(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	id := b.git("rev-parse", "HEAD:"+memory)
	file := filepath.Join(b.root, ".git", "objects", id[:2], id[2:])
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if data, ok, err := findRepo(b).FileAt(background, "HEAD", memory); err == nil {
		t.Errorf("a lost blob: %q, %v", data, ok)
	}
	b.write(".git/objects/"+id[:2]+"/"+id[2:], "rubbish")
	if data, ok, err := findRepo(b).FileAt(background, "HEAD", memory); err == nil {
		t.Errorf("a damaged blob: %q, %v", data, ok)
	}
}

func TestPushed(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	dir := filepath.Join(realTemp(t), "bare.git")
	b.git("clone", "-q", "--bare", b.root, dir)
	b.git("remote", "add", "origin", dir)
	r := findRepo(b)
	if r.Pushed(background, b.head()) {
		t.Error("pushed before any fetch")
	}
	b.git("push", "-q", "origin", "main")
	if !r.Pushed(background, b.head()) || !r.Pushed(background, b.git("rev-parse", "HEAD~1")) {
		t.Error("not pushed")
	}
	b.step("more", "two\n")
	if r.Pushed(background, b.head()) || r.Pushed(background, "HEAD~1") || r.Pushed(background, "--all") {
		t.Error("pushed what is not")
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.git("tag", "-a", "-m", "t", "v1")
	r := findRepo(b)
	for rev, want := range map[string]string{
		"HEAD": b.head(), "@": b.head(), "main": b.head(), "v1": b.head(), "HEAD~1": b.git("rev-parse", "HEAD~1"), b.head()[:8]: b.head(),
	} {
		if got, err := r.Resolve(background, rev); err != nil || got != want {
			t.Errorf("%q: %q, %v", rev, got, err)
		}
	}
	var unknown *UnknownRevisionError
	for _, rev := range []string{"", "nope", "--all", "HEAD:memories.md", "HEAD\nHEAD", "^HEAD", "HEAD~1..HEAD"} {
		if got, err := r.Resolve(background, rev); !errors.As(err, &unknown) {
			t.Errorf("%q: %q, %v", rev, got, err)
		}
	}
	b.git("checkout", "-q", "--orphan", "new")
	if got, err := r.Resolve(background, "HEAD"); !errors.As(err, &unknown) {
		t.Errorf("unborn: %q, %v", got, err)
	}
}

// FuzzTreeEntry: no tree hurts; an entry that is found is in it.
func FuzzTreeEntry(f *testing.F) {
	f.Add([]byte("100644 a\x0001234567890123456789"), "a")
	f.Add([]byte("100644 a\x000123"), "a")
	f.Add([]byte("0\x0000000000000000000000"), "")
	f.Fuzz(func(t *testing.T, tree []byte, name string) {
		mode, id, ok := treeEntry(tree, name, 20)
		if ok && (len(id) != 40 || !strings.Contains(string(tree), mode+" "+name+"\x00")) {
			t.Errorf("%q %q in %q", mode, id, tree)
		}
	})
}

// TestInit makes a repository that can take a commit at once.
func TestInit(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(realTemp(t), "data", "user")
	for range 2 { // a second time changes nothing
		r, err := Init(background, dir, func(*Repo) {})
		if err != nil || r.Root != dir {
			t.Fatalf("Init = %+v, %v", r, err)
		}
		if s, err := r.State(); err != nil || s != (State{Branch: "main", Unborn: true}) {
			t.Errorf("State = %+v, %v", s, err)
		}
	}
	if fi, err := os.Stat(dir); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
}
