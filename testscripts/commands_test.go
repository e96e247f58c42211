package testscripts

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/tests/program"
)

// commands are the words that scripts have beside testscript's own.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"snapshot":  snapshot,
		"unchanged": unchanged,
		"damage":    damage,
		"holdlock":  holdLock,
		"head":      head,
		"exits":     exits,
		"longline":  longLine,
		"noted":     noted,
	}
}

// notesTable lists the codes of all notes. It is for TestNotesTable of package cmd.
const notesTable = "../cmd/testdata/notes.txt"

// noted CODE [PATTERN] fails unless the last command printed a note with that code and a text that matches; with ! it fails
// if it did. People do not see codes: memctl appends them to a file, with the lines as printed.
func noted(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || len(args) > 2 {
		ts.Fatalf("usage: noted CODE [PATTERN]")
	}
	code, pattern := args[0], regexp.MustCompile(strings.Join(args[1:], ""))
	table, err := os.ReadFile(notesTable)
	ts.Check(err)
	if !strings.Contains(string(table), "\n"+code+" (") {
		ts.Fatalf("%s has no note %s", notesTable, code)
	}
	all, err := os.ReadFile(ts.Getenv(program.NotesVariable))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		ts.Check(err)
	}
	runs := strings.Split("\n"+string(all), "\nrun terminal=")
	printed := ts.ReadFile("stderr")
	if strings.HasPrefix(runs[len(runs)-1], "true") {
		printed = ts.ReadFile("ttyout")
	}
	found, others := false, ""
	for line := range strings.Lines(string(all)) {
		of, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.Contains(printed, "memctl: "+text) {
			continue // of a command before the last one
		}
		found = found || of == code && pattern.MatchString(text)
		others += "\n" + line
	}
	if found == neg {
		ts.Fatalf("noted %s: %v; the notes were:%s", strings.Join(args, " "), found, others)
	}
}

// longLine FILE adds a line of 100,000 characters to the file.
func longLine(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: longline FILE")
	}
	name := ts.MkAbs(args[0])
	src, err := os.ReadFile(name)
	ts.Check(err)
	ts.Check(os.WriteFile(name, append(src, strings.Repeat("x", 100_000)+"\n"...), 0o600))
}

// snapshotsKey is where a script keeps its snapshots, by folder.
type snapshotsKey struct{}

func snapshotsOf(ts *testscript.TestScript) map[string]string {
	return ts.Value(snapshotsKey{}).(map[string]string)
}

// snapshot FOLDER remembers every file under it: name, mode and content.
func snapshot(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: snapshot FOLDER")
	}
	dir := ts.MkAbs(args[0])
	state, err := stateOf(dir)
	ts.Check(err)
	snapshotsOf(ts)[dir] = state
}

// unchanged FOLDER fails where the folder is not as snapshot saw it; with ! it
// fails where it is.
func unchanged(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: unchanged FOLDER")
	}
	dir := ts.MkAbs(args[0])
	before, ok := snapshotsOf(ts)[dir]
	if !ok {
		ts.Fatalf("%s: no snapshot of it was taken", args[0])
	}
	after, err := stateOf(dir)
	ts.Check(err)
	switch {
	case neg && before == after:
		ts.Fatalf("%s: nothing changed", args[0])
	case !neg && before != after:
		ts.Fatalf("%s: changed\n%s", args[0], difference(before, after))
	}
}

// stateOf lists the files under a folder with mode and digest. A folder
// without files is an error: it is a mistyped name.
func stateOf(dir string) (string, error) {
	var lines []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || isCache(name) {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("%s %s %x", name, info.Mode(), sha256.Sum256(data)))
		return nil
	})
	if err == nil && len(lines) == 0 {
		err = fmt.Errorf("%s: no files in it", dir)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n"), err
}

// isCache reports whether the file is memctl's own and may change when memory
// is only read: the lock, the snapshot of the parsed file and what git config
// said.
func isCache(name string) bool {
	dir, base := filepath.Split(name)
	return filepath.Base(dir) == "memctl" && (base == "lock" || base == "snapshot" || base == "config.json")
}

// difference lists the lines that only one of two states has.
func difference(before, after string) string {
	was, is := strings.Split(before, "\n"), strings.Split(after, "\n")
	var out []string
	for _, line := range was {
		if !slices.Contains(is, line) {
			out = append(out, "- "+line)
		}
	}
	for _, line := range is {
		if !slices.Contains(was, line) {
			out = append(out, "+ "+line)
		}
	}
	return strings.Join(out, "\n")
}

// damage FILE does to a memory file what agents do: it puts a value that
// begins with a backtick at the end of the items.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: damage FILE")
	}
	name := ts.MkAbs(args[0])
	data, err := os.ReadFile(name)
	ts.Check(err)
	before, after, found := strings.Cut(string(data), "deletions:")
	if !found {
		ts.Fatalf("%s: no deletions: to put a line before", args[0])
	}
	line := "    - key: broken.value\n      value: `make test` runs everything\n"
	ts.Check(os.WriteFile(name, []byte(before+line+"deletions:"+after), 0o644))
}

// holdLock is "holdlock FILE": it takes memctl's lock until the script ends.
func holdLock(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: holdlock FILE")
	}
	name := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o700))
	root, err := os.OpenRoot(filepath.Dir(name))
	ts.Check(err)
	unlock, err := safefile.Lock(context.Background(), root, filepath.Base(name), "a test script", nil)
	ts.Check(err)
	ts.Defer(func() { ts.Check(unlock()) })
}

// head FOLDER NAME sets the variable NAME to the id of the folder's HEAD.
func head(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: head FOLDER NAME")
	}
	ts.Check(ts.Exec("git", "-C", ts.MkAbs(args[0]), "rev-parse", "HEAD"))
	ts.Setenv(args[1], strings.TrimSpace(ts.ReadFile("stdout")))
}

// exits STATUS COMMAND runs a command that must end with this very status:
// `! exec` takes a fault for a refusal.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		got = ended.ExitCode()
	default:
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%s: exit status %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}
