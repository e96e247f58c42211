package gitops

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/safefile"
)

// commitCase prepares a repository and says what Commit must do in it.
type commitCase struct {
	init  []string                    // arguments for git init
	setup func(b *box) *box           // the state; where the commit is made, nil: in b
	req   func(r *CommitRequest)      // changes to the request
	want  string                      // the content that the commit must have, default: two
	why   string                      // blocked instead, for this reason
	check func(b *box, commit string) // more to look at
}

// TestCommitLeavesTheRestAlone commits memory in every state that a person's
// repository can be in, and compares all else before and after.
func TestCommitLeavesTheRestAlone(t *testing.T) {
	t.Parallel()
	for name, c := range commitCases() {
		for _, byGit := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, by git %t", name, byGit), func(t *testing.T) {
				t.Parallel()
				b := newBox(t, c.init...)
				b.write(memory, "two\n")
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
func (b *box) settings(byGit bool) *CommitSettings {
	config, err := findRepo(b).Config(background)
	if err != nil || byGit {
		return nil
	}
	s := config.CommitSettings()
	return &s
}

func (c commitCase) run(b *box, byGit bool) {
	t := b.t
	t.Helper()
	req := CommitRequest{Paths: []string{memory}, Subject: "memory: add writing.tone"}
	if c.req != nil {
		c.req(&req)
	}
	req.Settings = b.settings(byGit)
	rest, head := b.rest(req.Paths...), b.head()
	index := b.git("ls-files", "-s", "-v")
	commit, err := findRepo(b).Commit(background, req)
	if c.why != "" {
		wantBlocked(t, err, c.why)
		if b.head() != head || b.git("ls-files", "-s", "-v") != index {
			t.Fatalf("a blocked commit changed HEAD or the index:\n%s", b.git("ls-files", "-s", "-v"))
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := b.head(); got != commit {
		t.Fatalf("Commit = %q, HEAD = %q", commit, got)
	}
	if got := b.git("log", "-1", "--format=%P"); got != head {
		t.Errorf("parent = %q, want %q", got, head)
	}
	if got := b.git("show", "--format=", "--root", "--name-only", "-m", commit); got != strings.Join(req.Paths, "\n") {
		t.Errorf("files in the commit: %q", got)
	}
	if c.want == "" {
		c.want = "two"
	}
	if got := b.git("cat-file", "blob", commit+":"+req.Paths[0]); got != c.want {
		t.Errorf("content in the commit = %q, want %q", got, c.want)
	}
	if got := b.rest(req.Paths...); got != rest {
		t.Errorf("the rest changed:\n%s\nwas\n%s", got, rest)
	}
	if got := b.git("reflog", "-1", "--format=%H", "HEAD"); got != commit {
		t.Errorf("reflog = %q", got)
	}
	if out, err := b.try("fsck", "--strict"); err != nil {
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
	for name, remove := range map[string]func(b *box){
		"deleted on disk":   func(b *box) { b.remove(memory) },
		"removed by git rm": func(b *box) { b.git("rm", "-q", memory) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t)
			b.write("staged.txt", "x\n")
			b.git("add", "staged.txt")
			remove(b)
			commit, err := findRepo(b).Commit(background, CommitRequest{Paths: []string{memory}, Subject: "s"})
			if err != nil || commit == "" {
				t.Fatalf("Commit = %q, %v", commit, err)
			}
			if got := b.git("show", "--format=", "--name-status", commit); got != "D\t"+memory {
				t.Errorf("commit holds %q", got)
			}
			if got := b.git("status", "--porcelain"); got != "A  staged.txt" {
				t.Errorf("status %q", got)
			}
		})
	}
}

// TestCommitOfAVanishedFile: what the caller has read is not committed as deleted.
func TestCommitOfAVanishedFile(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	head := b.git("rev-parse", "HEAD")
	b.remove(memory)
	_, err := findRepo(b).Commit(background, CommitRequest{Paths: []string{memory}, Bytes: map[string][]byte{memory: []byte("x")}, Subject: "s"})
	var changed *safefile.ChangedError
	if !errors.As(err, &changed) {
		t.Fatalf("Commit: %v", err)
	}
	if now := b.git("rev-parse", "HEAD"); now != head {
		t.Errorf("HEAD went from %s to %s", head, now)
	}
}

// TestNothingToCommit: no commit, no error, and an index as it was.
func TestNothingToCommit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		setup func(b *box)
		paths []string
	}{
		"no path":                    {func(*box) {}, nil},
		"an unchanged file":          {func(*box) {}, []string{memory}},
		"a path that nobody knows":   {func(*box) {}, []string{"nowhere.md", "no/where.md"}},
		"other work waits":           {func(b *box) { b.write("other.txt", "x"); b.git("add", ".") }, []string{memory}},
		"touched, with equal bytes":  {func(b *box) { b.write(memory, "one\n") }, []string{memory}},
		"only the index differs":     {func(b *box) { b.write(memory, "x"); b.git("add", "."); b.write(memory, "one\n") }, []string{memory}},
		"an unborn branch, no files": {func(b *box) { b.git("checkout", "-q", "--orphan", "x"); b.git("rm", "-rqf", ".") }, []string{memory}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t)
			c.setup(b)
			head, index := b.head(), b.git("ls-files", "-s", "-v")
			commit, err := findRepo(b).Commit(background, CommitRequest{Paths: c.paths, Subject: "s"})
			if commit != "" || err != nil {
				t.Errorf("Commit = %q, %v", commit, err)
			}
			if b.head() != head || b.git("ls-files", "-s", "-v") != index {
				t.Errorf("HEAD or index changed:\n%s\nwas\n%s", b.git("ls-files", "-s", "-v"), index)
			}
		})
	}
}

