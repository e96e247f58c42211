package capture

import (
	"fmt"
	"strings"
	"testing"
)

func TestLinesThatAreEntries(t *testing.T) {
	for _, tt := range []struct{ name, line, want string }{
		{"a text alone is a fact", `{"text":" Tea, not coffee. "}`, `memory| Tea, not coffee. ||||`},
		{"a turn says whose, when and where", `{"text":"Hi","role":"user","conversation":"c","session":"s","created_at":"2026-11-21T09:03:00+01:00","id":"D1:1"}`, `user|Hi|c|s|2026-11-21T08:03:00.000Z|D1:1`},
		{"numbers do for names and times", `{"text":"Hi","role":"note","conversation":7,"session":1,"id":3,"created_at":0.5}`, `note|Hi|7|1|1970-01-01T00:00:00.500Z|3`},
		{"a time may be spoken", `{"text":"Hi","created_at":"1:56 pm on 8 May, 2023"}`, `memory|Hi|||2023-05-08T13:56:00.000Z|`},
		{"null is nothing", `{"text":"Hi","session":null,"conversation":null,"tags":null}`, `memory|Hi||||`},
	} {
		res := read(t, JSONLines, File{Name: "x.jsonl", Data: []byte(tt.line)})
		if len(entries(res)) != 1 || len(items(res)) != 0 {
			t.Errorf("%s: got %+v", tt.name, res)
			continue
		}
		e := entries(res)[0].Entry
		if got := strings.Join([]string{e.Role, e.Text, e.Conversation, e.Session, e.Created, e.ID}, "|"); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestLinesThatAreNoEntries(t *testing.T) {
	for name, line := range map[string]string{
		"no text":         `{"role":"user"}`,
		"an empty text":   `{"text":" \n"}`,
		"a foreign role":  `{"text":"x","role":"system"}`,
		"a time of none":  `{"text":"x","created_at":"yesterday"}`,
		"tags of a text":  `{"text":"x","tags":"a"}`,
		"a cut-off line":  `{"text":"x"`,
		"not an object":   `"x"`,
		"a text of lists": `{"text":["x"]}`,
	} {
		res := read(t, JSONLines, File{Name: "x.jsonl", Data: []byte(`{"text":"sound"}` + "\n" + line + "\n")})
		if len(entries(res)) != 1 || len(refused(res)) != 1 || refused(res)[0].Line != 2 {
			t.Errorf("%s: got %+v", name, res)
		}
	}
}

func TestEntriesHaveALimitOfTheirOwn(t *testing.T) {
	var b strings.Builder
	for i := range 3 * MaxItems {
		fmt.Fprintf(&b, "{\"text\":\"fact %d %s\"}\n", i, strings.Repeat("x", MaxInput/MaxItems/2))
	}
	if b.Len() <= MaxInput {
		t.Fatal("not enough to tell")
	}
	if res := read(t, JSONLines, File{Name: "x", Data: []byte(b.String())}); len(entries(res)) != 3*MaxItems || len(refused(res)) != 0 {
		t.Errorf("got %d entries, %d skipped", len(entries(res)), len(refused(res)))
	}
	if _, err := Read("", []File{{Name: "x", Data: []byte(b.String())}}); err == nil {
		t.Error("a file of no known format is read beyond 4 MB")
	}
}
