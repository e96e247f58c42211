package transfer

import (
	"slices"
	"strings"
	"unicode"

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
const instructionsHead = "## Memory\n\nmemctl writes these lines: change them with memctl, not here.\n\n"

// Instructions is the items as the part of an instruction file that agents read at every start,
// at most max bytes of them, cut at whole items. It leaves out items that nobody has confirmed, that have
// expired, or that apply to some paths or commands only, and items whose text the rest of the file has: an
// import of that file would come back twice.
func (r ExportResult) Instructions(today string, max int, rest []byte) Instructions {
	var in Instructions
	var b strings.Builder
	file := linesOf(string(rest))
	for _, it := range r.Items {
		if it.Confidence == memfile.Low || slices.Contains(it.Tags, memfile.TagNeedsConfirmation) || it.Expires != "" && it.Expires < today || !it.Everywhere() {
			continue
		}
		value := strings.Join(strings.Fields(it.Value.Plain()), " ")
		if file.have(value) {
			in.Known++
			continue
		}
		line := policy.Inert("- "+it.Key+": "+value) + "\n"
		if in.Left > 0 || len(instructionsHead)+b.Len()+len(line) > max {
			in.Left++
			continue
		}
		in.Items++
		b.WriteString(line)
	}
	if in.Items > 0 {
		in.Text = instructionsHead + b.String()
	}
	return in
}

// fileWords are the words of a file in their order, and which of them begin a line.
type fileWords struct {
	words  []string
	begins []bool
}

func linesOf(text string) fileWords {
	var f fileWords
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			continue
		}
		for i, word := range wordsOf(line) {
			f.words, f.begins = append(f.words, word), append(f.begins, i == 0)
		}
	}
	return f
}

// wordsOf are the words of a text in lower case, without the numbers of steps.
func wordsOf(text string) []string {
	var words []string
	for _, field := range strings.Fields(text) {
		if number := strings.TrimRight(field, ".)"); number != field && strings.Trim(number, "0123456789") == "" {
			continue
		}
		words = append(words, strings.FieldsFunc(strings.ToLower(field), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })...)
	}
	return words
}

// have reports whether whole lines of the file say a value. An import puts the line or the heading
// above a list before each of its items, so that label may stand elsewhere.
func (f fileWords) have(value string) bool {
	switch words := wordsOf(value); {
	case len(words) < 2:
		return false // a word alone is the same by chance
	case f.haveLines(words):
		return true
	}
	label, own, found := strings.Cut(value, ": ")
	return found && f.haveLines(wordsOf(label)) && f.haveLines(wordsOf(own))
}

func (f fileWords) haveLines(words []string) bool {
	for at := 0; len(words) > 0 && at+len(words) <= len(f.words); at++ {
		end := at + len(words)
		if f.begins[at] && (end == len(f.words) || f.begins[end]) && slices.Equal(f.words[at:end], words) {
			return true
		}
	}
	return false
}
