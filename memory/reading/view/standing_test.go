package view

import (
	"math"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/store/localstate"
)

func TestStanding(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	at := func(days int) string { return entry.FormatTime(now.AddDate(0, 0, -days)) }
	for name, c := range map[string]struct {
		e    entry.Entry
		use  localstate.Use
		want float64
	}{
		"new":                    {entry.Entry{Created: at(0)}, localstate.Use{}, 1},
		"a month old":            {entry.Entry{Created: at(30)}, localstate.Use{}, 0.5},
		"a month old, used once": {entry.Entry{Created: at(30)}, localstate.Use{Count: 1, Last: now}, 1 + math.Log(2)},
		"told three times":       {entry.Entry{Created: at(60), Labels: labels.Labels{Seen: "2026-10-22", Signals: 3}}, localstate.Use{}, (1 + math.Log(3)) * math.Exp(-(30+9.0/24)*math.Ln2/30)},
		"of tomorrow":            {entry.Entry{Created: at(-1)}, localstate.Use{}, 1},
	} {
		if got := usageScore(c.e, c.use, now); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
