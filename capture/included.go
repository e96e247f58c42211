package capture

import (
	"path"
	"slices"
	"strings"
)

// Included returns the Markdown files that an instruction file includes with @FILE, in their order. It ignores code.
func Included(text []byte) (list []string) {
	fence := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch mark := opensFence(line); {
		case fence != "":
			if strings.HasPrefix(line, fence) {
				fence = ""
			}
			continue
		case mark != "":
			fence = mark
			continue
		}
		for i, part := range strings.Split(line, "`") {
			if i%2 == 1 {
				continue
			}
			for word := range strings.FieldsSeq(part) {
				name, found := strings.CutPrefix(strings.Trim(word, "()*,;:."), "@")
				if ext := strings.ToLower(path.Ext(name)); found && (ext == ".md" || ext == ".mdc") && !slices.Contains(list, name) {
					list = append(list, name)
				}
			}
		}
	}
	return list
}
