package recall

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/recall/index"
)

func day(text string) time.Time {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return t
}

// talk is two sessions of two people, and some facts.
func talk() []index.Doc {
	turn := func(id, session, at, who, text string, seq int) index.Doc {
		return index.Doc{ID: id, Tier: index.TierTurn, Scope: "private", Source: id + ".md", Conversation: "c", Session: session, Time: day(at), Speaker: who, Text: text, Seq: seq}
	}
	fact := func(id, text string) index.Doc {
		return index.Doc{ID: id, Tier: index.TierFact, Scope: "project", Source: id + ".md", Conversation: "project", Time: day("2024-01-01"), Text: text}
	}
	return []index.Doc{
		turn("t1", "one", "2023-05-08", "Ann", "Did you sign up for the marathon in the end?", 1),
		turn("t2", "one", "2023-05-08", "Ben", "Yes! Training starts on Monday, and it is scary.", 2),
		turn("t3", "one", "2023-05-08", "Ann", "You will be great.", 3),
		turn("t4", "two", "2023-08-20", "Ben", "My violin teacher moved to Oslo.", 1),
		turn("t5", "two", "2023-08-20", "Ann", "I bought a violin last week, too.", 2),
		fact("camel", "Requests go through parseHTTPHeader in net/header_parse.go since v1.26.8"),
		fact("go", "The team went from Python to Rust for the parser"),
		fact("shop", "Our shop sells automobiles of all makes"),
		fact("cjk", "東京タワーに行きました"),
		{ID: "editor.tabs", Tier: index.TierItem, Scope: "user", Source: "memories.md", Category: "preference", Tags: []string{"formatting"}, Text: "Use four spaces"},
	}
}

func TestWhatIsFoundFirst(t *testing.T) {
	x := indexOf(t, talk())
	for name, c := range map[string]struct{ question, want string }{
		"a stemmed word":                           {"trainings", "t2"},
		"an irregular form":                        {"who buys violins?", "t5"},
		"a part of an identifier":                  {"http header", "camel"},
		"a whole identifier":                       {"header_parse.go", "camel"},
		"an identifier in lower case":              {"parsehttpheader", "camel"},
		"an identifier in another case":            {"parse_http_header", "camel"},
		"a version":                                {"what is new in 1.26.8?", "camel"},
		"a word of a key":                          {"tabs", "editor.tabs"},
		"a tag":                                    {"formatting", "editor.tabs"},
		"a script without spaces":                  {"東京", "cjk"},
		"a related word":                           {"car", "shop"},
		"accents do not matter":                    {"víolin teacher", "t4"},
		"the one who said it":                      {"What did Ann say of the violin?", "t5"},
		"the time that is asked for":               {"What was said of the violin in August 2023?", "t5"},
		"words that stand together":                {"violin teacher", "t4"},
		"stop words alone find nothing":            {"what is it?", ""},
		"words that are nowhere":                   {"zebra crossing", ""},
		"a name that the store has never heard of": {"Which Kubernetes team sells?", ""},
	} {
		got := ids(t, x, Query{Text: c.question})
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) == 0 || got[0] != c.want) {
			t.Errorf("%s: %q: got %v, want %q first", name, c.question, got, c.want)
		}
	}
}

func TestStopWordsDecideWhereOneWordMatches(t *testing.T) {
	x := indexOf(t, []index.Doc{fact("ran", "The migrations ran on Tuesday"), fact("do", "What we do about migrations: ask Ada Lovelace in accounting first")})
	for stopWords, want := range map[float64]string{DefaultRanking().StopWords: "do", 0: "ran"} {
		r := DefaultRanking()
		r.StopWords = stopWords
		for _, k := range []int{1, 5} {
			if got := ids(t, x, Query{Text: "what do we do about migrations?", MaxHits: k, Ranking: &r}); len(got) == 0 || got[0] != want {
				t.Errorf("with the weight %v, %d hits: got %v, want %s first", stopWords, k, got, want)
			}
		}
	}
}

func TestTheAnswerToAQuestionIsFoundBesideIt(t *testing.T) {
	got := ids(t, indexOf(t, talk()), Query{Text: "marathon"})
	if !slices.Contains(got, "t2") {
		t.Errorf("got %v, want t2 among them", got)
	}
	r := DefaultRanking()
	r.Near = 0
	if got := ids(t, indexOf(t, talk()), Query{Text: "marathon", Ranking: &r}); slices.Contains(got, "t2") {
		t.Errorf("without neighbours: got %v", got)
	}
}

