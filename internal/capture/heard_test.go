package capture

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/transcript"
)

func TestStatementsMerge(t *testing.T) {
	const rule = "From now on use single quotes in Go."
	type said struct{ session, place, id, text string }
	tests := map[string]struct {
		said []said
		want []string // the sentence and the number of sessions
	}{
		"one statement in two sessions is one row, in its newest words": {
			[]said{{"a", ".", "", "Always answer in English."}, {"b", ".", "", "always answer in english please"}}, []string{"always answer in english please 2"}},
		"the same message of one session counts once": {
			[]said{{"a", ".", "1", rule}, {"a", ".", "2", rule}}, []string{rule + " 1"}},
		"a message that a resumed session copied counts once": {
			[]said{{"a", ".", "1", rule}, {"b", ".", "1", rule}}, []string{rule + " 1"}},
		"two repositories have two rows": {
			[]said{{"a", ".", "", rule}, {"b", "/srv/other", "", rule}}, []string{rule + " 1", rule + " 1"}},
		"what is about the person is one row for all repositories": {
			[]said{{"a", ".", "", "Always answer in English."}, {"b", "/srv/other", "", "Always answer in English."}}, []string{"Always answer in English. 2"}},
		"an older request to remember is shown before a newer mention": {
			[]said{{"a", ".", "", "From now on we deploy with Railway, never Heroku."}, {"b", ".", "", "We deploy with Railway, never Heroku."}}, []string{"From now on we deploy with Railway, never Heroku. 2"}},
		"two rules are two rows": {
			[]said{{"a", ".", "", rule}, {"a", ".", "", "From now on name branches after the ticket."}}, []string{rule + " 1", "From now on name branches after the ticket. 1"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var h Heard
			for i, s := range test.said {
				h.Hear(Message{Text: s.text, Session: s.session, Place: s.place, ID: s.id, Time: time.Unix(int64(i), 0)})
			}
			var got []string
			for _, r := range h.Statements() {
				got = append(got, r.Last.Sentence+" "+string(rune('0'+r.Sessions())))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestTurnsGivesTheAgentsLastWords(t *testing.T) {
	var h Heard
	in := `{"role":"assistant","text":"Should I use Supabase or Firebase?","session":"a"}
{"role":"user","text":"I prefer Supabase","session":"a"}
`
	h.Turns(transcript.NewReader(strings.NewReader(in), transcript.Options{}), func(m *Message, _ transcript.Turn) bool {
		if m.Previous != "Should I use Supabase or Firebase?" || m.Session != "a" {
			t.Errorf("%+v", m)
		}
		return true
	})
	if h.Messages != 1 {
		t.Errorf("%d messages heard", h.Messages)
	}
}

func TestParagraphs(t *testing.T) {
	got := Paragraphs("one\nmore\n\n\n  two\n```\nfenced\n\nstill\n```\n\nthree\n- four\n  more\n2. five\n* six\n2 seven\n\n~~~\n- open\n\nend")
	want := []string{"one\nmore", "two\n```\nfenced\n\nstill\n```", "three", "four\n  more", "five", "six\n2 seven", "~~~\n- open\n\nend"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
