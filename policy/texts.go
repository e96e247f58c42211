package policy

import (
	"strconv"
	"strings"

	"github.com/memctl/memctl/memfile"
)

// part is one string of a candidate, with what several rules want to know of
// it worked out once.
type part struct {
	where string
	text  string
	lower string // as text, with ASCII letters in lower case: same length, same offsets
	ascii bool
	digit bool // holds a digit
	mark  bool // holds a mark that sets a value apart: = : " ' ` - / @ < and the like
	plain bool // one word of small letters
	long  bool // holds a run of sixteen bytes that a credential could be
}

func newPart(where, text string) part {
	p := part{where: where, text: text, ascii: true, plain: true}
	upper := false
	run := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c >= 'a' && c <= 'z':
			run++
			continue
		case c >= 0x80:
			p.ascii, run = false, 0
		case c >= 'A' && c <= 'Z':
			upper = true
			run++
		case c >= '0' && c <= '9':
			p.digit = true
			run++
		case c == '_' || c == '.' || c == '+' || c == '~':
			run++
		case c == '-' || c == '/' || c == '=':
			p.mark = true
			run++
		default:
			if c != ' ' && c != ',' {
				p.mark = true
			}
			p.long = p.long || run >= shortest
			run = 0
		}
		p.plain = false
	}
	p.long = p.long || run >= shortest
	p.lower = text
	if upper {
		p.lower = lowerASCII(text)
	}
	return p
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

// gather lists every string of the candidate that would be stored.
func gather(c *Candidate) []part {
	parts := make([]part, 0, 4+len(c.Tags)+len(c.Paths)+len(c.Other))
	add := func(where, text string) {
		if text != "" {
			parts = append(parts, newPart(where, text))
		}
	}
	add("key", c.Key)
	if isScalar(c.Value) {
		add("value", c.Value.Text)
	} else {
		for _, t := range appendStrings(nil, "value", c.Value) {
			add(t.Where, t.Text)
		}
	}
	add("source", c.Source)
	for i, t := range c.Tags {
		add("tags"+index(i), t)
	}
	for i, t := range c.Paths {
		add("paths"+index(i), t)
	}
	add("reason", c.Reason)
	add("message", c.Message)
	for _, t := range c.Other {
		add(t.Where, t.Text)
	}
	return parts
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
