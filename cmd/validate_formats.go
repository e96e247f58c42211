package cmd

import (
	"fmt"
	"strings"

	"github.com/memctl/memctl/internal/fault"
)

// annotations are findings as workflow commands, which GitHub Actions shows
// beside the lines of a pull request.
func annotations(findings []fault.Finding, path func(string) string) string {
	var b strings.Builder
	escape := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	for _, f := range findings {
		message := f.Message
		if f.Key != "" {
			message = f.Key + ": " + message
		}
		if f.Hint != "" {
			message += "\n" + f.Hint
		}
		fmt.Fprintf(&b, "::%s file=%s,line=%d,title=%s::%s\n", f.Severity,
			commandProperty(inert(path(f.File))), f.Line, commandProperty("memctl "+f.Rule), escape.Replace(lines(message)))
	}
	return b.String()
}

// lines makes every line of a text inert on its own.
func lines(text string) string {
	list := strings.Split(text, "\n")
	for i := range list {
		list[i] = inert(list[i])
	}
	return strings.Join(list, "\n")
}

// commandProperty escapes a property, where colon and comma end the value too.
func commandProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
