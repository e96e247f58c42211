package main

import (
	"os/exec"
	"strings"
)

// other is a language whose empty program the table also shows: what a hook
// written in it would cost before its first line.
type other struct {
	title string   // of the row
	ask   []string // prints the interpreter's own path, and on the next line its version
	empty []string // its arguments for a program that does nothing
}

var others = []other{
	{title: "`node -e 0`", ask: []string{"node", "-p", `process.execPath + "\n" + process.version.slice(1)`}, empty: []string{"-e", "0"}},
	{title: "`python3 -c pass`", ask: []string{"python3", "-c", "import platform, sys; print(sys.executable); print(platform.python_version())"}, empty: []string{"-c", "pass"}},
}

// measured is the language's row. What is measured is the interpreter itself,
// not a script of the same name that looks for it.
func (o other) measured(b *bench) *measured {
	out, err := exec.Command(o.ask[0], o.ask[1:]...).Output()
	said := strings.Fields(string(out))
	if err != nil || len(said) < 2 {
		return &measured{name: o.title, absent: true}
	}
	version := said[len(said)-1]
	path := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(string(out)), version))
	args := append([]string{path}, o.empty...)
	return &measured{name: o.title + ", " + version, start: func(int) *exec.Cmd { return b.command(b.large, args...) }}
}
