package pgclient_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/recall/postgres"
	"github.com/memctl/memctl/internal/recall/postgres/pgclient"
	"github.com/memctl/memctl/tests/pgtest"
)

func TestMain(m *testing.M) {
	status := m.Run()
	pgtest.Stop()
	os.Exit(status)
}

// api is a repository that a group shares in these tests.
var api = postgres.Target{Scope: "project", Root: "1111", Remote: "example.com/acme/api", Name: "example.com/acme/api"}

func connect(t *testing.T, pg *pgtest.Server, role, database string) postgres.Server {
	t.Helper()
	pool := new(pgclient.Pool)
	s, err := pool.Connect(t.Context(), pg.URL(role, database), 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(); pool.Close() })
	return s
}

// facts are docs, each a file of its own: path and text in turn.
func facts(words ...string) []index.Doc {
	var docs []index.Doc
	for i := 0; i < len(words); i += 2 {
		docs = append(docs, index.Doc{ID: "id-" + words[i], Tier: index.TierFact, Scope: "project", Source: words[i], Path: words[i], Text: words[i+1], Tags: []string{"a", "b"}, Time: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)})
	}
	return docs
}

func each(docs []index.Doc) iter.Seq2[postgres.Doc, error] {
	return func(yield func(postgres.Doc, error) bool) {
		for _, d := range docs {
			if !yield(postgres.Doc{Doc: d}, nil) {
				return
			}
		}
	}
}

