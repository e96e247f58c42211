package rules

import "math"

// A feature is one thing that counts for or against a clause being a lasting statement: a
// class of the clause, a class of its message, or two together.

// together are the pairs of classes that tell more than both alone.
var together = [...][2]class{
	{durable, agent}, {durable, repo}, {durable, style}, {durable, product}, {durable, orders}, {durable, must}, {durable, workflow},
	{forbids, repo}, {forbids, agent}, {forbids, product}, {forbids, orders}, {forbids, tool}, {forbids, style}, {forbids, durable},
	{must, repo}, {must, agent}, {must, product}, {must, tool}, {must, whole}, {must, fact},
	{whole, repo}, {whole, product},
	{uses, repo}, {uses, tool}, {uses, product}, {uses, version}, {uses, because},
	{prefers, question}, {prefers, product}, {prefers, style}, {prefers, contrast}, {prefers, repo}, {prefers, tool}, {likes, question}, {likes, product}, {likes, style}, {likes, repo}, {prefers, because}, {decides, contrast}, {decides, because},
	{repeated, repo}, {repeated, forbids}, {repeated, product}, {complains, repo}, {complains, product}, {complains, style}, {complains, forbids},
	{orders, repo}, {orders, tool}, {orders, style}, {orders, product}, {orders, workflow}, {orders, contrast},
	{workflow, repo}, {workflow, tool}, {workflow, agent},
	{hints, repo}, {hints, product}, {hints, forbids}, {asks, repo}, {asks, product}, {asks, question}, {asks, oneOff}, {asks, orders},
	{fact, repo}, {fact, tool}, {fact, product}, {fact, must},
	{machine, version}, {machine, tells}, {machine, tool}, {self, tool}, {self, tells},
	{contrast, repo}, {contrast, tool}, {contrast, product},
	{oneOff, repo}, {oneOff, product}, {oneOff, temporary},
	{decides, tool}, {decides, question}, {ruleFile, oneOff}, {ruleFile, orders},
	{ours, repo}, {ours, tool}, {ours, product}, {ours, question}, {ours, tells}, {ours, must}, {guarded, repo}, {guarded, version}, {guarded, product}, {guarded, temporary}, {guarded, agent}, {guarded, orders},
	{ours, durable}, {ours, forbids}, {ours, fact}, {ours, version}, {ours, contrast}, {uses, contrast}, {uses, durable}, {uses, forbids}, {fact, version}, {fact, whole}, {must, version}, {machine, self}, {machine, must},
	{style, agent}, {style, orders}, {tool, version}, {tells, repo}, {question, repo}, {question, tool},
}

const (
	ofSentence  = int(numClasses)              // classes of the rest of the sentence
	ofPair      = ofSentence + int(numClasses) // pairs within the clause
	ofShape     = ofPair + len(together)       // the shape of clause and message
	numShapes   = 10
	numFeatures = ofShape + numShapes
)

// seen is a clause as the score sees it.
type seen struct {
	own, rest classes // of the clause, and of the rest of its sentence
	words     int     // words of the clause
	message   int     // words of the message
	first     bool    // begins the message
	last      bool    // ends the message
	alone     bool    // is a sentence of its own
	answers   bool    // the agent asked something before
	wants     bool    // begins with "I prefer" or the like
	asksFirst bool    // begins or ends by asking to remember it
}

// features are the numbers of the features that the clause has.
func (s seen) features() []int {
	var f []int
	for c := range numClasses {
		if s.own.has(c) {
			f = append(f, int(c))
		}
		if s.rest.has(c) {
			f = append(f, ofSentence+int(c))
		}
	}
	for i, p := range together {
		if s.own.has(p[0]) && s.own.has(p[1]) {
			f = append(f, ofPair+i)
		}
	}
	for i, is := range [numShapes]bool{
		s.words < 5, s.words > 20, s.message <= 12, s.message > 60, s.message > 200, s.first, s.last, s.alone, s.answers,
		s.wants,
	} {
		if is {
			f = append(f, ofShape+i)
		}
	}
	return f
}

// Weights are what each feature counts, and what all clauses begin with.
type Weights struct {
	Bias float64
	Of   []float64 // by feature
}

// Score is the estimated chance, in [0,1], that a clause with these features is a lasting statement.
func (w Weights) Score(features []int) float64 {
	sum := w.Bias
	for _, f := range features {
		sum += w.Of[f]
	}
	return 1 / (1 + math.Exp(-sum))
}
