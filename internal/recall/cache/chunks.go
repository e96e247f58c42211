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
	text                string
	firstLine, lastLine int // lines, from 1
	headings            []string
}

func (c chunk) lineAnchor() string {
	return "#L" + strconv.Itoa(c.firstLine) + "-L" + strconv.Itoa(c.lastLine)
}

// chunksBySection cuts an instruction file at its headings too. Lines that memctl wrote are left out.
func chunksBySection(text string) []chunk {
	cut := &chunker{text: managed.BlankMarkedParts(text), maxBytes: sectionBytes, sections: true}
	return cut.cutAll(1)
}

// chunksBySize cuts a text whose first line has the given number at paragraphs and headings.
func chunksBySize(text string, first, size int) []chunk {
	cut := &chunker{text: text, maxBytes: size}
	return cut.cutAll(first)
}

type chunker struct {
	text           string
	maxBytes       int  // bytes of a chunk
	sections       bool // each section is a chunk
	done           []chunk
	current        chunk
	from, to       int  // the range of the current chunk; empty where they are equal
	hasText        bool // the chunk has more than headings
	afterBlankLine bool // the last line was blank
	inFence        bool
	headings       []string
}

func (c *chunker) cutAll(first int) []chunk {
	text, size, at := c.text, c.maxBytes, 0
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
			c.addLine(from, end, first)
			for from = end; text[from] == ' '; from++ {
			}
		}
		c.addLine(from, to, first)
		at += len(line)
		first++
	}
	c.endChunk()
	return c.done
}

// addLine takes the next line, or a part of one, into the chunk or begins another.
func (c *chunker) addLine(from, to, n int) {
	line := c.text[from:to]
	if strings.TrimSpace(line) == "" {
		c.afterBlankLine = true
		return
	}
	if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
		c.inFence = !c.inFence
	}
	level := 0
	if !c.inFence {
		level = headingLevel(line)
	}
	if c.to-c.from >= c.maxBytes/2 && (level > 0 || c.afterBlankLine && !c.inFence) || c.sections && c.hasText && level > 0 || to-c.from > c.maxBytes {
		c.endChunk()
	}
	if level > 0 {
		above := c.headings[:min(level-1, len(c.headings))]
		c.headings = append(above[:len(above):len(above)], strings.TrimSpace(strings.TrimLeft(line, "#")))
	}
	if c.to == c.from {
		c.current, c.from = chunk{firstLine: n, headings: c.headings}, from
	}
	c.to, c.current.lastLine, c.afterBlankLine, c.hasText = to, n, false, c.hasText || level == 0
}

func (c *chunker) endChunk() {
	if c.to > c.from {
		c.current.text = c.text[c.from:c.to]
		c.done = append(c.done, c.current)
	}
	c.from, c.hasText = c.to, false
}

// headingLevel is the level of an ATX heading; 0 for any other line.
func headingLevel(line string) int {
	level := len(line) - len(strings.TrimLeft(line, "#"))
	if level == 0 || level > 6 || len(line) == level || line[level] != ' ' {
		return 0
	}
	return level
}
