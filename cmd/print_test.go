package cmd

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
)

func TestWriteJSONHidesControls(t *testing.T) {
	tests := map[string]string{
		"a terminal escape":         "a\x1b[31mb",
		"a C1 character":            "a\u009b31mb",
		"a bidirectional override":  "a\u202eb",
		"a tag character":           "a\U000e0041b",
		"markup stands as it is":    "a <b> & c",
		"letters of all alphabets":  "für 日本",
		"a zero-width space":        "a\u200bb",
		"delete, the last of ASCII": "a\x7fb",
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := writeJSON(&b, memory.RowJSON, map[string]string{"v": text}); err != nil {
				t.Fatal(err)
			}
			if line := strings.TrimSuffix(b.String(), "\n"); line != inert(line) {
				t.Errorf("not one plain line: %q", line)
			}
			var back map[string]string
			if err := json.Unmarshal(b.Bytes(), &back); err != nil || back["v"] != text {
				t.Errorf("reads back as %q, %v", back["v"], err)
			}
		})
	}
}

func commit(id string) *string { return &id }

func TestPrintWrite(t *testing.T) {
	accepted := memory.Write{Schema: 1, Act: "add", Key: "a.b", Scope: "project", Origin: "explicit", Verdict: "accept",
		Findings: []fault.Finding{}, Commit: commit("abc"), Changed: true, Saved: "Saved: a.b = c (undo: memctl undo)"}
	unchanged := accepted
	unchanged.Changed, unchanged.Saved, unchanged.Commit = false, "", nil
	preview := accepted
	preview.Diff, preview.Commit, preview.Why, preview.Saved = "--- a\n+++ b\n+x\x1b[2J\n", nil, "dry run", ""
	held := accepted
	held.Verdict, held.Saved, held.Commit, held.Hints, held.Findings = "hold", "", nil, []string{memory.ReviewHint}, []fault.Finding{{Rule: "personal-data", Message: "looks like a number"}}
	refused := accepted
	refused.Verdict, refused.Saved, refused.Commit, refused.Hints = "refuse", "", nil, []string{"memctl forget a.b"}
	refused.Findings = []fault.Finding{{Rule: "secret", Message: "looks like a token"}}
	noted := accepted
	noted.Notes = []fault.Note{fault.NewNote("git-history", "git still has it")}

	tests := map[string]struct {
		write memory.Write
		quiet bool
		json  bool
		out   string
		talk  string
		fails bool
	}{
		"an announcement is the answer":      {write: accepted, out: accepted.Saved + "\n"},
		"quiet says nothing":                 {write: accepted, quiet: true},
		"nothing changed":                    {write: unchanged, talk: "memctl: note: \"a.b\": nothing changed\n"},
		"a preview prints the diff, inert":   {write: preview, out: "--- a\n+++ b\n+x\n"},
		"what is held names review":          {write: held, talk: "memctl: held: \"a.b\": looks like a number [personal-data]\nmemctl: hint: memctl review\n"},
		"what is refused is an error":        {write: refused, talk: "memctl: error: \"a.b\": looks like a token [secret]\nmemctl: hint: memctl forget a.b\n", fails: true},
		"a refusal is said to the quiet too": {write: refused, quiet: true, talk: "memctl: error: \"a.b\": looks like a token [secret]\n", fails: true},
		"notes are talk":                     {write: noted, out: accepted.Saved + "\n", talk: "memctl: note: git still has it\n"},
		"JSON is the object alone": {write: refused, json: true, fails: true,
			out: `{"schema":1,"act":"add","key":"a.b","scope":"project","origin":"explicit","verdict":"refuse","findings":[{"rule":"secret","message":"looks like a token"}],"commit":null,"why":"","changed":true,"hints":["memctl forget a.b"]}` + "\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a, out, talk := testApp(nil)
			a.global.quiet, a.global.json = test.quiet, test.json
			err := a.finishOne(test.write, nil)
			if out.String() != test.out || talk.String() != test.talk || (err != nil) != test.fails {
				t.Errorf("error %v\nstdout %q\nstderr %q\nwant\n%q\n%q", err, out, talk, test.out, test.talk)
			}
		})
	}
}

