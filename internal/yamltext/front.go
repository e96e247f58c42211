package yamltext

import (
	"bytes"
	"strings"
)

// FrontMatter returns the text between two lines of three dashes at the beginning of a file, with Unix line ends; ok is
// false where the file does not begin so. Its first line is line 2 of the file.
func FrontMatter(src []byte) (string, bool) {
	text := strings.ReplaceAll(string(bytes.TrimPrefix(src, []byte("\ufeff"))), "\r\n", "\n")
	text, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return "", false
	}
	head, _, ok := strings.Cut("\n"+text+"\n", "\n---\n")
	return strings.TrimPrefix(head, "\n") + "\n", ok
}
