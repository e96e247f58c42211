package sharing

import (
	"maps"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/capture"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/memfile"
)

// InstructionsRequest says how the part of an instruction file is made.
type InstructionsRequest struct {
	Name  string // of the file
	Today string
	Rest  []byte                // the file without the part
	Max   int                   // bytes that the part may add to the file
	Size  func(part string) int // the bytes that a part adds to the file
	// Limited: rules for some commands or paths are written, too, as sentences that name these.
	Limited bool
	// Corrected has the keys of items whose line in the file says what they said before, by the normal form of that.
	Corrected map[string]string
}

// Instructions is the part of an instruction file that has memory.
type Instructions struct {
	Text  string
	Items int // in the text
	Left  int // had no room
	Known int // are left out, because the rest of the file has their text
	// Lines has what corrected items say, by the number of the line in the rest of the file that says otherwise. They are not in Text.
	Lines map[int]Correction
}

// Correction is a text of a line and what takes its place.
type Correction struct{ Old, New string }

// instructionsHead says where the lines come from, for whoever edits the file.
const instructionsHead = "## Memory\n\nmemctl writes these lines: change them with memctl, not here.\n"

// Instructions is the items as the part of an instruction file that agents read at every start, under a heading for each area, in
// the order of their keys. It leaves out items that nobody has confirmed, that have
// expired, or that apply to some paths or commands only, and items whose text the rest of the file has.
func (r ExportResult) Instructions(req InstructionsRequest) (in Instructions) {
	var rules []rule
	rest := statementsOf(req.Name, req.Rest)
	in.Lines = map[int]Correction{}
	old := map[string]capture.Instruction{}
	for _, st := range capture.Instructions(req.Name, req.Rest) {
		if key := req.Corrected[memfile.NormalText(st.Full)]; key != "" {
			old[key] = st
		}
	}
	for _, it := range slices.SortedStableFunc(slices.Values(r.Items), func(a, b Exported) int { return strings.Compare(a.Key, b.Key) }) {
		if it.Confidence == memfile.Low || slices.Contains(it.Tags, memfile.TagNeedsConfirmation) || it.Expires != "" && it.Expires < req.Today || !req.Limited && !it.AppliesEverywhere() {
			continue
		}
		l := rule{text: limited(it.Labels) + session.RuleLine(it.Key, it.Value.Plain())}
		if rest[session.Folded(it.Value.Plain())] || rest[session.Folded(l.text)] {
			in.Known++
			continue
		}
		if st, there := old[it.Key]; there {
			in.Lines[st.Line] = Correction{st.Text, l.text}
			continue
		}
		l.area, _, _ = strings.Cut(it.Key, ".")
		rules = append(rules, l)
	}
	in.Items = sort.Search(len(rules), func(n int) bool { return req.Size(printed(rules[:n+1])) > req.Max })
	in.Left = len(rules) - in.Items
	if in.Items > 0 {
		in.Text = printed(rules[:in.Items])
	}
	return in
}

// limited says at which commands and paths a rule holds, and whether the person is asked; "" for a rule that always holds.
func limited(l labels.Labels) (text string) {
	if len(l.Commands) > 0 {
		text = "Before `" + strings.Join(l.Commands, "`, `") + "`"
	}
	if len(l.Paths) > 0 {
		text = strings.TrimPrefix(text+", in `"+strings.Join(l.Paths, "`, `")+"`", ", ")
	}
	if l.Ask {
		text += " (ask the person first)"
	}
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + ": "
}

// Correct puts what corrected items say in the place of the lines that say otherwise.
func (in Instructions) Correct(file []byte) []byte {
	for _, line := range slices.Sorted(maps.Keys(in.Lines)) {
		c := in.Lines[line]
		lines := strings.SplitAfter(string(file), "\n")
		if i := slices.IndexFunc(lines, func(l string) bool { return strings.HasSuffix(strings.TrimRight(l, "\r\n"), c.Old) }); i >= 0 {
			lines[i] = strings.Replace(lines[i], c.Old, c.New, 1)
			file = []byte(strings.Join(lines, ""))
		}
	}
	return file
}

// rule is an item as a line below a heading.
type rule struct{ area, text string }

// printed are the lines below headings of their areas.
func printed(rules []rule) string {
	var b strings.Builder
	b.WriteString(instructionsHead)
	for i, l := range rules {
		if i == 0 || l.area != rules[i-1].area {
			first, size := utf8.DecodeRuneInString(l.area)
			b.WriteString("\n### " + string(unicode.ToUpper(first)) + strings.ReplaceAll(l.area[size:], "-", " ") + "\n\n")
		}
		if capture.Number(l.text) == "" {
			b.WriteString("- ")
		}
		b.WriteString(l.text + "\n")
	}
	return b.String()
}

// statementsOf has the texts that a file states, folded.
func statementsOf(name string, file []byte) map[string]bool {
	texts := map[string]bool{}
	for _, st := range capture.Instructions(name, file) {
		texts[session.Folded(st.Text)], texts[session.Folded(st.Full)] = true, true
	}
	return texts
}