func TestShowText(t *testing.T) {
	tone := memfile.Str("concise\x1b[31m, no filler")
	result := view.ShowResult{Scopes: []view.ScopeView{{
		Scope: "project", Path: "memories.md", Enabled: true,
		Items: []view.Record{
			{Tier: view.Item, Key: "api.token", Value: &memfile.Value{}, Labels: labels.Labels{Confidence: "high"}, Added: "2026-11-01", Verdict: contents.Verdict{Withheld: []string{"secret"}}},
			{Tier: view.Item, Key: "writing.tone", Value: &tone, Labels: labels.Labels{Confidence: "high", Tags: []string{"style"}, Locked: true}, Added: "2026-11-01", Updated: "2026-11-21",
				Conflict: []memfile.Rival{{Value: memfile.Str("long"), Labels: labels.Labels{Confidence: "low"}, Added: "2026-11-20"}}},
		},
		Deletions: []view.TombstoneView{{Key: "build.cache", Removed: "2026-11-02", Reason: "not any more"}},
	}, {Scope: "user", Path: "user/memories.md", Enabled: true}}}
	want := `project  memories.md
  api.token     [withheld: secret]  (high, 2026-11-01)
  writing.tone  concise, no filler  (high, 2026-11-21, locked, tags style)
                value 1: long  (low, 2026-11-20)
  forgotten
    build.cache  2026-11-02  not any more
`
	if got := showText(result, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestLogText(t *testing.T) {
	value := func(s string) *memfile.Value { v := memfile.Str(s); return &v }
	changes := []view.Change{
		{Commit: "bbbbbbbbbbbb", Date: "2026-11-21T09:00:00Z", Author: "Ada", Act: "forget", Kind: "item", Change: "removed", Key: "a.b", Scope: "project", Source: "not any more", Before: value("x")},
		{Commit: "bbbbbbbbbbbb", Date: "2026-11-21T09:00:00Z", Author: "Ada", Act: "forgotten", Kind: "tombstone", Change: "added", Key: "e.f", Scope: "project", Source: "by hand"},
		{Commit: "aaaaaaaaaaaa", Date: "2026-11-20T09:00:00Z", Author: "Ada", Act: "add", Change: "changed", Key: "a.b", Scope: "project", Source: "explicit user preference", Before: value("w"), After: value("x"),
			Fields: []view.FieldChange{{Name: "confidence", Before: "low", After: "high"}}},
		{Commit: "aaaaaaaaaaaa", Date: "2026-11-20T09:00:00Z", Author: "Ada", Act: "added", Change: "added", Key: "c.d", Scope: "project", Verdict: contents.Verdict{Withheld: []string{"secret"}}},
	}
	want := `bbbbbbbb  2026-11-21 09:00  Ada  (project)
  - a.b: x  (forget, not any more)
  ~ e.f  (forgotten, by hand)

aaaaaaaa  2026-11-20 09:00  Ada  (project)
  ~ a.b: w -> x  (add, explicit user preference)
      confidence: low -> high
  + c.d: [withheld: secret]
`
	if got := logText(changes, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestFindingsText(t *testing.T) {
	findings := []fault.Finding{{Rule: "key-form", Severity: "warning", File: "memories.md", Line: 9, Column: 7, Message: "odd\nkey", Hint: "memctl show"}}
	if got, want := findingsText(findings, false, false), "memories.md:9:7: warning: odd key [key-form]\n    memctl show\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCheckDay(t *testing.T) {
	tests := map[string]struct {
		day   string
		wrong bool
	}{
		"none":          {"", false},
		"tomorrow":      {"2026-11-22", false},
		"today":         {"2026-11-21", true},
		"no such day":   {"2026-02-30", true},
		"another form":  {"22.11.2026", true},
		"words":         {"tomorrow", true},
		"far in future": {"2099-01-01", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a, _, _ := testApp(map[string]string{envNow: "2026-11-21T23:00:00-02:00"})
			if name == "tomorrow" || name == "today" {
				a.getenv = func(string) string { return "2026-11-21T09:00:00Z" }
			}
			if err := a.checkDay(test.day); (err != nil) != test.wrong {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestValuesOnATerminal(t *testing.T) {
	value := func(s string) *memfile.Value { v := memfile.Str(s); return &v }
	for name, c := range map[string]struct{ before, after, want string }{
		"a word more":       {"run the tests", "run all the tests", ": run \x1b[32mall \x1b[0mthe tests"},
		"nothing in common": {"tabs", "open", ": \x1b[31mtabs\x1b[0m -> \x1b[32mopen\x1b[0m"},
	} {
		if got := changeValues(view.Change{Before: value(c.before), After: value(c.after)}, true); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
