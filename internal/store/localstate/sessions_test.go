package localstate

import (
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/store"
)

// recordingStores are stores in a folder of their own, outside any repository.
func recordingStores(t *testing.T, now func() time.Time) *store.Stores {
	t.Helper()
	ss, err := store.Open(t.Context(), store.Env{Dir: t.TempDir(), Now: now, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	return ss
}

func TestSessionRecordsReadBack(t *testing.T) {
	ss := recordingStores(t, func() time.Time { return time.Unix(0, 0) })
	if list, err := SessionRecords(ss, ""); len(list) != 0 || err != nil {
		t.Fatalf("before any: %v, %v", list, err)
	}
	given := []Given{{Scope: "user", Key: "a.b", Digest: TextDigest("short  words")}}
	for _, rec := range []SessionRecord{
		{Agent: "claude", Session: "one", Event: "SessionStart", Given: given},
		{Agent: "codex", Session: "two", Event: "Stop"},
		{Agent: "claude", Session: "one", Event: "Stop", Reason: strings.Repeat("x", maxRecordField+10)},
	} {
		if err := RecordSession(ss, rec); err != nil {
			t.Fatal(err)
		}
	}
	list, err := SessionRecords(ss, "one")
	if err != nil || len(list) != 2 || list[0].Given[0] != given[0] || len(list[1].Reason) != maxRecordField {
		t.Errorf("read back %+v, %v", list, err)
	}
	if list, _ := SessionRecords(ss, ""); len(list) != 3 {
		t.Errorf("%d records in all, want 3", len(list))
	}
	if given[0].Digest != TextDigest("short words") || given[0].Digest == TextDigest("other words") {
		t.Error("the digest does not name the text")
	}
}

func TestSessionRecordIsBoundedAndPassesOverTornLines(t *testing.T) {
	ss := recordingStores(t, func() time.Time { return time.Unix(0, 0) })
	rec := SessionRecord{Agent: "claude", Session: "s", Event: "Stop", Folder: strings.Repeat("f", maxRecordField)}
	for range maxSessionsBytes/maxRecordField + 50 {
		if err := RecordSession(ss, rec); err != nil {
			t.Fatal(err)
		}
	}
	name := ss.SessionsState().Path(SessionsFile)
	info, err := os.Stat(name)
	if err != nil || info.Size() > maxSessionsBytes+2*maxRecordField || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Fatalf("%v, %v", info, err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data[:len(data)-100], 0o600); err != nil {
		t.Fatal(err)
	}
	rec.Event = "SessionEnd"
	if err := RecordSession(ss, rec); err != nil {
		t.Fatal(err)
	}
	list, err := SessionRecords(ss, "s")
	if err != nil || len(list) < 50 || list[len(list)-1].Event != "SessionEnd" {
		t.Errorf("%d records, %v", len(list), err)
	}
}

func TestACutOfThePromptsLosesNoRequest(t *testing.T) {
	ss := recordingStores(t, func() time.Time { return time.Unix(0, 0) })
	if err := RecordPrompt(ss, Prompt{Session: "begun", By: PromptsPerson}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := NumberPrompt(ss, Prompt{Session: "waits", Asked: []Asked{{Key: "git.force", Text: "never force-push"}}}, []string{"push"}); err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(strings.Repeat("word ", maxPromptWords))
	for i := range 400 {
		if err := RecordPrompt(ss, Prompt{Session: "talks", Turn: strconv.Itoa(i)}, words); err != nil {
			t.Fatal(err)
		}
	}
	list, err := Prompts(ss)
	if err != nil || len(list) < 50 || len(list) > 200 || list[len(list)-1].Turn != "399" {
		t.Fatalf("%d records, %v", len(list), err)
	}
	if list[0].By != PromptsPerson || list[1].Asked == nil || list[1].Asked[0].Text != "never force-push" {
		t.Errorf("the oldest are of %s and %s", list[0].Session, list[1].Session)
	}
	if n, err := NumberPrompt(ss, Prompt{Session: "next"}, nil); n != 2 || err != nil {
		t.Errorf("number %d, %v", n, err)
	}
}

func TestTheSameEventIsAnsweredOnce(t *testing.T) {
	now := time.Unix(1000, 0)
	ss := recordingStores(t, func() time.Time { return now })
	base := SessionRecord{Agent: "claude", Session: "s", Event: "SessionStart", Source: "startup"}
	answer := func(name string, want bool, change func(*SessionRecord)) {
		t.Helper()
		rec := base
		if change != nil {
			change(&rec)
		}
		if first, err := RecordAnswer(ss, rec); err != nil || first != want {
			t.Errorf("%s: first is %v, want %v (%v)", name, first, want, err)
		}
	}
	answer("the first", true, nil)
	answer("the same", false, nil)
	answer("another source", true, func(r *SessionRecord) { r.Source = "compact" })
	answer("another session", true, func(r *SessionRecord) { r.Session = "t" })
	answer("another agent", true, func(r *SessionRecord) { r.Agent = "codex" })
	answer("a prompt", true, func(r *SessionRecord) { r.Event, r.Turn = "UserPromptSubmit", "1" })
	answer("another prompt", true, func(r *SessionRecord) { r.Event, r.Turn = "UserPromptSubmit", "2" })
	answer("a session without a name", true, func(r *SessionRecord) { r.Session = "" })
	answer("the same without a name", true, func(r *SessionRecord) { r.Session = "" })
	answer("a name that is cut", true, func(r *SessionRecord) { r.Session = strings.Repeat("n", maxRecordField+1) })
	answer("the same name", false, func(r *SessionRecord) { r.Session = strings.Repeat("n", maxRecordField+1) })
	if list, _ := SessionRecords(ss, ""); len(list) != 9 {
		t.Errorf("%d records, want 9: only answers are recorded", len(list))
	}
	now = now.Add(sameEvent)
	answer("later", true, nil)
	if list, _ := SessionRecords(ss, "s"); len(list) != 1 || !list[0].Time.Equal(now) {
		t.Errorf("records of the session %v, want those since its last startup", list)
	}
	answer("after a compaction", true, func(r *SessionRecord) { r.Source = "compact" })
	answer("a subagent's startup", true, func(r *SessionRecord) { r.Subagent = "sub" })
	if list, _ := SessionRecords(ss, "s"); len(list) != 3 {
		t.Errorf("records of the session %v, want its own startup and what followed", list)
	}
}

func TestOneOfManyIsFirst(t *testing.T) {
	ss := recordingStores(t, func() time.Time { return time.Unix(0, 0) })
	const calls = 16
	won := make(chan bool, calls)
	for range calls {
		go func() {
			first, err := RecordAnswer(ss, SessionRecord{Session: "s", Event: "SessionStart"})
			if err != nil {
				t.Error(err)
			}
			won <- first
		}()
	}
	n := 0
	for range calls {
		if <-won {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d were first, want 1", n)
	}
}

// TestForgottenSinceStart looks for what agents forgot behind the last start that a person read.
func TestForgottenSinceStart(t *testing.T) {
	start := SessionRecord{Agent: "claude", Session: "one", Event: EventSessionStart}
	quiet := SessionRecord{Agent: "copilot", Session: "two", Event: EventSessionStart, Quiet: true}
	forgot := func(key string) SessionRecord {
		return SessionRecord{Agent: "claude", Event: EventForgot, Given: []Given{{Scope: "project", Key: key}}}
	}
	long := SessionRecord{Agent: "claude", Session: "one", Event: "Stop", Reason: strings.Repeat("x", maxRecordField)}
	tests := map[string]struct {
		records []SessionRecord
		want    string
	}{
		"before the start, it was read":         {[]SessionRecord{forgot("a.b"), start}, ""},
		"behind the start, it is new":           {[]SessionRecord{forgot("a.b"), start, forgot("c.d"), forgot("e.f")}, "c.d e.f"},
		"without any start, it is new":          {[]SessionRecord{forgot("a.b")}, "a.b"},
		"a quiet start changes nothing":         {[]SessionRecord{start, forgot("a.b"), quiet}, "a.b"},
		"a long session after it hides nothing": {append([]SessionRecord{start, forgot("a.b")}, slices.Repeat([]SessionRecord{long}, 40)...), "a.b"},
		"nor a long session before it":          {append(append([]SessionRecord{start}, slices.Repeat([]SessionRecord{long}, 40)...), forgot("a.b")), "a.b"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			ss := recordingStores(t, func() time.Time { return time.Unix(0, 0) })
			for _, rec := range test.records {
				if err := RecordSession(ss, rec); err != nil {
					t.Fatal(err)
				}
			}
			list, err := ForgottenSinceStart(ss)
			var keys []string
			for _, rec := range list {
				keys = append(keys, rec.Given[0].Key)
			}
			if got := strings.Join(keys, " "); got != test.want || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}
