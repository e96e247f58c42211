package cache

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/managed"
)

// sectionBytes is the most that a chunk of an instruction file has. Each of its sections is a chunk of its own.
const sectionBytes = 600

// chunkBytes is the size of a chunk: a text is cut before the paragraph that would take a
// chunk over it, once it has half of it; one paragraph that is longer is cut between lines,
// and one such line at a space.
const chunkBytes = 1000

// chunk is a part of a text, byte for byte: whole lines, and the headings that they
// stand under.
type chunk struct {
	text        string
	first, last int // lines, from 1
	headings    []string
}

func (c chunk) lines() string { return "#L" + strconv.Itoa(c.first) + "-L" + strconv.Itoa(c.last) }

// sections cuts an instruction file at its headings too. Lines that memctl wrote are left out.
func sections(text string) []chunk {
	cut := &cutter{text: managed.BlankMarkedParts(text), most: sectionBytes, sections: true}
	return cut.all(1)
}

// chunks cuts a text whose first line has the given number at paragraphs and headings.
func chunks(text string, first, size int) []chunk {
	cut := &cutter{text: text, most: size}
	return cut.all(first)
}

type cutter struct {
	text     string
	most     int  // bytes of a chunk
	sections bool // each section is a chunk
	list     []chunk
	now      chunk
	from, to int  // where it stands; none where they are equal
	said     bool // it has more than headings
	blank    bool // a line that says nothing was the last
	fenced   bool
	headings []string
}

func (c *cutter) all(first int) []chunk {
	text, size, at := c.text, c.most, 0
	for line := range strings.Lines(text) {
		from, to := at, at+len(strings.TrimRight(line, " \t\r\n"))
		for to-from > size {
			end := from + size
			if space := strings.LastIndexByte(text[from:end], ' '); space > 0 {
				end = from + space
			}
			for range min(utf8.UTFMax, end-from) - 1 {
				if !utf8.RuneStart(text[end]) {
					end--
				}
			}
			c.add(from, end, first)
			for from = end; text[from] == ' '; from++ {
			}
		}
		c.add(from, to, first)
		at += len(line)
		first++
	}
	c.end()
	return c.list
}

// add takes the next line, or a part of one, into the chunk or begins another.
func (c *cutter) add(from, to, n int) {
	line := c.text[from:to]
	if strings.TrimSpace(line) == "" {
		c.blank = true
		return
	}
	if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
		c.fenced = !c.fenced
	}
	level := 0
	if !c.fenced {
		level = heading(line)
	}
	if c.to-c.from >= c.most/2 && (level > 0 || c.blank && !c.fenced) || c.sections && c.said && level > 0 || to-c.from > c.most {
		c.end()
	}
	if level > 0 {
		above := c.headings[:min(level-1, len(c.headings))]
		c.headings = append(above[:len(above):len(above)], strings.TrimSpace(strings.TrimLeft(line, "#")))
	}
	if c.to == c.from {
		c.now, c.from = chunk{first: n, headings: c.headings}, from
	}
	c.to, c.now.last, c.blank, c.said = to, n, false, c.said || level == 0
}

func (c *cutter) end() {
	if c.to > c.from {
		c.now.text = c.text[c.from:c.to]
		c.list = append(c.list, c.now)
	}
	c.from, c.said = c.to, false
}

// heading is the level of an ATX heading; 0 for any other line.
func heading(line string) int {
	level := len(line) - len(strings.TrimLeft(line, "#"))
	if level == 0 || level > 6 || len(line) == level || line[level] != ' ' {
		return 0
	}
	return level
}
