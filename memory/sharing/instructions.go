package sharing

import (
	"cmp"
	"maps"
	"math"
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
	Rest  []byte                   // the file without the part
	Max   int                      // bytes that the part may add to the file
	Size  func(part string) int    // the bytes that a part adds to the file
	Read  func(name string) []byte // reads a file of the project; nil where there is none
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
// the order of the files that they were imported from. It leaves out items that nobody has confirmed, that have
// expired, or that apply to some paths or commands only, and items whose text the rest of the file has.
func (r ExportResult) Instructions(req InstructionsRequest) (in Instructions) {
	var rules []rule
	rest, files := statementsOf(req.Name, req.Rest), map[string]statements{}
	in.Lines = map[int]Correction{}
	old := map[string]capture.Instruction{}
	for _, st := range capture.Instructions(req.Name, req.Rest) {
		if key := req.Corrected[memfile.NormalText(st.Full)]; key != "" {
			old[key] = st
		}
	}
	areas := map[string]int{} // the first place of an item in each
	for _, it := range r.Items {
		if it.Confidence == memfile.Low || slices.Contains(it.Tags, memfile.TagNeedsConfirmation) || it.Expires != "" && it.Expires < req.Today || !req.Limited && !it.AppliesEverywhere() {
			continue
		}
		l := rule{text: limited(it.Labels) + session.RuleLine(it.Key, it.Value.Plain()), place: math.MaxInt}
		if rest.line(it.Value.Plain()) > 0 || rest.line(l.text) > 0 {
			in.Known++
			continue
		}
		if st, there := old[it.Key]; there {
			in.Lines[st.Line] = Correction{st.Text, l.text}
			continue
		}
		l.area, _, _ = strings.Cut(it.Key, ".")
		if name, ok := strings.CutPrefix(it.Source, memfile.ImportedFrom); ok {
			if _, read := files[name]; !read {
				files[name] = statementsOf(name, req.Read(name))
			}
			l.place = cmp.Or(files[name].line(it.Value.Plain()), l.place)
		}
		if first, ok := areas[l.area]; !ok || l.place < first {
			areas[l.area] = l.place
		}
		rules = append(rules, l)
	}
	slices.SortStableFunc(rules, func(a, b rule) int {
		return cmp.Or(cmp.Compare(areas[a.area], areas[b.area]), strings.Compare(a.area, b.area), cmp.Compare(a.place, b.place))
	})
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

// rule is an item as a line below a heading, and its line in the file that it came from.
type rule struct {
	area, text string
	place      int
}

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

// statements are the lines of what a file says, by its text.
type statements map[string]int

func statementsOf(name string, file []byte) statements {
	s := statements{}
	for _, st := range capture.Instructions(name, file) {
		for _, text := range []string{session.Folded(st.Text), session.Folded(st.Full)} {
			if s[text] == 0 {
				s[text] = st.Line
			}
		}
	}
	return s
}

// line is the line that says a text, 0 for none.
func (s statements) line(text string) int { return s[session.Folded(text)] }
