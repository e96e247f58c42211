package extract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/llm"
	"github.com/memctl/memctl/internal/transcript"
)

func person(texts ...string) (turns []Turn) {
	for _, t := range texts {
		turns = append(turns, Turn{transcript.Person, t})
	}
	return turns
}

func TestQuotedKeepsTheSentencesThatThePersonSaid(t *testing.T) {
	part := append(person(
		"Please fix the login page. From now on run the integration tests\nbefore every commit, they need the staging VPN.",
		"以后同步到Git的时候自动部署上线。不要改配置。",
		"Here is the log:\n```\nwe deploy to Oracle every night\n```\n> use Oracle for storage\nit fails",
		"- don’t ever restart  the Server, I do it\n- the port is 8.5\nDo we use Redis?",
		strings.Repeat("one long paste ", 100),
	), Turn{transcript.Assistant, "I will store sessions in Redis."})
	for name, c := range map[string]struct{ quote, text string }{
		"a part of a sentence gives all of it":    {"run the integration tests before every commit", "From now on run the integration tests before every commit, they need the staging VPN."},
		"what was denied keeps its denial":        {"restart the server", "don’t ever restart the Server, I do it"},
		"another case, spaces and quotation mark": {"Don't ever restart the server", "don’t ever restart the Server, I do it"},
		"a language without spaces":               {"自动部署上线", "以后同步到Git的时候自动部署上线。"},
		"a figure is not the end of a sentence":   {"the port is 8.5", "the port is 8.5 Do we use Redis?"},
		"two sentences":                           {"fix the login page. From now on run the integration tests", "Please fix the login page. From now on run the integration tests before every commit, they need the staging VPN."},
		"no quote":                                {"", ""},
		"other words":                             {"Integration tests run before each commit", ""},
		"a quote that nobody said":                {"always run the linter", ""},
		"a quote of the assistant":                {"I will store sessions in Redis", ""},
		"a quote from a pasted log":               {"we deploy to Oracle every night", ""},
		"a quotation of somebody else":            {"use Oracle for storage", ""},
		"a part of a paste":                       {"one long paste", ""},
	} {
		got, dropped := (Findings{Facts: []Fact{{Message: 1, Quote: c.quote}}}).Quoted(part, "")
		text := ""
		if len(got.Facts) == 1 {
			text = got.Facts[0].Text
		}
		if strings.HasSuffix(c.text, "?") {
			c.text = "" // a question states nothing
		}
		if text != c.text || dropped != 1-len(got.Facts) {
			t.Errorf("%s: %q, want %q; dropped %d", name, text, c.text, dropped)
		}
	}
}

