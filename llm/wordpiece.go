package llm

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// wordPiece splits text as BERT's tokenizer does: words and punctuation, then
// the longest known pieces of each word from its start.
type wordPiece struct {
	vocab   map[string]int
	unknown string
	prefix  string // of a piece that continues a word
	maxWord int    // characters; a longer word is unknown
	lower   bool
	strip   bool // accents
}

// tokens lists the numbers of the known pieces; a word with an unknown part
// counts for nothing, as Model2Vec has it.
func (w *wordPiece) tokens(text string) []int {
	var out []int
	for _, word := range w.split(text) {
		out = append(out, w.pieces(word)...)
	}
	return out
}

// split makes words: cut at white space, and around each punctuation mark and
// each Chinese character.
func (w *wordPiece) split(text string) []string {
	if w.lower {
		text = strings.ToLower(text)
	}
	if w.strip {
		text = norm.NFD.String(text)
	}
	var words []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	for _, r := range text {
		switch {
		case w.strip && unicode.Is(unicode.Mn, r), r == 0, r == unicode.ReplacementChar:
		case unicode.IsSpace(r):
			end()
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
		case unicode.IsPunct(r), r < unicode.MaxASCII && unicode.IsSymbol(r), unicode.Is(unicode.Han, r):
			end()
			words = append(words, string(r))
		default:
			word.WriteRune(r)
		}
	}
	end()
	return words
}

// pieces splits one word; nil where a part of it is unknown.
func (w *wordPiece) pieces(word string) []int {
	runes := []rune(word)
	if len(runes) > w.maxWord {
		return nil
	}
	var out []int
	for start := 0; start < len(runes); {
		end := len(runes)
		for ; end > start; end-- {
			piece := string(runes[start:end])
			if start > 0 {
				piece = w.prefix + piece
			}
			if id, ok := w.vocab[piece]; ok && piece != w.unknown {
				out = append(out, id)
				break
			}
		}
		if end == start {
			return nil
		}
		start = end
	}
	return out
}
