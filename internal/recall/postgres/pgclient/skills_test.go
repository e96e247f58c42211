package pgclient_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/recall/postgres"
	"github.com/memctl/memctl/internal/store/pulled"
	"github.com/memctl/memctl/tests/pgtest"
)

// skillOf is a skill whose one file has a word that tells versions apart.
func skillOf(name, visibility, owner string, grants ...pulled.Grant) postgres.Skill {
	return postgres.Skill{Name: name, Description: "zebra " + name, Visibility: visibility, Owner: owner, Grants: grants,
		Files: []pulled.File{{Path: "SKILL.md", Data: []byte("zebrafile " + name)}}}
}

// pinnedAt is a version of a skill that a grant pins.
func pinnedAt(s postgres.Skill, version string) postgres.Skill {
	s.Version, s.Files = version, []pulled.File{{Path: "SKILL.md", Data: []byte("zebrafile " + s.Name + " " + version)}}
	return s
}

// pushExtras pushes skills and context files alone.
func pushExtras(t *testing.T, s postgres.Server, target postgres.Target, x postgres.Extras) postgres.Pushed {
	t.Helper()
	out, err := s.Push(t.Context(), postgres.PushRequest{Target: target, Commit: "c", Docs: each(nil), Extras: &x})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// usable are the skills that a person may use, as name or name@version, each with the text that it has.
func usable(t *testing.T, s postgres.Server) string {
	t.Helper()
	list, err := s.UsableSkills(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, u := range list {
		for _, v := range u.Versions {
			name := postgres.SkillDocument(u.Name, v.Commit)
			files, err := s.SkillFiles(t.Context(), u, v.Commit)
			if err != nil || len(files) != 1 || string(files[0].Data) != strings.ReplaceAll("zebrafile "+name, "@", " ") {
				t.Errorf("the files of %s: %q, %v", name, files, err)
			}
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// readable are the skills whose rows and files a person can read by SQL.
func readable(pg *pgtest.Server, db, person string) string {
	out, _ := pg.Try(person, db, "SELECT encode(f.content, 'escape') FROM memctl.usable_skills() k, memctl.usable_files(k.store, k.document) f UNION SELECT encode(content, 'escape') FROM memctl.files ORDER BY 1")
	return strings.ReplaceAll(strings.TrimSpace(out), "\n", ",")
}

// TestWhoMayUseASkill: ada and bob are in the group, ci pushes for it, eve is in another group.
func TestWhoMayUseASkill(t *testing.T) {
	pg := pgtest.Start(t)
	db := pg.Database(t)
	pg.Run(t, pgtest.Superuser, db, postgres.SchemaSQL()+postgres.GroupSQL("backend", api)+
		postgres.GroupSQL("design", postgres.Target{Root: "2222", Remote: "example.com/acme/web"})+
		postgres.PersonSQL("ada", []string{"backend"}, false)+postgres.PersonSQL("bob", []string{"backend"}, false)+
		postgres.PersonSQL("ci", []string{"backend"}, true)+postgres.PersonSQL("eve", []string{"design"}, false))
	toAda, pinned := pulled.Grant{User: "ada"}, pulled.Grant{User: "ada", Version: "v1"}
	open, inside := skillOf("open", "public", ""), skillOf("pinned", "internal", "", pinned)
	agents := skillOf("agents", "public", "", pulled.Grant{Agent: "claude", Version: "v2"})
	ci := connect(t, pg, "ci", db)
	pushExtras(t, ci, api, postgres.Extras{Skills: []postgres.Skill{
		open, agents, pinnedAt(agents, "v2"), inside, pinnedAt(inside, "v1"),
		skillOf("granted", "internal", "", toAda, toAda, pulled.Grant{User: "eve"}), skillOf("closed", "internal", "bob"),
		skillOf("byagent", "internal", "", pulled.Grant{Agent: "claude"}),
		skillOf("mine", "private", "bob", toAda), skillOf("nobodys", "private", "Ada L."),
	}})
	user := postgres.Target{Scope: "user", Root: "3333", Name: "user"}
	pushExtras(t, connect(t, pg, "ada", db), user, postgres.Extras{Skills: []postgres.Skill{skillOf("own", "private", "Ada L.")}})

	people := map[string]string{
		"ada": "agents agents@v2 byagent granted open pinned@v1 own",
		"bob": "agents agents@v2 byagent closed mine open",
		"ci":  "agents agents@v2 byagent open",
		"eve": "",
	}
	for person, want := range people {
		if got := usable(t, connect(t, pg, person, db)); got != want {
			t.Errorf("%s may use %q, want %q", person, got, want)
		}
		if person == "ci" {
			continue // it pushes the repository, so it has the files
		}
		texts := strings.Fields(want)
		for i, name := range texts {
			texts[i] = "zebrafile " + strings.ReplaceAll(name, "@", " ")
		}
		slices.Sort(texts)
		if got := readable(pg, db, person); got != strings.Join(texts, ",") {
			t.Errorf("%s reads %q, want %q", person, got, texts)
		}
	}
	if got := usable(t, connect(t, pg, pgtest.Superuser, db)); strings.Contains(got, "mine") || strings.Contains(got, "own") || !strings.Contains(got, "open") {
		t.Errorf("a superuser is offered %q", got)
	}
	for person, want := range map[string]string{"ada": "ada ada claude claude", "bob": "claude claude", "eve": ""} {
		if got := strings.Join(strings.Fields(pg.Run(t, person, db, "SELECT (g->>'agent') || (g->>'user') FROM (SELECT DISTINCT store, name, jsonb_array_elements(grants) AS g FROM memctl.usable_skills()) u UNION ALL SELECT agent || person FROM memctl.skill_grants ORDER BY 1")), " "); got != want {
			t.Errorf("%s reads the grants of %q, want %q", person, got, want)
		}
	}
	t.Run("who may not push changes nothing", func(t *testing.T) { changesNothing(t, pg, db) })
	t.Run("a revoked grant and a removed skill go with the next push", func(t *testing.T) {
		out := pushExtras(t, ci, api, postgres.Extras{Skills: []postgres.Skill{open, skillOf("granted", "internal", "")}})
		if out.Skills != (postgres.RowCounts{Total: 2, Sent: 1, Removed: 8}) {
			t.Errorf("%+v", out.Skills)
		}
		if got := usable(t, connect(t, pg, "ada", db)); got != "open own" {
			t.Errorf("ada may use %q", got)
		}
		if out := pushExtras(t, ci, api, postgres.Extras{Skills: []postgres.Skill{open, skillOf("granted", "internal", "")}}); out.Skills.Sent != 0 {
			t.Errorf("nothing changed, and %+v", out.Skills)
		}
	})
}

// changesNothing tries writes of a reader and of somebody of another group.
func changesNothing(t *testing.T, pg *pgtest.Server, db string) {
	const all = "SELECT md5(string_agg(k::text, '' ORDER BY k::text)) FROM memctl.skills k UNION ALL SELECT md5(string_agg(g::text, '' ORDER BY g::text)) FROM memctl.skill_grants g UNION ALL SELECT md5(string_agg(f::text, '' ORDER BY f::text)) FROM memctl.files f"
	before := pg.Run(t, pgtest.Superuser, db, all)
	store := strings.TrimSpace(pg.Run(t, pgtest.Superuser, db, "SELECT id FROM memctl.stores WHERE scope = 'project'"))
	tries := []string{
		"UPDATE memctl.skills SET visibility = 'public'", "UPDATE memctl.skills SET owner = session_user", "DELETE FROM memctl.skills", "DELETE FROM memctl.skill_grants",
		"INSERT INTO memctl.skill_grants VALUES (" + store + ", 'mine', '', session_user, '')",
		"INSERT INTO memctl.skill_grants VALUES (" + store + ", 'granted', '', session_user, '') ON CONFLICT DO NOTHING",
		"UPDATE memctl.skill_grants SET person = session_user, agent = ''", "UPDATE memctl.files SET content = 'x'",
		"INSERT INTO memctl.files VALUES (" + store + ", 'skill', 'open', 'evil.sh', 'x')", "INSERT INTO memctl.documents VALUES (" + store + ", 'skill', 'evil', '', '')",
		"INSERT INTO memctl.skills (store, document, name, description, visibility, owner) VALUES (" + store + ", 'open', 'evil', 'd', 'public', '')",
		"TRUNCATE memctl.skills CASCADE", "DROP FUNCTION memctl.usable_skills()", "CREATE OR REPLACE FUNCTION memctl.readable() RETURNS TABLE (id bigint) LANGUAGE sql AS 'SELECT 1::bigint'",
		"CREATE TEMP TABLE stores (id bigint, owner name); INSERT INTO stores VALUES (" + store + ", session_user); SET search_path = pg_temp; SELECT * FROM memctl.usable_skills(); RESET search_path",
		"SELECT encode(f.content, 'escape') FROM unnest(ARRAY['mine', 'nobodys', 'granted', 'pinned', 'own']) n, memctl.usable_files(" + store + ", n) f", "SELECT encode(content, 'escape') FROM memctl.usable_files(" + store + ", 'pinned@v1')",
		"SET row_security = off; SELECT * FROM memctl.skills; RESET row_security", "SET ROLE memctl_owner; SELECT * FROM memctl.skills; RESET ROLE", "SET ROLE ada; SELECT encode(content, 'escape') FROM memctl.files; RESET ROLE",
		"CREATE FUNCTION pg_temp.leak(text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS $$ BEGIN RAISE NOTICE '%', $1; RETURN true; END $$; SELECT count(*) FROM memctl.skills WHERE pg_temp.leak(description); SELECT count(*) FROM memctl.usable_skills() WHERE pg_temp.leak(description)",
		"CREATE FUNCTION pg_temp.leak(bytea) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS $$ BEGIN RAISE NOTICE '%', encode($1, 'escape'); RETURN true; END $$; SELECT count(*) FROM memctl.files WHERE pg_temp.leak(content)",
		"SELECT most_common_vals::text, histogram_bounds::text FROM pg_stats WHERE schemaname = 'memctl'",
	}
	for _, person := range []string{"bob", "eve"} {
		out, _ := pg.Try(person, db, "\\set ON_ERROR_STOP off\n"+strings.Join(tries, ";\n")+";")
		for _, secret := range []string{"nobodys", "own", "granted", "pinned"} {
			if strings.Contains(out, "zebra "+secret) || strings.Contains(out, "zebrafile "+secret) {
				t.Errorf("%s reads %s: %s", person, secret, out)
			}
		}
		if n := strings.Count(out, "ERROR"); n < 10 {
			t.Errorf("of %d tries of %s, only %d were refused: %s", len(tries), person, n, out)
		}
	}
	if after := pg.Run(t, pgtest.Superuser, db, all); after != before {
		t.Errorf("the rows changed:\n%s\n%s", before, after)
	}
	if out := pg.Run(t, "bob", db, "CREATE FUNCTION pg_temp.leak(text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS $$ BEGIN RAISE NOTICE '%', $1; RETURN true; END $$; SELECT count(*) FROM memctl.skills WHERE pg_temp.leak(description); SELECT count(*) FROM memctl.usable_skills() WHERE pg_temp.leak(description)"); !strings.Contains(out, "zebra open") {
		t.Errorf("bob does not read what he may: %s", out)
	}
}

// TestAnAdministratorUpdatesTheTables: the same SQL makes all tables, changes nothing where they are up to date, and applies what is missing.
func TestAnAdministratorUpdatesTheTables(t *testing.T) {
	pg := pgtest.Start(t)
	db := pg.Database(t)
	versions := func() string {
		return strings.Join(strings.Fields(pg.Run(t, pgtest.Superuser, db, "SELECT version FROM memctl.migrations ORDER BY version")), " ")
	}
	pg.Run(t, pgtest.Superuser, db, postgres.SchemaSQL())
	want := versions()
	pg.Run(t, pgtest.Superuser, db, postgres.SchemaSQL())
	if got := versions(); got != want || got == "" {
		t.Errorf("after a second run the versions are %q, want %q", got, want)
	}
	pg.Run(t, pgtest.Superuser, db, fmt.Sprintf("DELETE FROM memctl.migrations WHERE version = %d", postgres.NewestVersion()))
	// Its tables are there, so it fails unless it replaces what it makes.
	if out, err := pg.Try(pgtest.Superuser, db, postgres.SchemaSQL()); err != nil && !strings.Contains(out, "already exists") || err == nil && versions() != want {
		t.Errorf("the migration that is missing did not run: %v %s", err, out)
	}
}

// TestContextFilesAreTheirOwners: one person, two machines, and a writer who tries to plant files for others.
func TestContextFilesAreTheirOwners(t *testing.T) {
	pg, db, people := tenants(t)
	machine := func(n int) postgres.Target {
		return postgres.Target{Scope: "user", Root: fmt.Sprint("machine", n), Name: "user"}
	}
	soul := postgres.ContextFile{Agent: "default", Person: "me", Name: "SOUL.md", Data: []byte("zebra rhyme")}
	older := soul
	older.Data = []byte("old")
	tools := postgres.ContextFile{Agent: "default", Person: "me", Name: "TOOLS.md", Data: []byte("zebra make")}
	pushExtras(t, people["ada"], machine(1), postgres.Extras{Context: []postgres.ContextFile{older, tools}})
	out := pushExtras(t, people["ada"], machine(2), postgres.Extras{Context: []postgres.ContextFile{soul}})
	if out.Context != (postgres.RowCounts{Total: 1, Sent: 1}) {
		t.Errorf("%+v", out.Context)
	}
	read := func(s postgres.Server, without string) string {
		list, err := s.OwnContext(t.Context(), []string{without})
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, f := range list {
			texts = append(texts, f.Name+"="+string(f.Data))
		}
		slices.Sort(texts)
		return strings.Join(texts, " ")
	}
	if got := read(people["ada"], ""); got != "SOUL.md=zebra rhyme TOOLS.md=zebra make" {
		t.Errorf("ada reads %q", got)
	}
	if got := read(people["ada"], "machine2"); got != "SOUL.md=old TOOLS.md=zebra make" {
		t.Errorf("without her second machine, ada reads %q", got)
	}
	for _, person := range []string{"ci", "eve"} {
		if got := read(people[person], ""); got != "" {
			t.Errorf("%s reads %q", person, got)
		}
		if out, _ := pg.Try(person, db, "SELECT convert_from(content, 'UTF8') FROM memctl.files WHERE kind = 'context'"); strings.Contains(out, "zebra") {
			t.Errorf("%s reads %s", person, out)
		}
	}
	if out := pg.Run(t, "ada", db, "SELECT count(*) FROM memctl.files WHERE kind = 'context'"); out != "3\n" {
		t.Errorf("ada has %s rows", out)
	}
	_, err := people["ci"].Push(t.Context(), postgres.PushRequest{Target: api, Commit: "c", Docs: each(nil), Extras: &postgres.Extras{Context: []postgres.ContextFile{soul}}})
	if err == nil {
		t.Error("context files were pushed for a group")
	}
}
