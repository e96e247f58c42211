package worktree

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/indexfile"
	"github.com/memctl/memctl/tests/gittest"
)

// askedOfGit is indexEntries by git alone.
func askedOfGit(b *gittest.Box, paths ...string) map[string]indexEntry {
	b.T.Helper()
	entries := map[string]indexEntry{}
	out := b.Git(append([]string{"ls-files", "-z", "-s", "-v", "--"}, paths...)...)
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
		setup func(b *gittest.Box)
		init  []string
		asks  bool // only git can tell
	}{
		"plain":     {setup: func(b *gittest.Box) {}},
		"version 2": {setup: func(b *gittest.Box) { b.Git("update-index", "--index-version=2") }},
		"version 4": {setup: func(b *gittest.Box) { b.Git("update-index", "--index-version=4") }},
		"version 4, marks": {setup: func(b *gittest.Box) {
			b.Git("update-index", "--index-version=4")
			b.Git("update-index", "--skip-worktree", "folder/a.md")
		}},
		"skip-worktree":            {setup: func(b *gittest.Box) { b.Git("update-index", "--skip-worktree", "memories.md") }},
		"assume-unchanged":         {setup: func(b *gittest.Box) { b.Git("update-index", "--assume-unchanged", "memories.md") }},
		"intent to add":            {setup: func(b *gittest.Box) { b.Write("memories.md.new", "x\n"); b.Git("add", "-N", "memories.md.new") }},
		"staged otherwise":         {setup: func(b *gittest.Box) { b.Write("memories.md", "two\n"); b.Git("add", "memories.md") }},
		"deleted":                  {setup: func(b *gittest.Box) { b.Git("rm", "-q", "--cached", "memories.md") }},
		"in conflict":              {setup: conflict},
		"cache of untracked files": {setup: func(b *gittest.Box) { b.Git("update-index", "--untracked-cache"); b.Git("status") }},
		"no checksum": {setup: func(b *gittest.Box) {
			b.Git("config", "index.skipHash", "true")
			b.Git("update-index", "--force-write-index")
		}},
		"SHA-256":                   {setup: func(b *gittest.Box) {}, init: []string{"--object-format=sha256"}},
		"split":                     {setup: func(b *gittest.Box) { b.Git("update-index", "--split-index") }, asks: true},
		"sparse":                    {setup: sparseIndex, asks: true},
		"no index at all":           {setup: func(b *gittest.Box) { b.Remove(".git/index") }},
		"an index cut short":        {setup: func(b *gittest.Box) { cutIndex(b, -30) }, asks: true},
		"an index with other bytes": {setup: func(b *gittest.Box) { cutIndex(b, 100) }, asks: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := gittest.NewBox(t, c.init...)
			for _, f := range []string{"folder/a.md", "folder/deep/b.md", "folder.md", long} {
				b.Write(f, f+"\n")
			}
			b.Git("add", ".")
			b.Git("commit", "-q", "-m", "more")
			c.setup(b)
			for _, paths := range [][]string{{"memories.md"}, {"folder"}, {"folder/a.md", "folder.md"}, {long}, {"nowhere"}, {"memories.md.new", "memories.md"}} {
				records, ok := ownIndex(findRepo(b), paths)
				if ok == c.asks {
					t.Fatalf("sure = %v", ok)
				}
				if got := foldRecords(records); ok && !maps.Equal(got, askedOfGit(b, paths...)) {
					t.Errorf("%q: got %v\ngit %v", paths, got, askedOfGit(b, paths...))
				}
			}
		})
	}
}

func conflict(b *gittest.Box) {
	b.Git("checkout", "-q", "-b", "side")
	b.Write("memories.md", "side\n")
	b.Git("commit", "-q", "-a", "-m", "side")
	b.Git("checkout", "-q", "main")
	b.Write("memories.md", "main\n")
	b.Git("commit", "-q", "-a", "-m", "main")
	if _, err := b.Try("merge", "side"); err == nil {
		b.T.Fatal("merged")
	}
}

func sparseIndex(b *gittest.Box) {
	if out, err := b.Try("sparse-checkout", "set", "--cone", "--sparse-index", "long"); err != nil {
		b.T.Skip(out)
	}
}

// cutIndex takes bytes off the end, or puts others there.
func cutIndex(b *gittest.Box, n int) {
	b.T.Helper()
	name := filepath.Join(b.Root, ".git", "index")
	data, err := os.ReadFile(name)
	if err != nil {
		b.T.Fatal(err)
	}
	if n > 0 {
		data = append(data, make([]byte, n)...)
	} else {
		data = data[:len(data)+n]
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		b.T.Fatal(err)
	}
}

