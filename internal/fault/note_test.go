package fault

import (
	"encoding/json"
	"testing"
)

func TestNotesInJSON(t *testing.T) {
	answer := struct {
		Schema int `json:"schema"`
		Noted
	}{Schema: 1}
	for _, want := range []string{
		`{"schema":1}`,
		`{"schema":1,"notes":["git merges it"],"note_codes":["merge-driver"]}`,
		`{"schema":1,"notes":["git merges it","a \"lock\""],"note_codes":["merge-driver","lock-file"]}`,
	} {
		answer.AddNoteCodes()
		got, err := json.Marshal(answer)
		if err != nil || string(got) != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
		answer.Notes = append(answer.Notes, []Note{NewNote("merge-driver", "git merges it"), NewNote("lock-file", `a "lock"`)}[min(len(answer.Notes), 1)])
	}
}
