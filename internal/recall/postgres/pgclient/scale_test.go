package pgclient_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/memctl/memctl/tests/pgtest"
)

// TestAQuestionCostsWhatThePersonMayRead counts the pages that the functions of a question read, with few and with many
// repositories, stores and roles of other groups, and under planner settings that would turn the joins round.
func TestAQuestionCostsWhatThePersonMayRead(t *testing.T) {
	pg, db, people := tenants(t)
	pg.Run(t, pgtest.Superuser, db, `INSERT INTO memctl.repositories SELECT 'own' || i, '', 'backend', 'backend_write' FROM generate_series(1, 20) i;
		INSERT INTO memctl.stores (scope, root, remote, readers, name) SELECT 'project', 'own' || i, '', 'group backend', 'own' FROM generate_series(1, 20) i`)
	made := 0
	others := func(n int) {
		pg.Run(t, pgtest.Superuser, db, fmt.Sprintf(`INSERT INTO memctl.repositories SELECT i::text, 'example.com/other/' || i, 'others' || i %% 50, 'others_write' FROM generate_series(%d, %d) i;
			INSERT INTO memctl.stores (scope, root, remote, owner, readers, name, chunks) SELECT 'project', i::text, 'example.com/other/' || i, CASE WHEN i %% 2 = 0 THEN 'somebody' END, 'group others', 'o', 100
			FROM generate_series(%[1]d, %[2]d) i; VACUUM ANALYZE memctl.repositories, memctl.stores`, made+1, n))
		pg.Run(t, pgtest.Superuser, db, fmt.Sprintf("DO $$ BEGIN FOR i IN %d..%d LOOP EXECUTE 'CREATE ROLE other' || i; END LOOP; END $$", made/20+1, n/20))
		made = n
	}
	t.Cleanup(func() {
		pg.Run(t, pgtest.Superuser, db, fmt.Sprintf("DO $$ BEGIN FOR i IN 1..%d LOOP EXECUTE 'DROP ROLE other' || i; END LOOP; END $$", made/20))
	})
	functions := []string{
		"memctl.readable()", "memctl.roles()", "memctl.begin_search(NULL, '{}', NULL, ARRAY['common'])",
		"memctl.find_words(NULL, '{}', NULL, 'common', ARRAY['common']::tsquery[], '{1}', NULL, NULL, NULL, NULL, NULL, 10, 300, 200, 2)",
	}
	others(1000)
	before := make([]int, len(functions))
	for i, f := range functions {
		before[i] = pages(t, pg, db, f)
	}
	others(10_000)
	for i, f := range functions {
		// Trees that are a level higher cost a page a look.
		after := pages(t, pg, db, f)
		t.Logf("%s: %d and %d pages", f, before[i], after)
		if after > before[i]+before[i]/2 || after == 0 {
			t.Errorf("%s reads %d pages with 10,000 repositories of others, and %d with 1,000", f, after, before[i])
		}
	}
	if got := find(t, people["ada"], groupsText); len(got) != 1 {
		t.Errorf("ada finds %q", got)
	}
}

// pages are the pages that a function reads at its second call in a session, when its plan and the catalogs are known.
func pages(t *testing.T, pg *pgtest.Server, db, function string) int {
	t.Helper()
	call := "SELECT count(*) FROM " + function + ";\n"
	out := pg.Run(t, "ada", db, "SET enable_nestloop = off; SET enable_indexscan = off;\n"+strings.Repeat(call, 6)+"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) "+call)
	found := regexp.MustCompile(`shared hit=(\d+)(?: read=(\d+))?`).FindStringSubmatch(out)
	if found == nil {
		t.Fatalf("no pages in %s", out)
	}
	hit, _ := strconv.Atoi(found[1])
	read, _ := strconv.Atoi(found[2])
	return hit + read
}
