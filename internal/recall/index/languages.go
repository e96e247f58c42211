package index

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/french"
	"github.com/kljensen/snowball/russian"
	"github.com/kljensen/snowball/spanish"
)

// Terms of words are stemmed as English. A text that is recognised as another language is listed under the stems of that
// language, too, and a German one also under each long word from its end, for the parts of compounds. No text has such terms.
// A question looks for the stems of all these languages, because it is too short to be recognised: only texts of the language
// have them.

// language is one of those that have stems of their own.
type language struct {
	mark string // begins its terms
	stem func(word string) string
	// frequentWords are those that the others and English do not have, without accents
	frequentWords string
}

// languages are told apart by their words; Russian by its letters.
var languages = sync.OnceValue(func() []language {
	return []language{
		{"~es:", func(w string) string { return spanish.Stem(w, false) }, "el los las del una por con para se al es su como mas pero sus ya este esta porque cuando muy sin sobre hasta hay donde quien desde todo nos y lo que siempre nunca antes despues cada"},
		{"~fr:", func(w string) string { return french.Stem(w, false) }, "le les des une du et est dans pour par sur avec pas plus qui ne ce cette sont au aux nous vous il elle ils leur ou mais donc si sans tout tous toujours jamais avant apres chaque qu"},
		{"~pt:", stemPortuguese, "o os das dos uma nao com para em no na nos nas ao aos ou mas por se e ser sao esta foi muito sem sobre ate onde quem desde tudo nosso sempre nunca antes depois cada pelo pela voce"},
		{"~de:", stemGerman, "der die das und ist nicht mit den dem des ein eine einen einem einer auf fur von zu im wird werden sind auch nach bei aus wie wir ihr sie es oder wenn nur immer nie vor jede jeder jedes vom zum zur kein keine uber durch"},
		{"~ru:", func(w string) string { return russian.Stem(w, false) }, ""},
	}
})

// isCyrillic reports whether a word is stemmed as Russian.
func isCyrillic(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool { return r >= utf8.RuneSelf && unicode.Is(unicode.Cyrillic, r) }) >= 0
}

// wordsOf are the words of a text in lower case, without accents.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(withoutAccents(text)), func(r rune) bool { return !unicode.IsLetter(r) })
}

// frequentWords has for each frequent word the languages that have it, as bits.
var frequentWords = sync.OnceValue(func() map[string]uint8 {
	m := map[string]uint8{}
	for i, l := range languages() {
		for word := range strings.FieldsSeq(l.frequentWords) {
			m[word] |= 1 << i
		}
	}
	return m
})

// IsFunctionWord reports whether a word only holds a sentence of another language than English together.
func IsFunctionWord(word string) bool { return frequentWords()[word] != 0 }

// languageOf is the number of the language that a text's words are of, -1 for English and those that are not known: the one with
// the most of its frequent words, if these are two at least, an eighth of the text, and more than the English ones.
func languageOf(words []string) int {
	var counts [8]int
	english, known := 0, frequentWords()
	for _, w := range words {
		if isStopWord(w) {
			english++
		}
		for of, i := known[w], 0; of != 0; of, i = of>>1, i+1 {
			counts[i] += int(of & 1)
		}
	}
	most := 0
	for i, n := range counts {
		if n > counts[most] {
			most = i
		}
	}
	if n := counts[most]; n < 2 || n <= english || 8*n < len(words) {
		return -1
	}
	return most
}

// minStemLetters is how many letters a word has that is stemmed, minPartLetters a part of a compound, and minCompoundLetters a compound.
const (
	minStemLetters     = 4
	minPartLetters     = 4
	minCompoundLetters = 9
)

// emitForms calls emit with the terms under which a text is listed beside its own.
func emitForms(text string, emit func(term string)) {
	words := wordsOf(text)
	all := languages()
	of := languageOf(words)
	for _, w := range words {
		n := utf8.RuneCountInString(w)
		switch {
		case n < minStemLetters:
		case isCyrillic(w):
			emit(formTerm(all[len(all)-1], w))
		case of >= 0:
			emit(formTerm(all[of], w))
			if all[of].mark == germanMark && n >= minCompoundLetters {
				emit(endMark + reversed(stemGerman(w)))
			}
		}
	}
}

