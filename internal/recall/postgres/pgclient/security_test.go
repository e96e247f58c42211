package pgclient_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/recall/postgres"
	"github.com/memctl/memctl/tests/pgtest"
)

// The texts that must reach nobody but their owners.
const (
	adasPrivate = "zebraprivate"
	adasUser    = "zebrauser"
	groupsText  = "zebragroup"
)

// tenants are a database with three people: ada and the writer ci are in the group, eve is not.
func tenants(t *testing.T) (pg *pgtest.Server, db string, people map[string]postgres.Server) {
	t.Helper()
	pg = pgtest.Start(t)
	db = pg.Database(t)
	pg.Run(t, pgtest.Superuser, db, postgres.SchemaSQL())
	pg.Run(t, pgtest.Superuser, db, postgres.GroupSQL("backend", api)+postgres.PersonSQL("ada", []string{"backend"}, false)+
		postgres.PersonSQL("ci", []string{"backend"}, true)+postgres.PersonSQL("eve", nil, false))
	people = map[string]postgres.Server{}
	for _, name := range []string{"ada", "ci", "eve"} {
		people[name] = connect(t, pg, name, db)
	}
	private, user := api, postgres.Target{Scope: "user", Name: "user"}
	private.Scope = "private"
	push(t, people["ada"], private, "c", facts("p", adasPrivate))
	push(t, people["ada"], user, "c", facts("u", adasUser))
	push(t, people["ci"], api, "c", facts("g", groupsText, "h", "common words"))
	push(t, people["eve"], user, "c", facts("e", "evestext common words"))
	return pg, db, people
}

func TestPeopleFindTheirOwnAndTheirGroups(t *testing.T) {
	_, _, people := tenants(t)
	for name, want := range map[string]string{"ada": "id-p id-u id-g", "ci": "id-g", "eve": ""} {
		got := find(t, people[name], strings.Join([]string{adasPrivate, adasUser, groupsText}, " "))
		if len(got) != len(strings.Fields(want)) {
			t.Errorf("%s finds %q, want %q", name, got, want)
		}
	}
	for name, target := range map[string]postgres.Target{"ada": api} { // reads, and does not push
		_, err := people[name].Push(t.Context(), postgres.PushRequest{Target: target, Commit: "x", Docs: each(facts("x", "x"))})
		if fault.Why(err, fault.Postgres) != postgres.WhyRefused {
			t.Errorf("%s pushes: %v", name, err)
		}
	}
}

// TestAGroupsStoreReplacesThePersonsOwn: ada pushes a project before an administrator shares it with her group.
func TestAGroupsStoreReplacesThePersonsOwn(t *testing.T) {
	pg := pgtest.Start(t)
	db := pg.Database(t)
	pg.Run(t, pgtest.Superuser, db, postgres.SchemaSQL()+postgres.PersonSQL("ada", nil, false))
	ada := connect(t, pg, "ada", db)
	fields := func(sql string) string {
		return strings.Join(strings.Fields(pg.Run(t, pgtest.Superuser, db, sql)), " ")
	}
	pushOne := func(s postgres.Server, text string) {
		t.Helper()
		x := postgres.Extras{Skills: []postgres.Skill{skillOf("deploy", "public", "")}}
		if _, err := s.Push(t.Context(), postgres.PushRequest{Target: api, Commit: text, Docs: each(facts(text, text+" retries")), Extras: &x}); err != nil {
			t.Fatal(err)
		}
	}
	check := func(when, want string) {
		t.Helper()
		list, err := ada.Stores(t.Context())
		if err != nil || len(list) != 1 || list[0].Commit != want || strings.Join(find(t, ada, "retries"), " ") != "id-"+want || usable(t, ada) != "deploy" {
			t.Errorf("%s ada finds %q, may use %q and has the stores %+v, %v", when, find(t, ada, "retries"), usable(t, ada), list, err)
		}
	}
	pushOne(ada, "old")
	pg.Run(t, pgtest.Superuser, db, postgres.GroupSQL("backend", api)+postgres.PersonSQL("ada", []string{"backend"}, false)+postgres.PersonSQL("ci", []string{"backend"}, true))
	check("before the group's first push", "old")
	pushOne(connect(t, pg, "ci", db), "new")
	check("afterwards", "new")
	if _, err := ada.Push(t.Context(), postgres.PushRequest{Target: api, Commit: "x", Docs: each(nil), DryRun: true}); fault.Why(err, fault.Postgres) != postgres.WhyRefused {
		t.Errorf("a dry run of a push of a reader: %v", err)
	}
	drop := func() error {
		st, err := ada.Droppable(t.Context(), api, []string{api.Root})
		if err == nil {
			err = ada.Drop(t.Context(), st.ID)
		}
		return err
	}
	if err := drop(); err != nil || fields("SELECT commit FROM memctl.stores") != "new" {
		t.Errorf("after ada's drop there are the stores %s: %v", fields("SELECT commit FROM memctl.stores"), err)
	}
	if err := drop(); fault.Why(err, fault.Postgres) != postgres.WhyRefused {
		t.Errorf("ada drops the group's store: %v", err)
	}
	check("at the end", "new")
}

