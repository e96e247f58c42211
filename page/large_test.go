package page

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestALargeMemoryIsListedByTheIndex has more entries than the page reads for one request.
func TestALargeMemoryIsListedByTheIndex(t *testing.T) {
	s := newSite(t, items([3]string{"style.tone", "be brief", "high"}), nil)
	const large = 200
	s.page.large = large
	folder := filepath.Join(s.box.Root, "memories", "entries", "project", "facts")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(i int, text string) {
		id := fmt.Sprintf("%08x-0000-4000-8000-%012x", uint32(i)*2654435761, i)
		made := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * time.Minute).Format("2006-01-02T15:04:05.000Z")
		file := fmt.Sprintf("---\nid: %q\nrole: memory\nconversation_id: \"project\"\ncreated_at: %q\ncategory: fact\nconfidence: high\n---\n\n%s\n", id, made, text)
		if err := os.WriteFile(filepath.Join(folder, id+".md"), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range large - 1 {
		write(i, fmt.Sprintf("the service number %d listens on its own port", i))
	}
	few := s.get("memory")
	s.has("all are read", few.text, "number 198 listens", "200 memories")
	s.lacks("all are read", few.text, `id="large"`)

	write(large-1, "the gateway reads amberkey first")
	write(large, "my password is hunter2 and the token is ghp_"+"abcdefghijklmnopqrstuvwxyz0123456789")
	many := s.get("memory")
	s.has("the newest", many.text, "style.tone", "amberkey", "number 101 listens", "201 memories", "100 of 201 shown", `id="large"`)
	s.lacks("the newest", many.text, "number 100 listens", "withheld: secret")
	s.has("more", s.get("memory?n=300").text, "number 0 listens")
	s.has("items alone", s.get("memory?tier=item").text, "style.tone", "1 of 201")
	s.has("a search", s.get("memory?q=amberkey").text, "the gateway reads", "of 201")
	s.has("all", s.get("memory?all=1").text, "withheld: secret", "202 memories")
}
