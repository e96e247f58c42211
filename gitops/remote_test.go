package gitops

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// withRemote is a repository of our own whose remote is an empty bare one.
func withRemote(t *testing.T) (b *box, r *Repo, bare *box) {
	t.Helper()
	b = newBox(t)
	bare = b.at(filepath.Join(realTemp(t), "bare.git"))
	b.git("init", "-q", "--bare", bare.root)
	r, err := Open(b.root)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.SetRemote(t.Context(), "origin", bare.root); err != nil {
		t.Fatal(err)
	}
	return b, r, bare
}

func TestPushFetchAndHeads(t *testing.T) {
	b, r, bare := withRemote(t)
	ctx := t.Context()
	heads, err := r.RemoteHeads(ctx, Network{}, "origin")
	if err != nil || len(heads.Heads) != 0 {
		t.Fatalf("an empty remote: %+v, %v", heads, err)
	}
	if err := r.Push(ctx, Network{}, "origin", b.head(), "main"); err != nil {
		t.Fatal(err)
	}
	if heads, err = r.RemoteHeads(ctx, Network{}, "origin"); err != nil || heads.Heads["main"] != b.head() || heads.Default != "main" {
		t.Errorf("%+v, %v", heads, err)
	}

	// Somebody else pushes; ours comes second, and is never forced.
	other := b.at(filepath.Join(realTemp(t), "other"))
	b.git("clone", "-q", bare.root, other.root)
	other.write("theirs.txt", "1\n")
	other.git("add", ".")
	other.git("commit", "-q", "-m", "theirs")
	other.git("push", "-q", "origin", "main")
	b.step("ours", "2\n")
	var moved *MovedError
	if err := r.Push(ctx, Network{}, "origin", b.head(), "main"); !errors.As(err, &moved) {
		t.Errorf("a push that came second: %v", err)
	}
	if bare.git("rev-parse", "main") != other.head() {
		t.Error("the remote's branch was moved")
	}
	var progress bytes.Buffer
	before := b.rest()
	id, err := r.Fetch(ctx, Network{Progress: &progress}, "origin", "main")
	if err != nil || id != other.head() || r.Tracked(ctx, "origin", "main") != id || b.rest() != before {
		t.Errorf("fetch: %s, %v", id, err)
	}
	if ahead, behind, err := r.AheadBehind(ctx, b.head(), id); ahead != 1 || behind != 1 || err != nil {
		t.Errorf("ahead %d, behind %d, %v", ahead, behind, err)
	}
	if ahead, behind, err := r.AheadBehind(ctx, b.head(), ""); ahead != 3 || behind != 0 || err != nil {
		t.Errorf("against nothing: ahead %d, behind %d, %v", ahead, behind, err)
	}
}

func TestRemoteFaults(t *testing.T) {
	for name, tt := range map[string]struct {
		url, why string
		passing  bool
	}{
		"a folder that is not there": {filepath.Join(os.TempDir(), "none-such.git"), WhyRemoteMissing, false},
		"a port where nobody is":     {"http://user:hunter2hunter2@127.0.0.1:9/memory.git", WhyUnreachable, true},
		"a host that is unknown":     {"https://memory.invalid/memory.git", WhyUnreachable, true},
	} {
		t.Run(name, func(t *testing.T) {
			b, r, _ := withRemote(t)
			if err := r.SetRemote(t.Context(), "origin", tt.url); err != nil {
				t.Fatal(err)
			}
			_, err := r.RemoteHeads(t.Context(), Network{}, "origin")
			var e *RemoteError
			if !errors.As(err, &e) || e.Why != tt.why || e.Passing() != tt.passing {
				t.Fatalf("heads: %v", err)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("credentials are told: %v", err)
			}
			if err := r.Push(t.Context(), Network{}, "origin", b.head(), "main"); !errors.As(err, &e) || e.Why != tt.why {
				t.Errorf("push: %v", err)
			}
		})
	}
}

func TestRemoteRefuses(t *testing.T) {
	b, r, bare := withRemote(t)
	bare.write("hooks/pre-receive", "#!/bin/sh\nexit 1\n")
	if err := os.Chmod(filepath.Join(bare.root, "hooks", "pre-receive"), 0o755); err != nil {
		t.Fatal(err)
	}
	err := r.Push(t.Context(), Network{}, "origin", b.head(), "main")
	var e *RemoteError
	if !errors.As(err, &e) || e.Why != WhyRemoteRefused || !strings.Contains(e.Detail, "hook") {
		t.Errorf("got %v", err)
	}
}

