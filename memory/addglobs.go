package memory

import (
	"path"
	"strings"
)

// globs are the flags that say what the item is about, to go into a command.
func (req AddRequest) globs() string {
	var flags strings.Builder
	for _, glob := range req.Paths {
		flags.WriteString("--path " + pasteable(glob, "GLOB") + " ")
	}
	for _, glob := range req.Commands {
		flags.WriteString("--command " + pasteable(glob, "GLOB") + " ")
	}
	return flags.String()
}

// globNotes names the globs that match less than they seem to, with the wider ones.
func (req AddRequest) globNotes() []string {
	var notes []string
	for _, glob := range req.Commands {
		if glob = strings.Join(strings.Fields(glob), " "); glob != "" && !strings.ContainsAny(glob, "*?") {
			notes = append(notes, "matches exactly `"+glob+"`; with arguments: --command "+pasteable(glob+"*", "GLOB"))
		}
	}
	for _, glob := range req.Paths {
		name := strings.TrimPrefix(path.Clean("/"+glob), "/")
		if strings.HasPrefix(name, "*") && strings.Contains(name, ".") && !strings.ContainsAny(name, "/") {
			notes = append(notes, "matches `"+name+"` in the root folder only; everywhere: --path "+pasteable("**/"+name, "GLOB"))
		}
	}
	return notes
}