// TestIndexLacksWhatHeadHas: no commit, and the index has the file again, with hooks or
// without: the person's next commit would take it out of HEAD.
func TestIndexLacksWhatHeadHas(t *testing.T) {
	t.Parallel()
	for _, hooks := range []bool{false, true} {
		b := newBox(t)
		head, index := b.head(), b.git("ls-files", "-s", "-v")
		b.git("rm", "-q", "--cached", memory)
		commit, err := findRepo(b).Commit(background, CommitRequest{Paths: []string{memory}, Subject: "s", Hooks: hooks})
		if commit != "" || err != nil {
			t.Errorf("Commit = %q, %v", commit, err)
		}
		if b.head() != head || b.git("ls-files", "-s", "-v") != index {
			t.Errorf("HEAD or index differ:\n%s\nwant\n%s", b.git("ls-files", "-s", "-v"), index)
		}
	}
}

// TestCommitRefusesWhatIsNoFile: never a folder, which would take along what
// the person did not stage.
func TestCommitRefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write("dir/a", "a\n")
	b.write("gone/a", "a\n")
	b.git("add", ".")
	b.git("commit", "-q", "-m", "dir")
	b.write("dir/a", "changed\n")
	if err := os.RemoveAll(filepath.Join(b.root, "gone")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(memory, filepath.Join(b.root, "link.md")); err != nil {
		t.Fatal(err)
	}
	head := b.head()
	for _, p := range []string{"dir", "gone", "dir/", "link.md", "", ".", "../x", "/etc/passwd", "a/../b", ".git/config", "a/.GIT/x", "a\x00b"} {
		if commit, err := findRepo(b).Commit(background, CommitRequest{Paths: []string{memory, p}, Subject: "s"}); err == nil {
			t.Errorf("%q: Commit = %q, no error", p, commit)
		}
	}
	if b.head() != head {
		t.Error("something was committed")
	}
}

