//go:build e2e

package e2e

import (
	"bufio"
	"context"
	"fmt"
	"iter"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/recall/postgres"
	"github.com/memctl/memctl/internal/recall/postgres/pgclient"
)

// pglite serves PostgreSQL with pgvector, which few machines have, over a socket.
const pglite = `import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
const db = await PGlite.create({ extensions: { vector } })
await new PGLiteSocketServer({ db, port: Number(process.argv[2]), host: '127.0.0.1' }).start()
console.log('ready')
`

func startPGlite(t *testing.T) string {
	t.Helper()
	server := install(t, "pglite-server", "@electric-sql/pglite", "@electric-sql/pglite-socket", "@electric-sql/pglite-pgvector")
	script := filepath.Join(filepath.Dir(server), "..", "..", "serve.mjs") // beside the packages, which it imports
	if err := os.WriteFile(script, []byte(pglite), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	c := exec.Command("node", script, fmt.Sprint(port))
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("PGlite says %q: %v", line, err)
	}
	return fmt.Sprintf("postgres://postgres:postgres@127.0.0.1:%d/postgres?sslmode=disable", port)
}

// TestVectorsOfTheSharedIndex pushes texts with an embedder, lets a text be found by its vector alone, fills in
// what is missing, and changes the model.
func TestVectorsOfTheSharedIndex(t *testing.T) {
	s, err := new(pgclient.Pool).Connect(t.Context(), startPGlite(t), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if has, err := s.HasVectors(t.Context()); err != nil || !has {
		t.Fatalf("there are no vectors: %v", err)
	}
	target := postgres.Target{Scope: "user", Name: "user"}
	docs := func(texts ...string) iter.Seq2[postgres.Doc, error] {
		return func(yield func(postgres.Doc, error) bool) {
			for i, text := range texts {
				if !yield(postgres.Doc{Doc: index.Doc{ID: fmt.Sprint("id", i), Tier: index.TierFact, Scope: "user", Source: fmt.Sprint("f", i), Path: fmt.Sprint("f", i), Text: text}}, nil) {
					return
				}
			}
		}
	}
	embed := func(_ context.Context, texts []string) ([][]float32, error) {
		var list [][]float32
		for _, text := range texts {
			v := []float32{0.1, 0.1}
			if strings.Contains(text, "automobile") || strings.Contains(text, "car") {
				v[0] = 1
			} else {
				v[1] = 1
			}
			list = append(list, v)
		}
		return list, nil
	}
	push := func(model string, e postgres.Embedder, texts ...string) postgres.Pushed {
		t.Helper()
		out, err := s.Push(t.Context(), postgres.PushRequest{Target: target, Commit: "c", Docs: docs(texts...), Embed: e, Model: model})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	near := func(model string) string {
		t.Helper()
		c, err := s.Candidates(t.Context(), postgres.Query{Vector: []float32{1, 0}, Model: model, MaxNearest: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Nearest) != 1 {
			return ""
		}
		return c.Nearest[0].Text
	}
	if out := push("m", embed, "the automobile", "the kitten"); out.Embedded != 2 || near("m") != "the automobile" {
		t.Errorf("%d texts are embedded, and %q is near", out.Embedded, near("m"))
	}
	if out := push("m", nil, "a car", "the kitten"); out.Embedded != 0 || near("m") != "the kitten" {
		t.Errorf("without an embedder %d texts are embedded, and %q is near", out.Embedded, near("m"))
	}
	if out := push("m", embed, "a car", "the kitten"); out.Embedded != 1 || near("m") != "a car" {
		t.Errorf("then %d texts are embedded, and %q is near", out.Embedded, near("m"))
	}
	if out := push("other", embed, "a car", "the kitten"); out.Embedded != 2 || near("m") != "" || near("other") != "a car" {
		t.Errorf("of another model %d texts are embedded; %q and %q are near", out.Embedded, near("m"), near("other"))
	}
}
