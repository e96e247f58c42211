package recall

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/memctl/memctl/settings"
)

// Knob is one number of a [Ranking] as a setting.
type Knob struct {
	settings.Row
	// Of is where the number stands.
	Of func(*Ranking) *float64
}

// Wider is how many candidates are looked at where k hits are wanted.
func (r *Ranking) Wider(k int) int { return max(int(r.Candidates*float64(k)), k) }

// Knobs lists every number of a ranking; what is allowed keeps an answer's order one
// that means something. The defaults are DefaultRanking's.
func Knobs() []Knob {
	var list []Knob
	def := DefaultRanking()
	add := func(name string, most float64, of func(*Ranking) *float64, help string) {
		list = append(list, Knob{settings.Row{
			Name: "memctl.recall." + name, Env: "MEMCTL_RECALL_" + envOf(name), Default: strconv.FormatFloat(*of(&def), 'f', -1, 64),
			Number: &settings.Range{Most: most}, Help: help, Seldom: true,
		}, of})
	}
	wordKnobs(add)
	placeKnobs(add)
	scoreKnobs(add)
	for i := range list {
		switch k := &list[i]; k.Name {
		case "memctl.recall.candidates":
			k.Number.Least, k.Number.Whole = 1, true
		case "memctl.recall.recencyDays":
			k.Number.Least = 0.01
		}
	}
	return list
}

// addKnob adds a number from 0 to most.
type addKnob func(name string, most float64, of func(*Ranking) *float64, help string)

// wordKnobs are how words count.
func wordKnobs(add addKnob) {
	add("k1", 10, func(r *Ranking) *float64 { return &r.K1 },
		"BM25's k1: how soon saying a word again stops helping; 0.9 and not a textbook's 1.2, since memories are short")
	add("b", 1, func(r *Ranking) *float64 { return &r.B },
		"BM25's b: how much a long text is held against it; 0.3 and not a textbook's 0.75, since length says little of a memory")
	add("label", 10, func(r *Ranking) *float64 { return &r.Label },
		"what a word in tags, topics, category, key, path or speaker counts beside one in the text")
	add("filler", 1, func(r *Ranking) *float64 { return &r.Filler },
		"what a word counts that asks for something and is not about it, such as recommend; 1 as any other")
	add("common", 1, func(r *Ranking) *float64 { return &r.Common },
		"share of its weight that the language's commonest word loses; rarer ones lose less")
	add("thesaurus", 10, func(r *Ranking) *float64 { return &r.Bridge },
		"weight of words that are related to the question's, from WordNet")
	add("latent", 10, func(r *Ranking) *float64 { return &r.Latent },
		"weight of what a memory is about: latent semantic analysis of the store")
	add("phrase", 10, func(r *Ranking) *float64 { return &r.Phrase },
		"bonus for words that stand together in the question and the memory")
	add("floor", 1, func(r *Ranking) *float64 { return &r.Floor },
		"share of the question that the best memories must have, or the answer is empty")
	add("unknown", 10, func(r *Ranking) *float64 { return &r.Unknown },
		"what the names that no memory knows weigh, beside what is found; where they weigh more, the answer is empty")
}

// placeKnobs are how counts what stands beside a memory, who said it, and when.
func placeKnobs(add addKnob) {
	add("near", 1, func(r *Ranking) *float64 { return &r.Near },
		"share of a neighbour's score (a turn or a paragraph before or after) that a short memory gets; half of it from the second, less for a long memory")
	add("together", 10, func(r *Ranking) *float64 { return &r.Together },
		"weight of the best memories of a session together, beside the best memory's score")
	add("day", 10, func(r *Ranking) *float64 { return &r.Day },
		"the same of the best memories of a day, as a share of their own scores, for those that stand in no session and no file")
	add("speaker", 10, func(r *Ranking) *float64 { return &r.Speaker }, "bonus where the question names who said it")
	add("when", 10, func(r *Ranking) *float64 { return &r.When }, "bonus where the memory is of the time that the question names")
	add("timely", 10, func(r *Ranking) *float64 { return &r.Timely }, "bonus where the question asks for a time and the memory names one")
}

// scoreKnobs are what a score becomes in the end.
func scoreKnobs(add addKnob) {
	add("agent", 1, func(r *Ranking) *float64 { return &r.Agent },
		"share of its score that a turn of an agent loses, beside a turn of a person; 0.5, since agents write ten times as much")
	add("own", 10, func(r *Ranking) *float64 { return &r.Own }, "what memories of your own scopes, private and user, count more")
	add("weight", 2, func(r *Ranking) *float64 { return &r.Weight }, "the power to which the weight counts that a person gave a memory")
	add("confidence", 1, func(r *Ranking) *float64 { return &r.Confidence }, "share of its score that a memory of no confidence would lose")
	add("pinned", 10, func(r *Ranking) *float64 { return &r.Pinned }, "what a pinned memory counts more")
	add("recency", 1, func(r *Ranking) *float64 { return &r.Recency },
		"share of recency in the score; 0 and not 0.2, since what is asked for is as often old")
	add("recencyDays", 36500, func(r *Ranking) *float64 { return &r.Age }, "days after which recency has fallen to 1/e")
	add("diversity", 1, func(r *Ranking) *float64 { return &r.Diverse },
		"1 - λ of maximal marginal relevance; 0 and not 0.3, since it costs on preferences what it brings on turns")
	add("candidates", 100, func(r *Ranking) *float64 { return &r.Candidates },
		"so many times the wanted hits are looked at where an embedder, a reranker or diversity chooses among them")
	add("text", 10, func(r *Ranking) *float64 { return &r.Text }, "weight of the words' score where an embedder gives another")
	add("vector", 10, func(r *Ranking) *float64 { return &r.Vector }, "weight of the embedder's score")
	add("relevance", 1, func(r *Ranking) *float64 { return &r.MinRank },
		"relevance under which a hit is dropped where an embedder or a reranker gives one")
	add("rerankRecency", 1, func(r *Ranking) *float64 { return &r.Reranked }, "share of recency beside a reranker's relevance")
}

// envOf is a setting's name in an environment variable: RECENCY_DAYS.
func envOf(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}
