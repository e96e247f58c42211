package review_test

import (
	"context"
	"github.com/memctl/memctl/tests/memorytest"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/review"
)

func TestKeepingMilderPersonalData(t *testing.T) {
	const phone = "call Maria at +1 415 555 2671"
	for name, tt := range map[string]struct {
		kind, action string
		value        string // for edit
		before       string // what the key says first, "" for nothing
		kept         string // "" where it waits on
	}{
		"a person keeps it":                {kind: memory.Explicit, action: "keep", kept: phone},
		"a person keeps another value":     {kind: memory.Explicit, action: "edit", value: "call Maria at +1 415 555 2672", kept: "call Maria at +1 415 555 2672"},
		"the key stands there already":     {kind: memory.Explicit, action: "keep", before: "ask at the desk", kept: phone},
		"an agent keeps nothing":           {kind: memory.Relayed, action: "keep"},
		"no secret is kept":                {kind: memory.Explicit, action: "edit", value: "gh" + "p_16C7e42F292c6912E7710c838347Ae178B4a"},
		"nothing beside it that is graver": {kind: memory.Explicit, action: "edit", value: phone + ", her card is 4539 " + "2898 6016 9979"},
	} {
		t.Run(name, func(t *testing.T) {
			b := memorytest.Repository(t, memfile.Template)
			if tt.before != "" {
				b.Add(memory.Explicit, "user.desk", tt.before)
			}
			if w := b.Add(memory.Explicit, "user.desk", phone); w.Verdict != "hold" {
				t.Fatalf("not held: %+v", w)
			}
			d := review.Decision{Options: memorytest.From(tt.kind), Waiting: b.Waiting()[0], Action: tt.action}
			if tt.value != "" {
				v := memfile.Str(tt.value)
				d.Value = &v
			}
			w, err := review.Decide(context.Background(), b.Open(), d)
			if err != nil {
				t.Fatal(err)
			}
			st, err := b.Open().Get(t.Context(), store.User)
			if err != nil {
				t.Fatal(err)
			}
			m, err := contents.Read(t.Context(), st)
			if err != nil {
				t.Fatal(err)
			}
			it := m.Find("user.desk")
			if tt.kept == "" {
				if w.Verdict == "accept" || it != nil && it.Value.Text != tt.before || len(b.Waiting()) == 0 {
					t.Errorf("taken: %+v, %+v", w, it)
				}
				return
			}
			if it == nil || it.Value.Text != tt.kept || len(it.Withheld) > 0 || len(it.Allow) != 1 {
				t.Fatalf("%+v: %+v", w, it)
			}
			a := it.Allow[0]
			if a.Rule != "personal-data" || a.Digest != memfile.AllowDigest(it.Value) || !strings.HasPrefix(a.Why, "kept in review 20") {
				t.Errorf("allowance: %+v", a)
			}
		})
	}
}
