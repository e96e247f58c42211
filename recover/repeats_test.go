package recovery

import (
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
)

const soundItem = "```yaml\nsaved_memory:\n  version: 1\n  items:\n    - key: writing.tone\n      value: concise, no filler words\n" +
	"      added: 2026-11-01\n      source: explicit user preference\n      confidence: high\n" +
	"    - key: review.depth\n      value: deep\n      added: 2026-11-01\n      source: explicit user preference\n      confidence: high\ndeletions: []\n```\n"

// documentOf is what recovery makes of a text, with an earlier version (nil: none).
func documentOf(t *testing.T, src string, base *memfile.Document) memfile.Document {
	t.Helper()
	res, err := Recover(memfile.FileName, []byte(src), Options{Today: "2026-11-21", Base: base})
	if err != nil || !res.Needed {
		t.Fatalf("not recovered: %v\n%s", err, src)
	}
	return res.Document
}

func TestWhatRepeatsAnItemIsNotSalvagedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		below string
		items int
	}{
		"the same sentence":                      {"    - Concise, no filler words.\n", 2},
		"a title for its key":                    {"    - Review depth: Deep\n", 2},
		"the same value under another key":       {"    - key: style.prose\n      value: \"Concise, no filler words!\"\n", 2},
		"the same key in capitals":               {"    - key: Writing.Tone\n      value: concise, no filler words\n", 2},
		"the same key twice below":               {"    - key: a.bee\n      value: x\n    - key: a.bee\n      value: x\n", 3},
		"a few words under another key are new":  {"    - key: reading.depth\n      value: deep\n", 3},
		"another sentence is new":                {"    - Concise, but with all details\n", 3},
		"a word with other signs is another one": {"    - Concise, --no filler words\n", 3},
	} {
		doc := documentOf(t, soundItem+c.below, nil)
		if len(doc.Items) != c.items {
			t.Errorf("%s: %d items, want %d\n%+v", name, len(doc.Items), c.items, doc.Items)
		}
	}
}

func TestASalvagedKeyInCapitalsMeetsTheKeptOne(t *testing.T) {
	doc := documentOf(t, soundItem+"    - key: Writing.Tone\n      value: long and winding\n", nil)
	if it := doc.Items[0]; len(doc.Items) != 2 || len(it.Conflict) != 1 {
		t.Errorf("want one conflict of writing.tone: %+v", doc.Items)
	}
}

func TestWhatRepeatsAnEarlierItemIsNotSalvagedAgain(t *testing.T) {
	base := memfile.Document{Version: 1, Items: []memfile.Item{{
		Key: "build.tool", Value: memfile.Str("make builds all of it"), Added: "2026-10-01", Labels: labels.Labels{Source: "explicit user preference", Confidence: memfile.High}}}}
	doc := documentOf(t, "saved_memory:\n- make builds all of it\n", &base)
	if len(doc.Items) != 1 || doc.Items[0].Key != "build.tool" {
		t.Errorf("want build.tool alone: %+v", doc.Items)
	}
}

func TestAnItemWhoseKeyIsLostIsAddedBackOnce(t *testing.T) {
	f, _ := memfile.Parse("m", []byte(head+tone+tail))
	base := f.Document()
	doc := documentOf(t, strings.Replace(head+tone+tail, "key: writing.tone", "key: [writing: concise", 1), &base)
	if got := showAll(doc); got != whole {
		t.Errorf("items\n%s", got)
	}
}

func TestASalvagedItemHasADay(t *testing.T) {
	broken := "```yaml\nsaved_memory:\n  version: 1\n  items:\n    - key: build.tool\n      value: `make` builds\n      source: the log\n      confidence: medium\ndeletions: []\n```\n"
	if doc := documentOf(t, broken, nil); len(doc.Items) != 1 || doc.Items[0].Added != "2026-11-21" {
		t.Errorf("want today: %+v", doc.Items)
	}
	base := memfile.Document{Version: 1, Items: []memfile.Item{{
		Key: "build.tool", Value: memfile.Str("`make` builds"), Added: "2026-10-01", Labels: labels.Labels{Source: "the log", Confidence: memfile.Medium}}}}
	if doc := documentOf(t, broken, &base); len(doc.Items) != 1 || doc.Items[0].Added != "2026-10-01" {
		t.Errorf("want the earlier version's day: %+v", doc.Items)
	}
}
