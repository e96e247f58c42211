package gitops

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/gitops/indexfile"
)

// askedOfGit is indexEntries by git alone.
func (b *box) askedOfGit(paths ...string) map[string]indexEntry {
	b.t.Helper()
	entries := map[string]indexEntry{}
	out := b.git(append([]string{"ls-files", "-z", "-s", "-v", "--"}, paths...)...)
	for record := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		meta, name, ok := strings.Cut(record, "\t")
		f := strings.Fields(meta)
		if !ok {
			continue
		}
		e := entries[name]
		entries[name] = indexEntry{id: f[2], unmerged: e.unmerged || f[3] != "0", hidden: e.hidden || f[0] == "S" || f[0] == strings.ToLower(f[0])}
	}
	return entries
}

func TestOwnIndexAgreesWithGit(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long/", 30) + strings.Repeat("name", 50) + ".md"
	for name, c := range map[string]struct {
		setup func(b *box)
		init  []string
		asks  bool // only git can tell
	}{
		"plain":     {setup: func(b *box) {}},
		"version 2": {setup: func(b *box) { b.git("update-index", "--index-version=2") }},
		"version 4": {setup: func(b *box) { b.git("update-index", "--index-version=4") }},
		"version 4, marks": {setup: func(b *box) {
			b.git("update-index", "--index-version=4")
			b.git("update-index", "--skip-worktree", "folder/a.md")
		}},
		"skip-worktree":             {setup: func(b *box) { b.git("update-index", "--skip-worktree", "memories.md") }},
		"assume-unchanged":          {setup: func(b *box) { b.git("update-index", "--assume-unchanged", "memories.md") }},
		"intent to add":             {setup: func(b *box) { b.write("memories.md.new", "x\n"); b.git("add", "-N", "memories.md.new") }},
		"staged otherwise":          {setup: func(b *box) { b.write("memories.md", "two\n"); b.git("add", "memories.md") }},
		"deleted":                   {setup: func(b *box) { b.git("rm", "-q", "--cached", "memories.md") }},
		"in conflict":               {setup: conflict},
		"cache of untracked files":  {setup: func(b *box) { b.git("update-index", "--untracked-cache"); b.git("status") }},
		"no checksum":               {setup: func(b *box) { b.git("config", "index.skipHash", "true"); b.git("update-index", "--force-write-index") }},
		"SHA-256":                   {setup: func(b *box) {}, init: []string{"--object-format=sha256"}},
		"split":                     {setup: func(b *box) { b.git("update-index", "--split-index") }, asks: true},
		"sparse":                    {setup: sparseIndex, asks: true},
		"no index at all":           {setup: func(b *box) { b.remove(".git/index") }},
		"an index cut short":        {setup: func(b *box) { cutIndex(b, -30) }, asks: true},
		"an index with other bytes": {setup: func(b *box) { cutIndex(b, 100) }, asks: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t, c.init...)
			for _, f := range []string{"folder/a.md", "folder/deep/b.md", "folder.md", long} {
				b.write(f, f+"\n")
			}
			b.git("add", ".")
			b.git("commit", "-q", "-m", "more")
			c.setup(b)
			for _, paths := range [][]string{{"memories.md"}, {"folder"}, {"folder/a.md", "folder.md"}, {long}, {"nowhere"}, {"memories.md.new", "memories.md"}} {
				records, ok := findRepo(b).ownIndex(paths)
				if ok == c.asks {
					t.Fatalf("sure = %v", ok)
				}
				if got := foldRecords(records); ok && !maps.Equal(got, b.askedOfGit(paths...)) {
					t.Errorf("%q: got %v\ngit %v", paths, got, b.askedOfGit(paths...))
				}
			}
		})
	}
}

func conflict(b *box) {
	b.git("checkout", "-q", "-b", "side")
	b.write("memories.md", "side\n")
	b.git("commit", "-q", "-a", "-m", "side")
	b.git("checkout", "-q", "main")
	b.write("memories.md", "main\n")
	b.git("commit", "-q", "-a", "-m", "main")
	if _, err := b.try("merge", "side"); err == nil {
		b.t.Fatal("merged")
	}
}

func sparseIndex(b *box) {
	if out, err := b.try("sparse-checkout", "set", "--cone", "--sparse-index", "long"); err != nil {
		b.t.Skip(out)
	}
}

