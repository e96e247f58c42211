package pgclient_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/recall/postgres"
	"github.com/memctl/memctl/internal/recall/postgres/pgclient"
	"github.com/memctl/memctl/tests/pgtest"
)

var (
	loadChunks  = flag.Int("load.chunks", 100_000, "how many chunks TestLoad pushes")
	loadClients = flag.Int("load.clients", 50, "how many clients ask at once in TestLoad")
	loadForeign = flag.Int("load.foreign", 0, "how many repositories of other groups there are in TestLoad, and a role for each five of them")
	loadFor     = flag.Duration("load.for", 20*time.Second, "how long the clients of TestLoad ask, each time")
)

// TestLoad measures pushes and recall with many clients on a server with the settings that PostgreSQL has when it is
// installed. It checks that each question finds its chunk, and prints the times: they depend on the machine.
func TestLoad(t *testing.T) {
	if os.Getenv("MEMCTL_TORTURE") == "" {
		t.Skip("it takes minutes; MEMCTL_TORTURE=1 runs it")
	}
	pg := pgtest.Start(t)
	db := pg.Database(t)
	pg.Run(t, pgtest.Superuser, db, "ALTER SYSTEM SET fsync = on")
	pg.Run(t, pgtest.Superuser, db, "ALTER SYSTEM SET full_page_writes = on")
	pg.Run(t, pgtest.Superuser, db, "ALTER SYSTEM SET synchronous_commit = on; SELECT pg_reload_conf()")
	defer pg.Run(t, pgtest.Superuser, db, "ALTER SYSTEM RESET ALL; SELECT pg_reload_conf()")
	pg.Run(t, pgtest.Superuser, db, postgres.SchemaSQL()+postgres.GroupSQL("team", postgres.Target{Scope: "project", Root: "0", Remote: "example.com/acme/repo-0"})+
		postgres.PersonSQL("reader", []string{"team"}, false)+postgres.PersonSQL("writer", []string{"team"}, true))
	pg.Run(t, pgtest.Superuser, db, fmt.Sprintf(`INSERT INTO memctl.repositories SELECT i::text, 'example.com/acme/repo-' || i, readers, writers
		FROM generate_series(1, %d) i, memctl.repositories WHERE root = '0'`, max(*loadChunks/500, 1)))
	l := load{rand: rand.New(rand.NewPCG(1, 2))}
	l.makeWords()
	l.pushAll(t, pg, db)
	if n := *loadForeign; n > 0 {
		pg.Run(t, pgtest.Superuser, db, fmt.Sprintf(`INSERT INTO memctl.repositories SELECT 'f' || i, '', 'group' || i %% 200, 'group' || i %% 200 || '_write' FROM generate_series(1, %d) i;
			INSERT INTO memctl.stores (scope, root, remote, readers, name, chunks) SELECT 'project', 'f' || i, '', 'group group' || i %% 200, 'foreign', 100 FROM generate_series(1, %[1]d) i;
			DO $$ BEGIN FOR i IN 1..%[2]d LOOP EXECUTE 'CREATE ROLE foreign' || i; END LOOP; END $$`, n, n/5))
	}
	pg.Run(t, pgtest.Superuser, db, "ANALYZE")
	t.Logf("after the pushes: %s; load %s", l.sizes(t, pg, db), loadAverage())
	s := connect(t, pg, "reader", db)
	l.ask(t, s, time.Now().Add(2*time.Second)) // fills the caches of the server
	for _, c := range []struct {
		why     string
		clients int
		pause   time.Duration
		keeps   bool
	}{
		{"client that connects for each question, as the command line does", 1, 0, false},
		{"client that keeps its connection, as the MCP server does", 1, 0, true},
		{"clients that each connect and ask once a second", *loadClients, time.Second, false},
		{"clients that each ask once a second and keep their connections", *loadClients, time.Second, true},
		{"clients that connect and ask without a pause", *loadClients, 0, false},
		{"clients that ask without a pause and keep their connections", *loadClients, 0, true},
	} {
		cpu := pg.CPU()
		times := l.crowd(t, pg, db, c.clients, c.pause, c.keeps)
		t.Logf("%d %s: %d recalls, %s; the server used %s for each; load %s", c.clients, c.why, len(times), quantiles(times), (pg.CPU()-cpu)/time.Duration(len(times)), loadAverage())
	}
}

