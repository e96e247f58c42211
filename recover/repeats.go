package recovery

import (
	"strings"
	"unicode"

	"github.com/memctl/memctl/memfile"
)

// fewWords is how many words a value needs to be recognised under another key: "4" or
// "tabs" says nothing without its key.
const fewWords = 3

// statements are what the items of a document say, in words that do not depend on case,
// quotes, spaces and the signs that end a sentence.
type statements map[string]bool

// add notes what an item says.
func (s statements) add(it memfile.Item) {
	for _, form := range statementForms(it.Key, it.Value.Plain()) {
		s[form] = true
	}
}

// has reports whether one of the items says what an item of this key and text would.
func (s statements) has(key, text string) bool {
	for _, form := range statementForms(key, text) {
		if s[form] {
			return true
		}
	}
	return false
}

// statementForms are the forms in which a statement is recognised: with its key, and by its
// text alone where that has words enough.
func statementForms(key, text string) []string {
	text = folded(text)
	forms := []string{foldedKey(key) + "\n" + text}
	if len(strings.Fields(text)) >= fewWords {
		forms = append(forms, "\n"+text)
	}
	return forms
}

// folded is a text without what a person would not call a difference. Signs within or at the
// start of a word stay: "--all", "C++" and "*.go" are words of their own.
func folded(text string) string {
	words := strings.Fields(memfile.NormalText(text))
	for i, word := range words {
		if bare := strings.TrimRight(strings.Trim(word, "\"'`“”‘’«»"), ".,;:!?"); bare != "" {
			words[i] = strings.Trim(bare, "\"'`“”‘’«»")
		}
	}
	return strings.Join(words, " ")
}

// foldedKey is the letters and digits of a key, without what recovery put around them.
func foldedKey(key string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) {
			return -1
		}
		return r
	}, memfile.NormalText(unnumbered(strings.TrimPrefix(key, keyPrefix))))
}

// statements are those of the items in memory's shape, and of the items that will come back
// from the earlier version.
func (c *collector) statements() statements {
	said := statements{}
	for _, g := range c.group {
		said.add(g.item)
	}
	if c.opt.Base == nil {
		return said
	}
	for _, was := range c.opt.Base.Items {
		if c.index[was.Key] == nil && !c.forgotten(candidate{item: was}) {
			said.add(was)
		}
	}
	return said
}

// withoutRepeats leaves out what was salvaged in memory's shape, waits for confirmation and
// says what a kept item says. A salvaged key that is another spelling of a kept one becomes
// that one, so that their two values meet.
func (c *collector) withoutRepeats(cands []candidate) []candidate {
	said, keys := statements{}, map[string]bool{}
	for _, cand := range cands {
		if cand.kept {
			said.add(cand.item)
			keys[cand.item.Key] = true
		}
	}
	var out []candidate
	for _, cand := range cands {
		it := cand.item
		if !cand.kept && !cand.foreign && it.HasTag(memfile.TagNeedsConfirmation) {
			if said.has(it.Key, it.Value.Plain()) {
				continue
			}
			if normal, _ := memfile.NormalKey(it.Key); keys[normal] {
				cand.item.Key = normal
			}
		}
		out = append(out, cand)
	}
	return out
}