// TestARepositoryMovesToAnotherGroup lets an administrator share a repository with another group.
func TestARepositoryMovesToAnotherGroup(t *testing.T) {
	pg, db, people := tenants(t)
	pg.Run(t, pgtest.Superuser, db, postgres.GroupSQL("web", api)+postgres.PersonSQL("eve", []string{"web"}, true))
	if got := find(t, people["ada"], groupsText); len(got) != 0 {
		t.Errorf("who left the group finds %q", got)
	}
	if got := find(t, people["eve"], groupsText); len(got) != 1 {
		t.Errorf("before the next push a new member finds %q", got)
	}
	const words = "SELECT term FROM memctl.terms UNION ALL SELECT unnest(names) FROM memctl.term_changes"
	if out := pg.Run(t, "ada", db, words); !strings.Contains(out, "zebragroup") {
		t.Errorf("before the next push the words of the old group are %s", out)
	}
	if out := push(t, people["eve"], api, "c", facts("g", groupsText, "h", "common words")); out.Sent != 2 {
		t.Errorf("the next push: %s", said(out))
	}
	if got := find(t, people["eve"], groupsText); len(got) != 1 {
		t.Errorf("after the next push a new member finds %q", got)
	}
	if out := pg.Run(t, "ada", db, words); strings.Contains(out, "zebragroup") || !strings.Contains(out, "zebrapriv") {
		t.Errorf("after the next push the words of the old group are %s", out)
	}
	c, err := people["eve"].Candidates(t.Context(), postgres.Query{Terms: []index.WeightedTerm{{Term: "common", Weight: 1}}})
	if err != nil || c.ChunksWithTerm["common"] != 2 { // in the repository, and in eve's own store
		t.Errorf("the terms are counted as %v, %v", c.ChunksWithTerm, err)
	}
	for _, change := range []string{"UPDATE memctl.repositories SET readers = 'team', writers = 'team_write'", "DELETE FROM memctl.repositories", "TRUNCATE memctl.repositories"} {
		pg.Run(t, pgtest.Superuser, db, postgres.GroupSQL("web", api))
		if got := find(t, people["eve"], groupsText); len(got) != 1 {
			t.Errorf("before %s a member finds %q", change, got)
		}
		pg.Run(t, pgtest.Superuser, db, change)
		if got := find(t, people["eve"], groupsText); len(got) != 0 {
			t.Errorf("after %s a member finds %q", change, got)
		}
	}
	pg.Run(t, pgtest.Superuser, db, "REVOKE web_write FROM eve")
}

