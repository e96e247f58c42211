package setup

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// TeamNotes are the project's facts as a Markdown file beside its memory file, under a heading for each category, without those that
// the policy withholds. There is no data without facts. Errors: the files cannot be read.
func TeamNotes(ctx context.Context, ss *store.Stores) (notes Kept, err error) {
	st, err := ss.Get(ctx, store.Project)
	if err != nil || ss.Root() == "" || st.Dir == "" {
		return notes, nil
	}
	all, err := contents.NewView(ctx, ss, contents.Person).AllEntries(store.Project)
	if err != nil {
		return notes, err
	}
	sections := map[string]string{}
	var order []string
	for _, e := range all.Live(ss.Today()) {
		if e.Tier() != entry.Fact || e.Hidden() {
			continue
		}
		category := e.Category
		if category == "" {
			category = "fact"
		}
		if !slices.Contains(order, category) {
			order = append(order, category)
		}
		day, _, _ := strings.Cut(e.Created, "T")
		if !memory.Confirmed(&e) {
			day += ", unconfirmed"
		}
		sections[category] += policy.Inert("- "+strings.Join(strings.Fields(e.Text), " ")+" ("+day+")") + "\n"
	}
	if len(order) == 0 {
		return notes, nil
	}
	slices.Sort(order)
	text := "# Team notes\n\nThe facts that this project's memory had on " + ss.Today() + ".\n"
	for _, category := range order {
		text += "\n## " + strings.ToUpper(category[:1]) + category[1:] + "\n\n" + sections[category]
	}
	notes = Kept{Name: "team-notes.md", Data: []byte(text)}
	for n := 2; ; n++ {
		if _, err := os.Lstat(filepath.Join(st.Dir, notes.Name)); err != nil {
			return notes, nil
		}
		notes.Name = "team-notes-" + strconv.Itoa(n) + ".md"
	}
}
