package recovery

import (
	"bytes"
	"math/rand"
	"strings"
	"testing"

	"github.com/memctl/memctl/memfile"
)

func TestRepairWritesWhatASoundFileMeans(t *testing.T) {
	long := strings.Replace(tone, "concise, no filler", "long", 1)
	for name, c := range map[string]struct{ src, want string }{
		"a confidence that is none is low":     {head + strings.Replace(tone, "high", "5 # sure", 1) + tail, head + strings.Replace(tone, "high", "low # sure", 1) + tail},
		"a text is a list of one":              {head + strings.Replace(tone, "[style]", "style", 1) + tail, head + tone + tail},
		"what cannot be read is taken out":     {head + tone + "      signals: many\n      pinned: [a]\n" + tail, head + tone + tail},
		"a switch that is no boolean is off":   {strings.Replace(head, "enabled: true", "enabled: yes", 1) + tone + tail, strings.Replace(head, "enabled: true", "enabled: false", 1) + tone + tail},
		"settings that are no map are off":     {"```yaml\nsaved_memory:\n  settings: off\n  items: []\n```\n", "```yaml\nsaved_memory:\n  settings:\n    enabled: false\n    announce_writes: false\n  items: []\n```\n"},
		"a version that is no number is the 1": {strings.Replace(head, "version: 1", "version: one", 1) + tone + tail, head + tone + tail},
		"two items of a key are one": {head + tone + long + tail, head + tone + strings.Join([]string{"      conflict:", "        - value: long",
			"          added: 2026-01-02", "          source: explicit user preference", "          confidence: high\n"}, "\n") + tail},
		"a tombstone's reason is a text": {head + "deletions:\n  - key: a.b\n    removed: 2026-01-02\n    reason: [x]\n```\n", head + "deletions:\n  - key: a.b\n    removed: 2026-01-02\n```\n"},
		"a sound file stays as it is":    {head + "# mine\n" + tone + tail, head + "# mine\n" + tone + tail},
	} {
		res, err := Repair("m", []byte(c.src))
		if err != nil || string(res.Bytes) != c.want || res.Needed != (c.src != c.want) || res.Needed != (len(res.Reasons) > 0) {
			t.Errorf("%s: %v %v\n%s\nwant\n%s", name, err, res.Reasons, res.Bytes, c.want)
		}
	}
}

// TestRepairIsWhole damages fields at random: what can still be read is repaired at once.
func TestRepairIsWhole(t *testing.T) {
	rnd := rand.New(rand.NewSource(5))
	src := strings.Replace(whole3, "tags: [style]", "tags: style\n      signals: 3\n      pinned: true", 1)
	repaired := 0
	for range 3000 {
		b := []byte(damagedAtRandom(rnd, src))
		res, err := Repair("m", b)
		if f, _ := memfile.Parse("m", b); f == nil || err != nil {
			if f != nil && f.Document().Version < 2 {
				t.Fatalf("%v\n%s", err, b)
			}
			continue
		}
		again, err := Repair("m", res.Bytes)
		if err != nil || again.Needed || !bytes.Equal(again.Bytes, res.Bytes) {
			t.Fatalf("%v, %v of\n%s\ngave\n%s", err, again.Reasons, b, res.Bytes)
		}
		repaired++
	}
	if repaired < 100 {
		t.Errorf("only %d were repaired", repaired)
	}
}
