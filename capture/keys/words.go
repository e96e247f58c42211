package keys

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memctl/memctl/memfile"
)

// maxCode is the size in bytes of code in a key.
const maxCode = 32

// word is a word of a text that can be part of a key.
type word struct {
	text       string
	joint      string // the preposition or conjunction before it
	link       bool   // it negates, limits or begins a condition: it is not counted, and never stands last
	mark, verb bool   // a mark, or the verb of a statement, stands before it
	code       bool   // it was in backticks
	sentence   int    // the number of its sentence
}

// wordsOf returns the words of a text without fillers, in lower case. A word comes once, and its plural counts as the
// same word. A word that negates can come again.
func wordsOf(text string) []word {
	s := splitter{seen: map[string]bool{}}
	for i, part := range strings.Split(withoutAsides(text), "`") {
		if i%2 == 1 {
			s.last, s.fresh = "", false
			name, _, _ := strings.Cut(part, "(") // of a call, the function
			if _, command, both := strings.Cut(name, " && "); both && strings.HasPrefix(name, "cd ") {
				name = command
			}
			for name = strings.TrimRight(name, "/"); len(name) > maxCode && strings.Contains(name, "/") && !strings.Contains(name, " "); {
				_, name, _ = strings.Cut(name, "/") // of a long path, its end
			}
			s.add(word{text: memfile.KeyPart(name, maxCode), code: true})
			continue
		}
		for field := range strings.FieldsSeq(spelled.Replace(strings.ToLower(part))) {
			s.field(field)
		}
	}
	return s.words
}

// splitter is a text whose words are being read.
type splitter struct {
	words      []word
	seen       map[string]bool
	next       word   // what stands before the next word
	last       string // the last word of the text, fillers too
	fresh      bool   // the last word of the text is the last of words, and not code
	completing bool   // "make sure that", "if": the verb of the statement belongs to its name
}

// field reads what stands between two spaces.
func (s *splitter) field(field string) {
	bare := strings.TrimFunc(field, func(r rune) bool { return !memfile.KeyLetter(r) })
	before, after, _ := strings.Cut(field, bare)
	if bare == "" || strings.Contains(before, "(") {
		s.mark()
	}
	for w := range strings.FieldsFuncSeq(bare, particle) {
		s.word(w)
	}
	s.last = bare
	switch {
	case strings.ContainsAny(after, ".!?。！？") && len(s.words) > 0:
		s.mark()
		s.next.sentence++
	case strings.ContainsAny(after, ",;:)、，；："):
		s.mark()
		if after == "," && s.next.mark {
			s.next.joint = "and" // "short, clear names"
		}
	}
}

func (s *splitter) mark() { s.next.mark = len(s.words) > 0 }

// word reads one word of a text.
func (s *splitter) word(w string) {
	fresh := s.fresh
	s.fresh = false
	link := ""
	switch {
	case is(w, "limit"), is(w, "condition") && len(s.words) > 0 && s.last != "what":
		link = w
	case w == "but" && !s.next.mark && len(s.words) == 1 && (s.words[0].text == "nobody" || s.words[0].text == "nothing"):
		link = "except"
	case is(w, "deny"), (w == "of" || w == "than") && (s.last == "instead" || s.last == "rather"):
		link = "not"
	}
	switch {
	case link != "":
		if n := len(s.words); n > 0 && s.words[n-1].link {
			s.next.mark = s.next.mark || s.words[n-1].mark
			s.words = s.words[:n-1] // "never without": the last one counts
		}
		s.put(word{text: link, link: true})
		if is(link, "condition") || is(link, "exception") { // "if the disk is full"
			s.completing, s.seen = true, map[string]bool{} // "never report success unless all report it"
		}
	case (w == "every" || w == "all") && s.last == "not" && s.words[len(s.words)-1].link:
		s.words = s.words[:len(s.words)-1] // "not every": nothing is denied
	case w == "go" && (len(s.words) == 0 || is(s.last, "joint")), // "written in Go"
		(w == "me" || w == "us") && s.next.joint == "with", w == "all" && !s.completing && len(s.words) > 1 && s.words[0].text == "not",
		(w == "what" || w == "how" || w == "why") && len(s.words) == 1 && (s.next.joint != "" || s.last == s.words[0].text): // "focus on what changed"
		s.add(word{text: w})
	case is(w, "verb") && !s.commands(w) && (w != "live" || s.next.joint == "") && (w != "go" || !fresh || strings.HasSuffix(s.last, "s")):
		s.next.verb = !s.completing && len(s.words) > 0
	case (w == "that" || w == "which" || w == "who") && len(s.words) > 0:
		s.next.verb = !s.completing
	case is(w, "joint"):
		if s.next.joint == "" && len(s.words) > 0 && s.last != "anything" { // "touch anything in `infra`"
			s.next.joint = w
		}
	case is(w, "clause"), w == "be" && s.next.joint == "to":
		s.mark()
	case is(w, "filler"), adverb(w) && (len(s.words) != 1 || !is(s.words[0].text, "imperative")) && (s.completing || len(s.words) == 0 || s.words[0].text != "not"): // "answer briefly", "never push directly"
		if n := len(s.words); fresh && !s.completing && !s.next.mark && is(w, "article") && n > 1 && !s.words[0].link && !is(s.words[0].text, "imperative") && !s.words[n-1].begins() {
			s.words[n-1].verb = true // "the worker reads a queue"
		}
		s.completing = s.completing || len(s.words) == 0 && (w == "ensure" || w == "sure")
	case s.next.joint != "" && s.next.joint != "or" && s.next.joint != "and" && is(w, "light"), w == "allowed" && len(s.words) == 1 && s.words[0].link:
	default:
		s.fresh = s.add(word{text: memfile.CutKey(memfile.KeyPart(w, MaxPart-1), MaxPart-1)}) // a sentence of a script without spaces is one word
	}
}

