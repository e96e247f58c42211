package txn

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/storetest"
)

// TestMain gives git and memctl a home of their own, so that nobody's settings decide what the
// tests see. Run as a child, it holds a lock or adds items instead: see hold.
func TestMain(m *testing.M) {
	if path := os.Getenv("STORE_TEST_HOLD"); path != "" {
		os.Exit(holdAsChild(path))
	}
	if dir := os.Getenv("STORE_TEST_ADD"); dir != "" {
		os.Exit(addAsChild(dir))
	}
	os.Exit(storetest.RunTests(m))
}

// add is a write that adds an item; automatic as an agent's own would be.
func add(key string, automatic bool) Write {
	return Write{Act: "add", Keys: []string{key}, Source: "test", Clean: automatic, Wait: time.Second, Change: func(doc *Draft) error {
		doc.Items = append(doc.Items, memfile.Item{Key: key, Value: memfile.Str("value of " + key), Added: "2026-03-01", Labels: labels.Labels{Source: "test", Confidence: memfile.High}})
		return nil
	}}
}

// must is a write that shall succeed.
func must(b *storetest.Box, w Write) Outcome {
	b.T.Helper()
	out, err := Update(context.Background(), b.Project(), w)
	if err != nil {
		b.T.Fatalf("%s: %v", w.Act, err)
	}
	return out
}
