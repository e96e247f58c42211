package sharing_test

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/recall/postgres"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/sharing"
	"github.com/memctl/memctl/memory/upkeep"
	"github.com/memctl/memctl/tests/pgtest"
	"github.com/memctl/memctl/tests/storetest"
)

// purged is the text that a purge removes.
const purged = "zanzibarhost"

// holds reports whether the database has the text in any byte: as text, as a term, or in the content of a file.
func holds(t *testing.T, pg *pgtest.Server, db string) bool {
	dump := pg.Dump(t, pgtest.Superuser, db)
	return strings.Contains(dump, purged) || strings.Contains(dump, hex.EncodeToString([]byte(purged)))
}

// TestAPurgeReachesTheSharedIndex: after a purge and a push, the database has the text nowhere, in one store, and a pull does not bring it back.
func TestAPurgeReachesTheSharedIndex(t *testing.T) {
	pg := pgtest.Start(t)
	for _, c := range []struct {
		why, scope string
		first      bool // the first commit has the text, so that the purge replaces it
		remote     string
	}{
		{"an item of the user store", store.User, false, ""},
		{"the first commit of the user store", store.User, true, ""},
		{"a private store", store.Private, true, ""},
		{"a project with a remote", store.Project, true, "acme/app"},
		{"a project without a remote", store.Project, true, ""},
		{"a later commit of a project", store.Project, false, "acme/app"},
	} {
		t.Run(c.why, func(t *testing.T) {
			db := pg.Database(t)
			pg.Run(t, pgtest.Superuser, db, postgres.SchemaSQL()+postgres.PersonSQL("ada", nil, false))
			ada, other := newPerson(t, "ada", pg.URL("ada", db)), newPerson(t, "ada", pg.URL("ada", db))
			app := storetest.Git(t, "")
			ada.in(app)
			if c.remote != "" {
				app.Git("remote", "add", "origin", "https://github.com/"+c.remote+".git")
			}
			if !c.first {
				ada.add(app, c.scope, "build.tool", "make")
			}
			ada.writePurged(app, c.scope)
			ada.push(app, c.scope)
			if !holds(t, pg, db) {
				t.Fatal("the text was not pushed")
			}
			if other.pull(app); c.scope != store.Private && !other.copied() {
				t.Error("the other machine did not get the skill")
			}

			if c.scope == store.Project {
				rewriteHistory(t, app)
			} else if _, err := upkeep.Purge(t.Context(), ada.in(app), upkeep.PurgeRequest{Options: explicit, Key: "build.host", Yes: true}); err != nil {
				t.Fatal(err)
			}
			if ada.pull(app); c.scope != store.Project && ada.copied() {
				t.Error("a pull before the push brings back the skill")
			}
			ada.push(app, c.scope)
			if holds(t, pg, db) {
				t.Error("the database still has the text")
			}
			if n := strings.TrimSpace(pg.Run(t, pgtest.Superuser, db, "SELECT count(*) FROM memctl.stores")); n != "1" {
				t.Errorf("there are %s stores", n)
			}
			if other.pull(app); ada.copied() || other.copied() {
				t.Error("a machine still has the skill with the text")
			}
			ada.push(app, c.scope) // the next one is as usual
		})
	}
}

// TestADropAfterAPurgeFindsTheRows: the server knows the store by the first commit that the purge replaced.
func TestADropAfterAPurgeFindsTheRows(t *testing.T) {
	pg := pgtest.Start(t)
	db := pg.Database(t)
	pg.Run(t, pgtest.Superuser, db, postgres.SchemaSQL()+postgres.PersonSQL("ada", nil, false))
	ada := newPerson(t, "ada", pg.URL("ada", db))
	app := storetest.Git(t, "")
	ada.in(app)
	ada.writePurged(app, store.User)
	ada.push(app, store.User)
	if _, err := upkeep.Purge(t.Context(), ada.in(app), upkeep.PurgeRequest{Options: explicit, Key: "build.host", Yes: true}); err != nil {
		t.Fatal(err)
	}
	res, err := sharing.Drop(t.Context(), ada.in(app), sharing.DropRequest{Options: explicit, Dial: pool.Connect, Scope: store.User, Ask: func(string) bool { return true }})
	if err != nil || !res.Changed || holds(t, pg, db) {
		t.Errorf("%+v, %v, the database has the text: %v", res, err, holds(t, pg, db))
	}
}

// TestAnotherHistoryIsRefused: without a note of what was replaced, a push must not take newer memory from others.
func TestAnotherHistoryIsRefused(t *testing.T) {
	pg := pgtest.Start(t)
	db := pg.Database(t)
	pg.Run(t, pgtest.Superuser, db, postgres.SchemaSQL()+postgres.PersonSQL("ada", nil, false))
	ada := newPerson(t, "ada", pg.URL("ada", db))
	app := repository(t, "acme/app")
	ada.in(app)
	ada.writePurged(app, store.Project)
	ada.push(app, store.Project)
	rewriteHistory(t, app)
	if err := os.RemoveAll(filepath.Join(app.Root, ".git/filter-repo")); err != nil {
		t.Fatal(err)
	}
	_, err := sharing.Push(t.Context(), ada.in(app), sharing.PushRequest{Options: explicit, Dial: pool.Connect, Talk: func(fault.Note) {}})
	if f := fault.Find(err, fault.Postgres); f == nil || f.Why != postgres.WhyBehind || f.Scope != store.Project {
		t.Errorf("the push of another history: %v", err)
	}
}

func (p *person) add(b *storetest.Box, scope, key, value string) {
	p.t.Helper()
	o := explicit
	o.Scope = scope
	if _, err := edit.Add(p.t.Context(), p.in(b), edit.Request{Options: o, Key: key, Value: memfile.Str(value)}); err != nil {
		p.t.Fatal(err)
	}
}

// writePurged writes the text to a store, as an item and as a skill.
func (p *person) writePurged(b *storetest.Box, scope string) {
	p.t.Helper()
	p.add(b, scope, "build.host", "the "+purged+" machine")
	st, err := p.in(b).Get(p.t.Context(), scope)
	if err != nil {
		p.t.Fatal(err)
	}
	if scope != store.Private {
		box := &storetest.Box{T: p.t, Root: st.Dir}
		writeSkill(box, "deploy", "Log in to the "+purged+" machine.")
		commit(box, "skill")
	}
}

// copied reports whether the copy of the shared index on this person's machine has the text.
func (p *person) copied() (found bool) {
	p.t.Helper()
	err := filepath.WalkDir(filepath.Join(p.home, "data/memctl/shared"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		found = found || strings.Contains(string(data), purged)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.t.Fatal(err)
	}
	return found
}

// rewriteHistory does what git filter-repo does: it replaces the text in every commit and writes down which commit became which.
func rewriteHistory(t *testing.T, b *storetest.Box) {
	t.Helper()
	other := strings.Repeat("x", len(purged))
	c := exec.Command("sh", "-c", `set -e; mkdir -p .git/filter-repo
		git fast-export --all --export-marks=.git/before | sed 's/`+purged+`/`+other+`/g' | git fast-import --quiet --force --export-marks=.git/after
		sort .git/before > .git/a; sort .git/after > .git/b
		{ echo "old new"; join .git/a .git/b | while read mark old new; do echo "$old $new"; done; } > .git/filter-repo/commit-map
		git reset -q --hard; git reflog expire --expire=now --all; git gc -q --prune=now`)
	c.Dir = b.Root
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if b.Git("log", "-S"+purged, "--oneline") != "" {
		t.Fatal("the history still has the text")
	}
}
