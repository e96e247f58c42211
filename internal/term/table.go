package term

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// columnGap stands between two columns of a table.
const columnGap = "  "

// Cell is one field of a table, with the style that a terminal shows it in.
type Cell struct {
	Text  string
	Style Style // "" for plain
}

// Table aligns cells in columns. The last cell of a row is never padded, so that a line ends
// where its text ends. It may have several lines, which all start in its column.
type Table struct {
	Indent   string // before every row
	MaxWidth int    // the widest that a column but the last makes the others wait for, in columns of the terminal; 0 is no limit
	rows     [][]Cell
}

// AddRow adds one row of plain text.
func (t *Table) AddRow(texts ...string) {
	row := make([]Cell, len(texts))
	for i, text := range texts {
		row[i].Text = text
	}
	t.rows = append(t.rows, row)
}

// AddCells adds one row of styled cells.
func (t *Table) AddCells(row ...Cell) { t.rows = append(t.rows, row) }

// Text is the rows as lines, with colour where it is wanted.
func (t *Table) Text(colour bool) string {
	widths := t.widths()
	var b strings.Builder
	for _, row := range t.rows {
		row = trimEmptyCells(row)
		b.WriteString(t.Indent)
		column := Width(t.Indent)
		for i, cell := range row {
			if i == len(row)-1 {
				b.WriteString(cellText(cell, column, colour))
				break
			}
			b.WriteString(cell.Style.Paint(colour, cell.Text))
			width := max(widths[i], Width(cell.Text))
			b.WriteString(strings.Repeat(" ", width-Width(cell.Text)) + columnGap)
			column += width + len(columnGap)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// cellText is a cell's text, with each line after the first starting in the column.
func cellText(cell Cell, column int, colour bool) string {
	lines := strings.Split(cell.Text, "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = cell.Style.Paint(colour, line)
		}
	}
	return IndentRest(strings.Join(lines, "\n"), strings.Repeat(" ", column))
}

// IndentRest is a text with the indent before each line but the first. Empty lines stay empty.
func IndentRest(text, indent string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if i > 0 && line != "" {
			lines[i] = indent + line
		}
	}
	return strings.Join(lines, "\n")
}

func trimEmptyCells(row []Cell) []Cell {
	for len(row) > 0 && row[len(row)-1].Text == "" {
		row = row[:len(row)-1]
	}
	return row
}

// widths are the columns' widths, in columns of the terminal. A row of one cell is a heading
// or a sentence: no column waits for it.
func (t *Table) widths() []int {
	var widths []int
	for _, row := range t.rows {
		if row = trimEmptyCells(row); len(row) == 1 {
			continue
		}
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			width := Width(cell.Text)
			if t.MaxWidth > 0 && width > t.MaxWidth {
				continue
			}
			widths[i] = max(widths[i], width)
		}
	}
	return widths
}

// Width is how many columns of a terminal the text takes: two for a wide character of East
// Asia or an emoji, none for a mark that joins the character before it.
func Width(text string) int {
	columns := 0
	for _, r := range text {
		switch {
		case r < 0x300:
			columns++
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case isWide(r):
			columns += 2
		default:
			columns++
		}
	}
	return columns
}

func isWide(r rune) bool {
	kind := width.LookupRune(r).Kind()
	return kind == width.EastAsianWide || kind == width.EastAsianFullwidth
}
