package states

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const (
	page  = "README.md"
	begin = "<!-- states: go test ./tests/states -update writes what follows -->\n"
	end   = "<!-- /states -->\n"
)

// TestDocs compares the table in README.md with the rows.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	now, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no part between %q and %q", page, begin, end)
	}
	want := table(allRows())
	if now == want {
		return
	}
	if !*update {
		t.Fatalf("the states in %s are not those of the suite; `go test ./tests/states -update` mends it:\n%s", page, differ(now, want))
	}
	if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// table is the rows as Markdown, a table for each group.
func table(rows []row) string {
	var b strings.Builder
	group := ""
	for _, r := range rows {
		if r.group != group {
			group = r.group
			fmt.Fprintf(&b, "\n**%s**\n\n| state | what memctl does | what commits it later |\n|---|---|---|\n", group)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.name, r.sentence(), r.later)
	}
	b.WriteString("\n**Called by a git that continues afterwards**\n\n| where memctl is called | what memctl does | what commits it later |\n|---|---|---|\n")
	for _, p := range inside() {
		does, later := "commits", ""
		if !p.plain {
			does, later = inQueue+": `"+waitsInside+"`", nextAct
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", p.name, does, later)
	}
	return b.String() + "\n"
}

// inQueue is what memctl does where it may touch no file.
const inQueue = "touches no file, the write waits in the queue"

// sentence says what memctl does in the state.
func (r row) sentence() string {
	switch {
	case r.want.kind == commits && r.does == "":
		return "commits"
	case r.want.kind == defers && r.does == "":
		return "writes the file, commits nothing: `" + strings.ReplaceAll(r.want.why, "`", "") + "`"
	case r.want.kind == queues:
		return inQueue + ": `" + r.want.why + "`"
	case r.want.kind == defers:
		return r.does + ": `" + r.want.why + "`"
	}
	return r.does
}

// TestRowsAreSaid: a row that does not commit says what it does, and one whose
// write waits says what will commit it.
func TestRowsAreSaid(t *testing.T) {
	for _, r := range allRows() {
		if (r.want.kind == defers || r.want.kind == queues) && r.later == "" {
			t.Errorf("%q: what commits it later?", r.name)
		}
		if (r.want.kind == refuses || r.want.kind == absent) && r.does == "" {
			t.Errorf("%q: what does memctl do?", r.name)
		}
		if strings.ContainsAny(r.name+r.sentence()+r.later, "|\n") {
			t.Errorf("%q: would break the table", r.name)
		}
	}
}
