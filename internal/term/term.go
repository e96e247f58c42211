// Package term holds the three streams of a process and what is known about
// the terminal behind them: whether there is one, how wide it is, whether it
// shows colour, and how to read one key from it.
//
// It decides nothing about what is printed. Whoever prints text that came from
// somebody else makes it harmless first.
package term

import (
	"io"
	"os"

	xterm "golang.org/x/term"
)

// defaultWidth is assumed where no terminal tells its own.
const defaultWidth = 80

// Streams are the standard streams of one run. The zero value of everything
// but In, Out and Err describes a run without a terminal, as in tests and
// pipes.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer

	InTerminal  bool // a person may type
	OutTerminal bool
	ErrTerminal bool

	OutColour bool // Out is a terminal that shows colour, and NO_COLOR is not set
	ErrColour bool
	Columns   int // Out's width in columns; 0 where it is not known
}

// Standard returns the streams of this process. getenv is asked for NO_COLOR,
// TERM and WT_SESSION alone.
func Standard(getenv func(string) string) Streams {
	s := Streams{
		In:          os.Stdin,
		Out:         os.Stdout,
		Err:         os.Stderr,
		InTerminal:  xterm.IsTerminal(int(os.Stdin.Fd())),
		OutTerminal: xterm.IsTerminal(int(os.Stdout.Fd())),
		ErrTerminal: xterm.IsTerminal(int(os.Stderr.Fd())),
	}
	colour := showsColour(getenv)
	s.OutColour = colour && s.OutTerminal
	s.ErrColour = colour && s.ErrTerminal
	if s.OutTerminal {
		if columns, _, err := xterm.GetSize(int(os.Stdout.Fd())); err == nil {
			s.Columns = columns
		}
	}
	return s
}

// showsColour reports whether a terminal of this environment takes colour. An
// old Windows console sets none of these variables and prints escapes as text,
// so silence means no.
func showsColour(getenv func(string) string) bool {
	if getenv("NO_COLOR") != "" {
		return false
	}
	name := getenv("TERM")
	return name != "" && name != "dumb" || getenv("WT_SESSION") != ""
}

// Width is Out's width in columns, 80 where it is not known.
func (s Streams) Width() int {
	if s.Columns > 0 {
		return s.Columns
	}
	return defaultWidth
}

// Interactive reports whether a person can be asked: they see the question and
// can type an answer.
func (s Streams) Interactive() bool { return s.InTerminal && s.ErrTerminal }

// Style is one way to set text apart on a terminal.
type Style string

// The styles, by what they are for.
const (
	Strong  Style = "1"  // names and headings
	Faint   Style = "2"  // what may be skipped in reading
	Bad     Style = "31" // errors, what went
	Good    Style = "32" // what came, what is in order
	Warning Style = "33" // what changed, what to look at
)

// Paint returns text in the style where colour is true, else text itself.
func (st Style) Paint(colour bool, text string) string {
	if !colour || st == "" || text == "" {
		return text
	}
	return "\x1b[" + string(st) + "m" + text + "\x1b[0m"
}
