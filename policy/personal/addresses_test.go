package personal

import (
	"testing"

	"github.com/memctl/memctl/policy/chars"
)

func TestAddress(t *testing.T) {
	for text, want := range map[string]bool{
		"Standup moved to 9:45":                 false,
		"CI moved to Ubuntu 24":                 false,
		"We moved to Go 1.26":                   false,
		"Deploy moved to 14:00 UTC":             false,
		"Ticket moved to Sprint 14":             false,
		"Anna moved to Team 3":                  false,
		"Meeting moved to 10:30 on Mondays":     false,
		"Use Node 20 Street maps api":           false,
		"CI moved to Ubuntu 24, 26 Jobs in all": false,
		"Runners moved to Zone 3, 12000 in all": false,
		"We'll meet at 14:00 UTC in Room Four":  false,

		"Anna moved to 12 Long Acre Street":        true,
		"Anna moved to Hammarvägen 15":             true,
		"Anna moved to Via Roma 41":                true,
		"We moved to Kooli 11, 76825 Tartu":        true,
		"We moved to 30 Kooli, 76825 Tartu":        true,
		"Enter at Bygget 91 street in Annerstad":   true,
		"We live at Bygget 91 Street, Annerstad":   true,
		"We'll meet at 14:00 at 221B Baker Street": true,
		"The office is at 30 Kooli 11":             true,
	} {
		p := chars.NewPart("value", text)
		if got := HasAddress(&p); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
