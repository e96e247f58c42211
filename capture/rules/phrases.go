package rules

import (
	_ "embed"
	"strings"
)

// class is what a phrase tells about a clause.
type class int

// The classes. A clause can be of several.
const (
	asks      class = iota // asks to remember: "remember that", "from now on"
	hints                  // may ask to remember: "in the future", "keep in mind"
	ruleFile               // wants a note in a rules file: "add a rule", "update AGENTS.md"
	durable                // always, never, every time
	whole                  // all, every, each, any
	repeated               // said before: "as I said", "I told you", "again"
	complains              // "why did you", "you keep", "stop doing"
	forbids                // don't, avoid, no more, must not
	prefers                // I prefer, my preference
	likes                  // I like, I want you to, I tend to
	uses                   // we use, I'm using
	machine                // I'm on, runs on, is deployed on
	self                   // I'm a, my name, I don't know
	agent                  // you, the agent, its names
	repo                   // code, tests, commits, files and the like
	tool                   // names of tools and languages
	style                  // how the agent answers: language, length, emojis
	product                // what the product shows: button, page, user
	temporary              // for now, this time
	question               // asks something
	inquiry                // begins with why, how, what
	must                   // should, must, need to
	oneOff                 // a task: let's, can you, please, now
	tells                  // tells what happened: I tried, it failed
	orders                 // begins with a working verb: use, run, keep
	because                // since, because, so
	contrast               // instead of, rather than, not
	workflow               // before a commit, after each change, when you
	fact                   // is a, lives in, stays, belongs to
	done                   // yes, ok, thanks: an answer
	decides                // decided, chose, settled on
	ours                   // common ground: "in this repo", "our convention", "we never"
	guarded                // not to be touched, or not without asking: "off limits", "is generated", "ask first"
	version                // a version or a path
	numClasses
)

// classNames are the classes' names in the tables.
var classNames = [numClasses]string{
	asks: "asks", hints: "hints", ruleFile: "ruleFile", durable: "durable", whole: "whole", repeated: "repeated", complains: "complains",
	forbids: "forbids", prefers: "prefers", likes: "likes", uses: "uses", machine: "machine", self: "self", agent: "agent", repo: "repo",
	tool: "tool", style: "style", product: "product", temporary: "temporary", question: "question", inquiry: "inquiry", must: "must",
	oneOff: "oneOff", tells: "tells", orders: "orders", because: "because", contrast: "contrast", workflow: "workflow",
	fact: "fact", done: "done", decides: "decides", ours: "ours", guarded: "guarded", version: "version",
}

// Besides the classes, single words have these marks. A word that means a namespace of keys
// has the mark "in " with its name.
const (
	conjunction  = "conjunction"  // joins two clauses
	introduction = "introduction" // begins what belongs to the next clause
	filler       = "filler"       // says nothing in a key
	weak         = "weak"         // says little in a key: verbs that stand with everything
	neutral      = "neutral"      // changes nothing of what a rule says
	namespaceOf  = "in "
)

// compiled are the tables in the folder tables, one phrase a line in the order of bytes: its
// words as they are compared, a tab, and its class or mark. "*" stands for up to two words, and "^"
// for the beginning of a clause. The lines are searched as they are: at the start of a hook there is no
// time to read tables. `go test ./capture/rules -run TestCompiled -update` writes it.
//
//go:embed compiled.txt
var compiled string

// entriesOf are the lines that begin with the word, "" for none.
func entriesOf(form string) string {
	lo, hi := 0, len(compiled)
	for lo < hi {
		mid := (lo + hi) / 2
		start := strings.LastIndexByte(compiled[:mid], '\n') + 1
		end := start + strings.IndexByte(compiled[start:], '\n') + 1
		if firstWord(compiled[start:end]) < form {
			lo = end
		} else {
			hi = start
		}
	}
	end := lo
	for end < len(compiled) && firstWord(compiled[end:]) == form {
		end += strings.IndexByte(compiled[end:], '\n') + 1
	}
	return compiled[lo:end]
}

// firstWord is the first word of a line.
func firstWord(line string) string {
	for i := range len(line) {
		if line[i] == ' ' || line[i] == '\t' {
			return line[:i]
		}
	}
	return line
}

// marked reports whether the word alone has a class or a mark, and gives what follows the mark.
func (w word) marked(mark string) (rest string, ok bool) {
	for line := range strings.Lines(w.entries) {
		words, name, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		if rest, ok := strings.CutPrefix(name, mark); ok && words == w.form {
			return rest, true
		}
	}
	return "", false
}

func (w word) is(mark string) bool {
	_, ok := w.marked(mark)
	return ok
}

// classes is a set of them.
type classes uint64

func (c classes) has(k class) bool { return c&(1<<k) != 0 }

// classify finds the classes of a clause.
func classify(words []word) classes {
	var found classes
	asked := 0 // words up to here are a request to remember, and nothing else: "ab jetzt" is not "jetzt"
	for i, w := range words {
		n := phrasesAt(words[i:], i == 0, func(c class) bool { return c == asks }, &found)
		if asked = max(asked, i+n); i < asked {
			continue
		}
		phrasesAt(words[i:], i == 0, func(c class) bool { return c != asks }, &found)
		if isVersion(w.form) {
			found |= 1 << version
		}
	}
	return found
}

// phrasesAt adds the classes of the phrases that begin at the first word, and returns the length of
// the longest in words.
func phrasesAt(words []word, first bool, wanted func(class) bool, found *classes) (longest int) {
	for line := range strings.Lines(words[0].entries) {
		phrase, name, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		name, atStart := strings.CutPrefix(name, "^")
		c := classOf(name)
		if c < 0 || !wanted(c) || atStart && !first || found.has(c) && c != asks {
			continue
		}
		if n := matches(phrase, words); n > 0 {
			*found |= 1 << c
			longest = max(longest, n)
		}
	}
	return longest
}

// classOf is the class of that name, -1 for a mark.
func classOf(name string) class {
	for c, n := range classNames {
		if n == name {
			return class(c)
		}
	}
	return -1
}

// matches reports how many words from the first one on the phrase covers, 0 where it does not match.
func matches(phrase string, words []word) int {
	at, gap := 0, 0
	for p := range strings.FieldsSeq(phrase) {
		if p == "*" {
			gap = 2
			continue
		}
		for gap > 0 && at < len(words) && words[at].form != p {
			at, gap = at+1, gap-1
		}
		if gap = 0; at >= len(words) || words[at].form != p {
			return 0
		}
		at++
	}
	return at
}

// isVersion reports whether a word is a version, a path or a file.
func isVersion(w string) bool {
	digit := strings.ContainsAny(w, "0123456789")
	switch {
	case strings.ContainsAny(w, "/\\"):
		return true
	case strings.Contains(w, "."):
		return true
	}
	return digit && len(w) > 1 && (w[0] == 'v' || w[0] < '0' || w[0] > '9')
}