// TestAPushCannotCountForOthers: dropping a store changes the counts of its readers, so only the server chooses them.
func TestAPushCannotCountForOthers(t *testing.T) {
	pg, db, _ := tenants(t)
	for _, c := range []struct {
		sql   string
		works bool
	}{
		{"INSERT INTO memctl.stores (scope, root, remote, owner, readers, name) VALUES ('user', 'x', '', 'eve', 'person eve', 'x')", true},
		{"INSERT INTO memctl.stores (scope, root, remote, owner, readers, name) VALUES ('user', 'y', '', 'eve', 'person ada', 'x')", false},
		{"UPDATE memctl.stores SET name = 'z' WHERE owner = 'eve'", true},
		{"UPDATE memctl.stores SET readers = 'person ada' WHERE owner = 'eve'", false},
	} {
		if out, err := pg.Try("eve", db, c.sql); (err == nil) != c.works {
			t.Errorf("%s: %v %s", c.sql, err, out)
		}
	}
}

// TestANewRoleInheritsNothing gives a role the name of one that was dropped.
func TestANewRoleInheritsNothing(t *testing.T) {
	pg, db, _ := tenants(t)
	const rows = "SELECT count(*) FROM memctl.chunks WHERE text = 'zebrazoe'; SELECT count(*) FROM memctl.terms WHERE term = 'zebrazo'"
	role := postgres.PersonSQL("zoe", nil, false)
	pg.Run(t, pgtest.Superuser, db, role+"CREATE ROLE boss LOGIN IN ROLE memctl_owner; GRANT USAGE ON SCHEMA memctl TO boss")
	pushAs := func() {
		zoe := connect(t, pg, "zoe", db)
		push(t, zoe, postgres.Target{Scope: "user", Name: "user"}, "c", facts("z", "zebrazoe"))
		zoe.Close()
	}
	for _, step := range []struct{ why, role, sql, want string }{
		{"the role is there", pgtest.Superuser, role, "1 1"},
		{"another person removes her", "eve", "SELECT memctl.remove_person('zoe')", "1 1"},
		{"the role was dropped", pgtest.Superuser, "DROP ROLE zoe;" + role, "0 0"},
		{"an administrator removes her", "boss", "SELECT memctl.remove_person('zoe')", "0 0"},
	} {
		pushAs()
		if out, err := pg.Try(step.role, db, step.sql); err != nil && step.role != "eve" {
			t.Fatalf("%s: %s", step.why, out)
		}
		if got := strings.Join(strings.Fields(pg.Run(t, "zoe", db, rows)), " "); got != step.want {
			t.Errorf("%s: she has chunks and words: %s, want %s", step.why, got, step.want)
		}
	}
}

