package committer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/tests/gittest"
)

// commitCase prepares a repository and says what Commit must do in it.
type commitCase struct {
	init  []string                            // arguments for git init
	setup func(b *gittest.Box) *gittest.Box   // the state; where the commit is made, nil: in b
	req   func(r *Request)                    // changes to the request
	want  string                              // the content that the commit must have, default: two
	why   string                              // blocked instead, for this reason
	check func(b *gittest.Box, commit string) // more to look at
}

// TestCommitLeavesTheRestAlone commits memory in every state that a person's
// repository can be in, and compares all else before and after.
func TestCommitLeavesTheRestAlone(t *testing.T) {
	t.Parallel()
	for name, c := range commitCases() {
		for _, byGit := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, by git %t", name, byGit), func(t *testing.T) {
				t.Parallel()
				b := gittest.NewBox(t, c.init...)
				b.Write(gittest.Memory, "two\n")
				if c.setup != nil {
					if other := c.setup(b); other != nil {
						b = other
					}
				}
				c.run(b, byGit)
			})
		}
	}
}

// settings are what git's settings say of commits in the repository; nil where they
// cannot be read, or git is to make the commits.
func settings(b *gittest.Box, byGit bool) *Settings {
	config, err := findRepo(b).Config(background)
	if err != nil || byGit {
		return nil
	}
	s := SettingsOf(config)
	return &s
}

