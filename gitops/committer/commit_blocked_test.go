package committer

import (
	"os"
	"os/exec"
	"path/filepath"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/tests/gittest"
)

// operationCases: a person has begun something, and nothing may be committed.
func operationCases() map[string]commitCase {
	conflict := func(b *gittest.Box) {
		b.Git("checkout", "-q", ".")
		b.Git("checkout", "-q", "-b", "side")
		b.Write("other.txt", "side\n")
		b.Git("commit", "-q", "-a", "-m", "side")
		b.Git("checkout", "-q", "main")
		b.Write("other.txt", "main\n")
		b.Git("commit", "-q", "-a", "-m", "main")
		b.Write("other.txt", "main again\n")
		b.Git("commit", "-q", "-a", "-m", "main again")
	}
	during := func(args ...string) func(b *gittest.Box) *gittest.Box {
		return func(b *gittest.Box) *gittest.Box {
			conflict(b)
			if out, err := b.Try(args...); err == nil {
				b.T.Fatalf("no conflict: %s", out)
			}
			b.Write(gittest.Memory, "two\n")
			return nil
		}
	}
	return map[string]commitCase{
		"during a merge":       {setup: during("merge", "side"), why: gitops.WhyMerge},
		"during a rebase":      {setup: during("rebase", "side"), why: gitops.WhyRebase},
		"during an old rebase": {setup: during("rebase", "--apply", "side"), why: gitops.WhyRebase},
		"during a cherry-pick": {setup: during("cherry-pick", "side"), why: gitops.WhyCherryPick},
		"during a revert":      {setup: during("revert", "--no-edit", "HEAD~1"), why: gitops.WhyRevert},
		"during a bisect": {setup: func(b *gittest.Box) *gittest.Box {
			b.Git("bisect", "start")
			return nil
		}, why: gitops.WhyBisect},
		"during am": {setup: func(b *gittest.Box) *gittest.Box {
			conflict(b)
			b.Git("format-patch", "-q", "-1", "-o", ".git/patches", "side")
			if out, err := b.Try("am", ".git/patches/0001-side.patch"); err == nil {
				b.T.Fatalf("no conflict: %s", out)
			}
			return nil
		}, why: gitops.WhyAm},
	}
}

// inabilityCases: git would, and cannot.
func inabilityCases() map[string]commitCase {
	return map[string]commitCase{
		"no identity": {setup: func(b *gittest.Box) *gittest.Box {
			b.Git("config", "user.useConfigOnly", "true")
			b.Git("config", "user.email", "")
			b.Git("config", "user.name", "")
			return nil
		}, why: gitops.WhyNoIdentity},
		"no identity, and the file is new": {setup: func(b *gittest.Box) *gittest.Box {
			b.Git("config", "user.name", "")
			b.Write("fresh.md", "two\n")
			return nil
		}, req: func(r *Request) { r.Paths = []string{"fresh.md"} }, why: gitops.WhyNoIdentity},
		"a signing key that is not there": {setup: func(b *gittest.Box) *gittest.Box {
			signWith(b, filepath.Join(b.Root, "nowhere"))
			return nil
		}, why: gitops.WhySigning},
		"a signing program that fails, and the file is new": {setup: func(b *gittest.Box) *gittest.Box {
			b.Git("config", "commit.gpgSign", "true")
			b.Git("config", "gpg.program", "false")
			b.Write("fresh.md", "two\n")
			return nil
		}, req: func(r *Request) { r.Paths = []string{"fresh.md"} }, why: gitops.WhySigning},
		"a signing program that is not there": {setup: func(b *gittest.Box) *gittest.Box {
			b.Git("config", "commit.gpgSign", "true")
			b.Git("config", "gpg.program", "/nowhere/gpg")
			return nil
		}, why: gitops.WhySigning},
		"a signing program with words of its own": {setup: func(b *gittest.Box) *gittest.Box {
			b.Write(".git/sign", "#!/bin/sh\necho agent refused to sign >&2\nexit 1\n")
			if err := os.Chmod(filepath.Join(b.Root, ".git/sign"), 0o755); err != nil {
				b.T.Fatal(err)
			}
			signWith(b, "key::ssh-ed25519 AAAA")
			b.Git("config", "gpg.ssh.program", filepath.Join(b.Root, ".git/sign"))
			return nil
		}, why: gitops.WhySigning},
		"a key with a passphrase": {setup: func(b *gittest.Box) *gittest.Box {
			if _, err := exec.LookPath("ssh-keygen"); err != nil {
				b.T.Skip("no ssh-keygen")
			}
			key := filepath.Join(b.Root, ".git", "key")
			if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f", key).CombinedOutput(); err != nil {
				b.T.Fatalf("%s", out)
			}
			signWith(b, key)
			return nil
		}, why: gitops.WhySigning},
	}
}

// markCases: the file's own entry in the index forbids it, or a lock does.
func markCases() map[string]commitCase {
	return map[string]commitCase{
		"the file marked skip-worktree": {setup: func(b *gittest.Box) *gittest.Box {
			b.Git("update-index", "--skip-worktree", gittest.Memory)
			return nil
		}, why: gitops.WhyHidden},
		"the file marked assume-unchanged": {setup: func(b *gittest.Box) *gittest.Box {
			b.Git("update-index", "--assume-unchanged", gittest.Memory)
			return nil
		}, why: gitops.WhyHidden},
		"the file unmerged without a merge": {setup: func(b *gittest.Box) *gittest.Box {
			b.Git("commit", "-q", "-a", "-m", "two")
			b.Write(gittest.Memory, "stashed\n")
			b.Git("stash", "-q")
			b.Write(gittest.Memory, "three\n")
			b.Git("commit", "-q", "-a", "-m", "three")
			_, _ = b.Try("stash", "pop")
			return nil
		}, why: gitops.WhyUnmerged},
		"a stale index.lock": {setup: func(b *gittest.Box) *gittest.Box {
			b.Write(".git/index.lock", "")
			return nil
		}, why: gitops.WhyAtWork},
		"a stale lock on the branch, and the file is new": {setup: func(b *gittest.Box) *gittest.Box {
			b.Write(".git/refs/heads/main.lock", "")
			b.Write("fresh.md", "two\n")
			return nil
		}, req: func(r *Request) { r.Paths = []string{"fresh.md"} }, why: gitops.WhyLocked},
	}
}
