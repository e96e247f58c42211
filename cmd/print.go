package cmd

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// inert makes text that may have come from anyone one plain line. Everything
// that is printed as text goes through it.
func inert(text string) string { return policy.Inert(text) }

// plain is a value as one plain line.
func plain(v memfile.Value) string { return inert(v.Plain()) }

// plainLines is a value as people wrote it: a text of several lines keeps them.
func plainLines(v memfile.Value) string {
	if v.Kind != memfile.String {
		return plain(v)
	}
	return inertLines(v.Text)
}

// inertLines is a text with each of its lines made inert. What prints it indents every line
// after the first, so that no line of it looks like one of memctl's own.
func inertLines(text string) string {
	lines := strings.Split(strings.Trim(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(inert(line), " ")
	}
	lines[0] = strings.TrimLeft(lines[0], " ")
	return strings.Join(lines, "\n")
}

// firstLine is the first line of a text, and how many more it has.
func firstLine(text string) string {
	line, rest, more := strings.Cut(text, "\n")
	if !more {
		return line
	}
	return line + " [+" + count(1+strings.Count(rest, "\n"), "line") + "]"
}

// print writes to stdout. After a write has failed, print writes nothing more, and run returns the error
// at the end, so that callers may ignore it.
func (a *app) print(text string) error {
	if a.printed == nil {
		_, a.printed = io.WriteString(a.streams.Out, text)
	}
	return a.printed
}

// talk prints one line for the person, on stderr.
func (a *app) talk(line string) {
	if !a.global.quiet && !a.global.json {
		_, _ = fmt.Fprintf(a.streams.Err, "memctl: %s\n", inert(line))
	}
}

// note prints a note for the person, and the commands that help. Tests read the code.
func (a *app) note(code, text string, hints ...string) {
	line := "note: " + text
	if a.talk(line); a.parts.Noted != nil {
		a.parts.Noted(code, inert(line))
	}
	a.hints(hints)
}

// noteWithoutModel tells the person what a command does instead of asking a model; err is nil if none is configured.
func (a *app) noteWithoutModel(instead string, err error) {
	why := "no model is configured"
	if err != nil && !fault.Is(err, fault.NoModel) {
		why = strings.ReplaceAll(explain(err).Error(), "\n", " ")
	}
	a.note("without-model", instead+": "+why)
}

// hint prints a command to paste.
func (a *app) hint(command string) {
	asked, isAsked := strings.CutPrefix(command, askPerson)
	if rest, ok := strings.CutPrefix(asked, "memctl "); ok && a.global.store != "" && !strings.Contains(rest, "--store") && !strings.HasSuffix(rest, shell.Quote(a.global.store)) {
		command = "memctl --store " + shell.Quote(a.global.store) + " " + rest // without it, another store would be meant
		if isAsked {
			command = askPerson + command
		}
	}
	if !a.global.quiet {
		command = pasted(command)
		mark := term.Faint.Paint(a.streams.ErrColour, "memctl: hint:")
		_, _ = fmt.Fprintf(a.streams.Err, "%s %s\n", mark, inert(redact(command)))
	}
}

// pasted is a hint as the person's shell reads it.
func pasted(hint string) string {
	if command, ok := strings.CutPrefix(hint, askPerson); ok {
		return askPerson + shell.Paste(command)
	}
	return shell.Paste(hint)
}

// printDiff prints a unified diff of a memory file, line by line, so that
// nothing in it reaches a terminal as more than text.
func (a *app) printDiff(diff string) error {
	var b strings.Builder
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\r\n")
		b.WriteString(diffStyle(line).Paint(a.streams.OutColour, inert(line)))
		b.WriteByte('\n')
	}
	return a.print(b.String())
}

func diffStyle(line string) term.Style {
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		return term.Strong
	case strings.HasPrefix(line, "+"):
		return term.Good
	case strings.HasPrefix(line, "-"):
		return term.Bad
	case strings.HasPrefix(line, "@@"):
		return term.Faint
	}
	return ""
}

// printJSON prints one object on a line of stdout. An answer with notes is given by its address.
func (a *app) printJSON(v any) error {
	if noted, ok := v.(interface{ AddNoteCodes() }); ok {
		noted.AddNoteCodes()
	}
	return a.printAs(memory.JSON, v)
}

// printRow prints one of several objects.
func (a *app) printRow(v any) error { return a.printAs(memory.RowJSON, v) }

func (a *app) printAs(encode func(any) ([]byte, error), v any) error {
	var b strings.Builder
	if err := writeJSON(&b, encode, v); err != nil {
		return err
	}
	return a.print(b.String())
}

// writeJSON writes one object and a newline. Characters that a terminal could
// act on stand as escapes, which mean the same to a program.
func writeJSON(w io.Writer, encode func(any) ([]byte, error), v any) error {
	text, err := encode(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(escapeControls(text), '\n'))
	return err
}

// escapeControls writes the control and format characters from DEL up as \u
// escapes. They can stand inside JSON strings only, where that is allowed.
func escapeControls(src []byte) []byte {
	hidden := func(r rune) bool { return r >= 0x7f && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) }
	if bytes.IndexFunc(src, hidden) < 0 {
		return src
	}
	var b bytes.Buffer
	for _, r := range string(src) {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.Bytes()
}

// count is a number with its noun: "1 item", "2 items".
func count(n int, noun string) string { return memory.Count(n, noun) }

// countSome is count, and "" for 0.
func countSome(n int, noun string) string {
	if n == 0 {
		return ""
	}
	return count(n, noun)
}

// countOrEmpty is a number with a word that has no plural, such as "2 changed", and "" for 0.
func countOrEmpty(n int, word string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n) + " " + word
}

// short is the beginning of a commit's id.
func short(commit string) string { return commit[:min(len(commit), 8)] }

// progress is a bar for work that may take long; it draws nothing where nobody
// looks.
func (a *app) progress(verb, noun string) *term.Progress {
	if !a.streams.ErrTerminal || a.global.quiet || a.global.json {
		return term.NewProgress(nil, verb, noun)
	}
	return term.NewProgress(a.streams.Err, verb, noun)
}

// present prints the answer of a command that reads: with --json as an object, else as text prints it. It says how much
// the answer keeps from its reader.
func present[T any](s *session, result T, err error, text func(T) error) error {
	if err != nil {
		return err
	}
	if kept, ok := any(result).(interface{ CountWithheld() int }); ok {
		s.tellWithheld(kept.CountWithheld())
	}
	if s.global.json {
		return s.printJSON(&result)
	}
	return text(result)
}

// reads is the run function of a command that prints one answer: ask gets it, and text prints it as present says.
func reads[T any](a *app, ask func(s *session, args []string) (T, error), text func(*session, T) error) func(*cobra.Command, []string) error {
	return a.runner(needStores, func(s *session, args []string) error {
		result, err := ask(s, args)
		return present(s, result, err, func(result T) error { return text(s, result) })
	})
}

func (s *session) printTable(t *term.Table) error {
	return s.print(t.Text(s.streams.OutColour))
}
