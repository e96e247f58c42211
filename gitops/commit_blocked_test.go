package gitops

import (
	"os"
	"os/exec"
	"path/filepath"
)

// operationCases: a person has begun something, and nothing may be committed.
func operationCases() map[string]commitCase {
	conflict := func(b *box) {
		b.git("checkout", "-q", ".")
		b.git("checkout", "-q", "-b", "side")
		b.write("other.txt", "side\n")
		b.git("commit", "-q", "-a", "-m", "side")
		b.git("checkout", "-q", "main")
		b.write("other.txt", "main\n")
		b.git("commit", "-q", "-a", "-m", "main")
		b.write("other.txt", "main again\n")
		b.git("commit", "-q", "-a", "-m", "main again")
	}
	during := func(args ...string) func(b *box) *box {
		return func(b *box) *box {
			conflict(b)
			if out, err := b.try(args...); err == nil {
				b.t.Fatalf("no conflict: %s", out)
			}
			b.write(memory, "two\n")
			return nil
		}
	}
	return map[string]commitCase{
		"during a merge":       {setup: during("merge", "side"), why: WhyMerge},
		"during a rebase":      {setup: during("rebase", "side"), why: WhyRebase},
		"during an old rebase": {setup: during("rebase", "--apply", "side"), why: WhyRebase},
		"during a cherry-pick": {setup: during("cherry-pick", "side"), why: WhyCherryPick},
		"during a revert":      {setup: during("revert", "--no-edit", "HEAD~1"), why: WhyRevert},
		"during a bisect": {setup: func(b *box) *box {
			b.git("bisect", "start")
			return nil
		}, why: WhyBisect},
		"during am": {setup: func(b *box) *box {
			conflict(b)
			b.git("format-patch", "-q", "-1", "-o", ".git/patches", "side")
			if out, err := b.try("am", ".git/patches/0001-side.patch"); err == nil {
				b.t.Fatalf("no conflict: %s", out)
			}
			return nil
		}, why: WhyAm},
	}
}

// inabilityCases: git would, and cannot.
func inabilityCases() map[string]commitCase {
	return map[string]commitCase{
		"no identity": {setup: func(b *box) *box {
			b.git("config", "user.useConfigOnly", "true")
			b.git("config", "user.email", "")
			b.git("config", "user.name", "")
			return nil
		}, why: WhyNoIdentity},
		"no identity, and the file is new": {setup: func(b *box) *box {
			b.git("config", "user.name", "")
			b.write("fresh.md", "two\n")
			return nil
		}, req: func(r *CommitRequest) { r.Paths = []string{"fresh.md"} }, why: WhyNoIdentity},
		"a signing key that is not there": {setup: func(b *box) *box {
			signWith(b, filepath.Join(b.root, "nowhere"))
			return nil
		}, why: WhySigning},
		"a signing program that fails, and the file is new": {setup: func(b *box) *box {
			b.git("config", "commit.gpgSign", "true")
			b.git("config", "gpg.program", "false")
			b.write("fresh.md", "two\n")
			return nil
		}, req: func(r *CommitRequest) { r.Paths = []string{"fresh.md"} }, why: WhySigning},
		"a signing program that is not there": {setup: func(b *box) *box {
			b.git("config", "commit.gpgSign", "true")
			b.git("config", "gpg.program", "/nowhere/gpg")
			return nil
		}, why: WhySigning},
		"a signing program with words of its own": {setup: func(b *box) *box {
			b.write(".git/sign", "#!/bin/sh\necho agent refused to sign >&2\nexit 1\n")
			if err := os.Chmod(filepath.Join(b.root, ".git/sign"), 0o755); err != nil {
				b.t.Fatal(err)
			}
			signWith(b, "key::ssh-ed25519 AAAA")
			b.git("config", "gpg.ssh.program", filepath.Join(b.root, ".git/sign"))
			return nil
		}, why: WhySigning},
		"a key with a passphrase": {setup: func(b *box) *box {
			if _, err := exec.LookPath("ssh-keygen"); err != nil {
				b.t.Skip("no ssh-keygen")
			}
			key := filepath.Join(b.root, ".git", "key")
			if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f", key).CombinedOutput(); err != nil {
				b.t.Fatalf("%s", out)
			}
			signWith(b, key)
			return nil
		}, why: WhySigning},
		"a hook that is wanted says no": {setup: func(b *box) *box {
			b.hook(".git/hooks", "pre-commit", "echo not now >&2\nexit 1\n")
			return nil
		}, req: func(r *CommitRequest) { r.Hooks = true }, why: WhyHook},
	}
}

// markCases: the file's own entry in the index forbids it, or a lock does.
func markCases() map[string]commitCase {
	return map[string]commitCase{
		"the file marked skip-worktree": {setup: func(b *box) *box {
			b.git("update-index", "--skip-worktree", memory)
			return nil
		}, why: WhyHidden},
		"the file marked assume-unchanged": {setup: func(b *box) *box {
			b.git("update-index", "--assume-unchanged", memory)
			return nil
		}, why: WhyHidden},
		"the file unmerged without a merge": {setup: func(b *box) *box {
			b.git("commit", "-q", "-a", "-m", "two")
			b.write(memory, "stashed\n")
			b.git("stash", "-q")
			b.write(memory, "three\n")
			b.git("commit", "-q", "-a", "-m", "three")
			_, _ = b.try("stash", "pop")
			return nil
		}, why: WhyUnmerged},
		"a stale index.lock": {setup: func(b *box) *box {
			b.write(".git/index.lock", "")
			return nil
		}, why: WhyAtWork},
		"a stale lock on the branch, and the file is new": {setup: func(b *box) *box {
			b.write(".git/refs/heads/main.lock", "")
			b.write("fresh.md", "two\n")
			return nil
		}, req: func(r *CommitRequest) { r.Paths = []string{"fresh.md"} }, why: WhyLocked},
	}
}
