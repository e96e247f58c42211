package capture

import (
	"bytes"
	"slices"
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
)

// pointer tells agents and people without memctl where the lines are that Without took.
const pointer = "This file continues in `" + memfile.FileName + "`: memctl gives its rules to agents when a session starts; without memctl, read it."

// Pointed returns what Without left, with a last line that says where the others are.
func Pointed(left []byte) []byte {
	if bytes.Contains(left, []byte(pointer)) {
		return left
	}
	end := "\n"
	if merge.MostlyCRLF(left) {
		end = "\r\n"
	}
	if left = bytes.TrimRight(left, "\r\n"); len(left) > 0 {
		left = append(slices.Clip(left), end+end...)
	}
	return append(slices.Clip(left), pointer+end...)
}

// Unpointed returns the file without that line.
func Unpointed(file []byte) []byte {
	before, after, there := bytes.Cut(file, []byte(pointer))
	if !there {
		return file
	}
	if before = bytes.TrimRight(before, "\r\n"); len(before) == 0 {
		after = bytes.TrimLeft(after, "\r\n")
	}
	return slices.Concat(before, after)
}

// Without returns a file of instructions without the lines whose candidates gone names, and the parts that it lacks.
// A line stays if it introduces lines that stay. A heading goes with the last line below it. The file is read as its
// name says, and comes back as it was if none of its lines can go. Errors: those of Read.
func Without(f File, gone func(Candidate) bool) (left []byte, cut []Part, err error) {
	res, err := Read("", []File{f})
	if err != nil || len(res.Candidates) == 0 {
		return f.Data, nil, err
	}
	c := cutting{parts: res.Parts, text: slices.Collect(bytes.Lines(f.Data)), gone: make([]bool, len(res.Candidates)+1)}
	for i, candidate := range res.Candidates {
		c.gone[i+1] = gone(candidate)
	}
	for c.keepIntroduced() {
	}
	if !slices.ContainsFunc(c.parts, c.goes) {
		return f.Data, nil, nil
	}
	left, cut = c.rest()
	return left, cut, nil
}

// cutting is one file that loses lines.
type cutting struct {
	parts []Part
	text  [][]byte // the lines
	gone  []bool   // the candidates whose lines go, counted from 1
	kept  map[int]bool
}

func (c *cutting) goes(p Part) bool { return c.gone[p.Candidate] && !c.kept[p.Line] }

// keepIntroduced keeps parts that introduce something that stays, and reports whether it kept one more.
func (c *cutting) keepIntroduced() (more bool) {
	if c.kept == nil {
		c.kept = map[int]bool{}
	}
	for i, p := range c.parts {
		if !c.goes(p) {
			continue
		}
		for _, below := range c.introduced(i) {
			if c.goes(below) || below.Kind == partComment {
				continue
			}
			c.kept[p.Line], more = true, true
			if below.Candidate == 0 { // a step keeps its code, and steps stay together
				c.gone[p.Candidate] = false
			}
			break
		}
	}
	return more
}

// introduced are the parts that say nothing without part i: below a list item what is indented more, below
// a line that ends with a colon its list, or the one part after it.
func (c *cutting) introduced(i int) []Part {
	p := c.parts[i]
	end := i + 1
	switch {
	case p.Kind == partItem:
		for end < len(c.parts) && c.indent(c.parts[end]) > c.indent(p) {
			end++
		}
	case p.Kind == partText && strings.HasSuffix(strings.TrimRight(c.line(p.Last), "*_ \t\r\n"), ":"):
		for end < len(c.parts) && (c.parts[end].Kind == partItem || c.indent(c.parts[end]) > 0) {
			end++
		}
		if end == i+1 && end < len(c.parts) && c.parts[end].Kind != partHeading {
			end++
		}
	}
	return c.parts[i+1 : end]
}

func (c *cutting) line(n int) string { return string(c.text[n-1]) }

func (c *cutting) indent(p Part) int {
	line := strings.ReplaceAll(c.line(p.Line), "\t", "    ")
	return len(line) - len(strings.TrimLeft(line, " "))
}

// section is a heading with what is below it, as far as a file loses lines.
type section struct {
	level int
	stays bool // something below the heading stays
	lost  bool // something below it goes
}

// rest is what stays of the file, and the parts that go.
func (c *cutting) rest() (left []byte, cut []Part) {
	drop, ours := map[int]bool{}, false
	dropPart := func(p Part) {
		cut = append(cut, p)
		for n := p.Line; n <= p.Last; n++ {
			drop[n] = true
		}
	}
	var below []section // the sections after the one under way, the nearest last
	var own section
	for _, p := range slices.Backward(c.parts) {
		switch {
		case p.Kind == partHeading:
			own.level = c.level(p)
			for len(below) > 0 && below[len(below)-1].level > own.level {
				last := below[len(below)-1]
				own.stays, own.lost, below = own.stays || last.stays, own.lost || last.lost, below[:len(below)-1]
			}
			if own.lost && !own.stays {
				dropPart(p)
			} else {
				own.stays = true
			}
			below, own = append(below, own), section{}
		case c.goes(p):
			dropPart(p)
			own.lost = true
		case p.Kind == partOurs:
			ours = true
		case p.Kind != partComment && p.Kind != partRule && strings.TrimSpace(c.line(p.Line)) != pointer:
			own.stays = true
		}
	}
	slices.Reverse(cut)
	if !own.stays && !ours && !slices.ContainsFunc(below, func(s section) bool { return s.stays }) {
		return []byte{}, cut
	}
	return c.joined(drop), cut
}

// level is that of a heading.
func (c *cutting) level(p Part) int {
	if level, _ := headingOf(strings.TrimSpace(c.line(p.Line))); level > 0 {
		return level
	}
	if strings.HasPrefix(strings.TrimSpace(c.line(p.Last)), "=") {
		return 1
	}
	return 2
}

// joined is the file without some lines. Where they stood, one blank line is enough.
func (c *cutting) joined(drop map[int]bool) []byte {
	var out bytes.Buffer
	cut, blank, blanks := false, true, 0
	for i, line := range c.text {
		empty := len(bytes.TrimSpace(line)) == 0
		switch {
		case drop[i+1]:
			cut = true
			continue
		case empty && cut && blank:
			continue
		case !empty:
			cut = false
		}
		if blank = empty; empty {
			blanks += len(line)
		} else {
			blanks = 0
		}
		out.Write(line)
	}
	if cut {
		out.Truncate(out.Len() - blanks)
	}
	return out.Bytes()
}
