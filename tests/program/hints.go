package program

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/memctl/memctl/cmd"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/term"
)

// HintsVariable names the environment variable with the file that collects the hints of commands that failed.
const HintsVariable = "TESTSCRIPTS_HINTS"

// NotesVariable names the environment variable with the file that collects the notes: a line for each run, and a line
// "CODE LINE" for each note.
const NotesVariable = "TESTSCRIPTS_NOTES"

// Run runs one command line of memctl and returns its exit status. It appends the notes to the file of NotesVariable. If the
// command fails, each of its hints is appended to the file of HintsVariable: "same HINT" if the hint is the command that
// failed, else "other HINT".
func Run(args []string, streams term.Streams, parts cmd.FullParts) int {
	defer untilRead(streams)
	if name := os.Getenv(NotesVariable); name != "" {
		appendTo(name, "run terminal="+strconv.FormatBool(streams.ErrTerminal)+"\n")
		parts.Noted = func(code, line string) { appendTo(name, code+" "+line+"\n") }
	}
	name := os.Getenv(HintsVariable)
	var said bytes.Buffer
	if name != "" {
		streams.Err = io.MultiWriter(streams.Err, &said)
	}
	status := cmd.Main(args, streams, parts)
	if name == "" || status == 0 {
		return status
	}
	words := []string{"memctl"}
	for _, arg := range args {
		words = append(words, shell.Quote(arg))
	}
	failed := strings.Join(words, " ")
	var noted strings.Builder
	for line := range strings.Lines(said.String()) {
		if hint, ok := strings.CutPrefix(strings.TrimSpace(line), "memctl: hint: "); ok {
			mark := "other"
			if hint == failed {
				mark = "same"
			}
			noted.WriteString(mark + " " + hint + "\n")
		}
	}
	appendTo(name, noted.String())
	return status
}

func appendTo(name, text string) {
	if f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err == nil {
		_, _ = f.WriteString(text)
		_ = f.Close()
	}
}

// maxUnread is more than a terminal takes before its reader reads, in bytes: 64 KB on Linux.
const maxUnread = 128 << 10

// untilRead waits until the terminal's reader has what was written. A script's terminal is closed when its command
// ends, and loses what was not read by then.
func untilRead(streams term.Streams) {
	if streams.OutTerminal || streams.ErrTerminal {
		screen := os.Stderr
		if streams.OutTerminal {
			screen = os.Stdout
		}
		_, _ = screen.WriteString(strings.Repeat(" ", maxUnread))
	}
}
