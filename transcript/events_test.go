package transcript

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// ran makes calls of lines: an exit status and a command, or "w" and a file that is written.
func ran(lines ...string) []Call {
	var calls []Call
	for _, line := range lines {
		head, rest, _ := strings.Cut(line, " ")
		switch head {
		case "w":
			calls = append(calls, Call{Files: []string{rest}, Status: Passed, Exit: -1})
		case "stopped":
			calls = append(calls, Call{Command: rest, Status: Stopped, Exit: -1})
		case "0":
			calls = append(calls, Call{Command: rest, Status: Passed})
		default:
			call := Call{Command: rest, Status: Failed}
			fmt.Sscan(head, &call.Exit)
			calls = append(calls, call)
		}
	}
	return calls
}

func TestLessons(t *testing.T) {
	long := strings.Repeat("é", 400)
	for name, tt := range map[string]struct {
		calls []Call
		want  string
	}{
		"three failures, then other words":   {ran("1 go test ./...", "1 go test ./...", "2 go test ./app", "0 go test -tags fts5 ./app"), "[go test ./... 1 2] [go test ./app 2 1] > go test -tags fts5 ./app: - + -tags fts5"},
		"another program with the same rest": {ran("127 python run.py x", "127 python run.py x", "127 python run.py x", "0 python3 run.py x"), "[python run.py x 127 3] > python3 run.py x: - python + python3"},
		"other commands between":             {ran("1 make test", "0 ls", "1 make test", "0 git status", "1 make test", "0 make test CC=clang"), "[make test 1 3] > make test CC=clang: - + CC=clang"},
		"a folder and variables in front":    {ran("1 npm test", "1 cd app && npm test", "1 cd app && npm test", "0 cd app && CI=1 npm test"), "[npm test 1 1] [cd app && npm test 1 2] > cd app && CI=1 npm test: - + CI=1"},
		"a flag before a pipe":               {ran("1 go test ./a 2>&1 | tail -5", "1 go test ./a | tail -5", "1 go test ./a 2>&1 | head", "0 go test -v ./a"), "[go test ./a 2>&1 | tail -5 1 1] [go test ./a | tail -5 1 1] [go test ./a 2>&1 | head 1 1] > go test -v ./a: - 2>&1 | head + -v"},
		"the same words, then another name":  {ran("1 git push origin master", "1 git push origin master", "1 git push origin master", "0 git push origin main"), "[git push origin master 1 3] > git push origin main: - master + main"},
		"three names, and a fourth passes":   {ran("1 go test ./a", "1 go test ./b", "1 go test ./c", "0 go test ./d"), ""},
		"only two failures":                  {ran("1 make test", "1 make test", "0 make test CC=clang"), ""},
		"it passes unchanged":                {ran("1 make test", "1 make test", "1 make test", "0 make test"), ""},
		"a file was written":                 {ran("1 make test", "1 make test", "1 make test", "w a.go", "0 make test CC=clang"), ""},
		"it never passes":                    {ran("1 make test", "1 make test", "1 make test"), ""},
		"it passes in between":               {ran("1 make test", "1 make test", "0 make test", "1 make test", "0 make test CC=clang"), ""},
		"another subcommand":                 {ran("1 git push", "1 git push", "1 git push", "0 git status"), ""},
		"somebody stopped it":                {ran("stopped make test", "stopped make test", "stopped make test", "0 make test CC=clang"), ""},
		"a search that finds nothing":        {ran("1 grep a b", "1 grep a c", "1 grep a d", "0 grep a e"), ""},
		"a long command line is cut":         {ran("1 x -"+long, "1 x -"+long, "1 x -"+long, "0 x -y"), "[x -" + strings.Repeat("é", 148) + "… 1 3] > x -y: - -" + strings.Repeat("é", 148) + "… + -y"},
		"no calls":                           {nil, ""},
	} {
		got := ""
		for _, l := range Lessons(tt.calls) {
			for _, f := range l.Failed {
				got += fmt.Sprintf("[%s %d %d] ", f.Command, f.Exit, f.Times)
			}
			got += "> " + l.Passed + ": " + strings.Join(append(append([]string{"-"}, l.Removed...), append([]string{"+"}, l.Added...)...), " ")
		}
		if got != tt.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, tt.want)
		}
	}
}

func TestSummary(t *testing.T) {
	got := Summarize(ran("w a.go", "1 go test ./...", "w b.go", "w a.go", "1 go test ./...", "0 go test ./... -v", "0 git add -A && git commit -m 'app: sort imports' -q", "0 git commit -am \"fix\nmore\"", "0 git commit -F -", "0 git commit -m \"$(cat <<'EOF'\nlint: add rules\n\nWhy.\nEOF\n)\"", "2 make lint", "stopped rm x"))
	want := Summary{
		Files:    []string{"a.go", "b.go"},
		Commands: []Count{{"go test", 3, 2}, {"git commit", 3, 0}, {"git add", 1, 0}, {"make lint", 1, 1}},
		Commits:  []string{"app: sort imports", "fix", "", "lint: add rules"},
		Errors:   []Error{{[]Failure{{"go test ./...", 1, 2}}, "go test ./... -v"}, {[]Failure{{"make lint", 2, 1}}, ""}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestCallsAreJoined(t *testing.T) {
	data := codexMeta(`"cli"`, "user") +
		codexLine("response_item", `{"type":"function_call","name":"exec_command","arguments":"{\"cmd\": \"make\"}","call_id":"c1"}`) +
		codexLine("response_item", `{"type":"function_call","name":"exec_command","arguments":"{\"cmd\": \"ls\"}","call_id":"c2"}`) +
		codexEvent(`{"type":"CommandExecution","id":"c1","command":["/bin/bash","-lc","make"],"status":"failed","exit_code":2}`) +
		codexLine("response_item", `{"type":"function_call_output","call_id":"c1","output":"no rule"}`) +
		codexLine("response_item", `{"type":"function_call_output","call_id":"c3","output":"Exit code: 0"}`)
	turns, _ := read(data, Options{})
	want := []Call{{ID: "c1", Tool: "exec_command", Command: "make", Status: Failed, Exit: 2}, {ID: "c2", Tool: "exec_command", Command: "ls", Exit: -1}, {ID: "c3", Status: Passed, Exit: 0}}
	if got := Calls(slices.Values(turns)); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
