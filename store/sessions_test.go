package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// recordingStores are stores in a folder of their own, outside any repository.
func recordingStores(t *testing.T) *Stores {
	t.Helper()
	dir := t.TempDir()
	return &Stores{
		env:  Env{Dir: dir, Now: func() time.Time { return time.Unix(0, 0) }, Getenv: func(string) string { return "" }},
		root: dir, data: filepath.Join(dir, "data"),
	}
}

func TestSessionRecordsReadBack(t *testing.T) {
	ss := recordingStores(t)
	if list, err := ss.SessionRecords(""); len(list) != 0 || err != nil {
		t.Fatalf("before any: %v, %v", list, err)
	}
	given := []Given{{Scope: "user", Key: "a.b", Digest: TextDigest("Short  words")}}
	for _, rec := range []SessionRecord{
		{Agent: "claude", Session: "one", Event: "SessionStart", Given: given},
		{Agent: "codex", Session: "two", Event: "Stop"},
		{Agent: "claude", Session: "one", Event: "Stop", Reason: strings.Repeat("x", maxRecordField+10)},
	} {
		if err := ss.RecordSession(rec); err != nil {
			t.Fatal(err)
		}
	}
	list, err := ss.SessionRecords("one")
	if err != nil || len(list) != 2 || list[0].Given[0] != given[0] || len(list[1].Reason) != maxRecordField {
		t.Errorf("read back %+v, %v", list, err)
	}
	if list, _ := ss.SessionRecords(""); len(list) != 3 {
		t.Errorf("%d records in all, want 3", len(list))
	}
	if given[0].Digest != TextDigest("short words") || given[0].Digest == TextDigest("other words") {
		t.Error("the digest does not name the text")
	}
}

func TestSessionRecordIsBoundedAndPassesOverTornLines(t *testing.T) {
	ss := recordingStores(t)
	rec := SessionRecord{Agent: "claude", Session: "s", Event: "Stop", Folder: strings.Repeat("f", maxRecordField)}
	for range maxSessionsBytes/maxRecordField + 50 {
		if err := ss.RecordSession(rec); err != nil {
			t.Fatal(err)
		}
	}
	name := ss.sessions().path(sessionsFile)
	info, err := os.Stat(name)
	if err != nil || info.Size() > maxSessionsBytes+2*maxRecordField || info.Mode().Perm() != stateMode {
		t.Fatalf("%v, %v", info, err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data[:len(data)-100], stateMode); err != nil {
		t.Fatal(err)
	}
	rec.Event = "SessionEnd"
	if err := ss.RecordSession(rec); err != nil {
		t.Fatal(err)
	}
	list, err := ss.SessionRecords("s")
	if err != nil || len(list) < 50 || list[len(list)-1].Event != "SessionEnd" {
		t.Errorf("%d records, %v", len(list), err)
	}
}
