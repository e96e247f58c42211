package instructions

import (
	"slices"
	"strings"
	"unicode"

	"github.com/memctl/memctl/policy/chars"
)

// Risk is what an agent's note may ask for that a person has to decide: Steer knows orders by
// their wording, and a planted note that reads like a convention of the project has none.
// The kind is "" if there is nothing to decide.
//
// A concept is a set of word stems. A text has a concept if a word begins with one of them,
// unless a word that forbids stands shortly before it. A risk is a set of concepts that
// stand together in a short text, in any order. docs/policy.md says how often that is right.
func Risk(p *chars.Part) (kind string, words []string) {
	if p.Plain || len(p.Text) > maxRisk {
		return "", nil
	}
	r := riskReader{words: riskWords(p.Lower), known: map[concept]bool{}, at: map[concept]int{}}
	if !p.ASCII {
		r.words = riskWords(strings.ToLower(p.Text))
	}
	for _, risk := range risks {
		if r.hasAll(risk.needs) {
			for _, c := range risk.needs {
				if word := r.words[r.at[c]].letters(); word != "" && !slices.Contains(words, word) {
					words = append(words, word)
				}
			}
			return risk.kind, words
		}
	}
	return "", nil
}

// maxRisk is the length, in bytes, above which words meet by chance.
const maxRisk = 900

// riskWord is a word with what it stands for already.
type riskWord struct {
	text string
	host bool // an address on another machine
	stop bool // ends a sentence or a clause
}

// letters is the word without what follows its letters, and "" of an address: that may have a password.
func (w riskWord) letters() string {
	end := strings.IndexFunc(w.text, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '\'' })
	if w.host || end == 0 {
		return ""
	}
	if end > 0 {
		return w.text[:end]
	}
	return w.text
}

// riskWords cuts a text in lower case into words. Addresses, paths and settings stay whole.
func riskWords(lower string) []riskWord {
	list := make([]riskWord, 0, 64)
	for f := range strings.FieldsFuncSeq(lower, func(r rune) bool {
		return r <= ' ' || strings.ContainsRune("\"`()[]{}<>«»“”„,;!?，。；：、（）", r)
	}) {
		w := strings.Trim(strings.ReplaceAll(strings.TrimRight(f, ".:"), "’", "'"), "'")
		if w == "" {
			continue
		}
		list = append(list, riskWord{text: w, host: otherHost(w), stop: len(w) < len(f)})
	}
	return list
}

// otherHost reports whether a word is an address, or has one, that is not on this machine.
func otherHost(w string) bool {
	if _, rest, ok := strings.Cut(w, "://"); ok {
		w = rest
	} else if _, rest, ok := strings.Cut(w, "git@"); ok {
		w = rest
	}
	w, _, _ = strings.Cut(w, "/")
	w, _, _ = strings.Cut(w, ":")
	if strings.ContainsAny(w, "=$@*_") {
		_, w, _ = strings.Cut(w, "@")
	}
	labels := strings.Split(w, ".")
	last := labels[len(labels)-1]
	if len(labels) == 4 && !slices.ContainsFunc(labels, func(l string) bool { return l == "" || strings.Trim(l, "0123456789") != "" }) {
		return labels[0] != "127" && labels[0] != "10" && w != "0.0.0.0" && !strings.HasPrefix(w, "192.168.")
	}
	return len(labels) >= 2 && labels[0] != "" && slices.Contains(riskLists()["topDomains"], last)
}

// riskReader looks for concepts in the words of one text.
type riskReader struct {
	words []riskWord
	known map[concept]bool
	at    map[concept]int // the word that was found
}

func (r *riskReader) hasAll(needs []concept) bool {
	for _, c := range needs {
		if !r.has(c) {
			return false
		}
	}
	return true
}

func (r *riskReader) has(c concept) bool {
	found, known := r.known[c]
	if !known {
		found = r.find(c)
		r.known[c] = found
	}
	return found
}

// forbids is how many words a word that forbids reaches over.
const forbids = 5

func (r *riskReader) find(c concept) bool {
	stems, forbidding := riskLists()[c], riskLists()["forbidding"]
	last := -forbids - 1 // where the last word that forbids stands
	for i, w := range r.words {
		free := i-last > forbids || things[c]
		if free && (c == otherPlace && w.host || r.begins(i, stems)) {
			r.at[c] = i
			return true
		}
		if slices.Contains(forbidding, w.text) {
			last = i
		}
		if w.stop {
			last = -forbids - 1
		}
	}
	return false
}

// begins reports whether a stem stands at the word; the words of a longer one are joined by
// "+". A stem that ends in "." is the whole word.
func (r *riskReader) begins(i int, stems []string) bool {
	for _, stem := range stems {
		at, fits := i, true
		for part := range strings.SplitSeq(stem, "+") {
			whole := strings.HasSuffix(part, ".")
			part = strings.TrimSuffix(part, ".")
			if at >= len(r.words) {
				return false
			}
			w := r.words[at].text
			if whole && w != part || !whole && !strings.HasPrefix(w, part) && !(part[0] >= 0x80 && strings.Contains(w, part)) {
				fits = false
				break
			}
			at++
		}
		if fits {
			return true
		}
	}
	return false
}
