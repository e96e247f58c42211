package recovery

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/memfile"
)

// whole3 has three items and three tombstones.
const whole3 = head +
	"    - key: a.one\n      value: the first of all\n      added: 2026-01-02\n      source: user\n      confidence: high\n" +
	"    - key: b.two\n      value: the second of all\n      added: 2026-01-02\n      source: user\n      confidence: high\n" +
	"    - key: c.three\n      value: the third of all\n      added: 2026-01-02\n      source: user\n      confidence: medium\n      tags: [style]\n" +
	"deletions:\n" +
	"  - key: d.gone\n    removed: 2026-01-04\n    reason: user asked to forget\n" +
	"  - key: e.gone\n    removed: 2026-01-05\n    reason: user asked to forget\n" +
	"  - value: a text that was forgotten\n    removed: 2026-01-06\n    reason: asked to\n```\n"

// TestNothingIsLost damages a sound file at random in one to three places, and
// recovers it, with the sound one as the version before: each item stands or was
// set aside, and each tombstone stands.
func TestNothingIsLost(t *testing.T) {
	f, _ := memfile.Parse("m", []byte(whole3))
	was := f.Document()
	rnd := rand.New(rand.NewSource(3))
	rounds := 1500
	if testing.Short() {
		rounds = 400
	}
	for range rounds {
		src := damagedAtRandom(rnd, whole3)
		if f, _ := memfile.Parse("m", []byte(src)); f != nil {
			continue
		}
		res, err := Recover("m", []byte(src), Options{Today: today, Base: &was})
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		for _, lost := range lostOf(was, res.Document) {
			item, isItem := strings.CutPrefix(lost, "item ")
			if isItem && slices.ContainsFunc(res.SetAside, func(a SetAside) bool { return a.Why == whyForgotten }) {
				continue // the damage made a tombstone or a field of its line, and that is named
			}
			if i := slices.IndexFunc(res.Document.Items, func(n memfile.Item) bool { return n.Key == item && n.Value.Kind != memfile.Null }); i >= 0 && hitItself(src, res.Document.Items[i], was) {
				continue
			}
			t.Errorf("%s lost of\n%s\n--- comes out as\n%s", lost, src, strings.Split(string(res.Bytes), "## Non-auth")[0])
		}
		if t.Failed() {
			return
		}
	}
}

// hitItself reports whether the item's text was damaged, or a line joined to it,
// which nobody can tell from an edit.
func hitItself(src string, now memfile.Item, was memfile.Document) bool {
	i := slices.IndexFunc(was.Items, func(it memfile.Item) bool { return it.Key == now.Key })
	text := was.Items[i].Value.Text
	return !strings.Contains(src, "key: "+now.Key+"\n      value: "+text+"\n") || strings.HasPrefix(now.Value.Plain(), text+" ")
}

// lostOf names what of one document stands nowhere in another: a value may stand
// under its key or as its rival.
func lostOf(was, now memfile.Document) []string {
	var lost []string
	for _, it := range was.Items {
		if !slices.ContainsFunc(now.Items, func(n memfile.Item) bool {
			return n.Key == it.Key && (memfile.Equal(n.Value, it.Value) || slices.ContainsFunc(n.Conflict, func(r memfile.Rival) bool { return memfile.Equal(r.Value, it.Value) }))
		}) {
			lost = append(lost, "item "+it.Key)
		}
	}
	for _, g := range was.Deletions {
		if !slices.ContainsFunc(now.Deletions, func(n memfile.Tombstone) bool {
			return memfile.TombstoneKey(n) == memfile.TombstoneKey(g) && n.Removed >= g.Removed
		}) {
			lost = append(lost, fmt.Sprintf("tombstone %s %v", g.Key, g.Value))
		}
	}
	return lost
}

// damagedAtRandom is a text with one to three bytes or lines taken out, put in
// or replaced.
func damagedAtRandom(rnd *rand.Rand, text string) string {
	const odd = "\x00\t\r\n :-\"'`[]{}#&*!|>%@x0~,?=<\xff"
	for range 1 + rnd.Intn(3) {
		at := rnd.Intn(len(text))
		c := string(odd[rnd.Intn(len(odd))])
		lines := strings.SplitAfter(text, "\n")
		n := rnd.Intn(len(lines))
		switch rnd.Intn(6) {
		case 0:
			text = text[:at] + text[at+1:]
		case 1:
			text = text[:at] + c + text[at:]
		case 2:
			text = text[:at] + c + text[at+1:]
		case 3:
			text = strings.Join(slices.Delete(lines, n, n+1), "")
		case 4:
			text = strings.Join(slices.Insert(lines, n, lines[rnd.Intn(len(lines))]), "")
		case 5:
			lines[n] = strings.Repeat(" ", rnd.Intn(7)) + strings.TrimLeft(lines[n], " ")
			text = strings.Join(lines, "")
		}
	}
	return text
}
