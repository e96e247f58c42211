//go:build e2e

package e2e

import (
	"path/filepath"
	"testing"
)

// third is a prompt after next.
const third = "one more prompt"

// TestPlugins installs memctl's plugin from this repository as a local marketplace, with the clients' own commands,
// and without `memctl hooks install`: the first request has memory once. It stays at once if the person also runs
// `memctl hooks install`.
func TestPlugins(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		client  client
		install []string
	}{
		{claudeClient(), []string{"plugin", "install", "memctl@memctl"}},
		{codexClient(), []string{"plugin", "add", "memctl@memctl"}},
	} {
		t.Run(c.client.name, func(t *testing.T) {
			r := unconnected(t, c.client)
			checkUnbriefed(t, r.talk(r.session(prompt), prompt))

			r.scratch.run(r.bin, "plugin", "marketplace", "add", root)
			r.scratch.run(r.bin, c.install...)
			checkBriefed(t, r.talk(r.session(next), next))

			r.scratch.run("memctl", "hooks", "install", c.client.name)
			checkBriefed(t, r.talk(r.session(third), third))
		})
	}
}
