package extract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memctl/memctl/llm"
	"github.com/memctl/memctl/transcript"
)

func person(texts ...string) (turns []Turn) {
	for _, t := range texts {
		turns = append(turns, Turn{transcript.Person, t})
	}
	return turns
}

func TestGroundKeepsWhatThePersonSaid(t *testing.T) {
	part := append(person(
		"Please fix the login page. From now on run the integration tests before every commit, they need the staging VPN.",
		"yes always",
		"以后同步到Git的时候自动部署上线",
		"同步到Git，你帮我自动pnpm deploy上线",
		"Here is the log:\n```\nwe deploy to Oracle every night\n```\n> use Oracle for storage\nit fails",
		"don’t ever restart  the Server, I do it",
	), Turn{transcript.Assistant, "I will store sessions in Redis."})
	for name, c := range map[string]struct {
		text, quote string
		kept        bool
	}{
		"the person's own words":                  {"run the integration tests before every commit", "run the integration tests before every commit", true},
		"other words for a part of them":          {"Integration tests run before each commit", "run the integration tests before every commit", true},
		"another case, spaces and quotation mark": {"Do not restart the server", "Don't ever restart the server", true},
		"a language without spaces":               {"同步到Git时自动部署", "同步到Git的时候自动部署上线", true},
		"another statement with one such name":    {"The staging database is PostgreSQL and its dumps are in Git", "以后同步到Git的时候自动部署上线", false},
		"Latin names among Chinese letters":       {"After a sync to Git, pnpm deploy", "同步到Git，你帮我自动pnpm deploy上线", true},
		"no quote":                                {"run the integration tests before every commit", "", false},
		"a quote that nobody said":                {"run the linter", "always run the linter", false},
		"a quote of the assistant":                {"sessions are in Redis", "I will store sessions in Redis", false},
		"a quote from a pasted log":               {"we deploy to Oracle every night", "we deploy to Oracle every night", false},
		"a quotation of somebody else":            {"use Oracle for storage", "use Oracle for storage", false},
		"another statement under a real quote":    {"The database is PostgreSQL on port 5433", "run the integration tests", false},
		"another statement in another language":   {"The database is PostgreSQL on port 5433", "自动部署上线", false},
		"a denial of what the person said":        {"never run the integration tests before a commit", "run the integration tests before every commit", false},
		"what the person denied, as a wish":       {"restart the server", "don’t ever restart the Server", false},
		"another figure":                          {"run the integration tests on port 8", "run the integration tests before every commit", false},
		"a statement that its quote does not say": {"Always answer in French", "yes always", false},
	} {
		f := Findings{Facts: []Fact{{Message: 1, Text: c.text, Quote: c.quote}}}
		got, dropped := f.Ground(part)
		if (len(got.Facts) == 1) != c.kept || dropped != 1-len(got.Facts) {
			t.Errorf("%s: kept %d, dropped %d", name, len(got.Facts), dropped)
		}
	}
}

func TestGroundChecksEverySection(t *testing.T) {
	part := append(person("I am Ada, I know Go and SQL. I work on the billing service. It crashed because the cache was stale; clearing the cache fixed it."),
		Turn{transcript.Assistant, "Rewrote the parser."})
	f := Findings{
		Profile:  []Field{{"name", "Ada", "I am Ada"}, {"role", "astronaut", "I am Ada"}},
		Projects: []Project{{"billing", "the billing service", []string{"Go", "Rust"}, "I work on the billing service"}, {"kernel", "", nil, "I work on the billing service"}},
		Lessons:  []Lesson{{"stale-cache", "it crashed because the cache was stale", "fixed", "clearing the cache", "clearing the cache fixed it"}, {"gpu", "the GPU overheated", "", "new fan", "It crashed"}},
		Topics:   []string{"cache", "blockchain"},
		Daily:    "Rewrote the parser. Bought three submarines.",
		Summary:  "Ada knows Go and SQL.\nThe weather in Lisbon was sunny.\nThe billing service crashed, as the cache was stale.",
	}
	got, dropped := f.Ground(part)
	want := Findings{
		Facts: []Fact{}, Profile: f.Profile[:1], Projects: []Project{{"billing", "the billing service", []string{"Go"}, "I work on the billing service"}}, Lessons: f.Lessons[:1],
		Topics: []string{"cache"}, Daily: "Rewrote the parser.", Summary: "Ada knows Go and SQL.\nThe billing service crashed, as the cache was stale.",
	}
	got.Facts = []Fact{}
	if fmt.Sprint(got) != fmt.Sprint(want) || dropped != 3 {
		t.Errorf("got %+v\nwant %+v\ndropped %d", got, want, dropped)
	}
}

