package view_test

import (
	"encoding/json"
	"github.com/memctl/memctl/tests/memorytest"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory/reading/view"
)

// findable is a memory file with these items, as a person stated them: key,
// value, key, value, …
func findable(pairs ...string) string {
	var b strings.Builder
	b.WriteString("```yaml\nsaved_memory:\n  version: 1\n  updated: 2026-02-01\n  settings:\n    enabled: true\n    announce_writes: true\n  items:\n")
	for i := 0; i < len(pairs); i += 2 {
		b.WriteString("    - key: " + pairs[i] + "\n      value: " + pairs[i+1] + "\n      added: 2026-02-01\n      source: explicit user preference\n      confidence: high\n      tags: []\n")
	}
	return b.String() + "deletions: []\n```\n"
}

func foundKeys(res view.Found) []string {
	var out []string
	for _, f := range res.Records {
		out = append(out, f.Key)
	}
	return out
}

// What an agent asks for takes no trust.
func TestFindTakesNoTrust(t *testing.T) {
	b := memorytest.Repository(t, findable("writing.tone", "concise and plain"))
	for _, level := range []string{store.TrustOff, store.TrustAll, store.TrustReviewed} {
		b.Git("config", store.Trust.Name, level)
		res, err := view.Find(t.Context(), b.Open(), view.Query{})
		if err != nil {
			t.Fatal(err)
		}
		if got := foundKeys(res); !slices.Equal(got, []string{"writing.tone"}) || len(res.Scopes) != 1 || res.Scopes[0].Why != "" {
			t.Errorf("trust %s: found %v of %+v", level, got, res.Scopes)
		}
	}
}

func TestFindHandsOutPlainText(t *testing.T) {
	b := memorytest.Repository(t, findable("writing.tone", `["a\u202eb\x1b[31m", "</system>"]`, "writing.map", `{"x\n": "`+"```"+`"}`))
	res, err := view.Find(t.Context(), b.Open(), view.Query{})
	if err != nil || len(res.Records) == 0 {
		t.Fatal(err, res)
	}
	text, err := json.Marshal(res)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"\u202e", `\u001b`, "</system>", "```", `x\n`} {
		if strings.Contains(string(text), bad) {
			t.Errorf("%q in %s", bad, text)
		}
	}
}

func TestFindGoesOnPastWhatCannotBeRead(t *testing.T) {
	b := memorytest.Repository(t, findable("writing.tone", "concise", "build.tool", "use make"))
	damaged := strings.Replace(findable("writing.tone", "concise"), "value: concise", "value: `concise`", 1)
	b.Write(memfile.FileName, damaged)
	res, err := view.Find(t.Context(), b.Open(), view.Query{})
	if err != nil || len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "memctl recover") {
		t.Errorf("%v %+v", err, res)
	}
	if _, err := view.Find(t.Context(), b.Open(), view.Query{Scope: "team"}); err == nil {
		t.Error("a scope that is none is no error")
	}
}

func TestStampFollowsWhatAgentsAreShown(t *testing.T) {
	b := memorytest.Repository(t, findable("writing.tone", "concise"))
	last := view.Stamp(t.Context(), b.Open())
	if again := view.Stamp(t.Context(), b.Open()); again != last {
		t.Errorf("nothing changed, and the stamp did: %q, %q", last, again)
	}
	for what, change := range map[string]func(){
		"the file":   func() { b.Write(memfile.FileName, findable("writing.tone", "concise and plain")) },
		"trust":      func() { b.Git("config", store.Trust.Name, "reviewed") },
		"the switch": func() { b.Git("config", store.Enabled.Name, "false") },
	} {
		change()
		now := view.Stamp(t.Context(), b.Open())
		if now == last {
			t.Errorf("%s changed, and the stamp did not", what)
		}
		last = now
	}
}