// commands reports whether a verb begins a command, or directly follows one, so that it is not the verb of a statement.
func (s *splitter) commands(verb string) bool {
	first := slices.IndexFunc(s.words, func(w word) bool { return !w.link })
	if first < 0 {
		return len(s.words) > 0 || is(verb, "imperative")
	}
	return len(s.words)-first == 1 && !s.words[first].code && is(s.words[first].text, "imperative")
}

// add adds a word that the text did not have. It reports whether it did.
func (s *splitter) add(w word) bool {
	stem := strings.TrimSuffix(w.text, "s")
	if w.text == "" || s.seen[stem] && stem != "one" {
		return false
	}
	s.seen[stem] = true
	s.put(w)
	return true
}

func (s *splitter) put(w word) {
	w.joint, w.mark, w.verb, w.sentence = s.next.joint, s.next.mark, s.next.verb, s.next.sentence
	s.words = append(s.words, w)
	s.next = word{sentence: w.sentence}
}

// spelled makes one word of "don't" and of "C++".
var spelled = strings.NewReplacer("'s ", " ", "’s ", " ", "'", "", "’", "", "c++", "cpp", "c#", "csharp", "f#", "fsharp", "make sure", "ensure", "be sure", "ensure", " as possible", "", " talks to ", " uses ", "no one ", "nobody ", "not have to", "not need to", "n't have to", " not need to", "up to date", "up-to-date")

// particle reports whether a character only holds a sentence together, in a script without spaces.
func particle(r rune) bool {
	return r >= utf8.RuneSelf && (unicode.Is(unicode.Hiragana, r) || strings.ContainsRune("请用的了都在和要把被是与或及不以后所有应须必到，。、", r))
}

// isKind reports whether a label only names the kind of its text: "Important note", "Step 2".
func isKind(label string) bool {
	words := strings.Fields(strings.ToLower(label))
	return len(words) > 0 && is(words[0], "kind") && !slices.ContainsFunc(words, func(w string) bool { return !is(w, "kind") && !isVersion(w) })
}

// withoutAsides removes the parts of a text that are in parentheses.
func withoutAsides(text string) string {
	for at := strings.Index(text, " ("); at >= 0; at = strings.Index(text, " (") {
		end := strings.IndexByte(text[at:], ')')
		if end < 0 || strings.Count(text[:at], "`")%2 == 1 {
			break
		}
		text = text[:at] + text[at+end+1:]
	}
	return text
}

// adverb reports whether a word says how or when something happens.
func adverb(w string) bool {
	return len(w) > 6 && strings.HasSuffix(w, "ly") && !strings.Contains(w, "-") && !is(w, "noadverb")
}

// isVersion reports whether a word is a number with or without dots.
func isVersion(w string) bool { return strings.Trim(w, "0123456789-") == "" }

// IsImperative reports whether a word is one that rules for a project begin with.
func IsImperative(w string) bool { return is(w, "imperative") }

// Negative reports whether a heading or a text turns what follows round.
func Negative(text string) bool {
	lower := strings.ToLower(strings.ReplaceAll(withoutAsides(text), "’", "'"))
	words := strings.FieldsFunc(lower, func(r rune) bool { return r != '\'' && (r < 'a' || r > 'z') })
	return slices.ContainsFunc(words, func(w string) bool { return is(w, "negative") })
}

// Rest returns a text without its label, if that is the name of the key: "Unit tests: `make test`" below the key
// tests.unit-tests. Else it returns "": a sentence stays whole, so that a reader, a search and an export have its words.
func Rest(key, text string) string {
	_, name, _ := strings.Cut(key, ".")
	label, rest := Label(text)
	words := slices.DeleteFunc(strings.Fields(strings.ToLower(label)), func(w string) bool { return is(w, "article") })
	first, _ := utf8.DecodeRuneInString(text)
	code := func(r rune) bool { return r != ' ' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	denies := slices.ContainsFunc(wordsOf(label), func(w word) bool { return w.link })
	sentence := len(words) > 1 && IsImperative(words[0]) // "Keep packages small: …"
	if denies || sentence || !unicode.IsUpper(first) || strings.ContainsFunc(label, code) || memfile.KeyPart(strings.Join(words, " "), MaxPart) != name {
		return ""
	}
	return strings.TrimSpace(rest)
}
