package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// read returns the turns of a transcript, and the reader that read them.
func read(data string, o Options) ([]Turn, *Reader) {
	r := NewReader(strings.NewReader(data), o)
	return slices.Collect(r.Turns()), r
}

// brief shows a turn in one line: who, what, and how it ended.
func brief(t Turn) string {
	if c := t.Call; c != nil {
		return strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %v %d", c.ID, [...]string{"started", "passed", "failed", "stopped"}[c.Status], c.Command, c.Files, c.Exit)), " ")
	}
	who := [...]string{"harness", "person", "assistant", "tool"}[t.By]
	if t.Typed {
		who += " typed"
	}
	return who + ": " + t.Text
}

func briefs(turns []Turn) []string {
	list := []string{}
	for _, t := range turns {
		list = append(list, brief(t))
	}
	return list
}

// trap is a part of a transcript, and the turns that it has to give.
type trap struct {
	data string
	want []string
}

// checkTraps reads each trap with the records of head before it, and once more with lines
// that end in CR LF. skip is the number of turns that head gives.
func checkTraps(t *testing.T, format Format, head string, skip int, traps map[string]trap) {
	t.Helper()
	for name, tt := range traps {
		for ending, data := range map[string]string{"LF": head + tt.data, "CRLF": strings.ReplaceAll(head+tt.data, "\n", "\r\n")} {
			turns, r := read(data, Options{Session: Session{Format: format}})
			if got := briefs(turns); len(got) < skip || !slices.Equal(got[skip:], tt.want) {
				t.Errorf("%s (%s):\n got %q\nwant %q", name, ending, got, tt.want)
			}
			if r.Skipped() != 0 || r.Err() != nil {
				t.Errorf("%s: %d records skipped, error %v", name, r.Skipped(), r.Err())
			}
			checkOffsets(t, name, data, format)
		}
	}
}

// checkOffsets proves that reading from the end of any turn gives the turns after it.
func checkOffsets(t *testing.T, name, data string, format Format) {
	t.Helper()
	turns, r := read(data, Options{Session: Session{Format: format}})
	last := int64(0)
	for i, turn := range turns {
		if turn.Start < last || turn.End <= turn.Start || turn.End > int64(len(data)) {
			t.Fatalf("%s: turn %d at %d to %d of %d", name, i, turn.Start, turn.End, len(data))
		}
		if i+1 < len(turns) && turns[i+1].Start == turn.Start {
			continue // of the same record
		}
		last = turn.Start
		rest, again := read(data[turn.End:], Options{Offset: turn.End, Session: turn.Session})
		if fmt.Sprint(briefs(rest)) != fmt.Sprint(briefs(turns[i+1:])) {
			t.Errorf("%s: after turn %d (offset %d):\n got %q\nwant %q", name, i, turn.End, briefs(rest), briefs(turns[i+1:]))
		}
		if again.Offset() != r.Offset() {
			t.Errorf("%s: after turn %d the reading ends at %d, not %d", name, i, again.Offset(), r.Offset())
		}
	}
}

func TestCommandLineOfAShell(t *testing.T) {
	for words, want := range map[string]string{
		`["/bin/bash","-lc","make all"]`:                                     "make all",
		`["C:\\x\\powershell.exe","-NoProfile","-Command","make; git push"]`: "make; git push",
		`["cmd.exe","/C","make all"]`:                                        "make all",
		`["git","commit","-m","-Command"]`:                                   "git commit -m -Command",
		`"make all"`:                                                         "make all",
	} {
		if got := commandLine([]byte(words)); got != want {
			t.Errorf("%s: %q, want %q", words, got, want)
		}
	}
}
