package index

import (
	"slices"
	"strings"
)

// TermsOf gives the distinct terms of a doc's text and labels, and the length of its text in terms.
func (a *Analyzer) TermsOf(d *Doc) (terms []string, length int) {
	found := map[string]bool{}
	note := func(t Token) {
		if !found[t.Term] {
			term := strings.Clone(t.Term)
			found[term] = true
			terms = append(terms, term)
		}
	}
	a.Analyze(d.Text, func(t Token) { note(t); length++ })
	emitForms(d.Text, func(term string) { note(Token{Term: term}) })
	for _, s := range labelTexts(d) {
		a.Analyze(s, note)
	}
	return terms, length
}

// labelTexts are a doc's words outside its text.
func labelTexts(d *Doc) []string {
	list := subjectLabels(d)
	if !IsRole(d.Speaker) {
		list = append(list, d.Speaker)
	}
	return list
}

// subjectLabels is what a doc's labels say about its text. An entry's id is a hash and no word.
func subjectLabels(d *Doc) []string {
	list := slices.Concat(d.Tags, d.Topics, []string{d.Category})
	switch d.Tier {
	case TierItem:
		list = append(list, strings.TrimPrefix(d.ID, "user.")) // a question about users asks for no user.shell
	case TierFile:
		path, _, _ := strings.Cut(d.Path, "#")
		list = append(list, path)
	}
	return list
}

// WhenTerm is the term under which a doc is listed that has the term in its When or Anchors. No text has such a term.
func WhenTerm(term string) string { return "?" + term }

// IsRole reports whether the speaker is no name but a part in a conversation.
func IsRole(speaker string) bool {
	switch speaker {
	case "", "memory", "user", "assistant", "system", "tool", "summary", "note":
		return true
	}
	return false
}
