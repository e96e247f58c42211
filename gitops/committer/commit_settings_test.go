package committer

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/tests/gittest"
)

// hookCases: hooks, wherever they stand.
func hookCases() map[string]commitCase {
	allHooks := []string{"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-rewrite", "reference-transaction", "post-index-change"}
	noHook := func(b *gittest.Box, _ string) {
		if data, err := os.ReadFile(filepath.Join(b.Root, ".git/hooks-ran")); err == nil {
			b.T.Errorf("hooks ran: %s", data)
		}
	}
	return map[string]commitCase{
		"hooks are there and not run": {setup: func(b *gittest.Box) *gittest.Box {
			for _, h := range allHooks {
				b.Hook(".git/hooks", h, "exit 1\n")
			}
			return nil
		}, check: noHook},
		"hooks in core.hooksPath are not run": {setup: func(b *gittest.Box) *gittest.Box {
			for _, h := range allHooks {
				b.Hook(".git/own", h, "exit 1\n")
			}
			b.Git("config", "core.hooksPath", ".git/own")
			return nil
		}, check: noHook},
	}
}

// messageCases: settings that could change the message or its signature.
func messageCases() map[string]commitCase {
	return map[string]commitCase{
		"settings that change messages": {setup: func(b *gittest.Box) *gittest.Box {
			b.Write(".git/template", "from the template\n")
			for _, kv := range [][2]string{
				{"commit.template", ".git/template"}, {"commit.verbose", "true"}, {"commit.cleanup", "strip"},
				{"core.commentChar", "m"}, {"i18n.commitEncoding", "ISO-8859-1"}, {"core.abbrev", "4"},
				{"color.ui", "always"}, {"core.editor", "false"}, {"core.pager", "false"}, {"commit.status", "true"},
			} {
				b.Git("config", kv[0], kv[1])
			}
			return nil
		}, req: func(r *Request) {
			r.Body = "# a heading\n\n# ------------------------ >8 ------------------------\nmore: grüße\nm ------------------------ >8 ------------------------\nafter\n   "
			r.Trailers = []object.Trailer{{Name: "Memory-Act", Value: "add"}, {Name: "Memory-Key", Value: "writing\n\ttone"}}
		}, check: func(b *gittest.Box, commit string) {
			want := "memory: add writing.tone\n\n# a heading\n\n# ------------------------ >8 ------------------------\nmore: grüße\nm ------------------------ >8 ------------------------\nafter\n   \n\n" +
				"Memory-Act: add\nMemory-Key: writing tone"
			raw := b.Git("cat-file", "commit", commit)
			if _, got, _ := strings.Cut(raw, "\n\n"); got != want {
				b.T.Errorf("message = %q\nwant      %q", got, want)
			}
			if strings.Contains(raw, "\nencoding") {
				b.T.Errorf("encoding header: %s", raw)
			}
			if got := b.Git("-c", "core.commentChar=%", "log", "-1", "--format=%(trailers:key=Memory-Key,valueonly)"); strings.TrimSpace(got) != "writing tone" {
				b.T.Errorf("trailer = %q", got)
			}
		}},
		"signing works": {setup: func(b *gittest.Box) *gittest.Box {
			withKey(b)
			return nil
		}, check: func(b *gittest.Box, commit string) {
			if !strings.Contains(b.Git("cat-file", "commit", commit), "BEGIN SSH SIGNATURE") {
				b.T.Error("not signed")
			}
		}},
	}
}

// withKey has git sign commits with a new key.
func withKey(b *gittest.Box) {
	b.T.Helper()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		b.T.Skip("no ssh-keygen")
	}
	key := filepath.Join(b.Root, ".git", "key")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key).CombinedOutput(); err != nil {
		b.T.Fatalf("%s", out)
	}
	signWith(b, key)
}

func signWith(b *gittest.Box, key string) {
	b.Git("config", "gpg.format", "ssh")
	b.Git("config", "user.signingKey", key)
	b.Git("config", "commit.gpgSign", "true")
}