// load makes text as people write it: few words are in most chunks, and most words in few.
type load struct {
	rand  *rand.Rand
	zipf  *rand.Zipf
	words []string
	asked [][2]string // a question and the name of its chunk
}

func (l *load) makeWords() {
	syllables := strings.Fields("ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu bra cre dri flo gru tan men pil sor dun")
	seen := map[string]bool{}
	for len(l.words) < 60_000 {
		var b strings.Builder
		for range 2 + l.rand.IntN(3) {
			b.WriteString(syllables[l.rand.IntN(len(syllables))])
		}
		if !seen[b.String()] {
			seen[b.String()] = true
			l.words = append(l.words, b.String())
		}
	}
	l.zipf = rand.NewZipf(l.rand, 1.07, 8, uint64(len(l.words)-1))
}

// docs are the chunks of one repository: facts, and files of notes with five parts.
func (l *load) docs(repository, n int) []index.Doc {
	docs := make([]index.Doc, n)
	for i := range docs {
		words := make([]string, 40+l.rand.IntN(60))
		for j := range words {
			words[j] = l.words[l.zipf.Uint64()]
		}
		name := fmt.Sprintf("r%dc%d", repository, i)
		d := index.Doc{
			ID: name, Tier: index.TierFact, Scope: "project", Source: "facts/" + name, Path: "facts/" + name, Text: strings.Join(words, " "),
			Time: time.Date(2026, 1, 1, 0, 0, i*60, 0, time.UTC), Tags: []string{"load"},
		}
		if i%2 == 0 {
			d.Source = fmt.Sprintf("docs/%d.md", i/10)
			d.Tier, d.Path = index.TierNote, fmt.Sprintf("%s#L%d-L%d", d.Source, i%10*10+1, i%10*10+9)
		}
		if i%50 == 0 { // a question: some words of the chunk, common and rare ones
			l.asked = append(l.asked, [2]string{words[3] + " " + words[7] + " " + words[11] + " " + words[19] + " " + words[23], name})
		}
		docs[i] = d
	}
	return docs
}

// pushAll pushes one large repository and many of 500 chunks.
func (l *load) pushAll(t *testing.T, pg *pgtest.Server, db string) {
	large := *loadChunks / 5
	s := connect(t, pg, "writer", db)
	var cpu, all time.Duration
	one := func(i int, docs []index.Doc) (took time.Duration) {
		name := fmt.Sprintf("example.com/acme/repo-%d", i)
		start, used := time.Now(), pg.CPU()
		_, err := s.Push(t.Context(), postgres.PushRequest{
			Target: postgres.Target{Scope: "project", Root: fmt.Sprint(i), Remote: name, Name: name}, Commit: "c",
			Docs: each(docs),
		})
		if err != nil {
			t.Fatal(err)
		}
		cpu = pg.CPU() - used
		return time.Since(start)
	}
	docs := l.docs(0, large)
	t.Logf("push of %d chunks of one repository: %s; the server used %s; load %s", large, rate(large, one(0, docs)), cpu, loadAverage())
	t.Logf("push of the same again: %s; load %s", rate(large, one(0, docs)), loadAverage())
	for i := 0; i < large; i += 100 {
		docs[i].Text += " amended"
	}
	t.Logf("push of %d chunks of which 1 in 100 changed: %s; load %s", large, rate(large, one(0, docs)), loadAverage())
	var took time.Duration
	pushed := 0
	for i := 1; pushed < *loadChunks-large; i++ {
		docs := l.docs(i, min(500, *loadChunks-large-pushed))
		pushed += len(docs)
		took += one(i, docs)
		all += cpu
	}
	t.Logf("push of %d chunks of repositories with 500 each: %s; the server used %s; load %s", pushed, rate(pushed, took), all, loadAverage())
}

