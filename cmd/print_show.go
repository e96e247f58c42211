package cmd

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory/view"
)

// keyColumn is the widest key that the other lines are lined up with.
const keyColumn = 40

// showText is `show` for people: a heading a scope, a line an item.
func showText(r view.ShowResult, colour bool) string {
	var parts []string
	for _, scope := range r.Scopes {
		if len(scope.Items) > 0 || len(scope.Deletions) > 0 || scope.Salvaged {
			parts = append(parts, scopeText(scope, colour))
		}
	}
	return strings.Join(parts, "\n")
}

func scopeText(scope view.ScopeView, colour bool) string {
	var b strings.Builder
	b.WriteString(term.Strong.Paint(colour, scope.Scope) + "  " + inert(scope.Path))
	if !scope.Enabled {
		b.WriteString("  " + term.Warning.Paint(colour, "(disabled)"))
	}
	if scope.Salvaged {
		b.WriteString("  " + term.Bad.Paint(colour, "(damaged: these are the readable items; "+scope.Mend+" repairs it)"))
	}
	b.WriteByte('\n')
	items := term.Table{Indent: "  ", Max: keyColumn}
	for _, it := range scope.Items {
		addItem(&items, it)
	}
	_ = items.Write(&b, colour)
	if len(scope.Deletions) > 0 {
		b.WriteString("  " + term.Faint.Paint(colour, "forgotten") + "\n")
		gone := term.Table{Indent: "    ", Max: keyColumn}
		for _, d := range scope.Deletions {
			gone.Cells(term.Cell{Text: tombstoneName(d), Style: term.Faint}, term.Cell{Text: inert(d.Removed)}, term.Cell{Text: inert(d.Reason)})
			for _, aside := range setAside(d) {
				gone.Row("", "", aside)
			}
		}
		_ = gone.Write(&b, colour)
	}
	return b.String()
}

// addItem adds an item's line, and one for each other value in its conflict.
func addItem(t *term.Table, it view.ItemView) {
	value, style := plainLines(it.Value), term.Style("")
	if len(it.Withheld) > 0 {
		value, style = withheldText(it), term.Warning
	}
	if facts := itemFacts(it); facts != "" {
		value += "  (" + facts + ")"
	}
	t.Cells(term.Cell{Text: inert(cmp.Or(it.Key, "(an item)")), Style: term.Strong}, term.Cell{Text: value, Style: style})
	for i, rival := range it.Conflict {
		t.Row("", fmt.Sprintf("or %d: %s%s", i+1, plainLines(rival.Value), rivalFacts(rival)))
	}
}

// withheldText says why agents do not get the item. A value that the policy
// takes for a secret is not in the view at all.
func withheldText(it view.ItemView) string {
	why := "[withheld: " + strings.Join(it.Withheld, ", ") + "]"
	if text := plainLines(it.Value); text != "" && text != "null" {
		return text + " " + why
	}
	return why
}

// itemFacts is what stands behind a value: confidence, day, marks and tags.
func itemFacts(it view.ItemView) string {
	day := it.Updated
	if day == "" {
		day = it.Added
	}
	facts := []string{it.Confidence, day}
	if it.Pinned {
		facts = append(facts, "pinned")
	}
	if it.Locked {
		facts = append(facts, "locked")
	}
	if it.By != "" {
		facts = append(facts, it.By)
	}
	if it.Signals > 1 {
		facts = append(facts, strconv.Itoa(it.Signals)+" signals")
	}
	if it.Expires != "" {
		facts = append(facts, "expires "+it.Expires)
	}
	if len(it.Paths) > 0 {
		facts = append(facts, "in "+strings.Join(it.Paths, " "))
	}
	if len(it.Commands) > 0 {
		facts = append(facts, "at "+strings.Join(it.Commands, ", "))
	}
	if it.Ask {
		facts = append(facts, "ask")
	}
	if len(it.Tags) > 0 {
		facts = append(facts, "tags "+strings.Join(it.Tags, " "))
	}
	return joinFacts(facts)
}

func rivalFacts(r view.RivalView) string {
	text := joinFacts([]string{r.Confidence, r.Added, r.Source})
	if text == "" {
		return ""
	}
	return "  (" + text + ")"
}

// joinFacts lists what is not empty, as one plain line.
func joinFacts(facts []string) string {
	var said []string
	for _, fact := range facts {
		if fact != "" {
			said = append(said, inert(fact))
		}
	}
	return strings.Join(said, ", ")
}

// setAside says which values a merge kept with the tombstone, and the way back.
func setAside(d view.TombstoneView) []string {
	var list []string
	for _, r := range d.Conflict {
		list = append(list, "set aside: "+plain(r.Value)+rivalFacts(r)+"; memctl restore "+inert(d.Key))
	}
	return list
}

func tombstoneName(d view.TombstoneView) string {
	switch {
	case d.Key != "":
		return inert(d.Key)
	case d.Value != nil:
		return plain(*d.Value)
	case len(d.Withheld) > 0:
		return "[withheld: " + strings.Join(d.Withheld, ", ") + "]"
	}
	return "(a value)"
}

// leftOutText lists the items that are not in the profile.
func leftOutText(r view.ProfileResult) string {
	if len(r.LeftOut) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nLeft out:\n")
	t := term.Table{Indent: "  ", Max: keyColumn}
	for _, l := range r.LeftOut {
		t.Row(inert(cmp.Or(l.Key, "(an item)")), l.Scope, l.Why)
	}
	_ = t.Write(&b, false)
	return b.String()
}
