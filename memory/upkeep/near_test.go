package upkeep

import "testing"

func TestNearDuplicatesSayTheSame(t *testing.T) {
	for _, tt := range []struct {
		name, short, long string
		want              bool
	}{
		{"a word more", "The API uses cursor pagination", "The API uses cursor based pagination", true},
		{"an article more", "use tabs for the indentation of code", "Use tabs for indentation of code.", true},
		{"a negation", "The API uses cursor pagination everywhere", "The API never uses cursor pagination everywhere", false},
		{"a condition", "run the slow tests every time", "run the slow tests every time unless offline", false},
		{"a number", "the server listens on port", "the server listens on port 8080", false},
		{"another word", "we prefer the light theme in editors", "we prefer the dark theme in editors", false},
		{"another order", "billing calls orders over grpc", "orders calls billing over grpc", false},
		{"far more", "use tabs for indentation", "use tabs for indentation of Go and spaces for everything else", false},
		{"a sign", "the lab is kept at 5 degrees", "the lab is kept at -5 degrees", false},
		{"a decimal", "the server costs 1/5 euros an hour", "the server costs 1.5 euros an hour", false},
		{"a comparison", "alert where latency > 5 ms in prod", "alert where latency < 5 ms in prod", false},
		{"a date", "release 1.4 was cut on 2026-05-01 in Oslo", "release 1.4 was cut on 2026-05-02 in Oslo", false},
		{"a version", "the api is at v1 on the gateway", "the api is at v2 on the gateway", false},
		{"the same numbers", "release 1.4 was cut on 2026-05-01 in Oslo", "release 1.4 was cut in full on 2026-05-01 in Oslo.", true},
		{"a weekday", "the team moved billing to Postgres", "the team moved billing to Postgres Monday", false},
		{"a negation in another language", "Nutze Tabs im Makefile des Projekts", "Nutze Tabs nicht im Makefile des Projekts", false},
		{"few words", "use tabs", "use tabs everywhere", false},
	} {
		if got := saysAll(wordingOf(tt.short), wordingOf(tt.long), limiting()); got != tt.want {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
}
