//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// dead are programs in the place of memctl. The last one is not there. The one that hangs does so for three times the
// limit of a hook: Gemini CLI ends the shell alone, and waits for what the shell has started. memctl itself ends after two
// seconds, whatever hangs.
var dead = map[string]string{
	"exits with 2": "#!/bin/sh\necho 'fatal error: out of memory' >&2\nexit 2\n",
	"hangs":        "#!/bin/sh\ntest \"$1\" = hook || exit 2\nexec sleep 15\n", // as an MCP server it would keep Gemini CLI waiting for minutes
	"is missing":   "",
}

// TestDeadMemctl checks that a prompt reaches the model although memctl is broken, and that it
// would not without the end of the installed command where a client blocks on status 2.
func TestDeadMemctl(t *testing.T) {
	blocks := map[string]bool{"claude": true, "codex": true}
	for _, c := range clients() {
		for name, program := range dead {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				r := newTrial(t, c)
				r.kill(program)
				r.talk(r.session(prompt), prompt)
			})
		}
		if !blocks[c.name] {
			continue
		}
		t.Run(c.name+"/without the safeguard", func(t *testing.T) {
			r := newTrial(t, c)
			r.kill(dead["exits with 2"])
			for _, end := range []string{" || true", " ; exit 0"} { // Codex has both, the second for Windows
				if data, err := os.ReadFile(r.hooksFile()); err == nil && strings.Contains(string(data), end) {
					r.edit(r.hooksFile(), end, "")
				}
			}
			before := len(r.m.requests(c.endpoint))
			r.out, _ = r.try(r.bin, c.first(prompt)...)
			for _, a := range r.m.requests(c.endpoint)[before:] {
				if isTalk(a) && strings.Contains(a.body, prompt) {
					t.Fatal("the client does not block: the other tests prove nothing")
				}
			}
		})
	}
}

// kill puts the program in the place of memctl; an empty one takes memctl away.
func (r *trial) kill(program string) {
	r.t.Helper()
	dir := filepath.Join(r.home, "dead")
	if program != "" {
		r.write(filepath.Join(dir, "memctl"), program)
		if err := os.Chmod(filepath.Join(dir, "memctl"), 0o700); err != nil {
			r.t.Fatal(err)
		}
	}
	for i, entry := range r.env {
		if rest, ok := strings.CutPrefix(entry, "PATH="+programs); ok {
			r.env[i] = "PATH=" + dir + rest
		}
	}
}

// hooksFile is the file of the person's hooks.
func (r *trial) hooksFile() string {
	if r.c.name == "codex" {
		return filepath.Join(r.home, ".codex", "hooks.json")
	}
	return filepath.Join(r.home, ".claude", "settings.json")
}
