package main

import (
	"strings"
	"testing"
	"time"
)

func TestTheTableStandsBetweenTheMarkers(t *testing.T) {
	page := "# Performance\n\n" + markStart + "old\n" + markEnd + "\nmore\n"
	once, err := between([]byte(page), "new\n")
	if err != nil {
		t.Fatal(err)
	}
	want := "# Performance\n\n" + markStart + "\nnew\n\n" + markEnd + "\nmore\n"
	if string(once) != want {
		t.Fatalf("got\n%s\nwant\n%s", once, want)
	}
	twice, err := between(once, "new\n")
	if err != nil || string(twice) != want {
		t.Fatalf("written again, it changed (%v):\n%s", err, twice)
	}
}

func TestAPageWithoutMarkersIsAnError(t *testing.T) {
	for name, page := range map[string]string{"none": "text\n", "only the first": markStart, "only the last": markEnd, "in the wrong order": markEnd + markStart} {
		if _, err := between([]byte(page), "new\n"); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestTheTableSaysWhetherAnAimIsMet(t *testing.T) {
	list := []*measured{
		{name: "base", times: []time.Duration{time.Millisecond}},
		{name: "good", aim: 3, times: []time.Duration{3 * time.Millisecond}},
		{name: "bad", aim: 3, times: []time.Duration{4 * time.Millisecond}, cpu: []time.Duration{2500 * time.Microsecond}, peak: 9_400_000},
	}
	list = append(list, &measured{name: "beside", aim: 1.6, beside: list[1], times: []time.Duration{6 * time.Millisecond}})
	text := table(list, options{items: 1, rounds: 1})
	for _, want := range []string{"| good | 3.00 | 3.00 | 0.00 | 3.0 | 3: met | not told |", "| bad | 4.00 | 4.00 | 2.50 | 4.0 | 3: missed | 9.4 |",
		"| beside | 6.00 | 6.00 | 0.00 | 6.0 | 1.6 times the row above (2.00): missed | not told |"} {
		if !strings.Contains(text, want) {
			t.Errorf("the table has no line %q:\n%s", want, text)
		}
	}
}
