package policy

import (
	"strconv"
	"strings"

	"github.com/memctl/memctl/memfile"
)

// part is one string of a candidate, with what several rules want to know of
// it worked out once.
type part struct {
	where  string
	text   string
	lower  string // as text, with ASCII letters in lower case: same length, same offsets
	pairs  pairs
	ascii  bool
	digit  bool // holds a digit
	mark   bool // holds a mark that sets a value apart: = : " ' ` - / @ < and the like
	plain  bool // one word of small letters
	long   bool // holds a run of sixteen bytes that a credential could be
	unseen bool // holds a control character, or what is no ASCII
}

func newPart(where, text string) part {
	var p part
	p.read(where, text)
	return p
}

// read makes a part of a text, in one pass.
func (p *part) read(where, text string) {
	p.where, p.text, p.lower = where, text, text
	seen, run, last := uint32(0), 0, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		k := class(c)
		seen |= k
		if k&opaques != 0 {
			run++
		} else {
			p.long = p.long || run >= shortest
			run = 0
		}
		p.pairs.note(last, c)
		last = c
	}
	p.long = p.long || run >= shortest
	p.ascii = seen&high == 0
	p.digit = seen&digits != 0
	p.mark = seen&marks != 0
	p.unseen = seen&unseen != 0
	p.plain = seen&^lowers == 0 && seen != 0 || text == ""
	if seen&uppers != 0 {
		p.lower = lowerASCII(text)
	}
}

// shortest is the least length of a credential with a shape.
const shortest = 16

// lowerASCII keeps every offset, which strings.ToLower does not: some letters
// change their length with their case.
func lowerASCII(s string) string {
	b := make([]byte, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		b[i] = c
	}
	return string(b)
}

// inValue reports whether the part belongs to the value itself.
func (p *part) inValue() bool {
	return p.where == "value" || strings.HasPrefix(p.where, "value.") || strings.HasPrefix(p.where, "value[")
}

// gather lists every string of the candidate that would be stored, after those
// that are there.
func gather(c *Candidate, parts []part) []part {
	parts = appendPart(parts, "key", c.Key)
	if isScalar(c.Value) {
		parts = appendPart(parts, "value", c.Value.Text)
	} else {
		for _, t := range appendStrings(nil, "value", c.Value) {
			parts = appendPart(parts, t.Where, t.Text)
		}
	}
	parts = appendPart(parts, "source", c.Source)
	for i, t := range c.Tags {
		parts = appendPart(parts, tagPlace(i), t)
	}
	for i, t := range c.Paths {
		parts = appendPart(parts, "paths"+index(i), t)
	}
	for i, t := range c.Commands {
		parts = appendPart(parts, "commands"+index(i), t)
	}
	parts = appendPart(parts, "reason", c.Reason)
	parts = appendPart(parts, "message", c.Message)
	for _, t := range c.Other {
		parts = appendPart(parts, t.Where, t.Text)
	}
	return parts
}

func appendPart(parts []part, where, text string) []part {
	if text == "" {
		return parts
	}
	if n := len(parts); n < cap(parts) {
		parts = parts[:n+1] // empty, as a bench is left
	} else {
		parts = append(parts, part{})
	}
	parts[len(parts)-1].read(where, text)
	return parts
}

// tagPlace is the place of a tag; the first few need no memory.
func tagPlace(i int) string {
	if places := [...]string{"tags[0]", "tags[1]", "tags[2]", "tags[3]"}; i < len(places) {
		return places[i]
	}
	return "tags" + index(i)
}

func isScalar(v memfile.Value) bool { return v.Kind != memfile.List && v.Kind != memfile.Map }

func index(i int) string { return "[" + strconv.Itoa(i) + "]" }

// appendStrings walks a value: names of maps are strings too, and stand at the
// place of what they name. A name that is no plain word is not repeated in the
// place, because it may be the very thing that is objected to.
func appendStrings(list []memfile.Text, where string, v memfile.Value) []memfile.Text {
	switch v.Kind {
	case memfile.List:
		for i, e := range v.List {
			list = appendStrings(list, where+index(i), e)
		}
	case memfile.Map:
		for i, f := range v.Map {
			place := where + "." + f.Name
			if !plainName(f.Name) {
				place = where + "." + index(i)
			}
			list = append(list, memfile.Text{Where: place, Text: f.Name})
			list = appendStrings(list, place, f.Value)
		}
	default:
		if v.Text != "" {
			list = append(list, memfile.Text{Where: where, Text: v.Text})
		}
	}
	return list
}

func plainName(s string) bool {
	if s == "" || len(s) > 24 {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		if (c < 'a' || c > 'z') && s[i] != '_' && s[i] != '-' {
			return false
		}
	}
	return true
}