func TestQuotedChecksEverySection(t *testing.T) {
	part := append(person("I am Ada, I know Go and SQL. I work on the billing service. I am no designer. It crashed because the cache was stale; clearing the cache fixed it."),
		Turn{transcript.Assistant, "Rewrote the parser."})
	f := Findings{
		Facts:    []Fact{{Quote: "I know Go"}, {Quote: "SQL"}},
		Profile:  []Field{{"name", "Ada", "I am Ada"}, {"role", "astronaut", "I am Ada"}, {"role", "designer", "designer"}},
		Projects: []Project{{"billing", []string{"Go", "Rust"}, "the billing service"}, {"kernel", nil, "I work on the billing service"}},
		Lessons:  []Lesson{{"stale-cache", "the cache was stale", "clearing the cache fixed it"}, {"gpu", "It crashed", "new fan"}},
		Topics:   []string{"cache", "blockchain"},
		Daily:    []string{"rewrote the parser", "Bought three submarines."},
		Summary:  []string{"Ada likes tea", "I know Go", "The weather in Lisbon was sunny."},
	}
	got, dropped := f.Quoted(part, "- Ada likes tea.\n- Ada hates coffee.")
	const crash = "It crashed because the cache was stale; clearing the cache fixed it."
	want := Findings{
		Facts: []Fact{{Quote: "I know Go", Text: "I am Ada, I know Go and SQL."}}, Profile: f.Profile[:1], Projects: []Project{{"billing", []string{"Go"}, "I work on the billing service."}},
		Lessons: []Lesson{{"stale-cache", crash, crash}}, Topics: []string{"cache"}, Daily: []string{"Rewrote the parser."}, Summary: []string{"Ada likes tea.", "I am Ada, I know Go and SQL."},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || dropped != 5 {
		t.Errorf("got %+v\nwant %+v\ndropped %d", got, want, dropped)
	}
}

// TestQuotedKeepsThePartsThatWereSaid has texts of which the model made up a part.
func TestQuotedKeepsThePartsThatWereSaid(t *testing.T) {
	part := append(person("The staging cluster uses three nodes, and the fourth one is broken. Never restart node 2. 不要重启节点。"), Turn{transcript.Assistant, "Moved the jobs; node 3 has room."})
	const nodes = "The staging cluster uses three nodes, and the fourth one is broken."
	for name, c := range map[string]struct {
		text string
		kept []string
	}{
		"a half after a semicolon":      {"The staging cluster uses three nodes; the owner keeps a yacht", []string{nodes}},
		"a half before a semicolon":     {"the owner keeps a yacht; moved the jobs", []string{"Moved the jobs; node 3 has room."}},
		"a sentence":                    {"The owner keeps a yacht. Restart node 2.", []string{"Never restart node 2."}},
		"a full-width semicolon":        {"船主有游艇；the fourth one is broken", []string{nodes}},
		"a language without spaces":     {"船主有游艇；不要重启", []string{"不要重启节点。"}},
		"one word is no quote":          {"the owner keeps a yacht; node", nil},
		"nothing":                       {"the owner keeps a yacht", nil},
		"the same sentence twice":       {"the staging cluster uses three nodes; the fourth one is broken", []string{nodes}},
		"a part without a break before": {"the staging cluster uses three nodes and the owner keeps a yacht", nil},
	} {
		got, _ := (Findings{Daily: Quotes{c.text}, Summary: Quotes{c.text}}).Quoted(part, "")
		if !slices.Equal(got.Daily, c.kept) || !slices.Equal(got.Summary, c.kept) {
			t.Errorf("%s: %q and %q, want %q", name, got.Daily, got.Summary, c.kept)
		}
	}
	if _, all := Quoted("never restart node 2; it is slow", part[0].Text); all {
		t.Error("a text with a part of its own counts as a quote")
	}
}

func TestDecisionsLoseNoFact(t *testing.T) {
	add := []Decision{{Add, 1, 0}, {Add, 2, 0}, {Add, 3, 0}}
	for name, c := range map[string]struct {
		answer string
		want   []Decision
	}{
		"each event":                        {`[{"event":"UPDATE","fact":1,"memory":1},{"event":"NONE","fact":2,"memory":2},{"event":"ADD","fact":3,"memory":0}]`, []Decision{{Update, 1, 1}, {None, 2, 2}, {Add, 3, 0}}},
		"no answer adds all":                {``, add},
		"an unknown memory":                 {`[{"event":"NONE","fact":1,"memory":4}]`, add},
		"an unknown fact":                   {`[{"event":"ADD","fact":4,"memory":0}]`, add},
		"of two decisions the first counts": {`[{"event":"ADD","fact":1,"memory":0},{"event":"NONE","fact":1,"memory":1}]`, add},
		"a memory is replaced once":         {`[{"event":"UPDATE","fact":1,"memory":1},{"event":"UPDATE","fact":2,"memory":1}]`, []Decision{{Update, 1, 1}, add[1], add[2]}},
		"a deletion":                        {`[{"event":"DELETE","fact":0,"memory":3}]`, add},
	} {
		answer := ""
		if c.answer != "" {
			answer = `{"decisions":` + c.answer + `}`
		}
		if got := Decisions(json.RawMessage(answer), 3, 3); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestRequestsHaveTheirForm(t *testing.T) {
	turns := append(person("first words"), Turn{transcript.Assistant, strings.Repeat("long ", 1000)})
	r := Request(append(turns, person("second words")...), "the summary so far", []string{"name"})
	text := r.Messages[0].Text
	for _, want := range []string{"the summary so far", "[1] person: first words", "[2] person: second words", "assistant: long long"} {
		if !strings.Contains(text, want) {
			t.Errorf("the request has no %q", want)
		}
	}
	if len(text) > 1000 {
		t.Errorf("the assistant's message is %d bytes long in the request", len(text))
	}
	for answer, r := range map[string]llm.Request{
		`{"facts":[{"message":1,"quote":"b","category":"rule","topics":[]}],"profile":[{"field":"name","value":"a","quote":"b"}],"topics":[],"projects":[],"daily":[],"lessons":[],"summary":[]}`: r,
		`{"decisions":[{"event":"ADD","fact":1,"memory":0}]}`: Reconcile([]string{"a"}, []string{"b"}),
	} {
		if _, err := llm.Parse(answer, r.Schema.JSON); err != nil {
			t.Errorf("%s: %v", answer, err)
		}
		if _, err := llm.Parse(strings.Replace(answer, "[", "[1,", 1), r.Schema.JSON); err == nil {
			t.Errorf("another form than %s was read", answer)
		}
	}
	f, err := Read(json.RawMessage(`{"facts":[{"message":1,"quote":"a"},{"message":1,"quote":"b"},{"message":1,"quote":"c"},{"message":1,"quote":"d"},{"message":2,"quote":"e"}]}`))
	if err != nil || len(f.Facts) != 4 || f.Facts[3].Quote != "e" {
		t.Errorf("read %v, %v: want at most three facts of one message", f.Facts, err)
	}
}

func TestPartsKeepEveryTurn(t *testing.T) {
	var turns []Turn
	for i := range 200 {
		turns = append(turns, person(fmt.Sprint(i, strings.Repeat(" word", 100)))...)
	}
	n := 0
	for _, part := range Batches(turns) {
		size := 0
		for _, turn := range part {
			if turn.Text != turns[n].Text {
				t.Fatalf("turn %d is in another place", n)
			}
			n++
			size += turn.Size()
		}
		if size > MaxPart {
			t.Errorf("a part has %d bytes", size)
		}
	}
	if n != len(turns) {
		t.Errorf("%d of %d turns are in a part", n, len(turns))
	}
}

func TestSummarizeByRule(t *testing.T) {
	summary := Summarize("", []string{"Use tabs for indentation", "ok", "Can you fix it?", "Deploys go to Vercel on Fridays"})
	summary = Summarize(summary, []string{"Please use tabs for indentation.", "deploys go to Vercel on Fridays"})
	if want := "- Please use tabs for indentation.\n- deploys go to Vercel on Fridays"; summary != want {
		t.Errorf("got %q, want %q", summary, want)
	}
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf("service number%d listens behind gateway%d", i, i))
	}
	summary = Summarize(summary, many)
	if n := utf8.RuneCountInString(summary); n > MaxSummary || n < MaxSummary/2 || !strings.HasSuffix(summary, "gateway99") {
		t.Errorf("%d characters, ending %q", n, summary[len(summary)-20:])
	}
}
