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
// It removes words that only run another command (`sudo`, `timeout 20`, `xargs`, `if`), a program's
// folder, and the options between a program and its subcommand, so that
// `GIT_TRACE=1 /usr/bin/git -C web push` is `git push`. It also reads the scripts of `sh -c`,
// `eval` and `watch`, what runners run (`python -m pip`, `npx tsc`), and short forms
// (`npm i` is `npm install` too). It expands nothing: it does not find a command in a variable or an alias.
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
		for _, script := range s.quoted {
			if depth < maxNested {
				c.read(script, depth+1)
			}
		}
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
	for _, form := range formsOf(words) {
		text := strings.Join(form, " ")
		if text != "" && len(c.found) < maxCommands {
			c.found = append(c.found, text[:min(len(text), maxCommandText)])
		}
	}
	if run := runBy(words); len(run) > 0 && depth < maxNested {
		c.add(run, depth+1)
	}
}

// formsOf lists the command as it is, without the options before its subcommand, and with
// its short forms written out.
func formsOf(words []string) [][]string {
	forms := [][]string{words}
	if o, ok := optionsOf(words[0]); ok {
		rest := withoutOptions(words[1:], o.valued, o.long)
		if o.plus && len(rest) > 0 && strings.HasPrefix(rest[0], "+") {
			rest = rest[1:]
		}
		plain := append([]string{words[0]}, rest...)
		if words[0] == "git" {
			forms = [][]string{plain}
		} else if len(plain) != len(words) {
			forms = append(forms, plain)
		}
		words = plain
	}
	if long := writtenOut(words); long != nil {
		forms = append(forms, long)
	}
	return forms
}

// options are those of a program that can be between it and its subcommand.
type options struct {
	valued string   // the letters of its short options that take the next word
	long   []string // its other options that take the next word
	plus   bool     // +TOOLCHAIN can come first
}

// optionsOf is the one table of programs with subcommands.
func optionsOf(program string) (o options, ok bool) {
	switch program {
	case "git":
		return options{valued: "Cc", long: []string{"--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env", "--attr-source"}}, true
	case "kubectl", "oc":
		return options{valued: "nsv", long: []string{"--namespace", "--context", "--cluster", "--user", "--kubeconfig", "--server", "--token", "--as", "--as-group", "--request-timeout"}}, true
	case "helm":
		return options{valued: "n", long: []string{"--namespace", "--kube-context", "--kubeconfig"}}, true
	case "docker", "podman":
		return options{valued: "cHl", long: []string{"--context", "--host", "--config", "--log-level", "--connection", "--url"}}, true
	case "docker-compose":
		return options{valued: "fp", long: []string{"--file", "--project-name", "--profile", "--env-file", "--project-directory"}}, true
	case "terraform", "tofu":
		return options{}, true
	case "npm", "pnpm", "yarn", "bun":
		return options{valued: "CFw", long: []string{"--prefix", "--dir", "--filter", "--workspace", "--cwd", "--loglevel", "--registry"}}, true
	case "pip", "pip3", "uv", "poetry":
		return options{valued: "CP", long: []string{"--python", "--directory", "--project", "--cache-dir", "--proxy", "--log"}}, true
	case "go":
		return options{valued: "C"}, true
	case "cargo":
		return options{valued: "CZ", long: []string{"--config", "--color", "--manifest-path"}, plus: true}, true
	case "make", "gmake":
		return options{valued: "CfIo", long: []string{"--directory", "--file", "--makefile"}}, true
	case "aws", "gcloud", "az", "gh":
		return options{valued: "R", long: []string{"--profile", "--region", "--output", "--endpoint-url", "--project", "--account", "--subscription", "--repo", "--configuration"}}, true
	case "systemctl":
		return options{valued: "HM", long: []string{"--host", "--machine"}}, true
	}
	return options{}, false
}

// writtenOut is the command with its short forms written out; nil where it has none.
func writtenOut(words []string) []string {
	long := slices.Clone(words)
	if len(words) < 2 {
		return nil
	}
	switch words[0] {
	case "npm", "pnpm", "bun":
		switch words[1] {
		case "i", "add":
			long[1] = "install"
		case "rm", "un", "uninstall", "r":
			long[1] = "uninstall"
		case "t":
			long[1] = "test"
		}
	case "pip3":
		long[0] = "pip"
	case "git":
		for i, word := range words {
			if word == "-f" && slices.Contains([]string{"push", "clean", "checkout", "switch", "branch", "tag"}, words[1]) {
				long[i] = "--force"
			}
		}
	case "kubectl":
		if words[1] == "del" {
			long[1] = "delete"
		}
	}
	if slices.Equal(long, words) {
		return nil
	}
	return long
}

// runBy is the command that a runner runs (`python -m pip install`, `uv run pytest`, `find -exec`); nil
// for any other program.
func runBy(words []string) []string {
	after := func(n int) []string {
		if len(words) <= n {
			return nil
		}
		return withoutOptions(words[n:], "p", []string{"--package", "--with", "--python", "--extra", "--group"})
	}
	second := ""
	if len(words) > 1 {
		second = words[1]
	}
	switch words[0] {
	case "python", "python3", "py":
		if i := slices.Index(words, "-m"); i > 0 && i+1 < len(words) {
			return words[i+1:]
		}
	case "npx", "bunx", "uvx", "pipx":
		if words[0] == "pipx" && second == "run" {
			return after(2)
		}
		return after(1)
	case "uv", "poetry", "pipenv", "rye", "hatch":
		if second == "run" {
			return after(2)
		}
	case "bundle", "npm", "pnpm", "yarn", "mise":
		if second == "exec" || second == "dlx" || second == "x" {
			return after(2)
		}
	case "find":
		if i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "-exec") || strings.HasPrefix(w, "-ok") }); i > 0 {
			return words[i+1:]
		}
	}
	return nil
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
