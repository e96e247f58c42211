package keys

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memctl/memctl/memfile"
)

// maxCode is the size in bytes of code in a key.
const maxCode = 28

// word is a word of a text that can be part of a key.
type word struct {
	text       string
	joint      string // the preposition or conjunction before it
	link       bool   // it negates or limits the word after it: it is not counted, and never stands last
	mark, verb bool   // a mark, or the verb of a statement, stands before it
	code       bool   // it was in backticks
	sentence   int    // the number of its sentence
}

// wordsOf returns the words of a text without fillers, in lower case. A word comes once, and its plural counts as the
// same word. A word that negates can come again.
func wordsOf(text string) []word {
	s := splitter{seen: map[string]bool{}}
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			s.last = ""
			name, _, _ := strings.Cut(part, "(") // of a call, the function
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
	prefers    bool   // "over" means "not"
	completing bool   // "make sure that": the verb of the statement belongs to its name
}

// field reads what stands between two spaces.
func (s *splitter) field(field string) {
	bare := strings.TrimFunc(field, notInWord)
	before, after, _ := strings.Cut(field, bare)
	if bare == "" || strings.Contains(before, "(") {
		s.mark()
	}
	if bare == "" {
		return
	}
	for w := range strings.FieldsFuncSeq(bare, particle) {
		s.word(w)
	}
	s.last = bare
	switch {
	case bare == "eg" || bare == "ie" || bare == "etc" || bare == "vs" || bare == "e.g" || bare == "i.e":
	case strings.ContainsAny(after, ".!?。！？"):
		s.mark()
		s.next.sentence++
	case strings.ContainsAny(after, ",;:)、，；："):
		s.mark()
	}
}

func (s *splitter) mark() { s.next.mark = len(s.words) > 0 }

// word reads one word of a text.
func (s *splitter) word(w string) {
	s.prefers = s.prefers || strings.HasPrefix(w, "prefer") || strings.HasPrefix(w, "favo")
	link := links()[w]
	if w == "over" && s.prefers {
		link = w
	}
	if (w == "of" || w == "than") && (s.last == "instead" || s.last == "rather") {
		link = "not"
	}
	switch {
	case link != "":
		if len(s.words) == 0 && link == "not" {
			link = "no"
		}
		if n := len(s.words); n > 0 && s.words[n-1].link {
			s.words = s.words[:n-1] // "never without": the last one counts
		}
		s.put(word{text: link, link: true})
	case w == "go" && (len(s.words) == 0 || joints()[s.last]): // "written in Go"
		s.add(word{text: w})
	case (w == "me" || w == "us") && s.next.joint == "with":
		s.add(word{text: w})
	case statementVerbs()[w] && !s.commands(w):
		s.next.verb = !s.completing && len(s.words) > 0
	case (w == "that" || w == "which" || w == "who") && len(s.words) > 0:
		s.next.verb = !s.completing
	case joints()[w]:
		if s.next.joint == "" && len(s.words) > 0 {
			s.next.joint = w
		}
	case fillers()[w]:
		s.completing = s.completing || len(s.words) == 0 && (w == "ensure" || w == "sure")
	case s.next.joint != "" && lightVerbs()[w]:
	default:
		s.add(word{text: memfile.CutKey(memfile.KeyPart(w, MaxPart-1), MaxPart-1)}) // a sentence of a script without spaces is one word
	}
}

// commands reports whether a verb begins a command, or directly follows one, so that it is not the verb of a statement.
func (s *splitter) commands(verb string) bool {
	first := slices.IndexFunc(s.words, func(w word) bool { return !w.link })
	if first < 0 {
		return len(s.words) > 0 || isImperative(verb)
	}
	return len(s.words)-first == 1 && isImperative(s.words[first].text)
}

// add adds a word that the text did not have.
func (s *splitter) add(w word) {
	stem := strings.TrimSuffix(w.text, "s")
	if w.text == "" || s.seen[stem] {
		return
	}
	s.seen[stem] = true
	s.put(w)
}

func (s *splitter) put(w word) {
	w.joint, w.mark, w.verb, w.sentence = s.next.joint, s.next.mark, s.next.verb, s.next.sentence
	s.words = append(s.words, w)
	s.next = word{sentence: w.sentence}
}

// spelled makes one word of "don't" and of "C++".
var spelled = strings.NewReplacer("'", "", "’", "", "c++", "cpp", "c#", "csharp", "make sure", "ensure", "be sure", "ensure")

func notInWord(r rune) bool { return !memfile.KeyLetter(r) }

// particle reports whether a character only holds a sentence together, in a script without spaces.
func particle(r rune) bool {
	return r >= utf8.RuneSelf && (unicode.Is(unicode.Hiragana, r) || strings.ContainsRune("请用的了都在和要把被是与或及不以后所有应须必到，。、", r))
}

func isNumber(w string) bool { return strings.Trim(w, "0123456789") == "" }

// isVersion reports whether a word is a number with or without dots.
func isVersion(w string) bool { return strings.Trim(w, "0123456789-") == "" }

// links maps a word that negates or limits the next one to its form in a key.
var links = sync.OnceValue(func() map[string]string {
	set := map[string]string{"avoid": "avoid", "without": "without", "unless": "unless", "until": "until", "only": "only", "no": "no"}
	for _, w := range strings.Fields("not never dont doesnt isnt arent cant cannot wont shouldnt mustnt didnt neither nor") {
		set[w] = "not"
	}
	return set
})