func formTerm(l language, word string) string {
	return cutToMaxTerm(l.mark + withoutAccents(l.stem(word)))
}

const (
	germanMark = "~de:"
	endMark    = "~ed:"
)

// FormTerms are the terms of a question's word in languages other than English.
func FormTerms(word string) (list []string) {
	if len([]rune(word)) < minStemLetters {
		return nil
	}
	all := languages()
	if isCyrillic(word) {
		return []string{formTerm(all[len(all)-1], word)}
	}
	for _, l := range all[:len(all)-1] {
		list = append(list, formTerm(l, word))
	}
	return list
}

// HasForms reports whether any text is listed under forms.
func (x *Index) HasForms() (has bool, err error) {
	for _, s := range x.segments {
		if s.hashed {
			return true, nil // nobody can tell
		}
		if err := s.visitPrefix("~", func(string) bool { has = true; return false }); err != nil {
			return false, err
		}
	}
	return has, nil
}

// Compounds are terms of German texts that have a word as the first or last part of a longer one, and, of a word that is
// itself long, those of its two parts where both are in the index. At most most.
func (x *Index) Compounds(word string, most int) (list []string, err error) {
	stem := stemGerman(word)
	if len(stem) <= minPartLetters || isCyrillic(word) {
		return nil, nil
	}
	for _, prefix := range []string{germanMark + stem, endMark + reversed(stem)} {
		for _, s := range x.segments {
			err := s.visitPrefix(prefix, func(term string) bool {
				if len(term) >= len(prefix)+minPartLetters-1 {
					list = append(list, term)
				}
				return len(list) < most
			})
			if err != nil {
				return nil, err
			}
		}
	}
	runes := []rune(word)
	for i := minPartLetters; len(runes) >= minCompoundLetters && i <= len(runes)-minPartLetters; i++ {
		first, last := strings.TrimSuffix(string(runes[:i]), "s"), string(runes[i:])
		both := []string{germanMark + stemGerman(first), germanMark + stemGerman(last)}
		a, err := x.Postings(both[0])
		if err != nil || len(a) == 0 {
			continue
		}
		if b, err := x.Postings(both[1]); err == nil && len(b) > 0 {
			list = append(list, both...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

func reversed(word string) string {
	runes := []rune(word)
	slices.Reverse(runes)
	return string(runes)
}

// stemGerman returns a light stem: without the endings of nouns and adjectives.
func stemGerman(word string) string {
	return withoutEnding(word, minStemLetters, "ern", "em", "en", "er", "es", "e", "s", "n")
}

// stemPortuguese returns a light stem: without the endings of plurals and of the most frequent forms of verbs.
func stemPortuguese(word string) string {
	word = withoutEnding(word, minStemLetters, "mente")
	for _, e := range [][2]string{{"coes", "cao"}, {"oes", "ao"}, {"aes", "ao"}, {"ais", "al"}, {"eis", "el"}, {"ns", "m"}} {
		if base, ok := strings.CutSuffix(word, e[0]); ok {
			word = base + e[1]
		}
	}
	return withoutEnding(word, minStemLetters, "ariam", "aram", "eram", "iram", "ando", "endo", "indo", "amos", "emos", "imos", "adas", "ados", "idas", "idos", "ada", "ado", "ida", "ido", "am", "em", "ar", "er", "ir", "as", "os", "es", "ou", "a", "o", "e", "s")
}

// withoutEnding takes the first ending off that a word has, if at least so many letters stay.
func withoutEnding(word string, least int, endings ...string) string {
	for _, e := range endings {
		if base, ok := strings.CutSuffix(word, e); ok && len([]rune(base)) >= least {
			return base
		}
	}
	return word
}
