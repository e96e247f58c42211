package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memctl/memctl/capture"
	"github.com/memctl/memctl/similar"
	"github.com/memctl/memctl/transcript"
)

const (
	// minQuoted is which share of a statement's distinctive words its quote has.
	minQuoted = 0.25
	// minMessage is which share of them the whole message has, if its quote has one of them.
	minMessage = 0.5
	// minToldOf is which share of the words of a sentence about a conversation this has.
	minToldOf = 0.5
)

// ground is the text that statements are checked against.
type ground struct {
	messages []string // the person's own words in each message
	texts    []string // everything that was said
	all      []string // its distinctive words
}

// Ground leaves out the findings that the person did not say in this part: those whose quote is
// nowhere in the person's own words, and those whose distinctive words are not where the quote
// is. A sentence about the conversation goes where the conversation does not have its words.
// dropped is how many statements about the person and their work are left out.
func (f Findings) Ground(part []Turn) (grounded Findings, dropped int) {
	g := &ground{}
	for _, t := range part {
		if t.By == transcript.Person {
			g.messages = append(g.messages, ownText(t.Text))
		}
		g.texts, g.all = append(g.texts, t.Text), append(g.all, similar.Distinctive(t.Text)...)
	}
	before := f.Count()
	f.Facts = filter(f.Facts, func(x Fact) bool { return g.holds(x.Text, x.Quote) })
	f.Profile = filter(f.Profile, func(x Field) bool { return g.holds(x.Value, x.Quote) })
	f.Projects = filter(f.Projects, func(x Project) bool { return g.holds(x.Name, x.Quote) })
	for i := range f.Projects {
		p := &f.Projects[i]
		p.Technologies = filter(p.Technologies, func(name string) bool { return g.holds(name, name) })
		if !g.tells(p.Description) {
			p.Description = ""
		}
	}
	f.Lessons = filter(f.Lessons, func(x Lesson) bool {
		return g.holds(x.Issue+" "+x.Fix, x.Quote) && g.tells(x.Issue) && g.tells(x.Fix)
	})
	f.Topics = filter(f.Topics, g.tells)
	f.Daily, f.Summary = g.told(f.Daily), g.told(f.Summary)
	return f, before - f.Count()
}

func filter[T any](list []T, keep func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool { return !keep(x) })
}

// ownText returns the words that the person wrote in a message. It leaves out pasted and quoted text.
func ownText(message string) string {
	var b strings.Builder
	for _, s := range transcript.Own(message) {
		b.WriteString(message[s.From:s.To])
		b.WriteByte('\n')
	}
	return b.String()
}

// normal is a text as quotes are compared: models change case, white space and typographic marks.
func normal(text string) string {
	text = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "…", "...", "–", "-", "—", "-").Replace(strings.ToLower(text))
	return strings.Trim(strings.Join(strings.Fields(text), " "), " \t\"'`.,;:!?*_")
}

// holds reports whether the person said the statement: a message has the quote, and the words of
// the statement are in the quote, or one is there and the others are in the rest of the message.
func (g *ground) holds(statement, quote string) bool {
	quoted := normal(quote)
	if quoted == "" || strings.TrimSpace(statement) == "" {
		return false
	}
	words := distinctive(statement)
	if len(words) == 0 { // without words of its own it says what the quote says, or nothing
		return strings.Contains(quoted, normal(statement)) && g.has(quoted)
	}
	for _, m := range g.messages {
		if !strings.Contains(normal(m), quoted) {
			continue
		}
		in := shared(words, distinctive(quote))
		switch {
		case !faithful(statement, []string{m}):
		case in >= minQuoted*float64(len(words)):
			return true
		case in >= 1 && !capture.Long(m) && shared(words, distinctive(m)) >= minMessage*float64(len(words)):
			return true
		}
	}
	return false
}

func (g *ground) has(quoted string) bool {
	return slices.ContainsFunc(g.messages, func(m string) bool { return strings.Contains(normal(m), quoted) })
}

// tells reports whether the conversation has most of a sentence's words.
func (g *ground) tells(sentence string) bool {
	words := similar.Distinctive(sentence)
	return len(words) > 0 && shared(words, g.all) >= minToldOf*float64(len(words))
}

// told is a text about the conversation without the sentences that this does not bear out.
func (g *ground) told(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		var sentences []string
		for _, s := range sentencesOf(line) {
			if g.tells(s) && faithful(s, g.texts) {
				sentences = append(sentences, s)
			}
		}
		if len(sentences) > 0 {
			kept = append(kept, strings.Join(sentences, " "))
		}
	}
	return strings.Join(kept, "\n")
}

// sentencesOf splits a line at the ends of sentences.
func sentencesOf(line string) (list []string) {
	line = strings.TrimSpace(line)
	for line != "" {
		end := strings.IndexAny(line, ".!?。！？")
		for end >= 0 {
			_, size := utf8.DecodeRuneInString(line[end:])
			if next := end + size; next == len(line) || line[next] == ' ' || size > 1 {
				end = next
				break
			}
			more := strings.IndexAny(line[end+size:], ".!?。！？")
			if more < 0 {
				end = -1
				break
			}
			end += size + more
		}
		if end < 0 {
			end = len(line)
		}
		list, line = append(list, line[:end]), strings.TrimSpace(line[end:])
	}
	return list
}

// distinctive are the words by which texts are compared. Of a text in a script without spaces
// they are its pairs of letters.
func distinctive(text string) []string {
	var out []string
	for _, w := range similar.Distinctive(betweenScripts(text)) {
		letters := []rune(w)
		if len(letters) < 3 || !slices.ContainsFunc(letters, unspaced) {
			out = append(out, w)
			continue
		}
		for i := range letters[1:] {
			out = append(out, string(letters[i:i+2]))
		}
	}
	return out
}

// betweenScripts puts a space wherever a script without spaces meets another one, so that the "Git" in "同步到Git" is
// a word.
func betweenScripts(text string) string {
	var b strings.Builder
	last := rune(0)
	for _, r := range text {
		if unicode.IsLetter(last) && unicode.IsLetter(r) && unspaced(last) != unspaced(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// unspaced reports whether a letter is of a script that puts no spaces between words.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer)
}

// shared counts the words that a text has too, in this or another form.
func shared(words, text []string) (n float64) {
	for _, w := range words {
		if slices.ContainsFunc(text, func(t string) bool { return sameWord(w, t) }) {
			n++
		}
	}
	return n
}

// sameWord reports whether two words are forms of one: they begin with the same five letters, or
// differ in the last of them. A number or a name of code has one form.
func sameWord(a, b string) bool {
	if a == b {
		return true
	}
	if name := func(r rune) bool { return !unicode.IsLetter(r) }; strings.ContainsFunc(a, name) || strings.ContainsFunc(b, name) {
		return false
	}
	const long, short = 5, 4
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n >= long || n >= short && n >= min(len(a), len(b))-1
}

// Borne reports whether a text has distinctive words, and the sources have all of them. Words that only
// join two statements do not count.
func Borne(text string, sources ...string) bool {
	var known []string
	for _, s := range sources {
		known = append(known, distinctive(s)...)
	}
	words := slices.DeleteFunc(distinctive(text), func(w string) bool { return w == "and" || w == "also" || w == "both" })
	return len(words) > 0 && shared(words, known) == float64(len(words))
}

// Told is a text without the sentences most of whose words are not in the source.
func Told(text, source string) string {
	return (&ground{all: similar.Distinctive(source)}).told(text)
}
