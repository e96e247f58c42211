package session

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/capture"
	"github.com/memctl/memctl/memfile"
)

// Folded is a text as it is compared with the lines of instruction files: spaces do not count, nor do the number of a step and a
// full stop at its end.
func Folded(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return strings.TrimSuffix(text[len(capture.Number(text)):], ".")
}

// RuleLine is an item as a list item of an instruction file: a value that says by itself what it is about, any other after the last part
// of its key. What an agent would take as the name of a file to include is printed as code.
func RuleLine(key, value string) string {
	value = Defuse(Unlabelled(key, value))
	if name := key[strings.LastIndexByte(key, '.')+1:]; capture.Number(value) == "" && !saysItself(key, value) {
		first, size := utf8.DecodeRuneInString(name)
		value = string(unicode.ToUpper(first)) + strings.ReplaceAll(name[size:], "-", " ") + ": " + value
	}
	parts := strings.Split(value, "`")
	for i := 0; i < len(parts); i += 2 { // the others are code
		parts[i] = asCode(parts[i])
	}
	return strings.Join(parts, "`")
}

// Unlabelled is a value without the label in front of it, where the label is the area of its key, as in an imported rule: there
// the heading of the list or the key says the same.
func Unlabelled(key, value string) string {
	area, _, _ := strings.Cut(key, ".")
	label, rest, found := strings.Cut(value, ": ")
	if !found || rest == "" || len(label) < len(area) || memfile.KeyPart(label, 256) != area {
		return value
	}
	return rest
}

// asCode makes code of each word of a text that begins with "@".
func asCode(text string) string {
	words := strings.Split(text, " ")
	for i, word := range words {
		if name := strings.TrimRight(word, ".,;:!?)"); strings.HasPrefix(name, "@") && len(name) > 1 {
			words[i] = "`" + name + "`" + word[len(name):]
		}
	}
	return strings.Join(words, " ")
}