// TestAReplyToAQuestionCountsMore compares the turn after a question with the same one after a statement.
func TestAReplyToAQuestionCountsMore(t *testing.T) {
	reply := func(change func(docs []index.Doc)) float64 {
		docs := talk()
		change(docs)
		hits, err := Search(indexOf(t, docs), Query{Text: "marathon", MaxHits: 5})
		if err != nil || len(hits) < 2 {
			t.Fatalf("%+v, %v", hits, err)
		}
		i := slices.IndexFunc(hits, func(h Hit) bool { return h.ID == "t2" })
		return hits[i].Score
	}
	said := reply(func(docs []index.Doc) { docs[0].Text = "You did sign up for the marathon in the end." })
	for name, tt := range map[string]struct {
		change func(docs []index.Doc)
		more   bool
	}{
		"asked":                    {func(docs []index.Doc) {}, true},
		"asked, and a remark":      {func(docs []index.Doc) { docs[0].Text += " [shows a photo]" }, true},
		"asked by the same person": {func(docs []index.Doc) { docs[1].Speaker = "Ann" }, false},
		"asked of an assistant":    {func(docs []index.Doc) { docs[0].Speaker, docs[1].Speaker = "user", "assistant" }, false},
	} {
		if got := reply(tt.change); (got > 1.5*said) != tt.more {
			t.Errorf("%s: the reply has %.3f, without a question %.3f", name, got, said)
		}
	}
}

func TestFilters(t *testing.T) {
	x := indexOf(t, talk())
	for name, c := range map[string]struct {
		q    Query
		want string
	}{
		"all":          {Query{}, "t4 t5"},
		"tier":         {Query{Tiers: []index.Tier{index.TierFact}}, ""},
		"scope":        {Query{Scopes: []string{"private"}}, "t4 t5"},
		"other scope":  {Query{Scopes: []string{"user"}}, ""},
		"conversation": {Query{Conversations: []string{"c"}}, "t4 t5"},
		"other":        {Query{Conversations: []string{"project"}}, ""},
		"category":     {Query{Categories: []string{"rule"}}, ""},
		"tag":          {Query{Tags: []string{"music"}}, ""},
		"since":        {Query{Since: day("2023-08-20")}, "t4 t5"},
		"since after":  {Query{Since: day("2023-08-21")}, ""},
		"what is kept": {Query{Keep: func(d *index.Doc) bool { return d.ID != "t4" }}, "t5"},
		"so many":      {Query{MaxHits: 1, Keep: func(d *index.Doc) bool { return d.ID != "t4" }}, "t5"},
	} {
		c.q.Text = "violin"
		got := ids(t, x, c.q)
		slices.Sort(got)
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %v, want %q", name, got, c.want)
		}
	}
}

func TestWhatAPersonGaveADocCounts(t *testing.T) {
	docs := []index.Doc{{ID: "a", Source: "a", Scope: "user", Text: "deploy with the blue script"}, {ID: "b", Source: "b", Scope: "project", Text: "deploy with the green script"}}
	if got := ids(t, indexOf(t, docs), Query{Text: "deploy script"}); got[0] != "a" {
		t.Errorf("a person's own scope: got %v", got)
	}
	even := DefaultRanking()
	even.Own = 0
	q := Query{Text: "deploy script", Ranking: &even}
	second := ids(t, indexOf(t, docs), q)[1]
	for name, change := range map[string]func(*index.Doc){
		"pinned": func(d *index.Doc) { d.Pinned = true },
		"weight": func(d *index.Doc) { d.Weight = 2 },
	} {
		changed := slices.Clone(docs)
		for i := range changed {
			if changed[i].ID == second {
				change(&changed[i])
			}
		}
		if got := ids(t, indexOf(t, changed), q); got[0] != second {
			t.Errorf("%s: got %v, want %s first", name, got, second)
		}
	}
}

func TestSimilarDocsAreFoundWithoutAWordInCommon(t *testing.T) {
	x := indexOf(t, talk())
	got := ids(t, x, Query{Text: "indentation", Similar: []Similar{{index.Source{Scope: "user", Path: "memories.md"}, "editor.tabs", 0.9}, {index.Source{Scope: "project", Path: "go.md"}, "go", 0.2}}})
	if !slices.Equal(got, []string{"editor.tabs"}) {
		t.Errorf("got %v; want the similar one, and not the one under the least relevance", got)
	}
}

func TestASimilarityAloneCountsInFull(t *testing.T) {
	docs := []index.Doc{
		{ID: "tabs", Source: "a", Text: "use tabs in every file"},
		{ID: "words", Source: "b", Text: "indentation of the tables"},
		{ID: "far", Source: "c", Text: "the cat sleeps"},
	}
	x := indexOf(t, docs)
	for name, similar := range map[string][]Similar{
		"no word is found":            {{index.Source{Scope: "", Path: "a"}, "tabs", 0.62}, {index.Source{Scope: "", Path: "c"}, "far", 0.2}},
		"another doc has the words":   {{index.Source{Scope: "", Path: "a"}, "tabs", 0.62}, {index.Source{Scope: "", Path: "b"}, "words", 0.4}},
		"its words are not the best":  {{index.Source{Scope: "", Path: "a"}, "tabs", 0.62}},
		"the least relevance is kept": {{index.Source{Scope: "", Path: "a"}, "tabs", 0.62}, {index.Source{Scope: "", Path: "c"}, "far", 0.34}},
	} {
		text := map[bool]string{true: "indentation tables files", false: "whitespace"}[strings.Contains(name, "words")]
		hits, err := Search(x, Query{Text: text, Similar: similar})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, h := range hits {
			if h.ID == "far" {
				t.Errorf("%s: found what is under the least relevance", name)
			}
			if h.ID == "tabs" {
				if found = true; h.Score < 0.62 {
					t.Errorf("%s: the score is %v of a similarity of 0.62", name, h.Score)
				}
			}
		}
		if !found {
			t.Errorf("%s: not found", name)
		}
	}
}

