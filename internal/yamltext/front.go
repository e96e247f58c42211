package yamltext

import "strings"

// FrontMatter returns the text between two lines of three dashes at the beginning of a file, with Unix line ends; ok is
// false where the file does not begin so. Its first line is line 2 of the file.
func FrontMatter(src []byte) (string, bool) {
	head, _, ok := CutFrontMatter(string(src))
	return head, ok
}

// CutFrontMatter returns the front matter of a file and the text after it, both with Unix line ends. Where ok is
// false, the file has no front matter, and text is the whole file.
func CutFrontMatter(src string) (head, text string, ok bool) {
	src = strings.ReplaceAll(strings.TrimPrefix(src, "\ufeff"), "\r\n", "\n")
	rest, ok := strings.CutPrefix(src, "---\n")
	if !ok {
		return "", src, false
	}
	head, text, ok = strings.Cut("\n"+rest+"\n", "\n---\n")
	if !ok {
		return strings.TrimPrefix(head, "\n") + "\n", src, false
	}
	return strings.TrimPrefix(head, "\n") + "\n", strings.TrimSuffix(text, "\n"), true
}
