package gitops

import (
	"bytes"
	"strings"
)

// isPerson reports whether a header's line names a person; in a merged tag it is
// indented.
func isPerson(line string) bool {
	line = strings.TrimPrefix(line, " ")
	return strings.HasPrefix(line, "author ") || strings.HasPrefix(line, "committer ") || strings.HasPrefix(line, "tagger ")
}

// WithoutPeople is a commit or a tag without the headers that name its author,
// committer or tagger.
func WithoutPeople(object []byte) []byte {
	head, message, _ := bytes.Cut(object, []byte("\n\n"))
	var b bytes.Buffer
	for line := range strings.Lines(string(head)) {
		if !isPerson(line) {
			b.WriteString(line)
		}
	}
	b.WriteString("\n\n")
	b.Write(message)
	return b.Bytes()
}

// FileWithoutPeople is a file of the git folder without the names of people where git
// puts them: in the lines of a reflog, and in the settings user, author and committer.
func FileWithoutPeople(name string, data []byte) []byte {
	switch base := name[strings.LastIndexByte(name, '/')+1:]; {
	case strings.Contains("/"+name, "/logs/"):
		return linesWithout(data, func(line string) string {
			who, message, _ := strings.Cut(line, "\t")
			const ids = 2
			return strings.Join(strings.SplitN(who, " ", ids+1)[:min(ids, strings.Count(who, " ")+1)], " ") + "\t" + message
		})
	case base == "config" || base == "config.worktree":
		mine := false
		return linesWithout(data, func(line string) string {
			text := strings.ToLower(strings.TrimSpace(line))
			if strings.HasPrefix(text, "[") {
				mine = strings.HasPrefix(text, "[user]") || strings.HasPrefix(text, "[author]") || strings.HasPrefix(text, "[committer]")
			}
			if mine && (strings.HasPrefix(text, "name") || strings.HasPrefix(text, "email")) {
				return "\n"
			}
			return line
		})
	}
	return data
}

func linesWithout(data []byte, cut func(line string) string) []byte {
	var b bytes.Buffer
	for line := range strings.Lines(string(data)) {
		b.WriteString(cut(line))
	}
	return b.Bytes()
}
