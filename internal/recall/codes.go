package recall

import (
	"slices"
	"strings"
	"unicode"

	"github.com/memctl/memctl/internal/recall/index"
)

// codeTerms are the terms of the codes in a text: words that mean one thing alone, such as a port or the code of an error.
func (s *scorer) codeTerms(text string) (terms []string) {
	for word := range strings.FieldsFuncSeq(text[:min(len(text), maxEventBytes)], func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if capitals := strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""; len(word) >= 5 && capitals || hasCode(word) {
			s.analyzer.Analyze(word, func(t index.Token) {
				if !capitals || rarityInPrompts(t.Term) == rarityInPrompts("") { // no "FAILED"
					terms = append(terms, strings.Clone(t.Term))
				}
			})
		}
	}
	return terms
}

// hasCode reports whether a word is a number of four or five digits and no year, or ends with four digits or more ("TS2742").
func hasCode(word string) bool {
	name := strings.TrimRight(word, "0123456789")
	digits := len(word) - len(name)
	year := digits == 4 && (strings.HasPrefix(word, "19") || strings.HasPrefix(word, "20"))
	return digits >= 4 && (name != "" || digits == 5 || !year && digits == 4)
}

// onlyDocsWithCode are the docs that alone have one of the terms, in the order of the terms.
func (s *scorer) onlyDocsWithCode(terms []string) (list []Hit, err error) {
	for _, term := range terms {
		in, err := s.docsWithTerm(term, map[string]float64{})
		if err != nil {
			return nil, err
		}
		for n := range in {
			d, err := s.index.Doc(int(n))
			if err != nil {
				return nil, err
			}
			if h := (Hit{Doc: d, Matched: []string{term}}); len(in) == 1 && !h.isListedIn(list) {
				list = append(list, h)
			}
		}
	}
	return list, nil
}

// isListedIn reports whether a list has the hit's doc.
func (h *Hit) isListedIn(list []Hit) bool {
	return slices.ContainsFunc(list, func(other Hit) bool { return other.Scope == h.Scope && other.ID == h.ID })
}
