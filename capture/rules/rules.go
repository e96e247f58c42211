// Package rules finds what a person states for longer than the task at hand: preferences,
// conventions, facts of the environment, corrections.
//
// It looks at clauses and not at messages, since two of three such statements are a part of a
// task. Each clause is scored by classes of phrases (who or what it is about, how it is said)
// with weights that were fitted to labelled messages; docs/capture.md has the figures. The
// caller takes out what are not the person's own words first.
package rules

import (
	"slices"
	"strings"
)

const (
	// Proposed is the score from which a clause becomes a proposal.
	Proposed = 0.63
	// Asked is the score from which the agent is asked whether the prompt states something.
	Asked = 0.25
	// explicitScore is the least score of a clause that asks to remember something.
	explicitScore = 0.40
	// standingScore is the least score of an order with "always" or "never" to count as such.
	standingScore = 0.72
	// maxWhole is the length in bytes up to which a sentence that states something is kept whole.
	maxWhole = 120
	// maxConvention is the length in words of a message that only names a convention.
	maxConvention = 20
	// maxStatements is how many statements of one message are kept.
	maxStatements = 8
)

// Kind is what a statement is about.
type Kind string

// The kinds.
const (
	Preference  Kind = "preference"
	Convention  Kind = "convention"
	Correction  Kind = "correction"
	Environment Kind = "environment"
	Workflow    Kind = "workflow"
	Profile     Kind = "profile"
)

// Statement is something lasting that a person said.
type Statement struct {
	Text     string // the person's words without address and politeness
	Key      string // a namespace and one to three words: "testing.table-driven"
	Kind     Kind
	Explicit bool    // asks to remember it
	Person   bool    // about the person or how the agent talks, and not about a project
	Score    float64 // in [0,1]
	From, To int     // what is shown of the message, in bytes
}

// Found is what a message states.
type Found struct {
	Statements []Statement // as they stand in the message
	Suspected  string      // a clause outside them that may state something lasting; "" for none
}

// Find looks for statements in a person's own words. previous is the end of what the agent
// said before, or "".
func Find(text, previous string) Found {
	var found Found
	all := scan(text, previous)
	suspected := 0.0
	for i := 0; i < len(all); {
		end := i
		best, first, last := i, -1, -1
		explicit := false
		sentence := text[all[i].sentence.from:all[i].sentence.to]
		lasting, colon, personal := !notLasting(sentence), afterColon(sentence), ""
		asksAll := asksFor(sentence, sentenceAfter(text, all[i:]))
		for ; end < len(all) && all[end].sentence == all[i].sentence; end++ {
			c := &all[end]
			c.score = fitted.Score(c.seen.features())
			asked := c.seen.explicit(c.score) && !c.quoted(text) ||
				(colon >= 0 && c.span.to > c.sentence.from+colon || asksAll) && !c.seen.own.has(question)
			if key := personKey(text[c.span.from:c.span.to]); key != "" && !c.seen.own.has(question) && personal == "" {
				personal, c.score = key, 1
			}
			if c.seen.alone && c.seen.message <= maxConvention && c.score < Proposed && (c.seen.message <= 6 || !c.seen.own.has(product)) && namesConvention(sentence) {
				c.score = Proposed
			}
			if lasting && !task(all, end, asksAll) && (asked || c.score >= Proposed && !c.inquires(text) || c.seen.settles()) {
				first, last = cmpFirst(first, end), end
			}
			explicit = explicit || asked
			if c.score > all[best].score {
				best = end
			}
		}
		if first >= 0 && len(found.Statements) < maxStatements {
			stated := all[first : last+1]
			if s := all[i].sentence; s.to-s.from <= maxWhole {
				for first > i && !task(all, first-1, asksAll) {
					first--
				}
				for last < end-1 && !task(all, last+1, asksAll) {
					last++
				}
			}
			before := answered(previous)
			explicit = explicit && !(before != "" && i == 0 && content(all[best].words) == 0) // the agent's words, which the person may not have read
			if i > 0 {
				before = text[all[i-1].sentence.from:all[i-1].sentence.to]
			}
			if st := statement(text, before, all[first:last+1], stated, all[best], explicit); st.Text != "" && !repeats(found.Statements, st) {
				if personal != "" {
					st.Key, st.Kind, st.Person = personal, Profile, true
				}
				found.Statements = append(found.Statements, st)
			}
		} else if c := all[best]; first < 0 && lasting && c.score >= max(Asked, suspected) {
			found.Suspected, suspected = plain(text[c.span.from:c.span.to]), c.score
		}
		i = end
	}
	return found
}

