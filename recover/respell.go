package recovery

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/memctl/memctl/memfile"
)

// respelled is a file in which the parts of its blocks stand under their names
// again where these are misspelled, and the deletions at the margin where they
// slid into the entry above. Lines keep their numbers.
func respelled(body []byte) []byte {
	lines := splitLines(body)
	markStrays(lines, memfile.Strays(body))
	anew := map[int32]string{}
	for _, side := range sides(lines) {
		for _, reg := range findRegions(side) {
			for i, l := range reg.lines {
				if text, ok := respell(reg.lines, i); ok {
					anew[l.at] = text
				}
			}
		}
	}
	if len(anew) == 0 {
		return body
	}
	var b bytes.Buffer
	at := int32(0)
	for _, l := range lines {
		if text, ok := anew[l.at]; ok {
			old := body[l.at:l.next]
			b.Write(body[at:l.at])
			b.WriteString(text)
			b.Write(old[len(bytes.TrimRight(old, "\r\n")):])
			at = l.next
		}
	}
	b.Write(body[at:])
	return b.Bytes()
}

// respell is the line of a part under its name; ok is false where it is none, or
// has its name and its place.
func respell(lines []line, i int) (text string, ok bool) {
	l := lines[i]
	name, rest, ok := field(unmarked(l.body))
	if !ok {
		return "", false
	}
	if l.indent == 0 && uncomment(rest) == "" && memfile.MeantHead(name) && !hasDocument(lines) {
		return strings.TrimRight("saved_memory: "+rest, " "), true
	}
	meant := memfile.MeantSection(name)
	simple := uncomment(rest) == "" || rest[0] == '[' || rest[0] == '{'
	indent := strings.Repeat(" ", l.indent)
	switch {
	case meant == "" || l.body == name+":" && meant == name && l.indent < 4 || inScalar(lines, i):
		return "", false
	case meant == "enabled" || meant == "announce_writes":
		if name == meant && l.body[0] == name[0] || !underSettings(lines, i) {
			return "", false
		}
		on := strings.EqualFold(uncomment(rest), "true")
		if strings.HasPrefix(strings.ToLower(name), "dis") {
			on = strings.EqualFold(uncomment(rest), "false")
		}
		return indent + meant + ": " + onOff(on), true
	case !simple || name == meant && strings.HasPrefix(l.body, name+":") && l.indent < 4:
		return "", false
	case l.indent < 4:
		return indent + meant + ":" + strings.TrimRight(" "+rest, " "), true
	case meant == "deletions" && rest == "" && i+1 < len(lines) && isBullet(lines[i+1]):
		return meant + ":", true
	}
	return "", false
}

func onOff(on bool) string {
	if on {
		return "true"
	}
	return "false"
}

// underSettings reports whether the line stands among the switches.
func underSettings(lines []line, i int) bool {
	for j := i - 1; j >= 0; j-- {
		if lines[j].blank() || lines[j].indent >= lines[i].indent {
			continue
		}
		name, _, _ := field(unmarked(lines[j].body))
		return name == "saved_memory" || memfile.MeantSection(name) == "settings"
	}
	return false
}

// inScalar reports whether the line is one of a text over several lines.
func inScalar(lines []line, i int) bool {
	indent := lines[i].indent
	for j := i - 1; j >= 0 && indent > 0; j-- {
		if l := lines[j]; !l.blank() && l.indent < indent {
			if opensScalar(l.body) {
				return true
			}
			indent = l.indent
		}
	}
	return false
}

// marks are what editors, word processors and keyboards of other scripts write
// for the marks of YAML.
var marks = strings.NewReplacer("\uff1a", ": ", "\ufe55", ": ", "\uff0d", "-", "\u2013", "-", "\u2014", "-", "\u2022", "-", "\u00b7", "-",
	"\u201c", "\"", "\u201d", "\"", "\u201e", "\"", "\u00ab", "\"", "\u00bb", "\"", "\u2018", "'", "\u2019", "'", "\uff0e", ".", "\u3000", " ", "\u00a0", " ", "\ufffd", "")

// unmarked is a text without what cannot be seen in it, with the marks of YAML
// for those that stand in their place, and without white space around it.
func unmarked(text string) string {
	plain := true
	for i := range len(text) {
		plain = plain && text[i] >= ' ' && text[i] < 0x7f
	}
	if plain {
		return text
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf):
			return -1
		}
		return r
	}, marks.Replace(text))
	return strings.TrimSpace(text)
}
