package testscripts

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memctl/memctl/cmd"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/term"
)

// hintsVariable names the file that collects the hints of commands that failed, in the
// environment of the scripts.
const hintsVariable = "TESTSCRIPTS_HINTS"

// watchHints runs one command line. Where it fails, it notes each hint, with a mark where the
// hint is the very command that failed.
func watchHints(args []string, streams term.Streams, parts cmd.Parts) int {
	name := os.Getenv(hintsVariable)
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
	if f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err == nil {
		_, _ = f.WriteString(noted.String())
		_ = f.Close()
	}
	return status
}

// collectHints begins to collect hints. The function that it returns fails the test where a hint
// is the command that failed: to run that again does not help.
func collectHints(t *testing.T) func() {
	name := filepath.Join(t.TempDir(), "hints")
	t.Setenv(hintsVariable, name)
	return func() {
		data, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		count := 0
		for line := range strings.Lines(string(data)) {
			count++
			if hint, ok := strings.CutPrefix(line, "same "); ok {
				t.Errorf("a command failed with itself as its hint: %s", hint)
			}
		}
		const least = 100
		if run := flag.Lookup("test.run").Value.String(); count < least && strings.Trim(run, "^$") == "" {
			t.Errorf("only %d hints of commands that failed were seen, want at least %d", count, least)
		}
	}
}