// sentenceAfter is the sentence after that of the first clause, "" for none.
func sentenceAfter(text string, clauses []clause) string {
	for _, c := range clauses {
		if c.sentence != clauses[0].sentence {
			return text[c.sentence.from:c.sentence.to]
		}
	}
	return ""
}

func cmpFirst(first, at int) int {
	if first < 0 {
		return at
	}
	return first
}

// explicit reports whether the clause asks to remember something: in so many words, or as a
// standing order about how the agent works or answers.
func (s seen) explicit(score float64) bool {
	switch {
	case s.own.has(question):
		return false
	case s.asksFirst:
		return true
	case s.own.has(product) && !s.own.has(repo) || s.own.has(temporary):
		return false
	}
	standing := s.own.has(orders) && (s.own.has(durable) || s.own.has(whole) && s.own.has(style) || s.own.has(repeated) && s.own.has(forbids)) &&
		(s.own.has(style) || s.own.has(workflow)) && score >= standingScore
	return s.own.has(asks) && score >= explicitScore || standing
}

// quoted reports whether the clause may be somebody else's words: what follows a colon or a single
// quotation mark in its sentence.
func (c clause) quoted(text string) bool {
	before := text[c.sentence.from:c.span.from]
	if i := strings.LastIndexAny(before, ":'‘["); i >= 0 && len(strings.Fields(before[:i])) > 1 {
		return true
	}
	own := text[c.span.from:c.span.to]
	return strings.Contains(own, " '") || strings.Contains(own, "]:") || strings.Contains(own, " ‘") || colonWithin(own)
}

// colonWithin reports whether several words stand before a colon.
func colonWithin(text string) bool {
	before, _, ok := strings.Cut(text, ": ")
	return ok && len(strings.Fields(before)) > 1
}

// settles reports whether the message is a short answer that holds for longer: "yes, always".
func (s seen) settles() bool {
	return s.answers && s.message <= 4 && s.own.has(durable) && s.own.has(done)
}

// inquires reports whether the clause wants to know something, and states nothing.
func (c clause) inquires(text string) bool {
	return c.seen.own.has(inquiry) && strings.ContainsAny(text[c.span.to:min(len(text), c.sentence.to+3)], "?？؟")
}

// statement makes one statement of clauses of a sentence, some of which state it. before is the
// sentence or the agent's question that comes before it.
func statement(text, before string, parts, stated []clause, best clause, explicit bool) Statement {
	whole := withSigns(text, span{parts[0].span.from, parts[len(parts)-1].span.to})
	shown := whole
	if s := best.sentence; len([]rune(text[s.from:s.to])) <= maxShown {
		shown = s
	}
	var words []word
	var kinds classes
	for _, p := range stated {
		words, kinds = append(words, p.words...), kinds|p.seen.own
	}
	st := Statement{Text: plain(text[whole.from:whole.to]), Kind: kindOf(kinds), Explicit: explicit, Score: best.score, From: shown.from, To: shown.to}
	about := afterAsking(text[stated[0].span.from:stated[len(stated)-1].span.to])
	switch {
	case content(words) > 1 || len(words) >= 8:
	case before == "" && (content(words) == 0 || pointsBack(st.Text)):
		return Statement{} // "always do it" alone says nothing
	case before != "" && len(before) <= maxShown && !strings.Contains(before, st.Text):
		st.Text = before + " – " + st.Text // "yes, always" and "do not touch it again" mean nothing alone
		words, about = append(wordsOf(before, 0), words...), st.Text
	}
	st.Person = kinds.ofPerson()
	st.Key = keyOf(about, words, kinds)
	return st
}

// afterAsking returns what a text says after "from now on", or all of it, without address and politeness.
func afterAsking(text string) string {
	if _, after, ok := strings.Cut(text, " from now on "); ok && len(strings.Fields(after)) > 2 {
		text = after
	}
	return plain(text)
}

// withSigns is the span with the signs at its ends that belong to its words: "vendor/", "C++", "run()", "/etc".
func withSigns(text string, s span) span {
	for s.to < len(text) && (strings.IndexByte("/+#*", text[s.to]) >= 0 || strings.HasPrefix(text[s.to:], "()")) {
		s.to++
		if text[s.to-1] == '(' {
			s.to++
		}
	}
	for s.from > 0 && strings.IndexByte("./@~", text[s.from-1]) >= 0 && (s.from == 1 || text[s.from-2] != text[s.from-1] && !isLetter(text[s.from-2])) {
		s.from--
	}
	return s
}