func TestFormsOfVerbsAreNoNouns(t *testing.T) {
	for _, forms := range [][]string{{"live", "lives", "lived", "living"}, {"leave", "leaves", "left", "leaving"}, {"knife", "knives"}, {"wife", "wives"}, {"shelf", "shelves"}} {
		for _, form := range forms[1:] {
			if a, b := index.Terms(forms[0]), index.Terms(form); !slices.Equal(a, b) {
				t.Errorf("%s is %q, and %s is %q", forms[0], a, form, b)
			}
		}
	}
	x := indexOf(t, []index.Doc{{ID: "home", Source: "a", Text: "Ada lives in Oslo"}, {ID: "cat", Source: "b", Text: "the cat likes fish"}})
	for _, question := range []string{"where do I live?", "where does Ada live?", "Where did Ada leave for?"} {
		if got := ids(t, x, Query{Text: question}); len(got) == 0 || got[0] != "home" {
			t.Errorf("%s: %v", question, got)
		}
	}
}

func TestTimesInQuestions(t *testing.T) {
	now := day("2024-03-15")
	for text, c := range map[string]struct{ in, out string }{
		"what happened on 7 May 2023?":    {"2023-05-07", "2023-07-07"},
		"what happened on May 7th, 2023?": {"2023-05-07", "2023-07-07"},
		"in May 2023":                     {"2023-05-30", "2022-05-30"},
		"in august":                       {"2021-08-01", "2021-09-20"},
		"during 2022":                     {"2022-12-31", "2021-06-01"},
		"the release of 2023-05-07":       {"2023-05-07", "2023-08-01"},
		"what did we decide last week?":   {"2024-03-08", "2023-12-01"},
		"what did we do yesterday?":       {"2024-03-14", "2024-01-01"},
		// 15 March 2024 is a Friday
		"what did we decide last Friday?":      {"2024-03-08", "2024-03-30"},
		"what did Ann say on Tuesday":          {"2024-03-12", "2024-02-10"},
		"what broke two weeks ago":             {"2024-03-01", "2024-01-20"},
		"what broke 3 months ago":              {"2023-12-13", "2024-03-13"},
		"what happened in the last two weeks":  {"2024-03-03", "2024-01-20"},
		"what changed between May and July":    {"2021-06-10", "2021-09-20"},
		"from 3 May 2023 to 9 August 2023":     {"2023-06-20", "2024-01-01"},
		"releases from May to July 2022":       {"2022-06-10", "2023-06-10"},
		"what changed since December 2023":     {"2024-03-10", "2023-06-01"},
		"was geschah vor zwei Wochen":          {"2024-03-01", "2024-01-20"},
		"was haben wir letzten Freitag gesagt": {"2024-03-08", "2024-01-20"},
		"que decidimos la semana pasada":       {"2024-03-08", "2024-01-20"},
		"que rompimos hace tres meses":         {"2023-12-13", "2024-03-13"},
		"qu'avons-nous dit il y a deux jours":  {"2024-03-13", "2024-01-20"},
		"ce que nous avons fait en mars":       {"2023-03-10", "2023-08-01"},
		"o que fizemos em março de 2023":       {"2023-03-10", "2023-08-01"},
		"что мы решили две недели назад":       {"2024-03-01", "2024-01-20"},
		"что мы решили в прошлый понедельник":  {"2024-03-11", "2024-01-20"},
		"что было в августе":                   {"2023-08-10", "2023-03-01"},
	} {
		spans := parseTimes(text, now)
		if in, out := spanScore(spans, day(c.in)), spanScore(spans, day(c.out)); in < 0.9 || out > 0.1 {
			t.Errorf("%q: %.2f for %s, %.2f for %s", text, in, c.in, out, c.out)
		}
	}
	for _, text := range []string{"may I march on?", "which planet is mars", "we deploy on Fridays", "a week of work", "and the day"} {
		if spans := parseTimes(text, now); len(spans) > 0 {
			t.Errorf("%q only looks like a time: %v", text, spans)
		}
	}
	for line := range strings.Lines(timeTable) {
		if f := strings.Fields(line); len(f) < 3 {
			t.Errorf("%q", line)
		} else if _, err := strconv.Atoi(f[1]); err != nil {
			t.Error(err)
		}
	}
}
