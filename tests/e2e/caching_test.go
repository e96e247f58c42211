//go:build e2e

package e2e

import (
	"fmt"
	"testing"
)

// cached is how many bytes at least two sessions' first requests begin with in common.
const cached = 20 << 10

// TestCaching compares the first requests of two sessions in one repository, with memctl and
// without. A model's service caches what two requests begin with: memctl's text has to be the
// same in both, so that only the client itself makes a difference before its end.
func TestCaching(t *testing.T) {
	for _, c := range clients() {
		t.Run(c.name, func(t *testing.T) {
			r := newTrial(t, c)
			a, b := r.talk(r.session(prompt), prompt)[0], r.talk(r.session(prompt), prompt)[0]
			checkBriefed(t, []request{a})
			m, n := memoryIn(t, a), memoryIn(t, b)
			if m.text != n.text {
				t.Errorf("two sessions with the same memory are handed different bytes\n%s\n%s", m.text, n.text)
			}
			at := differAt(laidOut(t, a), laidOut(t, b))
			if at >= m.at && at < m.end {
				t.Errorf("the requests first differ at byte %d, in memctl's text at %d to %d", at, m.at, m.end)
			}
			if at < cached {
				t.Errorf("the requests differ at byte %d of what the model reads, want none in the first %d: %s", at, cached, firstDifference(t, a, b))
			}
			with := firstDifference(t, a, b)
			r.scratch.run("memctl", "hooks", "uninstall", c.name)
			a, b = r.talk(r.session(prompt), prompt)[0], r.talk(r.session(prompt), prompt)[0]
			checkUnbriefed(t, []request{a, b})
			t.Logf("%s, first request: with memctl %s, memory at %d to %d; without memctl %s", c.name, with, m.at, m.end, firstDifference(t, a, b))
		})
	}
}

// firstDifference says how long two requests are, and where and in what they first differ.
func firstDifference(t *testing.T, a, b request) string {
	t.Helper()
	x, y := laidOut(t, a), laidOut(t, b)
	at := differAt(x, y)
	if x == y {
		return fmt.Sprintf("%d bytes, the same", len(x))
	}
	return fmt.Sprintf("%d bytes, differ at %d (as sent, at %d of %d): %q and %q", len(x), at, differAt(a.body, b.body), len(a.body), around(x, at), around(y, at))
}
