package extract

import (
	"slices"
	"strings"
	"unicode"

	"github.com/memctl/memctl/internal/transcript"
)

const (
	// maxSentences is over how many sentences a quote may go.
	maxSentences = 3
	// maxStatement is the longest statement that is stored, in bytes. A longer one is a paste.
	maxStatement = 600
)

// said are texts as lists of their sentences.
type said [][]string

// Ground leaves out the findings that nobody said. Of the others it keeps the whole sentences that have the quote, so that a
// denial or a condition is kept too. A statement about the person and their work has to be in the person's own words; one about the
// conversation may be in anybody's, or in the previous summary. dropped counts the statements about the person that are left out.
func (f Findings) Ground(part []Turn, previous string) (grounded Findings, dropped int) {
	var own said
	all, whole := said{sentences(previous)}, normal(previous)
	for _, t := range part {
		if all, whole = append(all, sentences(t.Text)), whole+" "+normal(t.Text); t.By == transcript.Person {
			own = append(own, sentences(ownText(t.Text)))
		}
	}
	before := f.Count()
	seen := map[string]bool{}
	f.Facts = filter(f.Facts, func(x *Fact) bool {
		x.Text = own.quoted(x.Quote)
		again := seen[x.Text]
		seen[x.Text] = true
		return x.Text != "" && !again && !strings.HasSuffix(x.Text, "?")
	})
	f.Profile = filter(f.Profile, func(x *Field) bool { return own.states(x.Value, x.Quote) })
	f.Projects = filter(f.Projects, func(x *Project) bool {
		x.Technologies = filter(x.Technologies, func(name *string) bool { return own.states(*name, *name) })
		if !own.states(x.Name, x.Quote) {
			return false
		}
		x.Quote = own.quoted(x.Quote)
		return true
	})
	f.Lessons = filter(f.Lessons, func(x *Lesson) bool {
		x.Issue, x.Fix = own.quoted(x.Issue), own.quoted(x.Fix)
		return x.Issue != "" && x.Fix != ""
	})
	f.Topics = filter(f.Topics, func(x *string) bool { return normal(*x) != "" && strings.Contains(whole, normal(*x)) })
	f.Daily, f.Summary = all.quotedAll(f.Daily), all.quotedAll(f.Summary)
	return f, before - f.Count()
}

// filter is the list of those for which keep is true; keep may change them.
func filter[T any](list []T, keep func(*T) bool) (kept []T) {
	for _, x := range list {
		if keep(&x) {
			kept = append(kept, x)
		}
	}
	return kept
}

// ownText returns the words that the person wrote in a message. It leaves out pasted and quoted text.
func ownText(message string) string {
	var b strings.Builder
	for _, s := range transcript.Own(message) {
		b.WriteString(message[s.From:s.To] + "\n\n")
	}
	return b.String()
}

// normal is a text as quotes are compared: models change case, white space and typographic marks.
func normal(text string) string {
	text = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "…", "...", "–", "-", "—", "-").Replace(strings.ToLower(text))
	return strings.Trim(strings.Join(strings.Fields(text), " "), " \t\"'`.,;:!?*_")
}

// quoted is the sentence that has the quote, or the few sentences; "" for a quote that is in none of the texts.
func (s said) quoted(quote string) string {
	quote = normal(quote)
	if quote == "" {
		return ""
	}
	for n := 1; n <= maxSentences; n++ {
		for _, text := range s {
			for i := 0; i+n <= len(text); i++ {
				if whole := strings.Join(text[i:i+n], " "); strings.Contains(normal(whole), quote) && len(whole) <= maxStatement {
					return whole
				}
			}
		}
	}
	return ""
}

// quotedAll are the sentences of the quotes, each once.
func (s said) quotedAll(quotes []string) (list []string) {
	for _, quote := range quotes {
		if whole := s.quoted(quote); whole != "" && !slices.Contains(list, whole) {
			list = append(list, whole)
		}
	}
	return list
}

// states reports whether the sentence of the quote has the value and denies nothing.
func (s said) states(value, quote string) bool {
	whole := s.quoted(quote)
	return normal(value) != "" && strings.Contains(normal(whole), normal(value)) && !denies(whole)
}

// sentences splits a text at the ends of sentences, at blank lines and before the items of a list. A line that is
// only wrapped goes on.
func sentences(text string) (list []string) {
	var now strings.Builder
	end := func() {
		if s := strings.TrimLeft(strings.Join(strings.Fields(now.String()), " "), "-*# "); s != "" {
			list = append(list, s)
		}
		now.Reset()
	}
	letters := []rune(text)
	for i, r := range letters {
		now.WriteRune(r)
		next := ' '
		if i+1 < len(letters) {
			next = letters[i+1]
		}
		if strings.ContainsRune("。！？", r) || strings.ContainsRune(".!?", r) && unicode.IsSpace(next) || r == '\n' && strings.ContainsRune("\n-*#", next) {
			end()
		}
	}
	end()
	return list
}

// denies reports whether a text says that something is not so.
func denies(text string) bool {
	denials := strings.Fields("not no never none nor neither nothing without cannot dont doesnt avoid stop except unless hate hates nicht kein keine keinen nie ohne pas jamais sans nunca jamás sin non não sem ni")
	return strings.ContainsAny(text, "不没勿別") || slices.ContainsFunc(strings.FieldsFunc(normal(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }), func(w string) bool {
		return strings.HasSuffix(w, "n't") || slices.Contains(denials, w)
	})
}