// cutIndex takes bytes off the end, or puts others there.
func cutIndex(b *box, n int) {
	b.t.Helper()
	name := filepath.Join(b.root, ".git", "index")
	data, err := os.ReadFile(name)
	if err != nil {
		b.t.Fatal(err)
	}
	if n > 0 {
		data = append(data, make([]byte, n)...)
	} else {
		data = data[:len(data)+n]
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func TestKnownCleanIsClean(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		setup func(b *box)
		init  []string
		known bool
	}{
		"as committed":       {setup: func(b *box) {}, known: true},
		"packed":             {setup: func(b *box) { b.git("gc", "-q", "--prune=now") }, known: true},
		"others are dirty":   {setup: func(b *box) { b.write("other.txt", "x\n"); b.git("add", "."); b.write("more.txt", "y\n") }, known: true},
		"detached":           {setup: func(b *box) { b.git("checkout", "-q", "--detach") }, known: true},
		"version 4":          {setup: func(b *box) { b.git("update-index", "--index-version=4") }, known: true},
		"executable":         {setup: executable, known: true},
		"edited":             {setup: func(b *box) { b.write("memories.md", "longer\n") }},
		"edited, as long":    {setup: func(b *box) { b.write("memories.md", "two\n") }},
		"edited, same times": {setup: sameTimes},
		"staged":             {setup: func(b *box) { b.write("memories.md", "two\n"); b.git("add", ".") }},
		"deleted":            {setup: func(b *box) { b.remove("memories.md") }},
		"not in HEAD": {setup: func(b *box) {
			b.git("rm", "-q", "--cached", "memories.md")
			b.git("commit", "-q", "-m", "rm")
			b.git("add", ".")
		}},
		"HEAD moved": {setup: func(b *box) {
			b.write("memories.md", "two\n")
			b.git("commit", "-q", "-a", "-m", "x")
			b.git("reset", "-q", "--soft", "HEAD^")
		}},
		"in conflict":      {setup: conflict},
		"assume-unchanged": {setup: func(b *box) { b.git("update-index", "--assume-unchanged", "memories.md") }},
		"SHA-256":          {setup: func(b *box) {}, init: []string{"--object-format=sha256"}},
		"unborn":           {setup: func(b *box) { b.git("checkout", "-q", "--orphan", "new") }},
		"mode changed":     {setup: func(b *box) { chmod(b, 0o755) }},
		"a link": {setup: func(b *box) {
			b.git("mv", "memories.md", "m")
			b.git("commit", "-q", "-m", "mv")
			link(b, "m", "memories.md")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t, c.init...)
			c.setup(b)
			if got := findRepo(b).CleanBlob("memories.md") != ""; got != c.known && statsAreRead() {
				t.Fatalf("known to be clean: %v, want %v", got, c.known)
			}
			said, _ := b.try("status", "--porcelain", "--", "memories.md")
			if c.known && said != "" {
				t.Errorf("git says %q", said)
			}
		})
	}
}

// statsAreRead: elsewhere git is always asked.
func statsAreRead() bool {
	info, err := os.Lstat(".")
	if err != nil {
		return false
	}
	_, ok := statRecord(info)
	return ok
}

func chmod(b *box, mode os.FileMode) {
	b.t.Helper()
	if err := os.Chmod(filepath.Join(b.root, "memories.md"), mode); err != nil {
		b.t.Fatal(err)
	}
}

func executable(b *box) {
	chmod(b, 0o755)
	b.git("commit", "-q", "-a", "-m", "x")
}

func link(b *box, to, name string) {
	b.t.Helper()
	if err := os.Symlink(to, filepath.Join(b.root, name)); err != nil {
		b.t.Skip(err)
	}
}

// sameTimes is an edit of one length that the file's times tell nothing of, as
// within one tick of the clock: the index is written to have them.
func sameTimes(b *box) {
	b.t.Helper()
	name := filepath.Join(b.root, "memories.md")
	index := filepath.Join(b.root, ".git", "index")
	was, err := os.Stat(index)
	if err != nil {
		b.t.Fatal(err)
	}
	b.write("memories.md", "two\n")
	data, err := os.ReadFile(index)
	if err != nil {
		b.t.Fatal(err)
	}
	old, _ := indexfile.Find(data, 20, []string{"memories.md"})
	info, err := os.Lstat(name)
	if err != nil {
		b.t.Fatal(err)
	}
	now, _ := statRecord(info)
	noted := old["memories.md"][0]
	data = patched(data, noted, now)
	if err := os.WriteFile(index, data, 0o644); err != nil {
		b.t.Fatal(err)
	}
	_ = os.Chtimes(index, time.Time{}, was.ModTime())
}

// patched gives the entry the other's times.
func patched(data []byte, noted, now indexfile.Entry) []byte {
	text := string(data)
	text = strings.Replace(text, packed(noted), packed(now), 1)
	return []byte(text)
}

func packed(e indexfile.Entry) string {
	var b strings.Builder
	for _, n := range []uint32{e.CTime.Sec, e.CTime.Nsec, e.MTime.Sec, e.MTime.Nsec} {
		b.Write([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
	}
	return b.String()
}

// TestOldFilesAreNotReadAgain: a file older than the index is taken at its
// times' word, as git takes it.
func TestOldFilesAreNotReadAgain(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	sameTimes(b)
	later := time.Now().Add(2 * time.Second)
	if err := os.Chtimes(filepath.Join(b.root, ".git", "index"), later, later); err != nil {
		t.Fatal(err)
	}
	if r := findRepo(b); statsAreRead() && r.CleanBlob("memories.md") == "" {
		t.Error("the file was read although it is older than the index")
	}
	if said := b.git("status", "--porcelain", "--", "memories.md"); said != "" {
		t.Errorf("git reads it: %q", said)
	}
}

func FuzzParseIndex(f *testing.F) {
	for _, version := range []string{"2", "4"} {
		f.Add(seedIndex(f, version))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		first, ok := indexfile.Find(data, 20, []string{"memories.md", "a"})
		again, same := indexfile.Find(data, 20, []string{"memories.md", "a"})
		if ok != same || !reflect.DeepEqual(first, again) {
			t.Fatal("read twice, it says two things")
		}
		for name := range first {
			if name != "memories.md" && name != "a" && !strings.HasPrefix(name, "memories.md/") && !strings.HasPrefix(name, "a/") {
				t.Fatalf("not asked for: %q", name)
			}
		}
	})
}

// seedIndex is a small index as git writes it.
func seedIndex(f *testing.F, version string) []byte {
	f.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "index-v"+version))
	if err != nil {
		f.Fatal(err)
	}
	return data
}
