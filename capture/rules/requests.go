package rules

import (
	"slices"
	"strings"
)

const (
	// minRequestWords is how many words that say something a request needs to be known again.
	minRequestWords = 2
	// maxRequestWords is how many words a request has at most: a longer one is about one task.
	maxRequestWords = 16
)

// taskVerbs begin requests that come again in each session and mean another thing each time.
const taskVerbs = "fix debug continue try retry implement look find check show solve resolve go proceed"

// taskWords are the words before an order that make it a task for now.
const taskWords = "now pleas also then"

// partsOfProgram begins the keys of what is about files, functions and the like: to change them
// is the task itself.
const partsOfProgram = "architecture."

// Request is something that a person asks for once, such as "write the commit message in
// Spanish". Who asks for it in session after session wants it always.
type Request struct {
	Statement
	Words string // the words that say something, in normal form: equal requests have equal ones
}

// Requests are the parts of a person's own words that ask for something about how the work is
// done, in the order in which they stand. Questions and the product's behaviour are none.
func Requests(text string) (found []Request) {
	tasks := strings.Fields(taskVerbs)
	for _, s := range sentences(text) {
		for _, part := range parts(text, s) {
			c := clause{span: span{part[0].from, part[len(part)-1].to}, sentence: s, words: part}
			c.seen.own, c.seen.words = classify(part), len(part)
			if !c.requests() || len(part) > maxRequestWords || slices.Contains(tasks, part[0].form) {
				continue
			}
			if words := distinctive(part); words != "" {
				one := []clause{c}
				st := statement(text, "", one, one, c, false)
				st.From, st.To = c.span.from, c.span.to
				if strings.HasPrefix(st.Key, partsOfProgram) {
					continue
				}
				found = append(found, Request{st, words})
			}
		}
	}
	return found
}

// parts splits a sentence at each conjunction and mark, so that "fix it and run the tests" is two.
func parts(text string, s span) (out [][]word) {
	words := wordsOf(text[s.from:s.to], s.from)
	from := 0
	for i := range words {
		joins := words[i].is(conjunction)
		if i > from && (joins || strings.ContainsAny(text[words[i-1].to:words[i].from], ",;:，、；：—()")) {
			out = append(out, words[from:i])
			from = i
		}
		if joins && i == from {
			from++
		}
	}
	if from < len(words) {
		out = append(out, words[from:])
	}
	return out
}

// distinctive are the words that say something, in normal form and order; "" where there are too
// few of them, or none is about the work.
func distinctive(words []word) string {
	var names []string
	about := false
	for _, w := range words {
		if n := weight(w); n > 0 {
			names, about = append(names, w.form), about || n > 1
		}
	}
	slices.Sort(names)
	if names = slices.Compact(names); !about || len(names) < minRequestWords {
		return ""
	}
	return strings.Join(names, " ")
}

// requests reports whether the clause asks for something about how the work is done.
func (c clause) requests() bool {
	own := c.seen.own
	switch {
	case own.has(inquiry), own.has(tells), own.has(question) && !own.has(oneOff):
		return false
	case own.has(product) && !own.has(style) && !own.has(workflow):
		return false
	}
	return own.has(orders) || own.has(oneOff) || own.has(style) && own.has(repo)
}

// pointsElsewhere reports whether a word stands for what another clause names.
func pointsElsewhere(w word) bool {
	return slices.Contains([]string{"it", "them", "so", "likewis", "same"}, w.form)
}

// task reports whether the i-th clause orders something once beside a clause that asks to remember: it stands before
// that one, says "please" or begins with "now", or names a file. remembers: the sentence begins with "remember that" or the
// like, so that what comes "then" is no part of a rule.
func task(all []clause, i int, remembers bool) bool {
	c := all[i]
	if !c.seen.rest.has(asks) && !c.seen.rest.has(durable) {
		return false
	}
	cued := c.seen.own.has(agent)
	for j := i + 1; j < len(all) && all[j].sentence == c.sentence; j++ {
		if slices.ContainsFunc(all[j].words, pointsElsewhere) {
			return false
		}
		begins, _ := asksAt(all[j].words)
		cued = cued || j == i+1 && begins && content(all[j].words) > 1
	}
	words, polite := c.words, c.words[len(c.words)-1].form == "pleas"
	for len(words) > 1 && (words[0].is(conjunction) || slices.Contains(strings.Fields(taskWords), words[0].form)) {
		cued = cued || !words[0].is(conjunction)
		polite = polite || words[0].form == "pleas" || words[0].form == "then" && remembers && !c.seen.rest.has(must) && !c.seen.rest.has(orders)
		words = words[1:]
	}
	own := classify(words)
	lasting := own.has(asks) || own.has(durable) || own.has(whole) || own.has(workflow) || own.has(forbids) || own.has(style)
	named := own.has(version) && slices.Contains(strings.Fields(taskVerbs), words[0].form)
	return !lasting && (polite && !slices.ContainsFunc(words, pointsElsewhere) || own.has(oneOff) && (polite || cued || named))
}