func TestKnownCleanIsClean(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		setup func(b *gittest.Box)
		init  []string
		known bool
	}{
		"as committed":       {setup: func(b *gittest.Box) {}, known: true},
		"packed":             {setup: func(b *gittest.Box) { b.Git("gc", "-q", "--prune=now") }, known: true},
		"others are dirty":   {setup: func(b *gittest.Box) { b.Write("other.txt", "x\n"); b.Git("add", "."); b.Write("more.txt", "y\n") }, known: true},
		"detached":           {setup: func(b *gittest.Box) { b.Git("checkout", "-q", "--detach") }, known: true},
		"version 4":          {setup: func(b *gittest.Box) { b.Git("update-index", "--index-version=4") }, known: true},
		"executable":         {setup: executable, known: true},
		"edited":             {setup: func(b *gittest.Box) { b.Write("memories.md", "longer\n") }},
		"edited, as long":    {setup: func(b *gittest.Box) { b.Write("memories.md", "two\n") }},
		"edited, same times": {setup: sameTimes},
		"staged":             {setup: func(b *gittest.Box) { b.Write("memories.md", "two\n"); b.Git("add", ".") }},
		"deleted":            {setup: func(b *gittest.Box) { b.Remove("memories.md") }},
		"not in HEAD": {setup: func(b *gittest.Box) {
			b.Git("rm", "-q", "--cached", "memories.md")
			b.Git("commit", "-q", "-m", "rm")
			b.Git("add", ".")
		}},
		"HEAD moved": {setup: func(b *gittest.Box) {
			b.Write("memories.md", "two\n")
			b.Git("commit", "-q", "-a", "-m", "x")
			b.Git("reset", "-q", "--soft", "HEAD^")
		}},
		"in conflict":      {setup: conflict},
		"assume-unchanged": {setup: func(b *gittest.Box) { b.Git("update-index", "--assume-unchanged", "memories.md") }},
		"SHA-256":          {setup: func(b *gittest.Box) {}, init: []string{"--object-format=sha256"}},
		"unborn":           {setup: func(b *gittest.Box) { b.Git("checkout", "-q", "--orphan", "new") }},
		"mode changed":     {setup: func(b *gittest.Box) { chmod(b, 0o755) }},
		"a link": {setup: func(b *gittest.Box) {
			b.Git("mv", "memories.md", "m")
			b.Git("commit", "-q", "-m", "mv")
			link(b, "m", "memories.md")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := gittest.NewBox(t, c.init...)
			c.setup(b)
			if got := surelyClean(findRepo(b), "memories.md"); got != c.known && statsAreRead() {
				t.Fatalf("known to be clean: %v, want %v", got, c.known)
			}
			said, _ := b.Try("status", "--porcelain", "--", "memories.md")
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
	_, ok := gitops.StatRecord(info)
	return ok
}

func chmod(b *gittest.Box, mode os.FileMode) {
	b.T.Helper()
	if err := os.Chmod(filepath.Join(b.Root, "memories.md"), mode); err != nil {
		b.T.Fatal(err)
	}
}

func executable(b *gittest.Box) {
	chmod(b, 0o755)
	b.Git("commit", "-q", "-a", "-m", "x")
}

func link(b *gittest.Box, to, name string) {
	b.T.Helper()
	if err := os.Symlink(to, filepath.Join(b.Root, name)); err != nil {
		b.T.Skip(err)
	}
}

// sameTimes is an edit of one length that the file's times tell nothing of, as
// within one tick of the clock: the index is written to have them.
func sameTimes(b *gittest.Box) {
	b.T.Helper()
	name := filepath.Join(b.Root, "memories.md")
	index := filepath.Join(b.Root, ".git", "index")
	was, err := os.Stat(index)
	if err != nil {
		b.T.Fatal(err)
	}
	b.Write("memories.md", "two\n")
	data, err := os.ReadFile(index)
	if err != nil {
		b.T.Fatal(err)
	}
	old, _ := indexfile.Find(data, 20, []string{"memories.md"})
	info, err := os.Lstat(name)
	if err != nil {
		b.T.Fatal(err)
	}
	now, _ := gitops.StatRecord(info)
	noted := old["memories.md"][0]
	data = patched(data, noted, now)
	if err := os.WriteFile(index, data, 0o644); err != nil {
		b.T.Fatal(err)
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
	b := gittest.NewBox(t)
	sameTimes(b)
	later := time.Now().Add(2 * time.Second)
	if err := os.Chtimes(filepath.Join(b.Root, ".git", "index"), later, later); err != nil {
		t.Fatal(err)
	}
	if r := findRepo(b); statsAreRead() && !surelyClean(r, "memories.md") {
		t.Error("the file was read although it is older than the index")
	}
	if said := b.Git("status", "--porcelain", "--", "memories.md"); said != "" {
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
