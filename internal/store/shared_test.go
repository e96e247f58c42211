package store_test

import (
	"testing"

	"github.com/memctl/memctl/internal/store"
)

// TestAServersNameHasNoPassword: the name is cached on disk.
func TestAServersNameHasNoPassword(t *testing.T) {
	for address, want := range map[string]string{
		"postgres://ada:hunter2@db.example.com:5433/memory?password=hunter2": "ada@db.example.com:5433/memory",
		"postgresql://ada:hunter2@/memory?host=/run/pg":                      "ada@/run/pg/memory",
		"host=db.example.com user=ada password=hunter2 dbname=memory":        "",
		"password=hunter2 host=db":                                           "",
		"https://ada:hunter2@db.example.com/memory":                          "",
		"ada:hunter2@db.example.com/memory":                                  "",
		"":                                                                   "",
	} {
		if got := store.ServerName(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}