func isLetter(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

// pointsBack reports whether a text only names what was said before it.
func pointsBack(text string) bool {
	fields := strings.Fields(strings.ToLower(text))
	return len(fields) > 1 && len(fields) <= 5 && fields[0] == "make" && slices.Contains([]string{"it", "that", "this"}, fields[1])
}

// ofPerson reports whether a statement of these classes is about the person or how agents talk to
// them. One that names a file, a command, a tool or a part of the project is about the repository.
func (c classes) ofPerson() bool {
	return c.has(self) || c.has(style) && !c.has(tool) && !c.has(version) && !c.has(repo)
}

// AboutPerson reports whether a text is about the person or how agents talk to them, and not about
// a project. key is the one that an agent chose for it, "" for none. A text that Find takes for a
// statement gets that statement's answer.
func AboutPerson(key, text string) bool {
	if namesPerson(key) || personKey(inFirstPerson(text)) != "" {
		return true
	}
	if stated := Find(text, "").Statements; len(stated) > 0 {
		return stated[0].Person
	}
	return classify(wordsOf(text, 0)).ofPerson()
}

// repeats reports whether a statement is there already.
func repeats(list []Statement, st Statement) bool {
	return slices.ContainsFunc(list, func(was Statement) bool { return Same(was.Text, st.Text) })
}

// kindOf is the kind that the classes tell.
func kindOf(c classes) Kind {
	switch {
	case c.has(repeated) || c.has(complains):
		return Correction
	case c.has(self) && !c.has(orders):
		return Profile
	case c.has(workflow):
		return Workflow
	case (c.has(machine) || c.has(version) && c.has(uses)) && !c.has(orders) && !c.has(must):
		return Environment
	case c.has(prefers) || c.has(likes) || c.has(style):
		return Preference
	}
	return Convention
}

// answered is the question that the agent ended with, or "".
func answered(previous string) string {
	s := sentences(previous)
	for _, q := range slices.Backward(s) {
		if t := previous[q.from:q.to]; strings.HasSuffix(t, "?") || strings.HasSuffix(t, "？") {
			if len(t) <= maxShown {
				return t
			}
		}
	}
	return ""
}

// clause is a clause of a message with what is known of it.
type clause struct {
	span     span // of the clause
	sentence span
	words    []word
	seen     seen
	score    float64
}

// scan splits a message into clauses and classifies them.
func scan(text, previous string) []clause {
	var out []clause
	total := 0
	for _, s := range sentences(text) {
		parts := clauses(text, s)
		kinds := make([]classes, len(parts))
		asks := strings.ContainsAny(text[s.from:s.to], "?？؟")
		for i, p := range parts {
			kinds[i] = classify(p)
			if asks && i == len(parts)-1 {
				kinds[i] |= 1 << question
			}
			total += len(p)
		}
		for i, p := range parts {
			c := clause{span: span{p[0].from, p[len(p)-1].to}, sentence: s, words: p}
			for j, k := range kinds {
				if j != i {
					c.seen.rest |= k
				}
			}
			c.seen.own, c.seen.words, c.seen.alone = kinds[i], len(p), len(parts) == 1
			c.seen.wants = prefersFirst(p)
			begins, ends := asksAt(p)
			c.seen.asksFirst = begins || ends
			out = append(out, c)
		}
	}
	answers := strings.Contains(previous, "?")
	for i := range out {
		out[i].seen.message, out[i].seen.first, out[i].seen.last, out[i].seen.answers = total, i == 0, i == len(out)-1, answers
	}
	return out
}

// asksAt reports whether a clause begins or ends by asking to remember it: "from now on".
func asksAt(words []word) (begins, ends bool) {
	for i := range words {
		var found classes
		if n := phrasesAt(words[i:], i == 0, func(c class) bool { return c == asks }, &found); n > 0 {
			begins, ends = begins || i < 2, ends || i+n == len(words)
		}
	}
	return begins, ends
}

// prefersFirst reports whether a clause begins by saying what the person prefers: "so I prefer tabs".
func prefersFirst(words []word) bool {
	self := func(w word) bool { return w.form == "i" || w.form == "we" || w.form == "i'd" } // "i" is a conjunction too
	if len(words) > 2 && !self(words[0]) && words[0].is(conjunction) {
		words = words[1:]
	}
	if len(words) < 2 || !self(words[0]) {
		return false
	}
	return classify(words[1:2]).has(prefers)
}

// A Clause is a part of a message with its features, for fitting the weights.
type Clause struct {
	From, To int // bytes
	Features []int
}

// NumFeatures is how many features there are.
const NumFeatures = numFeatures

// Clauses are the clauses of a message.
func Clauses(text, previous string) (out []Clause) {
	for _, c := range scan(text, previous) {
		out = append(out, Clause{c.span.from, c.span.to, c.seen.features()})
	}
	return out
}