func push(t *testing.T, s postgres.Server, target postgres.Target, commit string, docs []index.Doc) postgres.Pushed {
	t.Helper()
	out, err := s.Push(t.Context(), postgres.PushRequest{Target: target, Commit: commit, Docs: each(docs)})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// said are the counts of a push in words.
func said(p postgres.Pushed) string {
	return fmt.Sprintf("%d documents, %d chunks; %d sent, %d removed, %d unchanged", p.Documents, p.Chunks, p.Sent, p.Removed, p.Unchanged)
}

// find are the names of what a person finds by words.
func find(t *testing.T, s postgres.Server, words string) []string {
	t.Helper()
	q := postgres.Query{}
	for _, term := range index.Terms(words) {
		q.Terms = append(q.Terms, index.WeightedTerm{Term: term, Weight: 1})
	}
	c, err := s.Candidates(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range c.Chunks {
		names = append(names, f.ID)
	}
	return names
}

func TestAPushSendsWhatChanged(t *testing.T) {
	pg := pgtest.Start(t)
	s := connect(t, pg, pgtest.Superuser, pg.Database(t))
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		why  string
		docs []index.Doc
		want string
		find map[string]string // words and the names of what has them
	}{
		{"all is new", facts("a", "retries use backoff", "b", "the cache is redis\x00 and \xff"), "2 documents, 2 chunks; 2 sent, 0 removed, 0 unchanged", map[string]string{"retry": "id-a", "redis": "id-b"}},
		{"nothing changed", facts("a", "retries use backoff", "b", "the cache is redis\x00 and \xff"), "2 documents, 2 chunks; 0 sent, 0 removed, 2 unchanged", map[string]string{"retry": "id-a"}},
		{"one changed", facts("a", "retries use jitter", "b", "the cache is redis\x00 and \xff"), "2 documents, 2 chunks; 1 sent, 0 removed, 1 unchanged", map[string]string{"backoff": "", "jitter": "id-a"}},
		{"one is gone", facts("b", "the cache is redis\x00 and \xff"), "1 documents, 1 chunks; 0 sent, 1 removed, 1 unchanged", map[string]string{"jitter": "", "redis": "id-b"}},
		{"all is gone", nil, "0 documents, 0 chunks; 0 sent, 1 removed, 0 unchanged", map[string]string{"redis": ""}},
	} {
		if got := said(push(t, s, api, "c1", step.docs)); got != step.want {
			t.Errorf("%s: %s, want %s", step.why, got, step.want)
		}
		for words, want := range step.find {
			if got := strings.Join(find(t, s, words), " "); got != want {
				t.Errorf("%s: %q finds %q, want %q", step.why, words, got, want)
			}
		}
	}
	st, err := s.Find(t.Context(), api)
	if err != nil || st == nil || st.Commit != "c1" || st.Chunks != 0 || st.Documents != 0 {
		t.Errorf("the store is %+v, %v", st, err)
	}
}

// TestFiltersComeBeforeTheLimit hides one chunk among more than a search looks at closely.
func TestFiltersComeBeforeTheLimit(t *testing.T) {
	pg := pgtest.Start(t)
	s := connect(t, pg, pgtest.Superuser, pg.Database(t))
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	var list []string
	for i := range 2000 {
		list = append(list, fmt.Sprint("f", i), "the deploy window of the week")
	}
	docs := facts(list...)
	wanted := &docs[1000]
	wanted.ID, wanted.Conversation, wanted.Category, wanted.Tier, wanted.Tags, wanted.Time = "wanted", "c", "k", index.TierNote, []string{"t"}, wanted.Time.AddDate(1, 0, 0)
	push(t, s, api, "c", docs)
	for why, q := range map[string]postgres.Query{
		"conversation": {Conversations: []string{"c", "global"}}, "category": {Categories: []string{"k"}}, "tier": {Tiers: []string{"note"}},
		"tag": {Tags: []string{"t", "u"}}, "since": {Since: wanted.Time},
	} {
		q.Terms = []index.WeightedTerm{{Term: "deploy", Weight: 1}, {Term: "window", Weight: 1}}
		c, err := s.Candidates(t.Context(), q)
		if err != nil || len(c.Chunks) != 1 || c.Chunks[0].ID != "wanted" {
			t.Errorf("%s: %d chunks, %v", why, len(c.Chunks), err)
		}
	}
}

// TestWhatExpiresIsNotFound pushes two chunks of one file, with the days on which they expire.
func TestWhatExpiresIsNotFound(t *testing.T) {
	pg := pgtest.Start(t)
	s := connect(t, pg, pgtest.Superuser, pg.Database(t))
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	pushed := func(days ...string) (string, error) {
		docs := facts("a", "freeze begins", "b", "freeze ends", "c", "freeze always")
		out, err := s.Push(t.Context(), postgres.PushRequest{Target: api, Commit: "c", Docs: func(yield func(postgres.Doc, error) bool) {
			for i, d := range docs {
				if !yield(postgres.Doc{Doc: d, Expires: days[i]}, nil) {
					return
				}
			}
		}})
		names := find(t, s, "freeze")
		slices.Sort(names)
		return fmt.Sprint(out.Sent, " ", strings.Join(names, " ")), err
	}
	today := time.Now().UTC()
	past, future := today.AddDate(0, 0, -1).Format(time.DateOnly), today.AddDate(0, 0, 2).Format(time.DateOnly)
	if got, err := pushed(past, future, ""); err != nil || got != "3 id-b id-c" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := pushed(future, future, ""); err != nil || got != "1 id-a id-b id-c" {
		t.Errorf("after a new day: %q, %v", got, err)
	}
}

// TestAFewOfManyStores lets a person search who may read a small part of the chunks: another plan.
func TestAFewOfManyStores(t *testing.T) {
	pg, db, people := tenants(t)
	var list []string
	for i := range 500 {
		list = append(list, fmt.Sprint("f", i), "zebra common words")
	}
	push(t, people["ci"], api, "c", facts(list...))
	pg.Run(t, pgtest.Superuser, db, "ANALYZE")
	if got := find(t, people["eve"], "zebra common words"); !slices.Equal(got, []string{"id-e"}) {
		t.Errorf("eve finds %q", got)
	}
	if got := find(t, people["ada"], "zebra common words"); len(got) < 300 {
		t.Errorf("ada finds %d chunks", len(got))
	}
}

// TestCountsOfTermsFollowThePushes compares the counts with the rows after random pushes.
func TestCountsOfTermsFollowThePushes(t *testing.T) {
	pg := pgtest.Start(t)
	db := pg.Database(t)
	s := connect(t, pg, pgtest.Superuser, db)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	words := strings.Fields("alpha beta gamma delta epsilon zeta")
	for round := range 8 {
		var list []string
		for i := range 12 {
			if (i+round)%4 != 0 {
				list = append(list, fmt.Sprint("f", i), words[(i*round)%6]+" "+words[(i+round)%6]+" same")
			}
		}
		push(t, s, api, "c", facts(list...))
	}
	wrong := pg.Run(t, pgtest.Superuser, db, `SELECT count(*) FROM
		(SELECT w AS term, count(*)::int AS n FROM memctl.chunks, unnest(tsvector_to_array(words)) w WHERE w NOT LIKE '@%' GROUP BY w) a
		FULL JOIN memctl.terms t USING (term) WHERE a.n IS DISTINCT FROM t.chunks`)
	sizes := pg.Run(t, pgtest.Superuser, db, `SELECT z.chunks = (SELECT count(*) FROM memctl.chunks), z.length = (SELECT sum(length) FROM memctl.chunks), z.documents = (SELECT count(*) FROM memctl.documents) FROM memctl.stores z`)
	if strings.TrimSpace(wrong) != "0" || strings.TrimSpace(sizes) != "t|t|t" {
		t.Errorf("%s terms are counted wrong; the sizes are right: %s", wrong, sizes)
	}
}

// TestWaitingChangesAreCounted lets words wait: a push of nothing adds up those that a push before it left.
func TestWaitingChangesAreCounted(t *testing.T) {
	pg := pgtest.Start(t)
	db := pg.Database(t)
	s := connect(t, pg, pgtest.Superuser, db)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	pg.Run(t, pgtest.Superuser, db, postgres.GroupSQL("backend", api))
	counted := func(word string) string {
		return strings.TrimSpace(pg.Run(t, pgtest.Superuser, db, "SELECT chunks FROM memctl.terms WHERE readers = 'group backend' AND term = '"+word+"'"))
	}
	docs := facts("a", "one", "b", "two", "c", "three", "d", "four", "e", "five", "f", "six", "g", "seven", "h", "eight")
	stranger, err := pgx.Connect(t.Context(), pg.URL(pgtest.Superuser, db))
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close(t.Context())
	if _, err := stranger.Exec(t.Context(), "SELECT pg_advisory_lock(1835363586, hashtext('group backend'))"); err != nil {
		t.Fatal(err)
	}
	if push(t, s, api, "c", docs); counted("one") != "1" {
		t.Errorf("while a stranger has a lock, the word is in %q chunks", counted("one"))
	}
	pg.Run(t, pgtest.Superuser, db, "INSERT INTO memctl.term_changes VALUES ('group backend', 4, true, '{left}', '{4}')") // of a push that was killed
	if push(t, s, api, "c", docs); counted("left") != "4" {
		t.Errorf("after a push of nothing, the word that was left is in %q chunks", counted("left"))
	}
	// A small push waits to be added up, and no word that many of its chunks have is taken for a rare one meanwhile.
	other := api
	other.Remote, other.Name = "example.com/acme/web", "example.com/acme/web"
	pg.Run(t, pgtest.Superuser, db, postgres.GroupSQL("backend", other))
	var many, few []string
	for i := range 2000 {
		many = append(many, fmt.Sprint("f", i), fmt.Sprint("common word", i))
	}
	spelled := strings.NewReplacer("0", "q", "1", "w", "2", "x", "3", "z", "4", "v", "5", "k", "6", "j", "7", "b", "8", "f", "9", "p") // digits would be terms of their own
	for i := range 300 {
		few = append(few, fmt.Sprint("f", i), "novelty item"+spelled.Replace(fmt.Sprint(i)))
	}
	push(t, s, api, "c", facts(many...))
	push(t, s, other, "c", facts(few...))
	c, err := s.Candidates(t.Context(), postgres.Query{Terms: []index.WeightedTerm{{Term: "novelti", Weight: 1}, {Term: "itemb", Weight: 1}, {Term: "common", Weight: 1}}})
	if err != nil || counted("novelti") != "" || c.ChunksWithTerm["novelti"] != 300 || c.ChunksWithTerm["itemb"] != 0 || c.ChunksWithTerm["common"] != 2000 {
		t.Errorf("added up: %q, counted: %v, %v", counted("novelti"), c.ChunksWithTerm, err)
	}
	if push(t, s, other, "c", facts(few[:100]...)); counted("novelti") != "50" || counted("itemb") != "1" || counted("itembq") != "" {
		t.Errorf("after chunks were removed: %q, %q, %q", counted("novelti"), counted("itemb"), counted("itembq"))
	}
}

// TestAPushThatBrokeOffContinues lets a push die after some batches.
func TestAPushThatBrokeOffContinues(t *testing.T) {
	pg := pgtest.Start(t)
	const own = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
	for why, kill := range map[string]func(db string){
		"the server ends its session": func(db string) { pg.Run(t, pgtest.Superuser, db, own) },
		"the server crashes": func(string) {
			if err := pg.Kill(); err != nil {
				t.Fatal(err)
			}
			if err := pg.Launch(); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(why, func(t *testing.T) { breakOff(t, pg, kill) })
	}
}

func breakOff(t *testing.T, pg *pgtest.Server, kill func(db string)) {
	db := pg.Database(t)
	s := connect(t, pg, pgtest.Superuser, db)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	push(t, s, api, "c0", nil)
	var list []string
	for i := range 5000 {
		list = append(list, fmt.Sprint("f", i), fmt.Sprint("wd", i))
	}
	docs := facts(list...)
	_, err := s.Push(t.Context(), postgres.PushRequest{Target: api, Commit: "c1", Docs: each(docs), Progress: func(done, _ int) {
		if done < 4000 {
			kill(db)
		}
	}})
	if fault.Why(err, fault.Postgres) != postgres.WhyBroken {
		t.Fatalf("the push ended with %v", err)
	}
	s = connect(t, pg, pgtest.Superuser, db)
	st, err := s.Find(t.Context(), api)
	if err != nil || st.Commit != "c0" || st.Chunks == 5000 {
		t.Fatalf("after the push that broke off: %+v, %v", st, err)
	}
	out := push(t, s, api, "c1", docs)
	if out.Unchanged != int(st.Chunks) || out.Sent != 5000-out.Unchanged {
		t.Errorf("the next push: %s, after %d", said(out), st.Chunks)
	}
	if st, err = s.Find(t.Context(), api); err != nil || st.Chunks != 5000 || st.Commit != "c1" {
		t.Errorf("after it: %+v, %v", st, err)
	}
	counted := pg.Run(t, pgtest.Superuser, db, "SELECT count(*), sum(chunks) FROM memctl.terms WHERE term LIKE 'wd%'")
	if strings.TrimSpace(counted) != "5000|5000" {
		t.Errorf("terms and their chunks: %s", counted)
	}
	if got := find(t, s, "wd1 wd4999"); len(got) != 2 {
		t.Errorf("%q is found", got)
	}
}

// TestTwoPushesOfAStoreWaitForEachOther holds the lock of one, and looks at what the other one says.
func TestTwoPushesOfAStoreWaitForEachOther(t *testing.T) {
	pg := pgtest.Start(t)
	db := pg.Database(t)
	s, other := connect(t, pg, pgtest.Superuser, db), connect(t, pg, pgtest.Superuser, db)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	waits, ended := make(chan bool, 1), make(chan error, 1)
	started := false
	_, err := s.Push(t.Context(), postgres.PushRequest{Target: api, Commit: "c1", Docs: each(facts("a", "one")), Progress: func(int, int) {
		if started {
			return
		}
		started = true
		go func() {
			_, err := other.Push(t.Context(), postgres.PushRequest{Target: api, Commit: "c2", Docs: each(facts("a", "two")), Waiting: func() { waits <- true }})
			ended <- err
		}()
		<-waits // the first push holds the lock until the second one waits
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if got := find(t, s, "one two"); !slices.Equal(got, []string{"id-a"}) {
		t.Errorf("%q is found", got)
	}
	if st, _ := s.Find(t.Context(), api); st == nil || st.Commit != "c2" || st.Chunks != 1 {
		t.Errorf("the store is %+v", st)
	}
}

// TestAPushDoesNotWaitForever lets another role hold the lock of a store, which needs no rights.
func TestAPushDoesNotWaitForever(t *testing.T) {
	pg, db, people := tenants(t)
	st, err := people["ci"].Find(t.Context(), api)
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := pgx.Connect(t.Context(), pg.URL("eve", db))
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close(t.Context())
	if _, err := stranger.Exec(t.Context(), "SELECT pg_advisory_lock($1, $2)", 0x6d656d01, int32(st.ID)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // of the test that fails
	defer cancel()
	_, err = people["ci"].Push(ctx, postgres.PushRequest{Target: api, Commit: "c", Docs: each(facts("g", "new")), Patience: time.Millisecond})
	f := fault.Find(err, fault.Postgres)
	if f == nil || f.Why != postgres.WhyFailed || !strings.Contains(f.Cause, "another session holds the lock") {
		t.Errorf("while a stranger has the lock: %v", err)
	}
	stranger.Close(t.Context())
	if out := push(t, people["ci"], api, "c", facts("g", "new")); out.Sent != 1 {
		t.Errorf("after that: %s", said(out))
	}
}

func TestErrorsOfTheServer(t *testing.T) {
	pg := pgtest.Start(t)
	db := pg.Database(t)
	const secret = "hunter2-secret"
	pg.Run(t, pgtest.Superuser, db, "CREATE ROLE "+pgtest.Locked+" LOGIN PASSWORD 'right-password'")
	t.Cleanup(func() { pg.Run(t, pgtest.Superuser, "postgres", "DROP ROLE "+pgtest.Locked) })
	var pool pgclient.Pool
	defer pool.Close()
	if s, err := pool.Connect(t.Context(), strings.Replace(pg.URL(pgtest.Locked, db), "@", ":right-password@", 1), 5*time.Second); err != nil {
		t.Errorf("with the right password: %v", err)
	} else {
		s.Close()
	}
	for _, c := range []struct{ why, url, want string }{
		{"not an address", "db.example.com", postgres.WhyAddress},
		{"another scheme", "mysql://a:" + secret + "@h/d", postgres.WhyAddress},
		{"a wrong port", "postgres://a:" + secret + "@h:port/d", postgres.WhyAddress},
		{"a wrong option", "postgres://a:" + secret + "@h/d?sslmode=" + secret, postgres.WhyAddress},
		{"nobody listens", "postgres://a:" + secret + "@127.0.0.1:1/d", postgres.WhyUnreachable},
		{"a wrong password", strings.Replace(pg.URL(pgtest.Locked, db), "@", ":"+secret+"@", 1), postgres.WhyLogin},
		{"no such role", strings.Replace(pg.URL("nobody", db), "@", ":"+secret+"@", 1), postgres.WhyLogin},
		{"no such database", pg.URL(pgtest.Superuser, "none"), postgres.WhyUnreachable},
	} {
		_, err := pool.Connect(t.Context(), c.url, 5*time.Second)
		if got := fault.Why(err, fault.Postgres); got != c.want {
			t.Errorf("%s: %q (%v)", c.why, got, err)
		}
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error has the password: %v", c.why, err)
		}
	}
}

func TestSchemas(t *testing.T) {
	pg := pgtest.Start(t)
	db := pg.Database(t)
	pg.Run(t, pgtest.Superuser, db, `CREATE ROLE plain LOGIN`)
	s, plain := connect(t, pg, pgtest.Superuser, db), connect(t, pg, "plain", db)
	ctx := context.Background()
	if err := plain.Migrate(ctx); fault.Why(err, fault.Postgres) != postgres.WhyMissing {
		t.Errorf("a role without rights makes tables: %v", err)
	}
	if version, err := s.Version(ctx); version != 0 || err != nil {
		t.Errorf("after that the version is %d, %v", version, err)
	}
	if err := s.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	push(t, s, api, "c", facts("a", "one"))
	pg.Run(t, pgtest.Superuser, db, "GRANT memctl_person TO plain; INSERT INTO memctl.migrations VALUES (1000)")
	for name, err := range map[string]error{"push": s.Migrate(ctx), "recall": plain.CheckSchema(ctx)} {
		if fault.Why(err, fault.Postgres) != postgres.WhyNewer {
			t.Errorf("%s with a newer schema: %v", name, err)
		}
	}
	last := postgres.NewestVersion()
	pg.Run(t, pgtest.Superuser, db, fmt.Sprint("DELETE FROM memctl.migrations WHERE version > ", last-1, "; DROP TABLE memctl.skills, memctl.skill_grants CASCADE; DROP FUNCTION memctl.usable_skills, memctl.usable_files"))
	if err := plain.CheckSchema(ctx); fault.Why(err, fault.Postgres) != postgres.WhyOlder {
		t.Errorf("recall with an older schema: %v", err)
	}
	if err := plain.Migrate(ctx); fault.Why(err, fault.Postgres) != postgres.WhyOlder {
		t.Errorf("push of a role without rights with an older schema: %v", err)
	}
	if err := s.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	if got := find(t, s, "one"); len(got) != 1 {
		t.Errorf("after the migration %q is found", got)
	}
	pg.Run(t, pgtest.Superuser, db, "DROP SCHEMA memctl CASCADE")
	if err := s.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	if push(t, s, api, "c", facts("a", "one")); len(find(t, s, "one")) != 1 {
		t.Error("after the tables were made anew, nothing is found")
	}
}
