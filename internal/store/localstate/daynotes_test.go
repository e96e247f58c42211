package localstate

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/transcript"
)

func TestSessionsOfOneDayShareItsNote(t *testing.T) {
	ss := recordingStores(t, func() time.Time { return time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC) })
	failed := []transcript.Failure{{Command: "make", Exit: 2, Times: 3}}
	for range 2 {
		s := transcript.Summary{Files: []string{"a.go"}, Ran: []transcript.Count{{Command: "make", Runs: 4, Fails: 3}}, Commits: []string{"fix", ""}, Errors: []transcript.Error{{Failures: failed, EndedBy: "make all"}}}
		if err := AddToDay(ss, "2026-11-21", s); err != nil {
			t.Fatal(err)
		}
	}
	if err := AddToDay(ss, "2026-11-20", transcript.Summary{Commits: []string{"x"}}); err != nil {
		t.Fatal(err)
	}
	list, err := DayNotes(ss)
	want := "[{2026-11-21 [a.go] [{make 8 6}] [fix] [{make 3 make all} {make 3 make all}]}]"
	if got := fmt.Sprint(list); got != want || err != nil {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}

func TestDayNotesAreBounded(t *testing.T) {
	ss := recordingStores(t, func() time.Time { return time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC) })
	var s transcript.Summary
	for i := range 100 {
		name := fmt.Sprintf("n%d", i)
		s.Files, s.Commits = append(s.Files, name), append(s.Commits, name)
		s.Ran = append(s.Ran, transcript.Count{Command: name, Runs: i})
		s.Errors = append(s.Errors, transcript.Error{Failures: []transcript.Failure{{Command: name, Times: 1}}})
	}
	for back := range 100 {
		if err := AddToDay(ss, ss.Now().AddDate(0, 0, -back).Format(time.DateOnly), s); err != nil {
			t.Fatal(err)
		}
	}
	list, err := DayNotes(ss)
	if err != nil || len(list) != daysKept || list[daysKept-1].Day != "2026-11-21" || list[0].Day != "2026-08-24" {
		t.Fatalf("%d days, %v", len(list), err)
	}
	n := list[0]
	if len(n.Files) != maxDayFiles || len(n.Ran) != maxDayCommands || len(n.Commits) != maxDayCommits || len(n.Errors) != maxDayErrors {
		t.Errorf("a note holds %d files, %d commands, %d commits, %d errors", len(n.Files), len(n.Ran), len(n.Commits), len(n.Errors))
	}
	if n.Ran[0].Command != "n99" {
		t.Errorf("the first command is %q, and not the one that ran most often", n.Ran[0].Command)
	}
	info, err := os.Stat(ss.SessionsState().Path(daysFile))
	if err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("%v, %v", info, err)
	}
}
