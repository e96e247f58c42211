package cache

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/recall"
	"github.com/memctl/memctl/memfile"
)

var (
	subjects = strings.Fields("deploy database parser cache vault invoice garden recipe bicycle concert")
	actions  = strings.Fields("needs breaks starts visits paints stores checks writes")
	things   = strings.Fields("token index noodle saddle guitar ledger tulip backup schema ticket")
)

// sentence is made of few words, so that questions find many.
func sentence(rnd *rand.Rand) string {
	pick := func(list []string) string { return list[rnd.IntN(len(list))] }
	return fmt.Sprintf("The %s %s the %s of the %s %d.", pick(subjects), pick(actions), pick(things), pick(subjects), rnd.IntN(50))
}

// said writes an entry: a fact, or a turn of one of a few sessions.
func (b *box) said(rnd *rand.Rand) string {
	b.t.Helper()
	e := entry.Entry{Role: entry.RoleFact, Conversation: "project", Created: fmt.Sprintf("2026-02-%02dT09:03:00.000Z", 1+rnd.IntN(5)), Text: sentence(rnd)}
	if e.ID = entry.ContentID(e.Text); rnd.IntN(3) == 0 {
		e.Role, e.Session = "user", fmt.Sprintf("s%d", rnd.IntN(6))
		e.ID = entry.TimedID(e.Created+e.Session, e.Text)
	}
	src, err := entry.Print(e)
	if err != nil {
		b.t.Fatal(err)
	}
	b.put(e.Path(), string(src))
	return e.Path()
}

// answers are the hits of many questions, with their scores to the last bit.
func answers(t *testing.T, lib *Library) []string {
	t.Helper()
	rnd := rand.New(rand.NewPCG(7, 7))
	var list []string
	hits := 0
	for range 40 {
		text := "what " + strings.TrimSuffix(sentence(rnd), ".") + "?"
		if rnd.IntN(2) == 0 {
			text = subjects[rnd.IntN(len(subjects))] + " " + things[rnd.IntN(len(things))]
		}
		found, err := recall.Search(lib.Index, recall.Query{Text: text, MaxHits: 10})
		if err != nil {
			t.Fatal(err)
		}
		line := text
		for _, h := range found {
			line += fmt.Sprintf("\n  %s %s %v", h.Tier, h.ID, h.Score)
		}
		list, hits = append(list, line), hits+len(found)
	}
	if hits < 40 {
		t.Fatalf("only %d hits for 40 questions", hits)
	}
	return list
}

// wantFresh fails where the index that was brought up to date answers otherwise than
// one that is built anew.
func (b *box) wantFresh(when string) {
	b.t.Helper()
	got := answers(b.t, b.open())
	if err := RemoveIndex(b.st); err != nil {
		b.t.Fatal(err)
	}
	for i, want := range answers(b.t, b.open()) {
		if got[i] != want {
			b.t.Fatalf("%s: the index answers\n%s\nand a fresh one\n%s", when, got[i], want)
		}
	}
}

func TestAnIndexAnswersAsAFreshOne(t *testing.T) {
	for seed := range uint64(2) {
		b := newBox(t)
		rnd := rand.New(rand.NewPCG(seed, 11))
		var live []string
		for range 20 {
			live = append(live, b.said(rnd))
		}
		for step := range 32 {
			switch n := rnd.IntN(10); {
			case n < 4:
				live = append(live, b.said(rnd))
			case n < 6:
				i := rnd.IntN(len(live))
				if err := os.Remove(filepath.Join(b.dir, live[i])); err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
				live = slices.Delete(live, i, i+1)
			case n < 7:
				b.put(memfile.FileName, strings.Replace(memfile.Template, "items: []", "items:\n    - key: deploy.step\n      value: \""+sentence(rnd)+"\"\n      confidence: high\n", 1))
			case n < 8:
				b.put(fmt.Sprintf("memory/%d/page.md", rnd.IntN(3)), sentence(rnd)+"\n\n"+sentence(rnd)+"\n")
			default: // an import
				for range 5 + rnd.IntN(60) {
					live = append(live, b.said(rnd))
				}
			}
			b.open()
			if step%4 == 3 {
				b.wantFresh(fmt.Sprintf("seed %d, step %d", seed, step))
			}
		}
	}
}

func TestALargeIndexAnswersAsAFreshOne(t *testing.T) {
	b := newBox(t)
	b.many(0, 980, "One")
	rnd := rand.New(rand.NewPCG(1, 12))
	for range 60 {
		b.said(rnd)
	}
	b.ageAll()
	b.open()
	for range 3 {
		for range 50 {
			b.said(rnd)
		}
		b.ageAll()
		b.open()
	}
	if n := len(b.segments()); n < 3 {
		t.Fatalf("%d segments, want several", n)
	}
	b.wantFresh("grown")
	for range 30 {
		b.said(rnd)
	}
	b.open()
	b.remove(0, 300)
	b.wantFresh("smaller again")
}
