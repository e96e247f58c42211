package edit

import (
	"errors"
	"fmt"
	"testing"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
)

// met is what a value meets and what becomes of it.
func met(t *testing.T, origin, by, confidence, value string, rivals ...memfile.Rival) (meeting, memfile.Item, error) {
	t.Helper()
	there := memfile.Item{Key: "style.indent", Value: memfile.Str("indent with tabs"), Added: "2026-11-20", Labels: labels.Labels{Source: "was", Confidence: confidence, By: by}, Conflict: rivals}
	fresh := memfile.Item{Key: "style.indent", Value: memfile.Str(value), Added: "2026-11-21", Labels: labels.Labels{Source: "is"}}
	fresh.Confidence = map[string]string{memory.Explicit: memfile.High, memory.Relayed: memfile.Medium, memory.Automatic: memfile.Low}[origin]
	fresh.By = map[string]string{memory.Relayed: memfile.ByRelayed, memory.Automatic: memfile.ByAutomatic}[origin]
	ruling, _ := memory.Authority("add", origin, memory.StateOf(&there.Labels))
	r := txn.NewRecord(there)
	how, err := news{Record: txn.NewRecord(fresh), ruling: ruling, origin: origin, today: "2026-11-21"}.meet(r)
	return how, *r.Item, err
}

func TestMeet(t *testing.T) {
	const tabs, spaces = "Always indent with tabs.", "indent with spaces"
	for name, c := range map[string]struct {
		origin, by, confidence, value string
		how                           meeting
		now                           string // value, confidence, by, number of rivals
	}{
		"a person's other value replaces their own":          {memory.Explicit, "", "high", spaces, replaces, "indent with spaces high  0"},
		"a person's other value replaces an agent's":         {memory.Explicit, memfile.ByAutomatic, "low", spaces, replaces, "indent with spaces high  0"},
		"an agent's other value stands beside a person's":    {memory.Relayed, "", "high", spaces, waits, "indent with tabs high  1"},
		"so does its own conclusion":                         {memory.Automatic, "", "high", spaces, waits, "indent with tabs high  1"},
		"what is passed on replaces what was passed on":      {memory.Relayed, memfile.ByRelayed, "medium", spaces, replaces, "indent with spaces medium relayed 0"},
		"what is passed on replaces a conclusion":            {memory.Relayed, memfile.ByAutomatic, "high", spaces, replaces, "indent with spaces medium relayed 0"},
		"a conclusion lowers nothing that was passed on":     {memory.Automatic, memfile.ByRelayed, "medium", spaces, waits, "indent with tabs medium relayed 1"},
		"a conclusion lowers no other one":                   {memory.Automatic, memfile.ByAutomatic, "high", spaces, waits, "indent with tabs high automatic 1"},
		"a person repeats an agent's value":                  {memory.Explicit, memfile.ByAutomatic, "low", tabs, replaces, tabs + " high  0"},
		"what is passed on repeats a conclusion":             {memory.Relayed, memfile.ByAutomatic, "low", tabs, repeats, tabs + " medium relayed 0"},
		"what is passed on repeats a person's value":         {memory.Relayed, "", "medium", tabs, repeats, "indent with tabs medium  0"},
		"a conclusion repeats another one on a later day":    {memory.Automatic, memfile.ByAutomatic, "low", tabs, repeats, "indent with tabs medium automatic 0"},
		"a conclusion never lifts a person's doubt":          {memory.Automatic, "", "low", tabs, repeats, "indent with tabs low  0"},
		"what an agent passes on never lifts a person's one": {memory.Relayed, "", "low", tabs, repeats, "indent with tabs low  0"},
	} {
		how, it, err := met(t, c.origin, c.by, c.confidence, c.value)
		if now := fmt.Sprint(it.Value.Text, " ", it.Confidence, " ", it.By, " ", len(it.Conflict)); how != c.how || now != c.now || err != nil {
			t.Errorf("%s: %d, %q, %v; want %d, %q", name, how, now, err, c.how, c.now)
		}
	}
}

func TestMeetReplacesByMoreSignalsAndBoundsTheOthers(t *testing.T) {
	rival := memfile.Rival{Value: memfile.Str("indent with spaces"), Added: "2026-11-19", Labels: labels.Labels{Confidence: memfile.Low, By: memfile.ByAutomatic, Signals: 1, Seen: "2026-11-19"}}
	how, it, err := met(t, memory.Automatic, memfile.ByAutomatic, "medium", "indent with spaces", rival)
	if how != replaces || it.Value.Text != "indent with spaces" || len(it.Conflict) != 1 || err != nil {
		t.Errorf("the value with more signals: %d, %+v, %v", how, it, err)
	}
	how, it, err = met(t, memory.Automatic, memfile.ByRelayed, "medium", "indent with spaces", rival)
	if how != waits || it.Value.Text != "indent with tabs" || it.Confidence != memfile.Medium || err != nil {
		t.Errorf("beside what was passed on: %d, %+v, %v", how, it, err)
	}
	how, it, err = met(t, memory.Automatic, "", "high", "indent with spaces", rival)
	if how != waits || it.Value.Text != "indent with tabs" || it.Conflict[0].Signals != 2 || err != nil {
		t.Errorf("beside a person's value: %d, %+v, %v", how, it, err)
	}
	var many []memfile.Rival
	for i := range maxRivals {
		many = append(many, memfile.Rival{Value: memfile.Str(fmt.Sprint("indent with ", i, " dots")), Added: "2026-11-20"})
	}
	var refusal *memory.Refusal
	for _, origin := range []string{memory.Relayed, memory.Automatic} {
		if _, it, err := met(t, origin, "", "high", "indent with spaces", many...); !errors.As(err, &refusal) || len(it.Conflict) != maxRivals {
			t.Errorf("%s: one value too many: %d, %v", origin, len(it.Conflict), err)
		}
	}
}
