package recall

// Ranking is every number that ranking depends on. A part whose number is 0 is off.
// docs/recall.md gives the reason of each and what it adds.
type Ranking struct {
	K1     float64 // BM25: how soon saying a word again stops helping
	B      float64 // BM25: how much a long text is held against it, 0 to 1
	Label  float64 // what a word in the labels (tags, topics, category, key, path, speaker) counts beside one in the text
	Filler float64 // what a word counts that asks for something, not about something ("recommend"); 1 as any other
	Common float64 // share of its weight that the commonest word of the language loses; rare ones lose less

	Near float64 // share of a neighbour's score that a short doc gets; half of it from the second neighbour

	Together float64 // weight of the sum of the best docs of the group, beside the best doc's score
	Day      float64 // the same of the docs of one day, for those that stand in no group, as a share of their own scores

	Speaker float64 // bonus if the query names the speaker, beside the best doc's score
	When    float64 // bonus where the doc is of the time that the question names
	Timely  float64 // bonus where the question asks for a time and the doc names one
	Phrase  float64 // bonus for words that stand together in the question and the doc

	Bridge float64 // weight of words that are related to the question's

	Latent float64 // weight of what a doc is about, beside the best doc's score by words: latent semantic analysis of the store

	Floor   float64 // share of the question's weight that the best hits must have, or the answer is empty
	Unknown float64 // the same as a share of what the names weigh that the question has and no doc

	Agent      float64 // share of its score that what an agent said loses, beside what a person said
	Own        float64 // what a doc of the person's own scopes counts more
	Weight     float64 // the power to which the weight counts that a person gave a doc
	Confidence float64 // share of its score that a doc of no confidence loses
	Pinned     float64 // what a pinned doc counts more
	Recency    float64 // share of recency in the score, 0 to 1
	Age        float64 // days after which recency falls to 1/e

	Candidates float64 // so many times the hits that are wanted are looked at where models or diversity choose among them
	Diverse    float64 // 1 - λ of maximal marginal relevance
	Text       float64 // weight of the text's score where there is a vector's
	Vector     float64 // weight of the vector's
	MinRank    float64 // relevance under which a hit is dropped where there are vectors or a reranker
	Reranked   float64 // share of recency in the score, if there is a reranker
}

// DefaultRanking is what docs/recall.md measures.
func DefaultRanking() Ranking {
	return Ranking{
		K1: 0.9, B: 0.3, Label: 1, Filler: 0.4, Common: 0.5,
		Near: 0.35, Together: 0.5, Day: 0.5,
		Speaker: 0.2, When: 0.25, Timely: 0.1, Phrase: 0.3,
		Bridge: 0.2, Latent: 1,
		Floor: 0.03, Unknown: 0.8,
		Agent: 0.5, Own: 0.2, Weight: 0.5, Confidence: 0.2, Pinned: 0.1, Age: 30,
		Candidates: 3, Text: 0.3, Vector: 0.7, MinRank: 0.35, Reranked: 0.2,
	}
}