func (c commitCase) run(b *gittest.Box, byGit bool) {
	t := b.T
	t.Helper()
	req := Request{Paths: []string{gittest.Memory}, Subject: "memory: add writing.tone"}
	if c.req != nil {
		c.req(&req)
	}
	req.Settings = settings(b, byGit)
	rest, head := b.Rest(req.Paths...), b.Head()
	index := b.Git("ls-files", "-s", "-v")
	commit, err := commitNow(background, findRepo(b), req)
	if c.why != "" {
		wantBlocked(t, err, c.why)
		if b.Head() != head || b.Git("ls-files", "-s", "-v") != index {
			t.Fatalf("a blocked commit changed HEAD or the index:\n%s", b.Git("ls-files", "-s", "-v"))
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Head(); got != commit {
		t.Fatalf("Commit = %q, HEAD = %q", commit, got)
	}
	if got := b.Git("log", "-1", "--format=%P"); got != head {
		t.Errorf("parent = %q, want %q", got, head)
	}
	if got := b.Git("show", "--format=", "--root", "--name-only", "-m", commit); got != strings.Join(req.Paths, "\n") {
		t.Errorf("files in the commit: %q", got)
	}
	if c.want == "" {
		c.want = "two"
	}
	if got := b.Git("cat-file", "blob", commit+":"+req.Paths[0]); got != c.want {
		t.Errorf("content in the commit = %q, want %q", got, c.want)
	}
	if got := b.Rest(req.Paths...); got != rest {
		t.Errorf("the rest changed:\n%s\nwas\n%s", got, rest)
	}
	if got := b.Git("reflog", "-1", "--format=%H", "HEAD"); got != commit {
		t.Errorf("reflog = %q", got)
	}
	if out, err := b.Try("fsck", "--strict"); err != nil {
		t.Errorf("fsck: %s", out)
	}
	if c.check != nil {
		c.check(b, commit)
	}
}

func commitCases() map[string]commitCase {
	cases := map[string]commitCase{}
	for _, part := range []map[string]commitCase{
		placeCases(), indexCases(), pathCases(), formatCases(), hookCases(), messageCases(),
		operationCases(), inabilityCases(), markCases(),
	} {
		for name, c := range part {
			cases[name] = c
		}
	}
	return cases
}

// TestCommitOfADeletedFile: deleted on disk alone, or by git rm too.
func TestCommitOfADeletedFile(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(b *gittest.Box){
		"deleted on disk":   func(b *gittest.Box) { b.Remove(gittest.Memory) },
		"removed by git rm": func(b *gittest.Box) { b.Git("rm", "-q", gittest.Memory) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := gittest.NewBox(t)
			b.Write("staged.txt", "x\n")
			b.Git("add", "staged.txt")
			remove(b)
			commit, err := commitNow(background, findRepo(b), Request{Paths: []string{gittest.Memory}, Subject: "s"})
			if err != nil || commit == "" {
				t.Fatalf("Commit = %q, %v", commit, err)
			}
			if got := b.Git("show", "--format=", "--name-status", commit); got != "D\t"+gittest.Memory {
				t.Errorf("commit holds %q", got)
			}
			if got := b.Git("status", "--porcelain"); got != "A  staged.txt" {
				t.Errorf("status %q", got)
			}
		})
	}
}

// TestCommitOfAChangedFile: what another program has done with a file since the caller read or wrote it is not committed,
// nor is what the caller had.
func TestCommitOfAChangedFile(t *testing.T) {
	t.Parallel()
	for _, byGit := range []bool{true, false} {
		for name, change := range map[string]func(b *gittest.Box){
			"written": func(b *gittest.Box) { b.Write(gittest.Memory, "later\n") },
			"removed": func(b *gittest.Box) { b.Remove(gittest.Memory) },
		} {
			b := gittest.NewBox(t)
			head, index := b.Head(), b.Git("ls-files", "-s")
			req := Request{Paths: []string{gittest.Memory}, Bytes: map[string][]byte{gittest.Memory: []byte("given\n")}, Subject: "s", Settings: settings(b, byGit)}
			req.Ahead = func(string) (map[string]fs.FileInfo, error) {
				change(b)
				return nil, nil
			}
			if _, err := Commit(background, findRepo(b), req); !fault.Is(err, fault.ChangedOnDisk) {
				t.Errorf("%s, by git %t: %v", name, byGit, err)
			}
			if b.Head() != head || b.Git("ls-files", "-s") != index {
				t.Errorf("%s, by git %t: HEAD or the index moved", name, byGit)
			}
		}
	}
}

// TestAheadEndsACommit: it is called before anything moves, with the commit's id, and its error ends the commit.
func TestAheadEndsACommit(t *testing.T) {
	t.Parallel()
	for _, byGit := range []bool{true, false} {
		b := gittest.NewBox(t)
		b.Write(gittest.Memory, "two\n")
		head, index, failed := b.Head(), b.Git("ls-files", "-s"), errors.New("no")
		req := fromDisk(findRepo(b), Request{Paths: []string{gittest.Memory}, Subject: "s", Settings: settings(b, byGit)})
		req.Ahead = func(commit string) (map[string]fs.FileInfo, error) {
			if b.Git("log", "-1", "--format=%P", commit) != head || b.Head() != head {
				t.Errorf("by git %t: called with %q", byGit, commit)
			}
			return nil, failed
		}
		if _, err := Commit(background, findRepo(b), req); err != failed {
			t.Errorf("by git %t: %v", byGit, err)
		}
		if b.Head() != head || b.Git("ls-files", "-s") != index {
			t.Errorf("by git %t: HEAD or the index moved", byGit)
		}
	}
}

// TestNothingToCommit: no commit, no error, and an index as it was.
func TestNothingToCommit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		setup func(b *gittest.Box)
		paths []string
	}{
		"no path":                   {func(*gittest.Box) {}, nil},
		"an unchanged file":         {func(*gittest.Box) {}, []string{gittest.Memory}},
		"a path that nobody knows":  {func(*gittest.Box) {}, []string{"nowhere.md", "no/where.md"}},
		"other work waits":          {func(b *gittest.Box) { b.Write("other.txt", "x"); b.Git("add", ".") }, []string{gittest.Memory}},
		"touched, with equal bytes": {func(b *gittest.Box) { b.Write(gittest.Memory, "one\n") }, []string{gittest.Memory}},
		"only the index differs": {func(b *gittest.Box) {
			b.Write(gittest.Memory, "x")
			b.Git("add", ".")
			b.Write(gittest.Memory, "one\n")
		}, []string{gittest.Memory}},
		"an unborn branch, no files": {func(b *gittest.Box) { b.Git("checkout", "-q", "--orphan", "x"); b.Git("rm", "-rqf", ".") }, []string{gittest.Memory}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := gittest.NewBox(t)
			c.setup(b)
			head, index := b.Head(), b.Git("ls-files", "-s", "-v")
			commit, err := commitNow(background, findRepo(b), Request{Paths: c.paths, Subject: "s"})
			if commit != "" || err != nil {
				t.Errorf("Commit = %q, %v", commit, err)
			}
			if b.Head() != head || b.Git("ls-files", "-s", "-v") != index {
				t.Errorf("HEAD or index changed:\n%s\nwas\n%s", b.Git("ls-files", "-s", "-v"), index)
			}
		})
	}
}

// TestIndexLacksWhatHeadHas: no commit, and the index has the file again: the person's next commit
// would take it out of HEAD.
func TestIndexLacksWhatHeadHas(t *testing.T) {
	t.Parallel()
	b := gittest.NewBox(t)
	head, index := b.Head(), b.Git("ls-files", "-s", "-v")
	b.Git("rm", "-q", "--cached", gittest.Memory)
	commit, err := commitNow(background, findRepo(b), Request{Paths: []string{gittest.Memory}, Subject: "s"})
	if commit != "" || err != nil {
		t.Errorf("Commit = %q, %v", commit, err)
	}
	if b.Head() != head || b.Git("ls-files", "-s", "-v") != index {
		t.Errorf("HEAD or index differ:\n%s\nwant\n%s", b.Git("ls-files", "-s", "-v"), index)
	}
}

