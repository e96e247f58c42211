package pgclient_test

import (
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/recall/postgres"
	"github.com/memctl/memctl/recall/postgres/pgclient"
	"github.com/memctl/memctl/recall/postgres/pgtest"
)

// TestAConnectionIsKept asks on one connection, lets the server end it, and asks again.
func TestAConnectionIsKept(t *testing.T) {
	pg := pgtest.Start(t)
	db := pg.Database(t)
	sessions := func() string {
		return strings.TrimSpace(pg.Run(t, pgtest.Superuser, "postgres", "SELECT coalesce(string_agg(pid::text, ' '), 'none') FROM pg_stat_activity WHERE datname = '"+db+"'"))
	}
	kept := postgres.Kept{Dial: pgclient.Connect}
	ask := func() string {
		t.Helper()
		s, err := kept.Connect(t.Context(), pg.URL(pgtest.Superuser, db), 5*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Version(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return sessions()
	}
	first := ask()
	if second := ask(); first == "none" || second != first {
		t.Errorf("two questions used the sessions %s and %s", first, second)
	}
	pg.Run(t, pgtest.Superuser, "postgres", "SELECT pg_terminate_backend("+first+", 5000)")
	if third := ask(); third == first || third == "none" {
		t.Errorf("after the server ended the session %s, the next is %s", first, third)
	}
	if err := kept.Close(); err != nil {
		t.Error(err)
	}
	for deadline := time.Now().Add(10 * time.Second); sessions() != "none"; {
		if time.Now().After(deadline) {
			t.Fatal("the connection is kept after Close")
		}
	}
}
