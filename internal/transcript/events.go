package transcript

import (
	"iter"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Calls returns the tool calls of a session in the order in which they began. It joins the
// turns of each call; a call without an end keeps the status Started.
func Calls(turns iter.Seq[Turn]) []Call {
	var calls []Call
	place := map[string]int{}
	for t := range turns {
		if t.Call == nil {
			continue
		}
		i, known := place[t.Call.ID]
		if !known || t.Call.ID == "" {
			place[t.Call.ID] = len(calls)
			calls = append(calls, *t.Call)
			continue
		}
		calls[i].join(t.Call)
	}
	return calls
}

// join takes what a later turn says of the call. An exit status says more than a success of
// the tool that ran the command.
func (c *Call) join(later *Call) {
	if c.Tool == "" {
		c.Tool = later.Tool
	}
	if c.Command == "" {
		c.Command = later.Command
	}
	for _, file := range later.Files {
		if !slices.Contains(c.Files, file) {
			c.Files = append(slices.Clip(c.Files), file)
		}
	}
	if later.Exit >= 0 || c.Exit < 0 && later.Status > c.Status {
		c.Exit, c.Status = later.Exit, later.Status
	}
}

const (
	maxCommand = 300 // bytes of a command line that is handed out
	maxOpen    = 32  // commands that failed and have not passed yet
)

// Failure is a command line that failed. It can contain a secret: the caller has to look for it.
type Failure struct {
	Command string
	Exit    int // of the last time, -1 where none is recorded
	Times   int
}

// failing is a command that has failed and not passed yet.
type failing struct {
	line     string // of the last failure
	failures []Failure
}

// trackFailure takes the next call. It returns the commands that still fail, and the one that the
// call ended.
func trackFailure(open []failing, call Call) ([]failing, *failing) {
	if call.Command == "" || call.Status != Failed && call.Status != Passed || call.Status == Failed && isAnswerStatus(call) {
		return open, nil
	}
	i := slices.IndexFunc(open, func(f failing) bool { return sameCommand(f.line, call.Command) })
	if call.Status == Passed {
		if i < 0 {
			return open, nil
		}
		ended := open[i]
		return slices.Delete(open, i, i+1), &ended
	}
	if i < 0 {
		if len(open) == maxOpen {
			open = slices.Delete(open, 0, 1)
		}
		i, open = len(open), append(open, failing{})
	}
	f := &open[i]
	f.line = call.Command
	line := shorten(call.Command)
	at := slices.IndexFunc(f.failures, func(f Failure) bool { return f.Command == line })
	if at < 0 {
		at, f.failures = len(f.failures), append(f.failures, Failure{Command: line})
	}
	f.failures[at].Exit = call.Exit
	f.failures[at].Times++
	return open, nil
}

// isAnswerStatus reports whether the exit status is the command's answer and no failure.
func isAnswerStatus(call Call) bool {
	switch name, _ := program(call.Command); name {
	case "grep", "rg", "egrep", "test", "[", "diff", "cmp", "which", "pgrep":
		return call.Exit == 1
	}
	return false
}

// sameCommand reports whether two command lines are attempts at one thing: the same program
// with the same subcommand, or another program with mostly the same words.
func sameCommand(a, b string) bool {
	programA, wordsA := program(a)
	programB, wordsB := program(b)
	if programA == programB {
		return subcommand(wordsA) == subcommand(wordsB)
	}
	most := max(len(wordsA), len(wordsB))
	same := 0
	for _, word := range wordsA {
		if slices.Contains(wordsB, word) {
			same++
		}
	}
	return 2*same > most
}

// program returns the name of the program that a command line runs, and the other words. It
// passes over a change of folder, variables, and programs that only start another one.
func program(line string) (name string, words []string) {
	line = strings.TrimSpace(line)
	for strings.HasPrefix(line, "cd ") {
		i := strings.IndexAny(line, "&;\n")
		if i < 0 {
			break
		}
		line = strings.TrimLeft(line[i:], "&; \n")
	}
	words = strings.Fields(line)
	for len(words) > 1 {
		word := words[0]
		variable := strings.Contains(word, "=") && !strings.HasPrefix(word, "-")
		if !variable && word != "sudo" && word != "env" && word != "time" {
			break
		}
		words = words[1:]
	}
	if len(words) == 0 {
		return "", nil
	}
	return path.Base(words[0]), words[1:]
}

// commandName is the program that a command line runs, with its subcommand.
func commandName(line string) string {
	name, words := program(line)
	return strings.TrimSpace(name + " " + subcommand(words))
}

// subcommand is the first word if it has the form of a subcommand.
func subcommand(words []string) string {
	if len(words) == 0 || strings.Trim(words[0], "abcdefghijklmnopqrstuvwxyz-:") != "" || words[0][0] == '-' {
		return ""
	}
	return words[0]
}

// shorten cuts a command line to what is handed out of it.
func shorten(line string) string {
	line = strings.Join(strings.Fields(line), " ")
	if len(line) <= maxCommand {
		return line
	}
	n := maxCommand
	for n > 0 && !utf8.RuneStart(line[n]) {
		n--
	}
	return line[:n] + "…"
}

// Summary counts what happened in a session, for a note of the day.
type Summary struct {
	Files   []string // that a tool wrote, in the order of their first change
	Ran     []Count  // the most frequent first
	Commits []string // the subjects; "" where the command line has none
	Errors  []Error
}

// Count is how often a command was run, by its program and subcommand.
type Count struct {
	Command     string
	Runs, Fails int
}

// Error is a command that failed, and the command line that then passed, "" for none.
type Error struct {
	Failures []Failure
	EndedBy  string
}

// Summarize counts the calls of a session.
func Summarize(calls []Call) Summary {
	var s Summary
	var open []failing
	place := map[string]int{}
	for _, call := range calls {
		failed := call.Status == Failed || call.Status == Stopped
		for _, file := range call.Files {
			if !failed && !slices.Contains(s.Files, file) {
				s.Files = append(s.Files, file)
			}
		}
		if call.Command == "" || call.Status == Stopped {
			continue
		}
		name := commandName(call.Command)
		i, known := place[name]
		if !known {
			i = len(s.Ran)
			place[name], s.Ran = i, append(s.Ran, Count{Command: name})
		}
		s.Ran[i].Runs++
		if failed && !isAnswerStatus(call) {
			s.Ran[i].Fails++
		}
		if subject, ok := commit(call.Command); ok && !failed {
			s.Commits = append(s.Commits, subject)
		}
		var ended *failing
		if open, ended = trackFailure(open, call); ended != nil {
			s.Errors = append(s.Errors, Error{ended.failures, shorten(call.Command)})
		}
	}
	for _, f := range open {
		s.Errors = append(s.Errors, Error{Failures: f.failures})
	}
	slices.SortStableFunc(s.Ran, func(a, b Count) int { return b.Runs - a.Runs })
	return s
}

// commit returns the subject of the commit that a command line makes.
func commit(line string) (subject string, ok bool) {
	_, rest, ok := strings.Cut(line, "git commit")
	if !ok || strings.Contains(rest, "--dry-run") {
		return "", false
	}
	_, message, found := strings.Cut(rest, "-m ")
	if !found {
		_, message, found = strings.Cut(rest, "-am ")
	}
	message = strings.TrimLeft(message, " ")
	if strings.HasPrefix(message, `"$(`) { // Claude Code writes the message as a here-document
		start, document, _ := strings.Cut(message, "\n")
		message, _, _ = strings.Cut(strings.TrimLeft(document, " \n"), "\n")
		if !strings.Contains(start, "<<") {
			message = ""
		}
		return shorten(message), true
	}
	if !found || message == "" {
		return "", true
	}
	if mark := message[:1]; mark == `"` || mark == "'" {
		message, _, _ = strings.Cut(message[1:], mark)
	} else {
		message, _, _ = strings.Cut(message, " ")
	}
	message, _, _ = strings.Cut(message, "\n")
	return shorten(message), true
}
