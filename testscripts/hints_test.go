package testscripts

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memctl/memctl/tests/program"
)

// collectHints begins to collect hints. The function that it returns fails the test where a hint
// is the command that failed: to run that again does not help.
func collectHints(t *testing.T) func() {
	name := filepath.Join(t.TempDir(), "hints")
	t.Setenv(program.HintsVariable, name)
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
