package ledger

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/storetest"
)

func waiting(key, value string) Waiting {
	return Waiting{Act: "add", Key: key, Value: memfile.Str(value), Origin: "automatic", Why: "held"}
}

func TestQueueKeepsEveryField(t *testing.T) {
	b := storetest.Git(t, memfile.Template)
	want := Waiting{}
	v, n := reflect.ValueOf(&want).Elem(), 0
	for i := range v.NumField() {
		switch v.Type().Field(i).Name {
		case "ID", "Since", "Value": // the first two are given by the queue
			continue
		}
		storetest.Fill(v.Field(i), &n, 2)
	}
	want.Pinned = true
	want.Labels.By, want.Labels.Seen = "", "" // the act that brings the write in sets them
	for name, value := range map[string]string{
		"a number that JSON would make text of": "1.10",
		"an octal number":                       "0123",
		"a null":                                "null",
		"a map in its own order":                "{z: 1, a: [true, 'true']}",
		"text with a line break":                `"one\ntwo"`,
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			if want.Value, err = memfile.ParseValue(value); err != nil {
				t.Fatal(err)
			}
			want.Key = "a." + strconv.Itoa(len(value))
			st := b.Project()
			if err := Enqueue(t.Context(), st, want, time.Second); err != nil {
				t.Fatal(err)
			}
			list, err := Queue(b.Project())
			if err != nil || len(list) != 1 {
				t.Fatalf("%v, %d wait", err, len(list))
			}
			got := list[0]
			if got.ID == "" || got.Since.IsZero() {
				t.Errorf("no id or time: %+v", got)
			}
			if err := Dequeue(t.Context(), st, got.ID, time.Second); err != nil {
				t.Fatal(err)
			}
			got.ID, got.Since = "", time.Time{}
			if !memfile.Equal(got.Value, want.Value) {
				t.Errorf("value %+v, want %+v", got.Value, want.Value)
			}
			got.Value = want.Value
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got\n%+v\nwant\n%+v", got, want)
			}
		})
	}
}

// oldQueue is a queue as memctl wrote it before items and entries shared their labels.
const oldQueue = `[{"id":"0a1b2c3d4e5f","act":"add","key":"git.push","value":"1.10","source":"a talk","confidence":"medium","tags":["git","ci"],
"expires":"2027-01-31","pinned":true,"paths":["cmd/**"],"commands":["git push*"],"ask":true,"no_ask":true,"message":"why",
"seen":true,"replace":"12ab","origin":"relayed","by":"claude","why":"held","rules":["personal"],"since":"2026-01-02T03:04:05Z",
"worktree":"w","folder":"f","said":"s","session":"42","said_on":"2026-01-01","was":"absent","yaml":"1.10"}]`

func TestQueueKeepsItsForm(t *testing.T) {
	var list []Waiting
	if err := json.Unmarshal([]byte(oldQueue), &list); err != nil || len(list) != 1 {
		t.Fatal(err, list)
	}
	want := []Waiting{{
		ID: "0a1b2c3d4e5f", Act: "add", Key: "git.push", Value: memfile.Str("1.10"),
		Labels: labels.Labels{
			Source: "a talk", Confidence: "medium", Tags: []string{"git", "ci"}, Expires: "2027-01-31", Pinned: true,
			Paths: []string{"cmd/**"}, Commands: []string{"git push*"}, Ask: true,
		},
		NoAsk: true, Message: "why", Acknowledged: true, Replace: "12ab", Origin: "relayed", Agent: "claude", Why: "held",
		Rules: []string{"personal"}, Since: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Worktree: "w", Folder: "f", Said: "s", Session: "42",
		SaidOn: "2026-01-01", Was: "absent",
	}}
	want[0].Value.Kind = memfile.Number
	if !reflect.DeepEqual(list, want) {
		t.Errorf("got\n%+v\nwant\n%+v", list, want)
	}
	again, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	var was, now []map[string]any
	if err := errors.Join(json.Unmarshal([]byte(oldQueue), &was), json.Unmarshal(again, &now)); err != nil || !reflect.DeepEqual(was, now) {
		t.Errorf("%v, written again:\n%s", err, again)
	}
}

func TestQueueTakesOneOfEach(t *testing.T) {
	b := storetest.Git(t, memfile.Template)
	for _, w := range []Waiting{
		waiting("a.b", "one"), waiting("a.b", "one"), waiting("a.b", " ONE "), // the same three times
		waiting("a.b", "two"), waiting("c.d", "one"), {Act: "forget", Key: "a.b", Value: memfile.Str("one")},
	} {
		if err := Enqueue(t.Context(), b.Project(), w, time.Second); err != nil {
			t.Fatal(err)
		}
	}
	list, err := Queue(b.Project())
	if err != nil || len(list) != 4 {
		t.Fatalf("%v, %d wait, want 4: %+v", err, len(list), list)
	}
	if list[0].Value.Text != "one" || list[1].Value.Text != "two" || list[2].Key != "c.d" || list[3].Act != "forget" {
		t.Errorf("not oldest first: %+v", list)
	}
	st := b.Project()
	for _, id := range []string{list[1].ID, list[1].ID, "none"} { // what is gone is no error
		if err := Dequeue(t.Context(), st, id, time.Second); err != nil {
			t.Fatal(err)
		}
	}
	if list, _ = Queue(st); len(list) != 3 || list[1].Key != "c.d" {
		t.Errorf("%+v", list)
	}
}

func TestQueueIsBounded(t *testing.T) {
	b := storetest.Git(t, memfile.Template)
	st := b.Project()
	var full []Waiting
	for i := range maxWaiting {
		full = append(full, waiting("a.b", strconv.Itoa(i)))
	}
	if err := QueueOf(st).Write(full); err != nil {
		t.Fatal(err)
	}
	if err := Enqueue(t.Context(), st, waiting("a.b", "one too many"), time.Second); !fault.Is(err, fault.QueueFull) {
		t.Errorf("got %v, want a full queue", err)
	}
	if err := Enqueue(t.Context(), st, waiting("a.b", "7"), time.Second); err != nil {
		t.Errorf("what waits already is no news: %v", err)
	}
	if list, err := Queue(st); err != nil || len(list) != maxWaiting {
		t.Errorf("%v, %d wait", err, len(list))
	}
}

func TestQueueIsForItsOwnerAlone(t *testing.T) {
	b := storetest.Git(t, memfile.Template)
	if err := Enqueue(t.Context(), b.Project(), waiting("a.b", "one"), time.Second); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(b.Root, ".git", "memctl", QueueFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, mode %v", err, info.Mode())
	}
	if status := b.Git("status", "--porcelain"); status != "" {
		t.Errorf("the tree is not clean:\n%s", status)
	}
}

func TestAQueueThatCannotBeReadIsLeftAlone(t *testing.T) {
	b := storetest.Git(t, memfile.Template)
	path := filepath.Join(b.Root, ".git", "memctl", QueueFile)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`[{"id": "1", "act"`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Enqueue(t.Context(), b.Project(), waiting("a.b", "one"), time.Second); !fault.Is(err, fault.LocalState) {
		t.Errorf("got %v, want damaged state", err)
	}
	if left, err := os.ReadFile(path); err != nil || string(left) != `[{"id": "1", "act"` {
		t.Errorf("%v, the only copy is %q", err, left)
	}
}