func TestASummaryDoesNotTurnRoundWhatWasSaid(t *testing.T) {
	part := person("We deploy with the kariba script to malawi7.", "We never deploy on Fridays, only on Mondays.")
	f := Findings{Summary: "We deploy with the kariba script.\nNever deploy with the kariba script.\nThe script deploys to malawi8.\nWe deploy with Ada to Karibu and Malawi7.\nThe kariba script deploys to Malawi7.\nDeploys on Mondays.\nWe deploy on Fridays."}
	got, _ := f.Ground(part)
	if want := "We deploy with the kariba script.\nThe kariba script deploys to Malawi7.\nDeploys on Mondays."; got.Summary != want {
		t.Errorf("the summary is %q, want %q", got.Summary, want)
	}
}

func TestDecisionsLoseNoFact(t *testing.T) {
	facts := []string{"the service uses Postgres 16", "tests run with make check", "Ada hates pizza"}
	memories := []string{"the service uses Postgres 15", "tests run with make check before a commit", "Ada loves pizza"}
	add := []Decision{{Add, 1, 0, ""}, {Add, 2, 0, ""}, {Add, 3, 0, ""}}
	for name, c := range map[string]struct {
		answer string
		want   []Decision
	}{
		"each event": {`[{"event":"UPDATE","fact":1,"memory":1,"text":"the service uses Postgres 16"},{"event":"NONE","fact":2,"memory":2,"text":""},{"event":"ADD","fact":3,"memory":0,"text":""},{"event":"DELETE","fact":0,"memory":3,"text":""}]`,
			[]Decision{{Update, 1, 1, facts[0]}, {None, 2, 2, ""}, {Add, 3, 0, ""}, {Delete, 0, 3, ""}}},
		"no answer adds all":                         {``, add},
		"an unknown memory adds all":                 {`[{"event":"NONE","fact":1,"memory":4,"text":""}]`, add},
		"an unknown fact adds all":                   {`[{"event":"ADD","fact":4,"memory":0,"text":""}]`, add},
		"two decisions for one fact add all":         {`[{"event":"ADD","fact":1,"memory":0,"text":""},{"event":"NONE","fact":1,"memory":1,"text":""}]`, add},
		"two changes of one memory add all":          {`[{"event":"UPDATE","fact":1,"memory":1,"text":""},{"event":"DELETE","fact":0,"memory":1,"text":""}]`, add},
		"an addition to a memory adds all":           {`[{"event":"ADD","fact":1,"memory":1,"text":""}]`, add},
		"only deletions add the facts too":           {`[{"event":"DELETE","fact":0,"memory":3,"text":""}]`, append([]Decision{{Delete, 0, 3, ""}}, add...)},
		"an empty answer adds all":                   {`[]`, add},
		"a fact that is not known in truth is added": {`[{"event":"NONE","fact":3,"memory":1,"text":""}]`, []Decision{add[0], add[1], add[2]}},
		"an update with new words takes the fact's":  {`[{"event":"UPDATE","fact":1,"memory":1,"text":"the service uses Oracle"}]`, []Decision{{Update, 1, 1, facts[0]}, add[1], add[2]}},
		"an update may use the words of both":        {`[{"event":"UPDATE","fact":2,"memory":2,"text":"before a commit, tests run with make check"}]`, []Decision{{Update, 2, 2, "before a commit, tests run with make check"}, add[0], add[2]}},
	} {
		answer := ""
		if c.answer != "" {
			answer = `{"decisions":` + c.answer + `}`
		}
		if got := Decisions(json.RawMessage(answer), facts, memories); !slices.Equal(got, c.want) {
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
		`{"facts":[{"message":1,"text":"a","quote":"b","category":"rule","topics":[]}],"profile":[{"field":"name","value":"a","quote":"b"}],"topics":[],"projects":[],"daily":"","lessons":[],"summary":""}`: r,
		`{"decisions":[{"event":"ADD","fact":1,"memory":0,"text":""}]}`: Reconcile([]string{"a"}, []string{"b"}),
	} {
		if _, err := llm.Parse(answer, r.Schema.JSON); err != nil {
			t.Errorf("%s: %v", answer, err)
		}
		if _, err := llm.Parse(strings.Replace(answer, "[", "[1,", 1), r.Schema.JSON); err == nil {
			t.Errorf("another form than %s was read", answer)
		}
	}
	f, err := Read(json.RawMessage(`{"facts":[{"message":1,"text":"a"},{"message":1,"text":"b"},{"message":1,"text":"c"},{"message":1,"text":"d"},{"message":2,"text":"e"}]}`))
	if err != nil || len(f.Facts) != 4 || f.Facts[3].Text != "e" {
		t.Errorf("read %v, %v: want at most three facts of one message", f.Facts, err)
	}
}

func TestPartsKeepEveryTurn(t *testing.T) {
	var turns []Turn
	for i := range 200 {
		turns = append(turns, person(fmt.Sprint(i, strings.Repeat(" word", 100)))...)
	}
	n := 0
	for _, part := range Parts(turns) {
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