// TestNetworkAsksNobody: without a terminal git and ssh are told to ask nobody.
func TestNetworkAsksNobody(t *testing.T) {
	_, r, _ := withRemote(t)
	t.Setenv("GIT_INDEX_FILE", "elsewhere")
	t.Setenv("SSH_ASKPASS", "asks")
	quiet := strings.Join(r.networkEnvironment(t.Context(), Network{}), "\n")
	for _, want := range []string{"GIT_TERMINAL_PROMPT=0", "GIT_SSH_COMMAND=ssh -o BatchMode=yes", "SSH_ASKPASS=true"} {
		if !strings.Contains(quiet, want) {
			t.Errorf("no %s", want)
		}
	}
	asking := strings.Join(r.networkEnvironment(t.Context(), Network{Ask: true}), "\n")
	if strings.Contains(asking, "BatchMode") || !strings.Contains(asking, "SSH_ASKPASS=asks") {
		t.Error("at a terminal the person's own means are taken away")
	}
	if strings.Contains(quiet+asking, "GIT_INDEX_FILE") {
		t.Error("another repository's index is handed on")
	}
	t.Setenv("GIT_SSH_COMMAND", "ssh -i own")
	if own := strings.Join(r.networkEnvironment(t.Context(), Network{}), "\n"); strings.Contains(own, "BatchMode") {
		t.Error("a transport of the person's own is replaced")
	}
}

func TestWithoutCredentials(t *testing.T) {
	for text, want := range map[string]string{
		"https://ada:pa55@example.com/x.git":                  "https://example.com/x.git",
		"fatal: 'https://tok@en@h/x' and ssh://git@h:22/y z@": "fatal: 'https://h/x' and ssh://h:22/y z@",
		"git@example.com:ada/x.git":                           "git@example.com:ada/x.git",
		"https://example.com/a@b":                             "https://example.com/a@b",
	} {
		if got := WithoutCredentials(text); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

func TestMergeCommitAndAdvance(t *testing.T) {
	b, r, _ := withRemote(t)
	ctx := t.Context()
	first := b.git("rev-parse", "HEAD~1")
	ours := b.head()
	b.write("staged.txt", "staged\n")
	b.git("add", "staged.txt")
	files, err := r.Tree(ctx, ours)
	if err != nil || !files["memories.md"].Regular() {
		t.Fatalf("%v, %v", files, err)
	}
	id, err := r.WriteRaw(ctx, []byte("merged\n"))
	if err != nil {
		t.Fatal(err)
	}
	files["memories.md"] = TreeFile{Mode: "100644", ID: id}
	files["memories/notes/a.md"] = TreeFile{Mode: "100644", ID: id}
	delete(files, "other.txt")
	merge, err := r.MergeCommit(ctx, MergeRequest{Parents: []string{ours, first}, Files: files, Subject: "memory: sync", Trailers: []Trailer{{"Memory-Act", "sync"}}})
	if err != nil || b.head() != ours {
		t.Fatalf("%s, %v", merge, err)
	}
	var moved *MovedError
	if err := r.Advance(ctx, first, merge, "test"); !errors.As(err, &moved) || b.head() != ours {
		t.Fatalf("a branch that is elsewhere: %v", err)
	}
	b.write("memories.md", "merged\n")
	b.write("memories/notes/a.md", "merged\n")
	b.remove("other.txt")
	if err := r.Advance(ctx, ours, merge, "test"); err != nil {
		t.Fatal(err)
	}
	if got := b.git("log", "-1", "--format=%P %s"); got != ours+" "+first+" memory: sync" {
		t.Errorf("%q", got)
	}
	if got := b.git("status", "--porcelain"); got != "A  staged.txt" {
		t.Errorf("what is staged did not stay, or the index is behind: %q", got)
	}
	b.git("fsck", "--strict")
	if _, err := r.MergeCommit(ctx, MergeRequest{Files: map[string]TreeFile{".git/x": {Mode: "100644", ID: id}}, Subject: "x"}); err == nil {
		t.Error("a path inside .git was taken")
	}
}

func TestAdvanceUnborn(t *testing.T) {
	b, _, _ := withRemote(t)
	dir := filepath.Join(realTemp(t), "own")
	own, err := Init(context.Background(), dir, func(*Repo) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := own.SetRemote(t.Context(), "origin", b.root); err != nil {
		t.Fatal(err)
	}
	id, err := own.Fetch(t.Context(), Network{}, "origin", "main")
	if err != nil {
		t.Fatal(err)
	}
	if err := own.Advance(t.Context(), "", id, "test"); err != nil {
		t.Fatal(err)
	}
	at := b.at(dir)
	if at.head() != id || !strings.HasPrefix(at.git("status", "--porcelain"), "D memories.md") && !strings.Contains(at.git("status", "--porcelain"), " D memories.md") {
		t.Errorf("head %s, status %q", at.head(), at.git("status", "--porcelain"))
	}
}
