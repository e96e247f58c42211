// Package keys makes keys of what people write: headings, list items, and sentences of a prompt.
//
// Words. A key is an area and a name. The area comes from a heading, or from the words of the text. The name is
// the subject of the text: its label, the condition that it begins with, or the first phrase of its first sentence.
// A name keeps a negation, and does not repeat the area.
package keys

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/memfile"
)

const (
	// MaxPart is the size of one part of a key in bytes.
	MaxPart = 48
	// fewWords is the number of words after which a phrase ends at the next joint.
	fewWords = 3
)

// Namer gives each key once.
type Namer struct{ taken map[string]bool }

// NewNamer returns a Namer that has given no key.
func NewNamer() *Namer { return &Namer{taken: map[string]bool{}} }

// Key returns a key for a text below a heading. If another text has that key, it adds words, and then a number. negated
// says that what stands above the text reverses its meaning.
func (n *Namer) Key(heading, text string, negated bool) string {
	area := Area(heading)
	avoids := area == "avoid" || strings.HasSuffix(area, "-avoid")
	name, more := nameOf(area, text, negated || avoids)
	if avoids && len(name) > 1 && name[0].text == "no" {
		name = name[1:]
	}
	key := area + "." + render(name, text)
	for len(more) > 0 && n.taken[key] {
		whole := min(run(more), fewWords)
		name, more = append(name, more[:whole]...), more[whole:]
		key = area + "." + render(name, text)
	}
	base := key
	for i := 2; n.taken[key]; i++ {
		key = base + "-" + strconv.Itoa(i)
	}
	n.taken[key] = true
	return key
}

// Name returns the name that a text gets below an area.
func Name(area, text string) string {
	name, _ := nameOf(area, text, false)
	return render(name, text)
}

// Area returns the first part of a key for a heading. It avoids names that mean something to memory: a heading
// "Lessons" makes no lessons.* key, whose value would have to be a map.
func Area(heading string) string {
	if name, rest, _ := strings.Cut(heading, " "); strings.HasSuffix(strings.ToLower(name), ".md") {
		heading = rest // the title "CLAUDE.md" says nothing
	}
	words := wordsOf(heading)
	if label, rest := Label(heading); isKind(label) && Count(rest) > 1 {
		words = wordsOf(rest)
	} else if label != "" && len(words) > fewWords {
		words = wordsOf(label)
	}
	if len(words) > 1 && words[0].text == "key" { // key-links.… would read like a key that is given
		words = words[1:]
	}
	words = upTo(words, fewWords)
	part := memfile.KeyPart(heading, MaxPart) // "Do"
	if len(words) > 0 {
		part = strings.NewReplacer("-and-", "-", "-or-", "-").Replace(render(words, heading)) // "API and auth"
	}
	part = strings.TrimLeft(part, "0123456789-_")
	switch {
	case heading == "" || part == "":
		return "notes"
	case Negative(heading) && len(words) == 0: // "Never", "What not to do"
		return "avoid"
	case Negative(heading) && !Negative(part): // "Things to avoid"
		return part + "-avoid"
	case part == "lessons":
		return "lesson"
	}
	return part
}

// Part returns the first words of a text as a part of a key, "" if it has none.
func Part(text string) string {
	if words := upTo(wordsOf(text), fewWords); len(words) > 0 {
		return render(words, text)
	}
	return ""
}

// Count returns how many words of a text a key could contain.
func Count(text string) int {
	return len(slices.DeleteFunc(wordsOf(text), func(w word) bool { return w.link }))
}

// nameOf returns the words of a name below an area, and more words that tell it from others.
func nameOf(area, text string, denied bool) (name, more []word) {
	if label, rest := Label(text); label != "" && (isKind(label) || memfile.KeyPart(label, MaxPart) == area) {
		text, denied = rest, denied || Negative(label) // "Forbidden: raw SQL"
	}
	name, more = subject(text, denied)
	if label, _ := Label(text); label != "" {
		return name, more
	}
	thin := len(name) == 1 && !name[0].code && (is(name[0].text, "generic") || strings.TrimSuffix(name[0].text, "s") == "test" && !repeats(area, name[0]))
	repeated := !slices.ContainsFunc(name, func(w word) bool { return !repeats(area, w) })
	if len(more) > 0 && (thin || repeated) { // "Tests must not reach the network" below "Tests"
		if n := len(more); !thin && n > 1 && more[1].joint != "" && strings.HasSuffix(more[0].text, "ed") {
			more = more[1:] // "is configured by"
		}
		if more[0].mark, more[0].verb = false, false; !thin {
			more[0].joint = ""
		}
		predicate, rest := phrase(more)
		if thin || name[0].link || len(name) == 1 && is(name[0].text, "imperative") && !repeats(area, name[0]) {
			predicate = append(slices.Clone(name), predicate...)
		}
		return predicate, append(slices.Clone(name), rest...)
	}
	if len(name) > 1 && repeats(area, name[0]) && !is(name[1].text, "generic") && !is(name[1].text, "imperative") && !slices.Contains([]string{"for", "of", "and", "or"}, name[1].joint) && (name[1].joint == "" || !strings.Contains(area, "-")) {
		if name = name[1:]; name[0].joint != "" { // "deploy-on-fridays" below "deploy"
			name[0].text = name[0].joint + "-" + name[0].text
		}
		if len(name) == 1 && len(more) > 0 && more[0].joint != "" && !more[0].mark && !strings.HasSuffix(name[0].text, "s") { // "jobs run at night" below "jobs"
			name, more = append(slices.Clone(name), more[:run(more)]...), more[run(more):]
		}
	}
	return name, more // "commit-messages" below "commits"
}

// repeats reports whether a word says what the area says.
func repeats(area string, w word) bool {
	return slices.ContainsFunc(strings.Split(area, "-"), func(a string) bool { return stem(a) == stem(w.text) })
}

func stem(w string) string { return strings.TrimSuffix(strings.TrimSuffix(w, "s"), "ing") }

// render joins words to one part of a key, as far as there is room. What has none that can stand in a key gets the
// digits of the hash of its text.
func render(words []word, text string) string {
	var part strings.Builder
	words = withoutLastLinks(words)
	for i, w := range words {
		joint := ""
		if i > 0 {
			joint = "-"
			if w.joint != "" && !w.mark && !w.verb && !w.link && (!words[i-1].link || words[i-1].text == "only") {
				joint = "-" + w.joint + "-"
			}
		}
		if w.link && (i+1 == len(words) || part.Len()+len(w.text)+len(words[i+1].text)+2 > MaxPart) || part.Len()+len(joint)+len(w.text) > MaxPart {
			break
		}
		if part.Len() == 0 && w.text == "not" && w.link {
			w.text = "no"
		}
		part.WriteString(joint + w.text)
	}
	if part.Len() > 0 {
		return part.String()
	}
	sum := sha256.Sum256([]byte(memfile.NormalText(text)))
	return "x" + hex.EncodeToString(sum[:4])
}
