package contextfile

import (
	"bytes"
	"embed"
	"path"
	"strings"
)

//go:embed templates
var templates embed.FS

// flagsMark stands in a template for the flags of commands that name an agent and a user.
const flagsMark = "{flags}"

// Template is the text that a new context file of that name gets, with the flags of its commands; nil for none.
func Template(name, flags string) []byte {
	src, _ := templates.ReadFile(path.Join("templates", name))
	return bytes.ReplaceAll(src, []byte(flagsMark), []byte(flags))
}

// IsTemplate reports whether a file still says what its template says, with whatever flags.
func IsTemplate(name string, text []byte) bool {
	src := Template(name, flagsMark)
	if src == nil {
		return false
	}
	rest := strings.ReplaceAll(string(text), "\r\n", "\n")
	parts := strings.Split(string(src), flagsMark)
	for i, part := range parts {
		flags, after, found := strings.Cut(rest, part)
		if !found || strings.Contains(flags, "\n") || i == 0 && flags != "" {
			return false
		}
		rest = after
	}
	return rest == ""
}
