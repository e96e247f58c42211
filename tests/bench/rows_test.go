package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestAProgramThatIsNotThereHasItsRow(t *testing.T) {
	m := other{title: "`nothing`", ask: []string{filepath.Join(t.TempDir(), "no-such-program")}}.measured(&bench{})
	if !m.absent {
		t.Fatal("a program that is not there would be measured")
	}
	list := []*measured{{name: "base", times: []time.Duration{time.Millisecond}}, m}
	if err := measure(list[1:], 1, ""); err != nil {
		t.Fatalf("measuring it is an error: %v", err)
	}
	if text := table(list, options{}); !strings.Contains(text, "| `nothing` | not on this machine |") {
		t.Errorf("the table does not say so:\n%s", text)
	}
}

func TestAMemoryAimIsJudgedOnlyWhereMemoryIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		m    measured
		want string
	}{
		"below":    {measured{aim: 3, most: 30_000_000, peak: 29_000_000}, "3: met, 30 MB: met"},
		"at":       {measured{aim: 3, most: 30_000_000, peak: 30_000_000}, "3: met, 30 MB: missed"},
		"not told": {measured{aim: 3, most: 30_000_000}, "3: met"},
		"more":     {measured{times: []time.Duration{5_000_000}, than: &measured{times: []time.Duration{4_000_000}}, more: 2 * time.Millisecond}, "2 ms more than without (1.00): met"},
		"too much": {measured{times: []time.Duration{7_000_000}, than: &measured{times: []time.Duration{4_000_000}}, more: 2 * time.Millisecond}, "2 ms more than without (3.00): missed"},
		"no aim":   {measured{peak: 1}, ""},
		"under":    {measured{times: []time.Duration{1}, under: &measured{name: "x", times: []time.Duration{2}}}, "under x (0.50 times): met"},
		"in time":  {measured{times: []time.Duration{1}, below: time.Millisecond}, "1 ms: met"},
		"late":     {measured{times: []time.Duration{2_000_000}, below: time.Millisecond}, "1 ms: missed"},
		"over":     {measured{times: []time.Duration{2}, under: &measured{name: "x", times: []time.Duration{2}}}, "under x (1.00 times): missed"},
	} {
		if got := c.m.aims(2); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestAColdStartIsNotMeasuredAsAWarmOne(t *testing.T) {
	b := &bench{large: t.TempDir(), usual: t.TempDir()}
	for _, folder := range []string{b.large, b.usual} {
		if err := os.MkdirAll(filepath.Dir(snapshot(folder)), 0o755); err != nil {
			t.Fatal(err)
		}
		for i, name := range b.caches(folder) {
			if b.warm(folder)(0) == nil {
				t.Fatalf("warm with %d of the caches", i)
			}
			if err := os.WriteFile(name, nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.warm(folder)(0); err != nil {
			t.Fatalf("with all caches: %v", err)
		}
		for range 2 { // the second time, there is nothing to remove
			if err := forget(b.caches(folder)...); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range b.caches(folder) {
			if _, err := os.Stat(name); err == nil {
				t.Errorf("%q is still there", filepath.Base(name))
			}
		}
	}
}

func TestTheHookIsToldWhatClaudeCodeTells(t *testing.T) {
	folder := filepath.Join(t.TempDir(), `a "folder"`)
	text, err := event("SessionStart", folder, 1, map[string]any{"source": "startup"})
	if err != nil {
		t.Fatal(err)
	}
	var told map[string]string
	if err := json.Unmarshal([]byte(text), &told); err != nil {
		t.Fatal(err)
	}
	if told["cwd"] != folder || told["hook_event_name"] != "SessionStart" || told["source"] != "startup" || told["session_id"] == "" || told["transcript_path"] == "" {
		t.Errorf("got %s", text)
	}
}

func TestRowsOfAKindThatIsNoneAreRefused(t *testing.T) {
	o := options{rows: []string{rowsRecall, "nothing"}, doc: "page"}
	if o.check() == nil {
		t.Error("a kind that is none is measured")
	}
	o.rows = o.rows[:1]
	if err := o.check(); err != nil || o.doc != "" || !o.has(rowsRecall) || o.has(rowsStart) {
		t.Errorf("some rows: %v, %+v", err, o)
	}
	o.rows, o.doc = kinds(), "page"
	if err := o.check(); err != nil || o.doc == "" {
		t.Errorf("all rows are not written into the page: %v", err)
	}
}

func TestFactsHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for i := range manyFacts {
		seen[factFile(i)] = true
	}
	if len(seen) != manyFacts {
		t.Errorf("%d names for %d facts", len(seen), manyFacts)
	}
}

func TestCallsAreCountedOnce(t *testing.T) {
	trace := "12 execve(\"/x\", [\"x\"], 0x7 /* 3 vars */) = 0\n" +
		"12    openat(AT_FDCWD, \"a(b)\", O_RDONLY <unfinished ...>\n" +
		"13 futex(0x1, FUTEX_WAKE) = 1\n" +
		"12 <... openat resumed>)             = 3\n" +
		"12 fstat(3, {st_mode=S_IFREG}) = 0\n" +
		"12 read(3, \"\", 1) = 0\n"
	if got, want := countCalls(trace), (calls{all: 4, opens: 1, stats: 1, processes: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
