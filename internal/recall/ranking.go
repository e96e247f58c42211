package recall

// Ranking is every number that the order of hits depends on. A part whose number is 0 is off.
type Ranking struct {
	K1        float64 // BM25: how quickly repetitions of a word stop raising the score
	B         float64 // BM25: how much a long text lowers the score, 0 to 1
	Label     float64 // weight of a word in the tags, topics, category, key, path or speaker; a word in the text has 1
	Filler    float64 // weight of a word that only asks for something, such as "recommend"; other words have 1
	StopWords float64 // weight of a stop word in the best docs; the more of the question's words these have, the less it counts
	Common    float64 // share of its weight that the most common word of the language loses; rarer words lose less

	Near     float64 // share of a neighbour's score that a short doc gets; half of it from the second neighbour
	Answer   float64 // how much more of a question's score the turn right after it gets, if another person answers
	Together float64 // weight of the best docs of a group together, compared to the score of its best one
	Day      float64 // the same for the docs of a day that are in no group, as a share of their own scores

	Speaker float64 // bonus if the query names the speaker
	When    float64 // bonus if the doc is from the time that the query names
	Phrase  float64 // bonus for words that are next to each other in both the query and the doc
	Bridge  float64 // weight of words that WordNet relates to words of the query
	Meaning float64 // weight of similar meaning, by word vectors, as far as the words of the best doc leave the question open

	TurnMeaning  float64 // share of it that the meaning of a turn counts, which says little without the turns beside it
	LeastSimilar float64 // cosine from which a doc is found by its meaning alone

	Support float64 // how much the best hit must have of the words of the query and of its meaning; otherwise the hits are weak
	Unknown float64 // weight of names in the query that no doc contains; if they outweigh the match, the hits are weak

	Agent      float64 // share of its score that a turn of an agent loses
	Own        float64 // bonus for docs of the person's own scopes
	Weight     float64 // exponent of the weight that a person gave a doc
	Confidence float64 // share of its score that a doc without any confidence would lose
	Pinned     float64 // bonus for a pinned doc

	Text      float64 // weight of the words' score if there is an embedder
	Vector    float64 // weight of the embedder's score
	Relevance float64 // lowest relevance of a hit, if an embedder or a reranker gives one
}

// DefaultRanking is the ranking that memctl uses. The numbers measured best over LoCoMo, BEAM and PrefEval: tests/quality
// chooses them by cross-validation, and with -parts it prints the figures with each part switched off. Where a
// comment gives another source, those sets do not measure the number.
func DefaultRanking() Ranking {
	return Ranking{
		K1: 0.9, B: 0.3, // a textbook's 1.2 and 0.75 are for longer texts
		Label: 1, Filler: 0.4, StopWords: 0.2, Common: 0.5,
		Near: 0.35, Answer: 3, Together: 0.5, Day: 0.5,
		Speaker: 0.2, When: 0.6, Phrase: 0.3,
		Bridge: 0.2, Meaning: 0.6, TurnMeaning: 0.4, LeastSimilar: 0.2,
		Support: 0.8, Unknown: 0.8,
		Agent:  0.5,                               // agents write ten times as much as people
		Own:    0.2,                               // GoClaw's boost of 1.2
		Weight: 0.5, Confidence: 0.2, Pinned: 0.1, // small, so that they only decide between similar hits
		Text: 0.3, Vector: 0.7, Relevance: 0.35, // GoClaw's weights and agent-cli's threshold, for large embedders
	}
}