// kindLabels are labels such as "Note": they name the kind of a text, not its subject.
var kindLabels = sync.OnceValue(func() map[string]bool {
	return wordSet("note notes important warning caution tip hint example rule critical reminder attention")
})

// fillers are common words. Keys do not contain them.
var fillers = sync.OnceValue(func() map[string]bool {
	return wordSet(`a an are be been but could did do does doing had has have he her here his how i if into it is its just let lets may me might
must my off once our ours out own shall she should so some such than that the their know them then there these they this those too up us very was
we were what where which who whom why will would you your yours please all any each every both always ever also as ensure sure remember
instead rather about per eg ie etc youre theyre thats whats heres theres weve youve itself yourself everything when while where appropriate more maybe perhaps probably s t
der das dem ein eine und oder im für mit bitte immer jetzt el los las una del para siempre le les une et ou du dans avec toujours`)
})

// joints are prepositions and conjunctions. A key keeps them between two of its words.
var joints = sync.OnceValue(func() map[string]bool {
	return wordSet("to at in of on by for from with and or before after under through behind within between during against using via over outside inside across de en von zu auf")
})

// lightVerbs are verbs that say nothing after a preposition: "ask before you add a dependency".
var lightVerbs = sync.OnceValue(func() map[string]bool { return wordSet("add adding make making do doing use") })

// statementVerbs are verbs of a statement, after its subject. Words that are nouns as often are not among them.
var statementVerbs = sync.OnceValue(func() map[string]bool {
	return wordSet(`is are was were has have had must may should will can could go goes live lives sit sits runs uses get gets provide provides enable enables extend extends implement implements
contain contains require requires need needs belong belongs counts stay stays happen happens come comes become becomes does do
apply applies mean means follow follows include includes allow allows take takes keep keeps give gives make makes
exist exists handle handles define defines depend depends reach touch support supports mirrors communicate communicates`)
})

// isImperative reports whether a word is one of the verbs that rules for a project begin with.
func isImperative(w string) bool { return imperatives()[w] }

// IsImperative reports whether a word is one of the verbs that rules for a project begin with.
func IsImperative(w string) bool {
	return imperatives()[w] || w == "don't" || w == "never" || w == "always" || w == "please"
}

var imperatives = sync.OnceValue(func() map[string]bool {
	return wordSet(`add adhere adopt allow annotate answer append apply ask assume avoid batch break build bump cache call catch
 change check choose cite clean close commit compare comply configure confirm consider consult convert copy cover create declare define
 delete deploy describe design disable document do enable ensure escape exclude explain export extend extract fail favor favour fetch
 fix focus follow format freeze generate get give group guard handle hide ignore implement import include inline install invoke isolate keep
 leave limit link lint list load log look maintain make mark match merge minimize mock move name note only open order organize
 pass pin place prefer prefix preserve print prioritize propagate protect provide push put quote raise read rebase record refactor
 refer regenerate reject release remember remove rename reply report request require rerun reserve resolve respect respond restart
 return reuse review run sanitize save separate set ship show simplify skip sort speak specify split squash stage start stick stop store
 structure submit summarize suppress tag target tell test throw touch track treat trim try type update upgrade use validate verify
 wait wrap write`)
})

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// Negative reports whether a heading or a text turns what follows round.
func Negative(text string) bool {
	for _, w := range strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(text, "’", "'")), func(r rune) bool { return r != '\'' && (r < 'a' || r > 'z') }) {
		switch w {
		case "not", "don't", "dont", "don'ts", "never", "avoid", "no", "without", "forbidden", "prohibited", "anti", "antipatterns", "bad", "wrong", "mistakes", "pitfalls":
			return true
		}
	}
	return false
}

// Rest returns a text without the words that its key says: its label, or what stands before the verb of its first
// statement or before a preposition. It returns "" if the key says something else. Words that may be a command, a path
// or a name in code stay: a key does not keep how they are written.
func Rest(key, text string) string {
	_, name, _ := strings.Cut(key, ".")
	if first, _ := utf8.DecodeRuneInString(text); !unicode.IsUpper(first) {
		return ""
	}
	if label, rest := Label(text); label != "" {
		if !says(name, label) {
			return ""
		}
		return strings.TrimSpace(rest)
	}
	first, _, _ := strings.Cut(name, "-")
	for at := range text {
		if text[at] != ' ' || !says(name, text[:at]) {
			continue
		}
		switch next, rest, _ := strings.Cut(text[at+1:], " "); {
		case next == "is" || next == "are" || means(next) && strings.HasPrefix(rest, "`"):
			return strings.TrimSpace(rest)
		case statementVerbs()[next] || !isImperative(first) && joints()[next] && next != "and" && next != "or":
			return text[at+1:]
		}
	}
	return ""
}

// says reports whether a name has the words before a statement, without articles.
func says(name, words string) bool {
	code := func(r rune) bool { return r != ' ' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	denies := slices.ContainsFunc(wordsOf(words), func(w word) bool { return w.link })
	if strings.ContainsFunc(words, code) || denies {
		return false
	}
	var kept []string
	for i, w := range strings.Fields(strings.ToLower(words)) {
		if article := w == "the" || w == "a" || w == "an"; !article && (i > 0 || w != "use") {
			kept = append(kept, w)
		}
	}
	return memfile.KeyPart(strings.Join(kept, " "), MaxPart) == name
}