// TestCommitMessages that git would have to mangle are refused first.
func TestCommitMessages(t *testing.T) {
	t.Parallel()
	for name, req := range map[string]CommitRequest{
		"no subject":             {},
		"a subject of spaces":    {Subject: " \n "},
		"a NUL in the body":      {Subject: "s", Body: "a\x00b"},
		"a body that is no text": {Subject: "s", Body: "a\xff"},
		"a trailer's name":       {Subject: "s", Trailers: []Trailer{{"Memory Act", "add"}}},
		"a trailer without name": {Subject: "s", Trailers: []Trailer{{"", "add"}}},
	} {
		if m, err := Message(req.Subject, req.Body, req.Trailers); err == nil {
			t.Errorf("%s: %q", name, m)
		}
	}
	m, err := Message("a\nb\x1b[31m\u2028c", "", nil)
	if err != nil || m != "a b [31m c\n" {
		t.Errorf("subject: %q, %v", m, err)
	}
}

// TestInsideAHook: a commit inside a commit makes the person's fail.
func TestInsideAHook(t *testing.T) {
	b := newBox(t)
	b.write(memory, "two\n")
	t.Setenv("GIT_INDEX_FILE", filepath.Join(b.root, ".git", "index"))
	r := findRepo(b)
	_, err := r.Commit(background, CommitRequest{Paths: []string{memory}, Subject: "s"})
	wantBlocked(t, err, WhyInside)
	if why := r.Waits(background, 0); why != WhyInside {
		t.Errorf("Waits = %q", why)
	}
	// A store of our own is not what git speaks of there.
	t.Setenv("GIT_DIR", filepath.Join(b.root, ".git"))
	own, err := Init(background, filepath.Join(realTemp(t), "user"), func(*Repo) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(own.Root, memory), []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if commit, err := own.Commit(background, CommitRequest{Paths: []string{memory}, Subject: "s"}); err != nil || commit == "" {
		t.Errorf("own store: Commit = %q, %v", commit, err)
	}
	if got := b.git("log", "--format=%s"); got != "go on\nbegin" {
		t.Errorf("the person's repository gained %q", got)
	}
}

// TestGitMissing: no PATH with a git in it.
func TestGitMissing(t *testing.T) {
	b := newBox(t)
	b.write(memory, "two\n")
	r := findRepo(b)
	t.Setenv("PATH", t.TempDir())
	_, err := r.Commit(background, CommitRequest{Paths: []string{memory}, Subject: "s"})
	wantBlocked(t, err, WhyGitMissing)
	if why := r.Blocked(background, false); why != WhyGitMissing {
		t.Errorf("Blocked = %q", why)
	}
	if v := GitVersion(background); v != "" {
		t.Errorf("GitVersion = %q", v)
	}
}

// TestReadOnlyGitFolder: as in an agent's sandbox. Reading works.
func TestReadOnlyGitFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	b := newBox(t)
	b.write(memory, "two\n")
	r := findRepo(b)
	git := filepath.Join(b.root, ".git")
	if err := os.Chmod(git, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(git, 0o755) })
	_, err := r.Commit(background, CommitRequest{Paths: []string{memory}, Subject: "s"})
	wantBlocked(t, err, WhyNotWritable)
	wantBlocked(t, r.SetConfig(background, "memctl.x", "y"), WhyNotWritable)
	if why := r.Waits(background, 0); why != WhyNotWritable {
		t.Errorf("Waits = %q", why)
	}
	if data, ok, err := r.FileAt(background, "HEAD", memory); err != nil || !ok || string(data) != "one\n" {
		t.Errorf("FileAt = %q, %v, %v", data, ok, err)
	}
}

// TestErrorsSpeak: the text names the command or the reason.
func TestErrorsSpeak(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	_, err := findRepo(b).git(background, call{args: []string{"rev-parse", "--verify", "nope"}})
	var e *Error
	if !errors.As(err, &e) || e.Status != 128 || e.Error() != "git rev-parse: fatal: Needed a single revision" {
		t.Errorf("error = %v (%+v)", err, e)
	}
}
