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
	// maxCommandText caps one simple command, as a glob sees it.
	maxCommandText = 2 << 10
	// maxNested caps how deep `sh -c` is followed.
	maxNested = 3
)

// Commands splits a shell command line into its simple commands, each as its words with
// single spaces between them and without quotes, leading assignments and redirections.
// Words that only run another command (`sudo`, `timeout 20`, `xargs`, `if`) are taken off, the
// scripts of `sh -c`, `eval` and `watch` are read, and so
// are git's options before its subcommand and the folder of a program's path, so that
// `GIT_TRACE=1 /usr/bin/git -C web push` is `git push`. It reads the text and expands
// nothing: a command in a variable, an alias or double quotes is not found.
func Commands(line string) []string {
	var c commands
	c.read(line, 0)
	return c.found
}

// MatchesCommand reports whether one of the globs matches the whole of a simple command.
// `*` stands for any characters, spaces too, and `?` for one.
func MatchesCommand(globs []string, command string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		glob = strings.Join(strings.Fields(glob), " ")
		return glob != "" && wildcard(glob, command)
	})
}

// wildcard matches without recursion: after a mismatch only the last star takes one byte more.
func wildcard(glob, text string) bool {
	g, t, star, mark := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case g < len(glob) && glob[g] == '*':
			star, mark = g, t
			g++
		case g < len(glob) && (glob[g] == '?' || glob[g] == text[t]):
			g++
			t++
		case star >= 0:
			mark++
			g, t = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(glob[g:], "*") == ""
}

// commands collects simple commands.
type commands struct{ found []string }

func (c *commands) read(line string, depth int) {
	s := &shell{text: line[:min(len(line), maxCommandLine)]}
	for len(c.found) < maxCommands && s.next() {
		c.add(s.words, depth)
	}
}

// add takes in one simple command.
func (c *commands) add(words []string, depth int) {
	words = unwrapped(words)
	if len(words) == 0 {
		return
	}
	if script, ok := scriptOf(words); ok && depth < maxNested {
		c.read(script, depth+1)
	}
	text := strings.Join(words, " ")
	if text == "" || len(c.found) >= maxCommands {
		return
	}
	c.found = append(c.found, text[:min(len(text), maxCommandText)])
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
	case "if", "then", "elif", "else", "while", "until", "do", "!", "{", "command", "builtin", "nohup", "setsid", "time":
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
			words = append([]string{name}, words[1:]...)
			if name == "git" {
				return append(words[:1], withoutOptions(words[1:], "Cc", gitValued)...)
			}
			return words
		}
		words = withoutOptions(words[1:], w.valued, w.long)
		words = words[min(w.operands, len(words)):]
	}
}

// gitValued are the long options of git that take the next word.
var gitValued = []string{"--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env", "--attr-source"}

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