// TestNobodyReadsTheRowsOfOthers tries statements of eve, each alone and many at random together. The same
// statements as ada find the text, which shows that they can find it.
func TestNobodyReadsTheRowsOfOthers(t *testing.T) {
	pg, db, _ := tenants(t)
	ids := strings.Fields(pg.Run(t, pgtest.Superuser, db, "SELECT id FROM memctl.stores WHERE owner IS DISTINCT FROM 'eve'"))
	list := "ARRAY[" + strings.Join(ids, ",") + "]::bigint[]"
	leak := "CREATE FUNCTION pg_temp.leak(text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS $$ BEGIN RAISE NOTICE '%', $1; RETURN true; END $$;\n"
	search := "SELECT text FROM memctl.find_words(NULL, NULL, NULL, '" + adasPrivate + "|" + adasUser + "|" + groupsText + "', '{}', '{}', NULL, NULL, NULL, NULL, NULL, 10, 100, 100, 2)"
	reads := []string{
		"SELECT text FROM memctl.chunks",
		"SELECT text FROM memctl.chunks WHERE store = ANY (" + list + ")",
		"SELECT row_to_json(c) FROM memctl.chunks c",
		"COPY memctl.chunks (text) TO STDOUT",
		"COPY (SELECT text FROM memctl.chunks) TO STDOUT",
		"SELECT * FROM memctl.terms",
		search,
		leak + "SELECT count(*) FROM memctl.chunks WHERE pg_temp.leak(text)",
		"CREATE TEMP VIEW v AS SELECT * FROM memctl.chunks; SELECT text FROM v",
		"CREATE TEMP TABLE chunks AS SELECT * FROM memctl.chunks; SELECT text FROM chunks",
		"DECLARE c CURSOR WITH HOLD FOR SELECT text FROM memctl.chunks; FETCH ALL FROM c",
		"UPDATE memctl.chunks SET pinned = true RETURNING text",
		"DELETE FROM memctl.chunks RETURNING text",
		"WITH d AS (DELETE FROM memctl.chunks RETURNING text) SELECT * FROM d",
		"SELECT text FROM memctl.chunks FOR UPDATE",
		"SELECT query_to_xml('SELECT text FROM memctl.chunks', true, false, '')",
		"SELECT (text::int)::text FROM memctl.chunks", // an error would show the text
		"PREPARE q AS SELECT text FROM memctl.chunks; EXECUTE q",
		"SELECT c.text FROM memctl.chunks c JOIN memctl.stores s ON s.id = c.store JOIN memctl.documents d USING (store)",
		"SELECT text FROM memctl.chunks c, unnest(" + list + ") AS s(id) WHERE c.store = s.id",
		"SELECT max(text) OVER () FROM memctl.chunks",
		"SELECT string_agg(text, ' ') FROM memctl.chunks",
		"TABLE memctl.chunks", "TABLE memctl.term_changes", "TABLE memctl.terms",
		"SELECT * FROM ts_stat('SELECT words FROM memctl.chunks')",
		"SELECT ts_headline(text, 'zebraprivate'::tsquery) FROM memctl.chunks",
		"EXPLAIN (ANALYZE, VERBOSE) SELECT text FROM memctl.chunks WHERE text LIKE 'z%' AND (text::int) > 0",
		"SELECT text FROM memctl.chunks ORDER BY text::int",
		"SELECT max(text)::int FROM memctl.chunks GROUP BY text",
		"SELECT text FROM memctl.found",
		"SELECT name FROM memctl.readable() WHERE id = ANY (" + list + ")",
		"SELECT s.name FROM memctl.readable() s WHERE memctl.asked(s, 'project', NULL, ARRAY['example.com/acme/api', '1111'])",
		"SELECT * FROM memctl.begin_search(NULL, NULL, NULL, ARRAY['" + adasPrivate + "', '" + adasUser + "', '" + groupsText + "'])",
		"MERGE INTO memctl.chunks c USING (VALUES (1)) v(x) ON true WHEN MATCHED THEN UPDATE SET text = (c.text::int)::text",
		"SELECT xmlelement(name a, text) FROM memctl.chunks",
		"SELECT text FROM memctl.chunks TABLESAMPLE SYSTEM (100)",
		"SELECT ctid, text FROM memctl.chunks WHERE ctid = '(0,1)'",
		"DO $$ DECLARE r record; BEGIN FOR r IN SELECT text FROM memctl.chunks LOOP RAISE NOTICE '%', r.text; END LOOP; END $$",
		"CREATE TEMP TABLE o (t text); INSERT INTO o SELECT text FROM memctl.chunks; SELECT * FROM o",
		"SELECT text FROM memctl.chunks WHERE words @@ 'zebrapriv'",
		"SELECT count(*) FILTER (WHERE text LIKE 'zebra%' AND 1 / (length(text) - length(text)) > 0) FROM memctl.chunks",
	}
	others := []string{ // that ada could not use either
		"SELECT most_common_vals::text FROM pg_stats WHERE schemaname = 'memctl'",
		"SELECT histogram_bounds::text FROM pg_stats WHERE schemaname = 'memctl'",
		"SELECT * FROM pg_statistic",
		"SET ROLE memctl_owner; SELECT text FROM memctl.chunks",
		"SET ROLE memctl_search; SELECT text FROM memctl.chunks",
		"SET ROLE ada; SELECT text FROM memctl.chunks",
		"SET SESSION AUTHORIZATION ada; SELECT text FROM memctl.chunks",
		"SET row_security = off; SELECT text FROM memctl.chunks",
		"ALTER TABLE memctl.chunks DISABLE ROW LEVEL SECURITY; SELECT text FROM memctl.chunks",
		"CREATE POLICY mine ON memctl.chunks USING (true); SELECT text FROM memctl.chunks",
		"CREATE TRIGGER t BEFORE UPDATE ON memctl.chunks FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
		"CREATE FUNCTION memctl.roles() RETURNS name[] LANGUAGE sql AS 'SELECT ARRAY[''team'',''backend'']::name[]'; SELECT text FROM memctl.chunks",
		"CREATE OR REPLACE FUNCTION memctl.readable() RETURNS TABLE (id bigint) LANGUAGE sql AS 'SELECT 1::bigint'",
		"CREATE FUNCTION pg_temp.pg_has_role(name, oid, text) RETURNS boolean LANGUAGE sql AS 'SELECT true'; SET search_path = pg_temp, pg_catalog; SELECT text FROM memctl.chunks",
		"CREATE TEMP TABLE pg_roles (rolname name, oid oid); INSERT INTO pg_roles VALUES ('backend', 10); SET search_path = pg_temp, pg_catalog; " + search,
		"CREATE TEMP TABLE stores (id bigint); INSERT INTO stores SELECT unnest(" + list + "); SET search_path = pg_temp; " + search,
		"CREATE FUNCTION pg_temp.yes(name, name) RETURNS boolean LANGUAGE sql AS 'SELECT true'; CREATE OPERATOR pg_temp.= (leftarg = name, rightarg = name, function = pg_temp.yes); SET search_path = pg_temp, pg_catalog; " + search,
		"INSERT INTO memctl.stores (scope, root, remote, owner, readers, name) VALUES ('private', '1111', 'example.com/acme/api', 'ada', 'person ada', 'x') RETURNING id",
		"INSERT INTO memctl.stores (scope, root, remote, owner, readers, name) VALUES ('private', '1111', 'example.com/acme/api', 'ada', 'person ada', 'x') ON CONFLICT (scope, root, remote, coalesce(owner, '')) DO UPDATE SET owner = 'eve' RETURNING *",
		"INSERT INTO memctl.stores (scope, root, remote, readers, name) VALUES ('project', '1111', 'example.com/acme/api', 'group backend', 'x')",
		"UPDATE memctl.stores SET owner = 'ada' WHERE owner = 'eve'",
		"UPDATE memctl.stores SET owner = NULL, scope = 'project', root = '1111', remote = 'example.com/acme/api' WHERE owner = 'eve'",
		"UPDATE memctl.stores SET owner = 'eve'",
		"UPDATE memctl.chunks SET store = " + ids[0] + " RETURNING text",
		"UPDATE memctl.stores SET chunks = 1 WHERE id = " + ids[0] + " RETURNING name",
		"INSERT INTO memctl.files (store, kind, document, path, content) VALUES (" + ids[0] + ", 'memory', 'g', 'x', 'x')",
		"INSERT INTO memctl.documents (store, kind, path, hash, commit) SELECT unnest(" + list + "), 'memory', 'p', '', ''",
		"INSERT INTO memctl.documents (store, kind, path, hash, commit) SELECT unnest(" + list + "), 'memory', 'p', '', '' ON CONFLICT DO NOTHING",
		"INSERT INTO memctl.repositories VALUES ('1111', 'example.com/acme/api', 'eve', 'eve') ON CONFLICT (root, remote) DO UPDATE SET readers = 'eve'",
		"INSERT INTO memctl.repositories VALUES ('2222', '', 'eve', 'eve')",
		"SELECT last_value FROM memctl.chunks_id_seq",
		"GRANT memctl_owner TO eve", "GRANT backend TO eve", "GRANT memctl_search TO eve", "ALTER ROLE ada PASSWORD 'x'",
		"SELECT pg_read_file('postgresql.conf')", "SELECT lo_import('/etc/passwd')",
		"SELECT memctl.drop_store(id) FROM unnest(" + list + ") AS s(id)",
		"SELECT memctl.replace_chunks(id, '{}', '[{\"document\": \"x\", \"text\": \"x\"}]') FROM unnest(" + list + ") AS s(id)",
		"SELECT memctl.replace_chunks(id, ARRAY['p', 'u', 'g', 'h'], '[]') FROM unnest(" + list + ") AS s(id)",
		"SELECT memctl.fold_terms('person ada', true); SELECT memctl.fold_terms('group backend', true)",
		"INSERT INTO memctl.terms VALUES ('zebra', 'person ada', 1)",
		"INSERT INTO memctl.term_changes VALUES ('group backend', 1, false, '{a}', '{1}')",
		"UPDATE memctl.term_changes SET readers = 'person eve' RETURNING names",
		"UPDATE memctl.terms SET readers = 'person eve' RETURNING term",
		"UPDATE memctl.stores SET readers = 'group backend' WHERE owner = 'eve'; " + search,
		"INSERT INTO memctl.stores (scope, root, remote, owner, readers, name) VALUES ('user', 'r', '', 'eve', 'person ada', 'x'); SELECT * FROM memctl.begin_search(NULL, NULL, NULL, ARRAY['" + adasPrivate + "'])",
		"CREATE FUNCTION memctl.counted() RETURNS text[] LANGUAGE sql AS 'SELECT ARRAY[''person ada'']'; SELECT * FROM memctl.terms",
		"ALTER FUNCTION memctl.find_words SECURITY INVOKER", "ALTER FUNCTION memctl.counted() OWNER TO eve",
		"GRANT ada TO eve", "SET LOCAL ROLE ada; SELECT text FROM memctl.chunks",
		"SELECT set_config('role', 'memctl_search', false); SELECT text FROM memctl.chunks",
		"SELECT set_config('session_authorization', 'ada', false); SELECT text FROM memctl.chunks",
		"CREATE RULE r AS ON SELECT TO memctl.chunks DO INSTEAD SELECT 1",
		"COPY memctl.chunks TO PROGRAM 'cat'", "COPY memctl.chunks FROM STDIN",
		"CREATE VIEW memctl.v AS SELECT * FROM memctl.chunks; SELECT text FROM memctl.v",
		"SELECT * FROM pg_stats_ext", "SELECT * FROM pg_stat_activity", "SELECT * FROM pg_prepared_statements",
		"LISTEN memctl; SELECT pg_notification_queue_usage()",
		"TRUNCATE memctl.chunks", "DROP TABLE memctl.chunks", "LOCK TABLE memctl.chunks IN ACCESS EXCLUSIVE MODE; SELECT text FROM memctl.chunks",
	}
	leaks := func(out string) bool { return strings.Contains(out, "zebra") }
	for _, sql := range reads {
		if out, _ := pg.Try("eve", db, "BEGIN;"+sql+";\nROLLBACK"); leaks(out) {
			t.Errorf("eve reads the rows of others by %s: %s", sql, out)
		} else if sql == reads[0] && !strings.Contains(out, "evestext") {
			t.Errorf("eve does not read her own rows: %s", out)
		}
		if sql == "SELECT * FROM memctl.terms" || strings.HasPrefix(sql, "SELECT text") || strings.Contains(sql, "leak") {
			if out, _ := pg.Try("ada", db, "BEGIN;"+sql+";\nROLLBACK"); !leaks(out) {
				t.Errorf("ada finds nothing of hers by %s: %s", sql, out)
			}
		}
	}
	for _, sql := range others {
		if out, _ := pg.Try("eve", db, sql); leaks(strings.ReplaceAll(out, sql, "")) {
			t.Errorf("eve reads the rows of others by %s: %s", sql, out)
		}
	}
	tries := 100
	if os.Getenv("MEMCTL_TORTURE") != "" {
		tries = 10000
	}
	r := rand.New(rand.NewPCG(1, 2))
	for batch := 0; batch < tries; batch += 100 {
		var script strings.Builder
		script.WriteString("\\set ON_ERROR_STOP off\n")
		for range 100 {
			first, second := others[r.IntN(len(others))], reads[r.IntN(len(reads))]
			fmt.Fprintf(&script, "BEGIN;\n%s;\nROLLBACK;\n%s;\nBEGIN;\n%s;\nROLLBACK;\nRESET ROLE; RESET SESSION AUTHORIZATION; DISCARD ALL;\n", first, first, second)
		}
		out, _ := pg.Try("eve", db, script.String())
		for line := range strings.Lines(out) {
			if leaks(line) && !strings.Contains(line, "STATEMENT") && !strings.HasPrefix(line, "LINE ") {
				t.Fatalf("eve reads the rows of others: %s", line)
			}
		}
	}
	if got := pg.Run(t, pgtest.Superuser, db, "SELECT count(*) FROM memctl.chunks WHERE text LIKE 'zebra%'"); strings.TrimSpace(got) != "3" {
		t.Errorf("of three texts %s are left", got)
	}
	if got := pg.Run(t, pgtest.Superuser, db, "SELECT count(*) FROM memctl.stores WHERE owner = 'ada'"); strings.TrimSpace(got) != "2" {
		t.Errorf("ada has %s stores", got)
	}
}

