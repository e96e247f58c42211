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

func TestSummary(t *testing.T) {
	got := Summarize(ran("w a.go", "1 go test ./...", "w b.go", "w a.go", "1 go test ./...", "0 go test ./... -v", "0 git add -A && git commit -m 'app: sort imports' -q", "0 git commit -am \"fix\nmore\"", "0 git commit -F -", "0 git commit -m \"$(cat <<'EOF'\nlint: add rules\n\nWhy.\nEOF\n)\"", "2 make lint", "stopped rm x"))
	want := Summary{
		Files:   []string{"a.go", "b.go"},
		Ran:     []Count{{"go test", 3, 2}, {"git commit", 3, 0}, {"git add", 1, 0}, {"make lint", 1, 1}},
		Commits: []string{"app: sort imports", "fix", "", "lint: add rules"},
		Errors:  []Error{{[]Failure{{"go test ./...", 1, 2}}, "go test ./... -v"}, {[]Failure{{"make lint", 2, 1}}, ""}},
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
