package session

import (
	"slices"
	"strings"
)

const (
	// maxCommandText caps one simple command, as a glob sees it.
	maxCommandText = 2 << 10
	// maxSpellings caps in how many spellings one glob is compared.
	maxSpellings = 16
	// maxSharedFlags is how long a word of several flags is; a longer one is a long option with one dash.
	maxSharedFlags = len("-xzvf")
)

// MatchesCommand reports whether one of the globs matches the whole of a simple command.
// `*` stands for any characters, spaces too, and `?` for one. The command may have more options
// than the glob, also between the words of the glob, and the options of the glob may come in another
// order, together (`-rf`) or in another of the program's spellings.
func MatchesCommand(globs []string, command Command) bool {
	if len(command) == 0 {
		return false
	}
	text := strings.Join(command, " ")
	text = text[:min(len(text), maxCommandText)]
	words := separateFlags(command[:min(len(command), maxCommandText/8)])
	return slices.ContainsFunc(globs, func(glob string) bool {
		fields := strings.Fields(glob)
		return len(fields) > 0 && (wildcard(strings.Join(fields, " "), text) || sameProgram(fields[0], words[0]) &&
			slices.ContainsFunc(spellings(fields), func(g commandGlob) bool { return g.matches(words) }))
	})
}

// sameProgram reports whether a glob's first word can be the program, by this name or by one of its others.
func sameProgram(glob, program string) bool {
	return wildcard(glob, program) || slices.ContainsFunc(sameCommand, func(same []string) bool {
		has := func(name string) bool {
			return slices.ContainsFunc(same, func(s string) bool {
				program, _, _ := strings.Cut(s, " ")
				return program == name
			})
		}
		return has(program) && has(strings.TrimSuffix(glob, "*"))
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

// commandGlob is a glob whose options can come anywhere.
type commandGlob struct {
	words   []string // the program, its subcommands and operands, in this order
	options []string
	open    bool // it ends in a star: more words may follow
}

// newCommandGlob reads the words of a glob. With values, a word after an option is its value.
func newCommandGlob(fields []string, values bool) (g commandGlob) {
	g.open = strings.HasSuffix(fields[len(fields)-1], "*")
	fields = separateFlags(fields)
	for i, field := range fields {
		switch {
		case isOption(field):
			g.options = append(g.options, field)
		case values && i > 0 && isOption(fields[i-1]):
			g.options[len(g.options)-1] += "=" + field
		default:
			g.words = append(g.words, field)
		}
	}
	return g
}

// sameCommand are the spellings of commands and options that mean the same.
var sameCommand = [][]string{
	{"docker compose", "docker-compose"},
	{"docker compose down -v", "docker compose down --volumes"},
	{"npm install", "npm i", "npm add"},
	{"npm uninstall", "npm remove", "npm rm", "npm un"},
	{"npm test", "npm t"},
	{"pnpm install", "pnpm i", "pnpm add"},
	{"pnpm remove", "pnpm rm", "pnpm uninstall"},
	{"bun install", "bun i", "bun add"},
	{"cargo build", "cargo b"},
	{"cargo test", "cargo t"},
	{"cargo run", "cargo r"},
	{"apt", "apt-get"},
	{"pip", "pip3"},
	{"python", "python3"},
	{"terraform destroy", "terraform apply -destroy"},
	{"tofu destroy", "tofu apply -destroy"},
	{"git push --force", "git push -f", "git push +*"},
	{"git push --delete", "git push -d"},
	{"git branch -D", "git branch --delete --force", "git branch -d -f"},
	{"git checkout --force", "git checkout -f"},
	{"git clean --force", "git clean -f"},
	{"git commit --no-verify", "git commit -n"},
	{"git tag --force", "git tag -f"},
	{"rm -r", "rm -R", "rm --recursive"},
	{"rm -f", "rm --force"},
}

// spellings lists the readings of a glob: with and without values of options, each in the
// spellings that mean the same.
func spellings(fields []string) []commandGlob {
	list := []commandGlob{newCommandGlob(fields, false), newCommandGlob(fields, true)}
	for _, same := range sameCommand {
		for _, g := range list {
			list = append(list, g.respelled(same)...)
		}
		list = list[:min(len(list), maxSpellings)]
	}
	return list
}

// respelled is the glob with another of the spellings in place of the one that it has; nil if it has none of them.
func (g commandGlob) respelled(same []string) (list []commandGlob) {
	equal := func(word, other string) bool { return word == other || strings.TrimSuffix(word, "*") == other }
	for i, spelling := range same {
		if len(g.words) == 0 || !strings.HasPrefix(spelling, strings.TrimSuffix(g.words[0], "*")) {
			continue
		}
		old := newCommandGlob(strings.Fields(spelling), false)
		n := len(old.words)
		isOld := func(option string) bool {
			return slices.ContainsFunc(old.options, func(o string) bool { return equal(option, o) })
		}
		kept := slices.DeleteFunc(slices.Clone(g.options), isOld)
		if len(g.words) < n || !slices.EqualFunc(g.words[:n], old.words, equal) || len(g.options)-len(kept) < len(old.options) {
			continue
		}
		for _, other := range slices.Delete(slices.Clone(same), i, i+1) {
			spelled := newCommandGlob(strings.Fields(other), false)
			spelled.words = append(spelled.words, g.words[n:]...)
			spelled.options = append(spelled.options, kept...)
			spelled.open = g.open
			list = append(list, spelled)
		}
		return list
	}
	return nil
}

// matches reports whether the glob matches a command whose flags are separate. It walks through the words
// of the glob, and reached has the places in the command that each of them can begin at.
func (g commandGlob) matches(command []string) bool {
	for _, option := range g.options {
		if !hasOption(command, option) {
			return false
		}
	}
	reached := make([]bool, len(command)+3)
	reached[0] = true
	for _, word := range g.words {
		next := make([]bool, len(reached))
		for i, at := range command {
			if !reached[i] {
				continue
			}
			if isOption(at) { // with or without a value
				reached[i+1] = true
				reached[i+2] = reached[i+2] || i+1 < len(command) && !isOption(command[i+1])
			}
			if wildcard(word, at) {
				next[i+1] = true
			}
			if word == "*" { // any number of words
				reached[i+1] = true
			}
		}
		reached = next
	}
	for i := range command {
		// After the last word of the glob only its own options may follow.
		if reached[i] && !g.open && isOption(command[i]) && g.names(command[i]) {
			reached[i+1] = true
		}
	}
	return reached[len(command)] || g.open && slices.Contains(reached, true)
}

// names reports whether the glob has an option of the command.
func (g commandGlob) names(option string) bool {
	return slices.ContainsFunc(g.options, func(o string) bool { return wildcard(o, option) })
}

// hasOption reports whether one of the words is the option; its value may be the next word.
func hasOption(command []string, option string) bool {
	for i, word := range command {
		if isOption(word) && (wildcard(option, word) || i+1 < len(command) && wildcard(option, word+"="+command[i+1])) {
			return true
		}
	}
	return false
}

// isOption reports whether a word is an option, or names a toolchain or a forced branch (+main).
func isOption(word string) bool { return len(word) > 1 && (word[0] == '-' || word[0] == '+') }

// separateFlags writes flags that share a dash as words of their own (`-rf` as `-r -f`), and the value of a
// long option too.
func separateFlags(words []string) (list []string) {
	for _, word := range words {
		flags := strings.TrimSuffix(word, "*")
		letters := strings.Trim(strings.TrimPrefix(flags, "-"), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
		name, value, hasValue := strings.Cut(word, "=")
		switch {
		case isOption(word) && letters && len(flags) > 2 && len(flags) <= maxSharedFlags:
			for _, flag := range flags[1:] {
				list = append(list, "-"+string(flag))
			}
		case isOption(word) && hasValue:
			list = append(list, name, value)
		default:
			list = append(list, word)
		}
	}
	return list
}