// TestCommitRefusesWhatIsNoFile: never a folder, which would take along what
// the person did not stage.
func TestCommitRefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	b := gittest.NewBox(t)
	b.Write("dir/a", "a\n")
	b.Write("gone/a", "a\n")
	b.Git("add", ".")
	b.Git("commit", "-q", "-m", "dir")
	b.Write("dir/a", "changed\n")
	if err := os.RemoveAll(filepath.Join(b.Root, "gone")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(gittest.Memory, filepath.Join(b.Root, "link.md")); err != nil {
		t.Fatal(err)
	}
	head := b.Head()
	for _, p := range []string{"dir", "gone", "dir/", "link.md", "", ".", "../x", "/etc/passwd", "a/../b", ".git/config", "a/.GIT/x", "a\x00b"} {
		if commit, err := commitNow(background, findRepo(b), Request{Paths: []string{gittest.Memory, p}, Subject: "s"}); err == nil {
			t.Errorf("%q: Commit = %q, no error", p, commit)
		}
	}
	if b.Head() != head {
		t.Error("something was committed")
	}
}

// TestCommitMessages that git would have to mangle are refused first.
func TestCommitMessages(t *testing.T) {
	t.Parallel()
	for name, req := range map[string]Request{
		"no subject":             {},
		"a subject of spaces":    {Subject: " \n "},
		"a NUL in the body":      {Subject: "s", Body: "a\x00b"},
		"a body that is no text": {Subject: "s", Body: "a\xff"},
		"a trailer's name":       {Subject: "s", Trailers: []object.Trailer{{Name: "Memory Act", Value: "add"}}},
		"a trailer without name": {Subject: "s", Trailers: []object.Trailer{{Name: "", Value: "add"}}},
	} {
		if m, err := object.Message(req.Subject, req.Body, req.Trailers); err == nil {
			t.Errorf("%s: %q", name, m)
		}
	}
	m, err := object.Message("a\nb\x1b[31m\u2028c", "", nil)
	if err != nil || m != "a b [31m c\n" {
		t.Errorf("subject: %q, %v", m, err)
	}
}

// TestInsideAHook: a commit inside a commit makes the person's fail.
func TestInsideAHook(t *testing.T) {
	b := gittest.NewBox(t)
	b.Write(gittest.Memory, "two\n")
	t.Setenv("GIT_INDEX_FILE", filepath.Join(b.Root, ".git", "index"))
	r := findRepo(b)
	_, err := commitNow(background, r, Request{Paths: []string{gittest.Memory}, Subject: "s"})
	wantBlocked(t, err, gitops.WhyInside)
	if why := r.Waits(background, 0); why != gitops.WhyInside {
		t.Errorf("Waits = %q", why)
	}
	// A store of our own is not what git speaks of there.
	t.Setenv("GIT_DIR", filepath.Join(b.Root, ".git"))
	own, err := gitops.Init(background, filepath.Join(gittest.RealTemp(t), "user"), func(*gitops.Repo) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(own.Root, gittest.Memory), []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if commit, err := commitNow(background, own, Request{Paths: []string{gittest.Memory}, Subject: "s"}); err != nil || commit == "" {
		t.Errorf("own store: Commit = %q, %v", commit, err)
	}
	if got := b.Git("log", "--format=%s"); got != "go on\nbegin" {
		t.Errorf("the person's repository gained %q", got)
	}
}

// TestGitMissing: no PATH with a git in it.
func TestGitMissing(t *testing.T) {
	b := gittest.NewBox(t)
	b.Write(gittest.Memory, "two\n")
	r := findRepo(b)
	t.Setenv("PATH", t.TempDir())
	_, err := commitNow(background, r, Request{Paths: []string{gittest.Memory}, Subject: "s"})
	wantBlocked(t, err, gitops.WhyGitMissing)
	if why := r.Blocked(background, false); why != gitops.WhyGitMissing {
		t.Errorf("Blocked = %q", why)
	}
	if v := gitops.GitVersion(background); v != "" {
		t.Errorf("GitVersion = %q", v)
	}
}

// TestReadOnlyGitFolder: as in an agent's sandbox. Reading works.
func TestReadOnlyGitFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	b := gittest.NewBox(t)
	b.Write(gittest.Memory, "two\n")
	r := findRepo(b)
	git := filepath.Join(b.Root, ".git")
	if err := os.Chmod(git, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(git, 0o755) })
	_, err := commitNow(background, r, Request{Paths: []string{gittest.Memory}, Subject: "s"})
	wantBlocked(t, err, gitops.WhyNotWritable)
	wantBlocked(t, r.SetConfig(background, "memctl.x", "y"), gitops.WhyNotWritable)
	if why := r.Waits(background, 0); why != gitops.WhyNotWritable {
		t.Errorf("Waits = %q", why)
	}
	if data, ok, err := object.FileAt(background, r, "HEAD", gittest.Memory); err != nil || !ok || string(data) != "one\n" {
		t.Errorf("FileAt = %q, %v, %v", data, ok, err)
	}
}

// TestErrorsSpeak: the text names the command or the reason.
func TestErrorsSpeak(t *testing.T) {
	t.Parallel()
	b := gittest.NewBox(t)
	_, err := findRepo(b).Git(background, gitops.Call{Args: []string{"rev-parse", "--verify", "nope"}})
	var e *gitops.Error
	if !errors.As(err, &e) || e.Status != 128 || e.Error() != "git rev-parse: fatal: Needed a single revision" {
		t.Errorf("error = %v (%+v)", err, e)
	}
}
