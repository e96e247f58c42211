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
		"BM25's k1: how quickly further occurrences of a word stop raising the score. 0.9 instead of the usual 1.2, because memories are short")
	add("b", 1, func(r *Ranking) *float64 { return &r.B },
		"BM25's b: how much a long text lowers the score. 0.3 instead of the usual 0.75, because the length of a memory says little")
	add("label", 10, func(r *Ranking) *float64 { return &r.Label },
		"weight of a word in the tags, topics, category, key, path or speaker; a word in the text has weight 1")
	add("filler", 1, func(r *Ranking) *float64 { return &r.Filler },
		"weight of a word that only asks for something, such as recommend; other words have weight 1")
	add("common", 1, func(r *Ranking) *float64 { return &r.Common },
		"share of its weight that the most common word of the language loses; rarer words lose less")
	add("thesaurus", 10, func(r *Ranking) *float64 { return &r.Bridge },
		"weight of words that WordNet relates to words of the query")
	add("latent", 10, func(r *Ranking) *float64 { return &r.Latent },
		"weight of similarity in topic, found by latent semantic analysis of the store")
	add("phrase", 10, func(r *Ranking) *float64 { return &r.Phrase },
		"bonus for words that are next to each other in both the query and the memory")
	add("floor", 1, func(r *Ranking) *float64 { return &r.Floor },
		"share of the query that the best memories must match; otherwise the answer is empty")
	add("unknown", 10, func(r *Ranking) *float64 { return &r.Unknown },
		"weight of names in the query that no memory contains; if they outweigh the words that match, the answer is empty")
}

// placeKnobs are how counts what stands beside a memory, who said it, and when.
func placeKnobs(add addKnob) {
	add("near", 1, func(r *Ranking) *float64 { return &r.Near },
		"share of its neighbours' scores that a short memory gets. Neighbours are the turns or paragraphs before and after it; the second one gives half, and a long memory gets less")
	add("together", 10, func(r *Ranking) *float64 { return &r.Together },
		"weight of a session's best memories together, compared to the score of its best one")
	add("day", 10, func(r *Ranking) *float64 { return &r.Day },
		"like together, for the memories of a day that belong to no session and no file, as a share of their own scores")
	add("speaker", 10, func(r *Ranking) *float64 { return &r.Speaker }, "bonus if the query names the speaker")
	add("when", 10, func(r *Ranking) *float64 { return &r.When }, "bonus if the memory is from the time that the query names")
	add("timely", 10, func(r *Ranking) *float64 { return &r.Timely }, "bonus if the query asks for a time and the memory names one")
}

// scoreKnobs are what a score becomes in the end.
func scoreKnobs(add addKnob) {
	add("agent", 1, func(r *Ranking) *float64 { return &r.Agent },
		"share of its score that a turn of an agent loses. 0.5, because agents write ten times as much as people")
	add("own", 10, func(r *Ranking) *float64 { return &r.Own }, "bonus for memories of your own scopes, private and user")
	add("weight", 2, func(r *Ranking) *float64 { return &r.Weight }, "exponent of the weight that a person gave a memory")
	add("confidence", 1, func(r *Ranking) *float64 { return &r.Confidence }, "share of its score that a memory without any confidence would lose")
	add("pinned", 10, func(r *Ranking) *float64 { return &r.Pinned }, "bonus for a pinned memory")
	add("recency", 1, func(r *Ranking) *float64 { return &r.Recency },
		"share of recency in the score. 0, because people ask for old memories as often as for new ones")
	add("recencyDays", 36500, func(r *Ranking) *float64 { return &r.Age }, "days after which recency falls to 1/e")
	add("diversity", 1, func(r *Ranking) *float64 { return &r.Diverse },
		"1 - λ of maximal marginal relevance. 0 instead of 0.3, because it makes preferences worse by as much as it improves turns")
	add("candidates", 100, func(r *Ranking) *float64 { return &r.Candidates },
		"number of candidates, as a multiple of the wanted hits, for an embedder, a reranker or diversity to choose from")
	add("text", 10, func(r *Ranking) *float64 { return &r.Text }, "weight of the words' score if there is an embedder")
	add("vector", 10, func(r *Ranking) *float64 { return &r.Vector }, "weight of the embedder's score")
	add("relevance", 1, func(r *Ranking) *float64 { return &r.MinRank },
		"lowest relevance of a hit, if an embedder or a reranker gives one")
	add("rerankRecency", 1, func(r *Ranking) *float64 { return &r.Reranked }, "share of recency in the score, if there is a reranker")
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
