package session

import (
	"fmt"
	"testing"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
)

// BenchmarkBuild builds the profile of 500 items.
func BenchmarkBuild(b *testing.B) {
	m := &contents.Memory{Store: &store.Store{Scope: store.Project}, Settings: memfile.Settings{Enabled: true}}
	for i := range 500 {
		m.Items = append(m.Items, contents.Item{Item: memfile.Item{
			Key: fmt.Sprintf("area%d.thing-%d", i%25, i), Value: memfile.Str("use the approach that we agreed on, and keep it short"),
			Added: fmt.Sprintf("2026-11-%02d", 1+i%28), Labels: labels.Labels{Confidence: memfile.High},
		}})
	}
	m.Judge("2026-11-21")
	for b.Loop() {
		Build([]*contents.Memory{m}, Conditions{Folder: "."})
	}
}
