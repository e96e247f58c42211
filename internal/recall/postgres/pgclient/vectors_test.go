package pgclient_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/recall/postgres"
	"github.com/memctl/memctl/tests/pgtest"
)

// standIn has what memctl uses of the extension vector, for servers without it. Its vectors are JSON.
const standIn = `
CREATE DOMAIN public.vector AS jsonb;
CREATE FUNCTION public.vector_dims(v public.vector) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT jsonb_array_length(v) $$;
CREATE FUNCTION public.distance(a public.vector, b public.vector) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
  SELECT 1 - sum(x.v::float8 * y.v::float8) / sqrt(sum(x.v::float8 ^ 2) * sum(y.v::float8 ^ 2))
  FROM jsonb_array_elements_text(a) WITH ORDINALITY x(v, n) JOIN jsonb_array_elements_text(b) WITH ORDINALITY y(v, n) USING (n) $$;
CREATE OPERATOR public.<=> (FUNCTION = public.distance, LEFTARG = public.vector, RIGHTARG = public.vector);
`

// TestTheNearestChunksAreFound pushes with an embedder, whose vectors say how often a text has the letters a and b.
func TestTheNearestChunksAreFound(t *testing.T) {
	pg := pgtest.Start(t)
	vector := standIn
	if strings.TrimSpace(pg.Run(t, pgtest.Superuser, "postgres", "SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'")) == "1" {
		vector = "" // the schema creates the extension
		t.Log("with pgvector")
	}
	db := pg.Database(t)
	pg.Run(t, pgtest.Superuser, db, vector+postgres.SchemaSQL()+postgres.GroupSQL("backend", api)+
		postgres.PersonSQL("ada", []string{"backend"}, false)+postgres.PersonSQL("ci", []string{"backend"}, true)+postgres.PersonSQL("eve", nil, false))
	ci := connect(t, pg, "ci", db)
	push := func(model string, texts ...string) int {
		t.Helper()
		out, err := ci.Push(t.Context(), postgres.PushRequest{Target: api, Commit: "c", Docs: each(facts(texts...)), Model: model, Embed: func(_ context.Context, texts []string) (list [][]float32, err error) {
			for _, text := range texts {
				list = append(list, []float32{float32(strings.Count(text, "a")), float32(strings.Count(text, "b"))})
			}
			return list, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		return out.Embedded
	}
	near := func(role, model string, vector ...float32) string {
		t.Helper()
		c, err := connect(t, pg, role, db).Candidates(t.Context(), postgres.Query{Vector: vector, Model: model, MaxNearest: 2})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range c.Nearest {
			if f.Nearness < 0.5 || f.Nearness > 1.001 {
				t.Errorf("%s: the nearness of %s is %v", role, f.ID, f.Nearness)
			}
			names = append(names, f.ID)
		}
		return strings.Join(names, " ")
	}
	texts := []string{"x", "aaaa", "y", "aaab", "z", "bbbb"}
	if n := push("one", texts...); n != 3 {
		t.Errorf("%d texts got a vector, want 3", n)
	}
	if n := push("one", slices.Concat(texts, []string{"w", "bbbb"})...); n != 0 {
		t.Errorf("a text that has a vector: %d more", n)
	}
	for _, c := range []struct {
		role, model, want string
		dims              []float32
	}{
		{"ada", "one", "id-x id-y", []float32{1, 0}},
		{"ci", "one", "id-x id-y", []float32{2, 0}},
		{"eve", "one", "", []float32{1, 0}},
		{"ada", "another", "", []float32{1, 0}},
		{"ada", "one", "", []float32{1, 0, 0}},
	} {
		if got := near(c.role, c.model, c.dims...); got != c.want {
			t.Errorf("%s finds %q with %v of %s, want %q", c.role, got, c.dims, c.model, c.want)
		}
	}
	if n := push("two", texts...); n != 3 || near("ada", "two", 1, 0) != "id-x id-y" || near("ada", "one", 1, 0) != "" {
		t.Errorf("another model: %d texts, %q", n, near("ada", "two", 1, 0))
	}
}