func (l *load) sizes(t *testing.T, pg *pgtest.Server, db string) string {
	return strings.TrimSpace(pg.Run(t, pgtest.Superuser, db, `SELECT format('%s chunks of %s bytes of text, %s bytes of the database each, %s of them in the index on words, %s rows of terms', count(*), avg(length(text))::int,
		pg_database_size(current_database()) / count(*), pg_relation_size('memctl.chunks_words') / count(*), (SELECT count(*) FROM memctl.terms)) FROM memctl.chunks`))
}

// steps are how long the parts of one recall took.
type steps struct{ connect, candidates, all time.Duration }

// recallOnce does what one recall asks of the server: connect, and look for candidates.
func (l *load) recallOnce(t *testing.T, dial postgres.Dial, pg *pgtest.Server, db string, asked [2]string) (took steps) {
	ctx, start := context.Background(), time.Now()
	s, err := dial(ctx, pg.URL("reader", db), 10*time.Second)
	if err != nil {
		t.Error(err)
		return took
	}
	took.connect = time.Since(start)
	l.candidates(t, s, asked)
	took.all = time.Since(start)
	took.candidates = took.all - took.connect
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	return took
}

func (l *load) candidates(t *testing.T, s postgres.Server, asked [2]string) {
	q := postgres.Query{}
	for _, term := range index.Terms(asked[0]) {
		q.Terms = append(q.Terms, index.WeightedTerm{Term: term, Weight: 1})
	}
	c, err := s.Candidates(context.Background(), q)
	if err != nil {
		t.Error(err)
		return
	}
	// Of a question with common words alone, more chunks than are looked at may have all of them.
	if len(c.Chunks) < 300 && !slices.ContainsFunc(c.Chunks, func(f postgres.FoundChunk) bool { return f.ID == asked[1] }) {
		t.Errorf("%q does not find %s among %d chunks", asked[0], asked[1], len(c.Chunks))
	}
}

// ask asks on one connection until a time.
func (l *load) ask(t *testing.T, s postgres.Server, until time.Time) {
	for i := 0; time.Now().Before(until); i++ {
		l.candidates(t, s, l.asked[i*7919%len(l.asked)])
	}
}

// crowd lets clients ask, each on a new connection for each question, or on one that it keeps. With a pause, each asks
// once in that time, at a moment of its own.
func (l *load) crowd(t *testing.T, pg *pgtest.Server, db string, clients int, pause time.Duration, keeps bool) (all []steps) {
	var mu sync.Mutex
	var wait sync.WaitGroup
	until := time.Now().Add(*loadFor)
	for i := range clients {
		wait.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 3))
			pool := new(pgclient.Pool)
			defer func() { pool.Close() }()
			time.Sleep(time.Duration(r.Float64() * float64(pause)))
			for time.Now().Before(until) {
				if !keeps {
					pool.Close()
				}
				took := l.recallOnce(t, pool.Connect, pg, db, l.asked[r.IntN(len(l.asked))])
				mu.Lock()
				all = append(all, took)
				mu.Unlock()
				time.Sleep(max(pause-took.all, 0))
			}
		})
	}
	wait.Wait()
	return all
}

func quantiles(list []steps) string {
	var said []string
	for _, part := range []struct {
		name string
		of   func(steps) time.Duration
	}{
		{"all", func(s steps) time.Duration { return s.all }},
		{"connect", func(s steps) time.Duration { return s.connect }},
		{"candidates", func(s steps) time.Duration { return s.candidates }},
	} {
		times := make([]time.Duration, len(list))
		for i := range list {
			times[i] = part.of(list[i])
		}
		slices.Sort(times)
		at := func(p float64) time.Duration {
			return times[min(int(p*float64(len(times))), len(times)-1)].Round(100 * time.Microsecond)
		}
		said = append(said, fmt.Sprintf("%s p50 %s p99 %s", part.name, at(0.5), at(0.99)))
	}
	return strings.Join(said, ", ")
}

func rate(n int, took time.Duration) string {
	return fmt.Sprintf("%s, %.0f a second", took.Round(time.Millisecond), float64(n)/took.Seconds())
}

// loadAverage is how busy the machine is.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "not known"
	}
	return strings.Fields(string(text))[0]
}
