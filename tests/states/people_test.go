package states

import (
	"os/exec"
	"path/filepath"
	"strings"
)

// people: who commits, and with whose signature.
func people() []row {
	return []row{
		{name: "an identity by folder (`includeIf`)", want: committed(), by: "Ada at Work <ada@work.example>", build: func(w *world) {
			w.writeAt(filepath.Join(w.dir, "home", "work.inc"), "[user]\n\tname = Ada at Work\n\temail = ada@work.example\n")
			w.writeAt(filepath.Join(w.dir, "home", ".gitconfig"), gitConfig+"[includeIf \"gitdir:"+w.dir+"/\"]\n\tpath = work.inc\n")
		}},
		{name: "an identity from the environment (`GIT_AUTHOR_NAME`…)", want: committed(), by: "Env <env@example.com>", build: func(w *world) {
			w.env = append(w.env, "GIT_AUTHOR_NAME=Env", "GIT_AUTHOR_EMAIL=env@example.com", "GIT_COMMITTER_NAME=Env", "GIT_COMMITTER_EMAIL=env@example.com")
		}},
		{name: "no identity", want: deferred("no identity"), does: "writes the file, commits nothing, and names the command that tells git who you are, as `doctor` does", later: nextAct + ", once git knows who you are", build: func(w *world) {
			w.git("config", "user.name", "")
			w.git("config", "user.useConfigOnly", "true")
			w.git("config", "user.email", "")
		}, ends: func(w *world) {
			w.git("config", "--remove-section", "user")
			goOn(w)
		}},
		{name: "commits signed by ssh", want: committed(), needs: needsProgram("ssh-keygen"), build: func(w *world) { w.signBySSH("") }, also: signed},
		{name: "commits signed by gpg", want: committed(), needs: needsProgram("gpg"), build: func(w *world) { w.signByGPG("") }, also: signed},
		{name: "an ssh key with a passphrase, and no terminal", want: deferred("signing failed"), later: nextAct + " that can sign", needs: needsProgram("ssh-keygen"),
			build: func(w *world) { w.signBySSH("secret") }, ends: signsNoMore},
		{name: "a gpg key with a passphrase, and no terminal", want: deferred("signing failed"), later: nextAct + " that can sign", needs: needsProgram("gpg"),
			build: func(w *world) { w.signByGPG("secret") }, ends: signsNoMore, acts: []string{"add", "auto"}},
		{name: "a signing program that is not there", want: deferred("signing failed"), later: nextAct + " that can sign", build: func(w *world) {
			w.git("config", "commit.gpgSign", "true")
			w.git("config", "gpg.program", "/nowhere/gpg")
		}, ends: signsNoMore},
	}
}

// needsProgram says what is missing where the machine lacks a program.
func needsProgram(name string) func() string {
	return func() string {
		if _, err := exec.LookPath(name); err != nil {
			return err.Error()
		}
		return ""
	}
}

func signsNoMore(w *world) {
	w.git("config", "commit.gpgSign", "false")
	goOn(w)
}

// signed: every commit of an act bears a signature.
func signed(w *world) {
	seen := 0
	for line := range strings.SplitSeq(w.git("log", "--format=%H %s"), "\n") {
		id, subject, _ := strings.Cut(line, " ")
		if !strings.HasPrefix(subject, "memory: ") {
			continue
		}
		seen++
		if !strings.Contains(w.git("cat-file", "commit", id), "gpgsig") {
			w.t.Errorf("a commit without signature: %s", subject)
		}
	}
	if seen == 0 {
		w.t.Error("no commit of memctl's was seen")
	}
}

func (w *world) signBySSH(passphrase string) {
	key := filepath.Join(w.dir, "key")
	if out, err := w.command("ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "", "-f", key).CombinedOutput(); err != nil {
		w.t.Fatalf("ssh-keygen: %v\n%s", err, out)
	}
	w.git("config", "gpg.format", "ssh")
	w.git("config", "user.signingKey", key)
	w.git("config", "commit.gpgSign", "true")
}

func (w *world) signByGPG(passphrase string) {
	home := filepath.Join(w.dir, "gnupg")
	w.mkdir(home)
	w.chmod(home, 0o700)
	gpg := w.command("gpg", "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", passphrase, "--quick-generate-key", "ada@example.com", "ed25519", "sign", "never")
	if out, err := gpg.CombinedOutput(); err != nil {
		w.t.Fatalf("gpg: %v\n%s", err, out)
	}
	stop := func() { _ = w.command("gpgconf", "--kill", "all").Run() }
	stop() // so that no agent remembers the passphrase
	w.t.Cleanup(stop)
	w.git("config", "user.signingKey", "ada@example.com")
	w.git("config", "commit.gpgSign", "true")
}

// rules are hooks and settings of the repository.
func rules() []row {
	refusing := func(w *world, dir string) {
		for _, name := range []string{"pre-commit", "commit-msg", "prepare-commit-msg", "post-commit", "reference-transaction"} {
			w.script(filepath.Join(dir, name), "echo "+name+" >>'"+filepath.Join(w.dir, "hooks-ran")+"'\nexit 1\n")
		}
	}
	noneRan := func(w *world) {
		if exists(w.dir, "hooks-ran") {
			w.t.Error("a hook ran")
		}
	}
	ends := func(w *world) { w.person("commit", "-q", "-m", "the hook stops me") }
	return []row{
		{name: "commit hooks that refuse", want: committed(), does: "commits: no hook runs", build: func(w *world) {
			w.afterWork = func() { refusing(w, w.inGitDir("hooks")) }
		}, also: noneRan, ends: ends},
		{name: "hooks in a folder of their own (`core.hooksPath`)", want: committed(), does: "commits: no hook runs", build: func(w *world) {
			w.git("config", "core.hooksPath", filepath.Join(w.dir, "hooks"))
			w.afterWork = func() { refusing(w, filepath.Join(w.dir, "hooks")) }
		}, also: noneRan, ends: ends},
		{name: "a protected branch (`memctl.protectedBranch`)", want: deferred("protected branch"), later: "an act on another branch, or your own commit", build: func(w *world) {
			w.git("config", "memctl.protectedBranch", "main")
		}, ends: func(w *world) {
			w.person("commit", "-q", "-m", "my own work")
			w.person("switch", "-q", "-c", "mine")
		}},
		{name: "`memctl.commit` is `off`", want: deferred("memctl.commit is off"), later: "your own commit, or an act once it is on", build: func(w *world) {
			w.git("config", "memctl.commit", "off")
		}, ends: func(w *world) {
			w.git("config", "--unset", "memctl.commit")
			goOn(w)
		}},
	}
}
