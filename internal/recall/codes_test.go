package recall

import (
	"testing"

	"github.com/memctl/memctl/internal/recall/index"
)

func TestACodeFindsTheOneMemoryThatHasIt(t *testing.T) {
	docs := []index.Doc{
		aFact("port", "Port 5433 is the test database, 5432 is the developer's own"), aFact("again", "Only the backup listens on 5432"),
		aFact("error", "EADDRINUSE means that the old server still runs"), aFact("type", "TS2742 comes from pnpm: import the type"), aFact("year", "The contract ends in 2027"),
		aFact("word", "tests fail at night"), aFact("time", "a build takes 300 seconds"),
	}
	for text, want := range map[string]string{
		"why does it connect to localhost:5433, and who said so": "port", "Error: listen EADDRINUSE: address already in use :::5173\n    at Server.setupListenHandle": "error",
		"orders.ts(12,14): error TS2742: The inferred type of 'router' cannot be named": "type",
		"who uses 5432 here": "", "the copyright of 2027": "", "npm FAILED, once more": "", "wait for 300 of them": "", "what is eaddrinuse": "",
	} {
		got := ""
		for _, h := range about(t, text, 1, docs...) {
			got = h.ID
		}
		if got != want {
			t.Errorf("%q: told %q, want %q", text, got, want)
		}
	}
}
