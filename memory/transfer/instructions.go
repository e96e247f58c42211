package transfer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memctl/memctl/capture"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// Instructions is the part of an instruction file that has memory.
type Instructions struct {
	Text  string
	Items int // in the text
	Left  int // had no room
	Known int // are left out, because the rest of the file has their text
}

// instructionsHead says where the lines come from, for whoever edits the file.
const instructionsHead = "## Memory\n\nmemctl writes these lines: change them with memctl, not here.\n"

// Instructions is the items as the part of an instruction file that agents read at every start,
// at most max bytes of them, cut at whole items. It leaves out items that nobody has confirmed, that have
// expired, or that apply to some paths or commands only, and items whose text the rest of the file has: an
// import of that file would come back twice.
func (r ExportResult) Instructions(today string, max int, rest []byte) Instructions {
	var in Instructions
	var lines []ruleLine
	file := map[string]bool{}
	for _, c := range candidates(rest) {
		file[capture.TextOf(c.Key, c.Value.Plain(), false)] = true
	}
	for _, it := range r.Items {
		if it.Confidence == memfile.Low || slices.Contains(it.Tags, memfile.TagNeedsConfirmation) || it.Expires != "" && it.Expires < today || !it.Everywhere() {
			continue
		}
		value := strings.Join(strings.Fields(it.Value.Plain()), " ")
		if file[capture.TextOf(it.Key, value, false)] || file[capture.TextOf(it.Key, value, true)] {
			in.Known++
			continue
		}
		area, name, _ := strings.Cut(it.Key, ".")
		lines = append(lines, ruleLine{area, name, value, policy.Inert(value)})
	}
	slices.SortStableFunc(lines, func(a, b ruleLine) int { return strings.Compare(a.area, b.area) })
	named(lines)
	for in.Items = len(lines); in.Items > 0 && len(printed(lines[:in.Items])) > max; in.Items-- {
		in.Left++
	}
	if in.Items > 0 {
		in.Text = printed(lines[:in.Items])
	}
	return in
}

// ruleLine is an item as a line below a heading.
type ruleLine struct{ area, name, value, text string }

// named puts the name before each value that an import would not read as its item.
func named(lines []ruleLine) {
	read := map[string]string{}
	for _, c := range candidates([]byte(printed(lines))) {
		read[c.Key] = c.Value.Plain()
	}
	for i, l := range lines {
		if value, ok := read[l.area+"."+l.name]; !ok || value != l.value {
			lines[i].text = policy.Inert(spaced(l.name) + ": " + l.value)
		}
	}
}

// printed are the lines below headings of their areas.
func printed(lines []ruleLine) string {
	var b strings.Builder
	b.WriteString(instructionsHead)
	for i, l := range lines {
		if i == 0 || l.area != lines[i-1].area {
			b.WriteString("\n### " + spaced(l.area) + "\n\n")
		}
		b.WriteString("- " + l.text + "\n")
	}
	return b.String()
}

// spaced is a part of a key as a person writes it: "Code style" for code-style.
func spaced(part string) string {
	first, size := utf8.DecodeRuneInString(part)
	return string(unicode.ToUpper(first)) + strings.ReplaceAll(part[size:], "-", " ")
}

// candidates are what an import of an instruction file would take.
func candidates(file []byte) []capture.Candidate {
	res, err := capture.Read(capture.Agents, []capture.File{{Name: "AGENTS.md", Data: file}})
	if err != nil {
		return nil // what cannot be read repeats nothing
	}
	return res.Candidates
}