// TestADumpHasOnlyWhatThePersonReads dumps the rows as people with and without rights.
func TestADumpHasOnlyWhatThePersonReads(t *testing.T) {
	pg, db, _ := tenants(t)
	if out := pg.Dump(t, "eve", db); strings.Contains(out, "zebra") || strings.Contains(out, "acme") || !strings.Contains(out, "evestext") {
		t.Errorf("the dump of eve: %s", out)
	}
	if out := pg.Dump(t, "ada", db); !strings.Contains(out, groupsText) || !strings.Contains(out, adasPrivate) {
		t.Errorf("the dump of ada: %s", out)
	}
}

// TestEstimatesTellNothing compares the plans of eve for a text that is there often and for one that is not: the planner
// shows in its estimates what it has counted.
func TestEstimatesTellNothing(t *testing.T) {
	pg, db, people := tenants(t)
	var list []string
	for i := range 500 {
		list = append(list, fmt.Sprint("f", i), "the same text again and again")
	}
	push(t, people["ada"], postgres.Target{Scope: "user", Name: "user"}, "c", facts(list...))
	pg.Run(t, pgtest.Superuser, db, "ANALYZE")
	plan := func(role, text string) string {
		return pg.Run(t, role, db, "EXPLAIN SELECT FROM memctl.chunks WHERE text = '"+text+"'")
	}
	a, b := plan("eve", "the same text again and again"), plan("eve", "the same text never and nowhere")
	if a = strings.ReplaceAll(a, "the same text again and again", ""); a != strings.ReplaceAll(b, "the same text never and nowhere", "") {
		t.Errorf("the estimates differ:\n%s\n%s", a, b)
	}
	pg.Run(t, pgtest.Superuser, db, "ALTER TABLE memctl.chunks ALTER COLUMN text SET STATISTICS 100; ANALYZE")
	if a == strings.ReplaceAll(plan("eve", "the same text again and again"), "the same text again and again", "") {
		t.Error("with statistics the estimates are the same, so that this test sees nothing")
	}
}
