package remotes

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/tests/gittest"
)

// withRemote is a repository of our own whose remote is an empty bare one.
func withRemote(t *testing.T) (b *gittest.Box, r *gitops.Repo, bare *gittest.Box) {
	t.Helper()
	b = gittest.NewBox(t)
	bare = b.At(filepath.Join(gittest.RealTemp(t), "bare.git"))
	b.Git("init", "-q", "--bare", bare.Root)
	r, err := gitops.Open(b.Root)
	if err != nil {
		t.Fatal(err)
	}
	if err := SetRemote(t.Context(), r, "origin", bare.Root); err != nil {
		t.Fatal(err)
	}
	return b, r, bare
}

func TestPushFetchAndHeads(t *testing.T) {
	b, r, bare := withRemote(t)
	ctx := t.Context()
	heads, err := Heads(ctx, r, Network{}, "origin")
	if err != nil || len(heads.Heads) != 0 {
		t.Fatalf("an empty remote: %+v, %v", heads, err)
	}
	if err := Push(ctx, r, Network{}, "origin", b.Head(), "main", ""); err != nil {
		t.Fatal(err)
	}
	if heads, err = Heads(ctx, r, Network{}, "origin"); err != nil || heads.Heads["main"] != b.Head() || heads.Default != "main" {
		t.Errorf("%+v, %v", heads, err)
	}

	// Somebody else pushes; ours comes second, and is never forced.
	other := b.At(filepath.Join(gittest.RealTemp(t), "other"))
	b.Git("clone", "-q", bare.Root, other.Root)
	other.Write("theirs.txt", "1\n")
	other.Git("add", ".")
	other.Git("commit", "-q", "-m", "theirs")
	other.Git("push", "-q", "origin", "main")
	b.Step("ours", "2\n")
	if err := Push(ctx, r, Network{}, "origin", b.Head(), "main", ""); !fault.Is(err, fault.Moved) {
		t.Errorf("a push that came second: %v", err)
	}
	if bare.Git("rev-parse", "main") != other.Head() {
		t.Error("the remote's branch was moved")
	}
	var progress bytes.Buffer
	before := b.Rest()
	id, err := Fetch(ctx, r, Network{Progress: &progress}, "origin", "main")
	if err != nil || id != other.Head() || b.Git("rev-parse", incoming) != id || Tracked(ctx, r, "origin", "main") == id {
		t.Errorf("fetch: %s, %v", id, err)
	}
	if err := EndFetch(ctx, r, "origin", "main", id); err != nil || Tracked(ctx, r, "origin", "main") != id || b.Rest() != before {
		t.Errorf("the end of a fetch: %v", err)
	}
	ours, theirs, err := NewMessages(ctx, r, b.Head(), id)
	if err != nil || len(ours) != 1 || len(theirs) != 1 || ours[0].Commit != b.Head() || theirs[0] != (CommitMessage{id, "theirs\n"}) {
		t.Errorf("messages: %q, %q, %v", ours, theirs, err)
	}
	for _, c := range []struct {
		tip, other string
		want       int
	}{{b.Head(), id, 1}, {id, b.Head(), 1}, {b.Head(), "", 3}, {"", b.Head(), 0}} {
		if n, err := Ahead(ctx, r, c.tip, c.other); n != c.want || err != nil {
			t.Errorf("%.7s against %.7s: %d, %v", c.tip, c.other, n, err)
		}
	}
}

func TestRemoteFaults(t *testing.T) {
	for name, tt := range map[string]struct {
		url, why string
	}{
		"a folder that is not there": {filepath.Join(os.TempDir(), "none-such.git"), WhyRemoteMissing},
		"a port where nobody is":     {"http://user:hunter2hunter2@127.0.0.1:9/memory.git", WhyUnreachable},
		"a host that is unknown":     {"https://memory.invalid/memory.git", WhyUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			b, r, _ := withRemote(t)
			if err := SetRemote(t.Context(), r, "origin", tt.url); err != nil {
				t.Fatal(err)
			}
			_, err := Heads(t.Context(), r, Network{}, "origin")
			if fault.Why(err, fault.Remote) != tt.why {
				t.Fatalf("heads: %v", err)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("credentials are told: %v", err)
			}
			if err := Push(t.Context(), r, Network{}, "origin", b.Head(), "main", ""); fault.Why(err, fault.Remote) != tt.why {
				t.Errorf("push: %v", err)
			}
		})
	}
}

func TestRemoteRefuses(t *testing.T) {
	b, r, bare := withRemote(t)
	bare.Write("hooks/pre-receive", "#!/bin/sh\nexit 1\n")
	if err := os.Chmod(filepath.Join(bare.Root, "hooks", "pre-receive"), 0o755); err != nil {
		t.Fatal(err)
	}
	err := Push(t.Context(), r, Network{}, "origin", b.Head(), "main", "")
	if fault.Why(err, fault.Remote) != WhyRemoteRefused || !strings.Contains(err.Error(), "hook") {
		t.Errorf("got %v", err)
	}
}

// TestNetworkAsksNobody: without a terminal git and ssh are told to ask nobody.
func TestNetworkAsksNobody(t *testing.T) {
	_, r, _ := withRemote(t)
	t.Setenv("GIT_INDEX_FILE", "elsewhere")
	t.Setenv("SSH_ASKPASS", "asks")
	quiet := strings.Join(networkEnvironment(t.Context(), r, Network{}), "\n")
	for _, want := range []string{"GIT_TERMINAL_PROMPT=0", "GIT_SSH_COMMAND=ssh -o BatchMode=yes", "SSH_ASKPASS=true"} {
		if !strings.Contains(quiet, want) {
			t.Errorf("no %s", want)
		}
	}
	asking := strings.Join(networkEnvironment(t.Context(), r, Network{Ask: true}), "\n")
	if strings.Contains(asking, "BatchMode") || !strings.Contains(asking, "SSH_ASKPASS=asks") {
		t.Error("at a terminal the person's own means are taken away")
	}
	if strings.Contains(quiet+asking, "GIT_INDEX_FILE") {
		t.Error("another repository's index is handed on")
	}
	t.Setenv("GIT_SSH_COMMAND", "ssh -i own")
	if own := strings.Join(networkEnvironment(t.Context(), r, Network{}), "\n"); strings.Contains(own, "BatchMode") {
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
