package cmd

import (
	"fmt"
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
)

const formatMarkdown = "markdown"

// maxTableRows keeps a table within what a summary on a hosting site holds.
const maxTableRows = 200

// changesTable is `diff` as a Markdown table.
func changesTable(changes []view.Change) string {
	if len(changes) == 0 {
		return "No change of memory.\n"
	}
	var b strings.Builder
	b.WriteString("| | key | before | after | what else |\n|---|---|---|---|---|\n")
	for i, c := range changes {
		if i == maxTableRows {
			fmt.Fprintf(&b, "\nand %s more.\n", count(len(changes)-i, "change"))
			break
		}
		before, after := "", ""
		if c.Before != nil {
			before = cell(plain(*c.Before))
		}
		if c.After != nil {
			after = cell(plain(*c.After))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", changeWord(c), cell(changeName(c)), before, after, cell(changeNote(c)))
	}
	return b.String()
}

func changeWord(c view.Change) string {
	if c.Kind == memfile.DeltaTombstone || c.Act == "forgotten" {
		return c.Act
	}
	return c.Change
}

func changeNote(c view.Change) string {
	var notes []string
	if c.Hidden() {
		notes = append(notes, "withheld: "+c.Rules())
	}
	for _, f := range c.Fields {
		notes = append(notes, f.Name+": "+arrow(f.Before, f.After))
	}
	if c.Source != "" {
		notes = append(notes, c.Source)
	}
	return inert(strings.Join(notes, "; "))
}

// maxCell cuts what would make a row unreadable, in runes.
const maxCell = 200

// cell is text as a cell of a Markdown table that shows it as it is: nothing in
// it is markup, a link, an image or a mention to the site that renders it.
func cell(text string) string {
	if text == "" {
		return ""
	}
	text = policy.Cut(text, maxCell)
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '@' || r == '#':
			// A character reference stops a mention, and looks the same.
			fmt.Fprintf(&b, "&#%d;", r)
		case strings.ContainsRune("&<>", r):
			b.WriteString(map[rune]string{'&': "&amp;", '<': "&lt;", '>': "&gt;"}[r])
		case strings.ContainsRune("\\`*_{}[]()!|~$:-+.=", r):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
