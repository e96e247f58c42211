package gitops

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// hookCases: hooks, wherever they stand.
func hookCases() map[string]commitCase {
	allHooks := []string{"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-rewrite", "reference-transaction", "post-index-change"}
	noHook := func(b *box, _ string) {
		if data, err := os.ReadFile(filepath.Join(b.root, ".git/hooks-ran")); err == nil {
			b.t.Errorf("hooks ran: %s", data)
		}
	}
	return map[string]commitCase{
		"hooks are there and not run": {setup: func(b *box) *box {
			for _, h := range allHooks {
				b.hook(".git/hooks", h, "exit 1\n")
			}
			return nil
		}, check: noHook},
		"hooks in core.hooksPath are not run": {setup: func(b *box) *box {
			for _, h := range allHooks {
				b.hook(".git/own", h, "exit 1\n")
			}
			b.git("config", "core.hooksPath", ".git/own")
			return nil
		}, check: noHook},
		"hooks run where they are wanted": {setup: func(b *box) *box {
			b.hook(".git/hooks", "pre-commit", "")
			b.hook(".git/hooks", "post-commit", "")
			return nil
		}, req: func(r *CommitRequest) { r.Hooks = true }, check: func(b *box, _ string) {
			data, _ := os.ReadFile(filepath.Join(b.root, ".git/hooks-ran"))
			if string(data) != "pre-commit\npost-commit\n" {
				b.t.Errorf("hooks ran: %q", data)
			}
		}},
	}
}

// messageCases: settings that could change the message or its signature.
func messageCases() map[string]commitCase {
	return map[string]commitCase{
		"settings that change messages": {setup: func(b *box) *box {
			b.write(".git/template", "from the template\n")
			for _, kv := range [][2]string{
				{"commit.template", ".git/template"}, {"commit.verbose", "true"}, {"commit.cleanup", "strip"},
				{"core.commentChar", "m"}, {"i18n.commitEncoding", "ISO-8859-1"}, {"core.abbrev", "4"},
				{"color.ui", "always"}, {"core.editor", "false"}, {"core.pager", "false"}, {"commit.status", "true"},
			} {
				b.git("config", kv[0], kv[1])
			}
			return nil
		}, req: func(r *CommitRequest) {
			r.Body = "# a heading\n\n# ------------------------ >8 ------------------------\nmore: grüße\nm ------------------------ >8 ------------------------\nafter\n   "
			r.Trailers = []Trailer{{"Memory-Act", "add"}, {"Memory-Key", "writing\n\ttone"}}
		}, check: func(b *box, commit string) {
			want := "memory: add writing.tone\n\n# a heading\n\n# ------------------------ >8 ------------------------\nmore: grüße\nm ------------------------ >8 ------------------------\nafter\n   \n\n" +
				"Memory-Act: add\nMemory-Key: writing tone"
			raw := b.git("cat-file", "commit", commit)
			if _, got, _ := strings.Cut(raw, "\n\n"); got != want {
				b.t.Errorf("message = %q\nwant      %q", got, want)
			}
			if strings.Contains(raw, "\nencoding") {
				b.t.Errorf("encoding header: %s", raw)
			}
			if got := b.git("-c", "core.commentChar=%", "log", "-1", "--format=%(trailers:key=Memory-Key,valueonly)"); strings.TrimSpace(got) != "writing tone" {
				b.t.Errorf("trailer = %q", got)
			}
		}},
		"signing works": {setup: func(b *box) *box {
			if _, err := exec.LookPath("ssh-keygen"); err != nil {
				b.t.Skip("no ssh-keygen")
			}
			key := filepath.Join(b.root, ".git", "key")
			if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key).CombinedOutput(); err != nil {
				b.t.Fatalf("%s", out)
			}
			signWith(b, key)
			return nil
		}, check: func(b *box, commit string) {
			if !strings.Contains(b.git("cat-file", "commit", commit), "BEGIN SSH SIGNATURE") {
				b.t.Error("not signed")
			}
		}},
	}
}

func signWith(b *box, key string) {
	b.git("config", "gpg.format", "ssh")
	b.git("config", "user.signingKey", key)
	b.git("config", "commit.gpgSign", "true")
}
