package personal

import (
	"strings"
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

// The words of a rule only decide whether its expression is tried, so they must let each way of writing an address through.
func TestAddressRulesKnowTheirWords(t *testing.T) {
	for form, words := range map[string]string{
		"Meet me at 12 Long Acre * in town": "Street STREET St St. Square Sq Strasse Avenue AVENUE Ave AVE Alley Allee Road ROAD Rd RD Route Boulevard BOULEVARD Blvd BLVD Lane LANE Ln LN Drive DRIVE Dr DR Court Ct Crescent Close Circle Way WAY Weg Place Pl Platz Parkway Pkwy Terrace Trail Highway Hwy Hill Mews Grove Gardens Gasse Quay",
		"Meet me at * Roma 41":              "Rue Via Calle Avenida Rua Ulica Ul Ul. Chemin Impasse Piazza Viale Corso Plaza Paseo Boulevard Avenue Place Carrer Camino Quai Allée Route Praça Largo Strada",
		"Meet me at 41 * de la Roma":        "rue calle avenida rua ulica ul ul. chemin impasse piazza viale corso plaza paseo boulevard avenue place carrer camino quai allée route praça largo strada",
		"Meet me in Springfield, * 62704":   "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY",
	} {
		for word := range strings.FieldsSeq(words) {
			text := strings.Replace(form, "*", word, 1)
			if p := chars.NewPart("value", text); !HasAddress(&p) {
				t.Errorf("%q: no address", text)
			}
		}
	}
}
