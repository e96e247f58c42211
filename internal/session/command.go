package session

import (
	"slices"
	"strings"
)

const (
	// maxCommandLine is how many bytes of a command line are read.
	maxCommandLine = 32 << 10
	// maxCommands caps the simple commands of one command line.
	maxCommands = 200
	// maxNested caps how deep `sh -c` is followed.
	maxNested = 3
)

// Command is one simple command: the name of its program, and its arguments without quotes.
type Command []string

// commandsOf splits a shell command line into its simple commands, without leading assignments
// and redirections. It removes words that only run another command (`sudo`, `timeout 20`,
// `xargs`, `if`) and a program's folder. It also reads the scripts of `sh -c`, `ssh`, `eval` and
// `watch`, and what runners run (`python -m pip`, `npx tsc`, `docker exec db psql`). It expands
// nothing: it does not find a command in a variable or an alias.
//
// In PowerShell a backtick escapes, a block is in braces, and programs have endings.
func commandsOf(line string, power bool) []Command {
	var c commands
	c.read(line, power, 0)
	return c.found
}

// commands collects simple commands.
type commands struct{ found []Command }

func (c *commands) read(line string, power bool, depth int) {
	s := &shell{text: line[:min(len(line), maxCommandLine)], power: power}
	for len(c.found) < maxCommands && s.next() {
		words := s.words
		if power {
			words = powerShellProgram(words)
		}
		c.addWithNested(words, depth)
		for _, script := range s.quoted {
			if depth < maxNested {
				c.read(script, power, depth+1)
			}
		}
	}
}

// addWithNested takes in one simple command.
func (c *commands) addWithNested(words []string, depth int) {
	words = unwrapped(words)
	if len(words) == 0 || len(c.found) >= maxCommands {
		return
	}
	c.found = append(c.found, words)
	if depth == maxNested {
		return
	}
	if script, ok := scriptOf(words); ok {
		c.read(script, false, depth+1)
	} else if script, ok := scriptOfWindows(words); ok {
		c.read(script, true, depth+1)
	}
	for _, run := range runBy(words) {
		c.addWithNested(run, depth+1)
	}
}

// runBy lists what a runner may run (`python -m pip install`, `uv run pytest`, `find -exec`,
// `kubectl exec web -- ls`): an option may take the next word or not, and a container or an
// image may come first.
func runBy(words []string) (list [][]string) {
	switch words[0] {
	case "npx", "bunx", "uvx", "pipx", "fvm", "arch":
		return commandsAfterOptions(words[1:])
	}
	for i, word := range words {
		switch {
		case word == "-m" && strings.HasPrefix(words[0], "py"), word == "--", words[0] == "find" && (strings.HasPrefix(word, "-exec") || strings.HasPrefix(word, "-ok")):
			return [][]string{words[i+1:]}
		case (i == 1 || i == 2) && slices.Contains([]string{"exec", "run", "dlx", "x"}, word):
			for _, run := range commandsAfterOptions(words[i+1:]) {
				list = append(list, run, run[1:])
			}
		}
	}
	return list
}

// commandsAfterOptions lists the rests of the words that begin after the options, whose last one may take a value.
func commandsAfterOptions(words []string) (list [][]string) {
	for i, word := range words {
		if isOption(word) {
			continue
		}
		list = append(list, words[i:])
		if i == 0 || !isOption(words[i-1]) {
			break
		}
	}
	return list
}

// wrapper is a word that runs the command after its options and operands.
type wrapper struct {
	valued   string   // the letters of its short options that take the next word
	long     []string // its long options that take the next word
	operands int      // how many words stand between its options and the command
}

// wrapperNamed returns the wrapper of a name; ok is false for any other program.
func wrapperNamed(name string) (w wrapper, ok bool) {
	switch name {
	case "if", "then", "elif", "else", "while", "until", "do", "!", "{", "command", "builtin", "nohup", "setsid", "time", "coproc":
		return wrapper{}, true
	case "exec":
		return wrapper{valued: "a"}, true
	case "nice":
		return wrapper{valued: "n", long: []string{"--adjustment"}}, true
	case "env":
		return wrapper{valued: "uCS", long: []string{"--unset", "--chdir"}}, true
	case "doas":
		return wrapper{valued: "uC"}, true
	case "sudo":
		return wrapper{valued: "ugpChrtTUD", long: []string{"--user", "--group", "--chdir", "--host", "--prompt"}}, true
	case "timeout", "gtimeout":
		return wrapper{valued: "ks", long: []string{"--kill-after", "--signal"}, operands: 1}, true
	case "stdbuf", "gstdbuf":
		return wrapper{valued: "ioe", long: []string{"--input", "--output", "--error"}}, true
	case "xargs", "gxargs":
		// -R and -S are options of the BSDs.
		return wrapper{valued: "adEILnPRSs", long: []string{"--arg-file", "--delimiter", "--max-args", "--max-chars", "--max-procs", "--process-slot-var"}}, true
	}
	return wrapper{}, false
}

// unwrapped takes off what stands before the command itself, and gives the program by its
// name alone.
func unwrapped(words []string) []string {
	for {
		for len(words) > 0 && isAssignment(words[0]) {
			words = words[1:]
		}
		if len(words) == 0 {
			return nil
		}
		name := words[0][strings.LastIndexByte(words[0], '/')+1:]
		w, ok := wrapperNamed(name)
		if !ok {
			return append([]string{name}, words[1:]...)
		}
		words = withoutOptions(words[1:], w.valued, w.long)
		words = words[min(w.operands, len(words)):]
	}
}

// withoutOptions takes the options at the start off. valued are the letters of the short
// options that take the next word, and long the long ones.
func withoutOptions(words []string, valued string, long []string) []string {
	for len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' {
		option := words[0]
		words = words[1:]
		if option == "--" {
			break
		}
		short := len(option) == 2 && strings.Contains(valued, option[1:])
		if len(words) > 0 && (short || slices.Contains(long, option)) {
			words = words[1:]
		}
	}
	return words
}

// isAssignment reports whether a word is NAME=value.
func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	if !ok || name == "" || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// scriptOf is the script of `sh -c SCRIPT`, of `eval` and of `watch`.
func scriptOf(words []string) (script string, ok bool) {
	switch words[0] {
	case "eval":
		return strings.Join(withoutOptions(words[1:], "", nil), " "), true
	case "ssh":
		rest := withoutOptions(words[1:], "BbcDEeFIiJLlmOopQRSWw", nil)
		return strings.Join(rest[min(1, len(rest)):], " "), len(rest) > 1
	case "watch":
		return strings.Join(withoutOptions(words[1:], "nq", []string{"--interval", "--equexit"}), " "), true
	}
	if !slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh"}, words[0]) {
		return "", false
	}
	for i, word := range words[1:] {
		if !strings.HasPrefix(word, "-") {
			return "", false
		}
		if strings.HasSuffix(word, "c") && !strings.HasPrefix(word, "--") && i+2 < len(words) {
			return words[i+2], true
		}
	}
	return "", false
}
