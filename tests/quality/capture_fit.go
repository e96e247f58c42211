package main

import (
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/capture/rules"
)

const (
	// fitRounds, fitRate and fitDecay were chosen by cross-validation over dev/capture:
	// more decay than less keeps weights small, which few positives need.
	fitRounds = 40
	fitRate   = 0.1
	fitDecay  = 0.02
	// positiveWeight is how much more a statement counts than a clause that states nothing.
	positiveWeight = 2
	// syntheticWeight is how much a message of BEAM counts beside a real one: its statements
	// are stereotyped, and there are five times as many.
	syntheticWeight = 0.3
	// writtenWeight is how much a message of prompts.jsonl counts beside a real one. Those were written for the
	// fit: real messages have too few statements of each kind.
	writtenWeight = 0.7
	captureFolds  = 5
)

// saying is a message and what it states.
type saying struct {
	text, previous string
	group          string // its repository or conversation: folds keep it together
	label, kind    string
	topic          string // in a repository the same for the same thing
	language       string
	stratum        string // "natural" where rates are counted
	from, to       int    // the labelled words
	says           string // BEAM's statement in short
	beam           bool
	real           bool    // somebody typed it at work
	weight         float64 // of the message in the fit

	clauses  []rules.Clause
	stated   []bool // by clause
	score    float64
	explicit bool
}

func (s *saying) states() bool {
	return s.label == "remember" || s.label == "lesson" || s.label == "instruction" || s.label == "preference"
}

// unsure are rows that count neither way.
func (s *saying) unsure() bool {
	switch s.label {
	case "maybe", "update", "contradiction", "introduction":
		return true
	}
	return false
}

// readSayings reads dev/capture and dev/beam.
func readSayings(data string) ([]*saying, error) {
	var out []*saying
	add := func(s *saying) {
		s.clauses = rules.Clauses(s.text, s.previous)
		s.stated = s.marked()
		out = append(out, s)
	}
	rows, err := readJSON[struct{ Repo, Message, Previous, Label, Kind, Language, Stratum, Span, Key string }](filepath.Join(data, "capture", "messages.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		s := &saying{weight: 1, real: true, text: r.Message, previous: r.Previous, group: r.Repo, label: r.Label, kind: r.Kind, language: r.Language, stratum: r.Stratum, topic: r.Key}
		if i := strings.Index(s.text, r.Span); r.Span != "" && i >= 0 {
			s.from, s.to = i, i+len(r.Span)
		}
		add(s)
	}
	beam, err := readJSON[struct{ Chat, Text, Label, Says string }](filepath.Join(data, "beam", "messages.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, r := range beam {
		add(&saying{weight: syntheticWeight, text: r.Text, group: r.Chat, label: r.Label, language: "en", says: r.Says, beam: true})
	}
	written, err := readWritten("tests/quality/prompts.jsonl")
	return append(out, written...), err
}

// readWritten reads prompts that were written for the fit, or to measure it. Ten that follow each other make a group.
func readWritten(name string) (out []*saying, err error) {
	rows, err := readJSON[struct{ Text, Label, Span string }](name)
	for i, r := range rows {
		s := &saying{weight: writtenWeight, text: r.Text, group: fmt.Sprintf("written %d", i/10), label: r.Label, language: "en", stratum: "written"}
		if i := strings.Index(s.text, r.Span); r.Span != "" && i >= 0 {
			s.from, s.to = i, i+len(r.Span)
		}
		s.clauses = rules.Clauses(s.text, "")
		s.stated = s.marked()
		out = append(out, s)
	}
	return out, err
}

// marked tells which clauses state what the label says: those that the labelled words cover
// by half, and in BEAM the one that shares most words with the statement in short.
func (s *saying) marked() []bool {
	out := make([]bool, len(s.clauses))
	if !s.states() {
		return out
	}
	if !s.beam {
		for i, c := range s.clauses {
			both := min(c.To, s.to) - max(c.From, s.from)
			out[i] = both*2 > c.To-c.From || both*2 > s.to-s.from
		}
		return out
	}
	says := map[string]bool{}
	for _, w := range longWords(s.says) {
		says[w] = true
	}
	best, most := -1, 0
	for i, c := range s.clauses {
		n := 0
		for _, w := range longWords(s.text[c.From:c.To]) {
			if says[w] {
				n++
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	if best >= 0 && 5*most >= 2*len(says) {
		out[best] = true
	}
	return out
}

func longWords(text string) (out []string) {
	for _, w := range strings.Fields(strings.ToLower(text)) {
		if w = strings.Trim(w, ".,;:!?"); len(w) > 3 {
			out = append(out, w)
		}
	}
	return out
}

// fitWeights is a logistic regression over clauses, by stochastic gradients whose steps shrink
// with what a feature has seen (AdaGrad).
func fitWeights(rows []*saying) rules.Weights {
	w := rules.Weights{Bias: -4, Of: make([]float64, rules.NumFeatures)}
	seen := make([]float64, rules.NumFeatures)
	var seenBias float64
	for range fitRounds {
		for _, r := range rows {
			if r.unsure() {
				continue
			}
			for i, c := range r.clauses {
				miss, scale := w.Score(c.Features), r.weight
				if r.stated[i] {
					miss, scale = miss-1, r.weight*positiveWeight
				} else if r.states() {
					continue // a clause beside a statement may state it, too
				}
				miss *= scale
				seenBias += miss * miss
				w.Bias -= fitRate * miss / math.Sqrt(seenBias+1e-6)
				for _, f := range c.Features {
					g := miss + fitDecay*w.Of[f]
					seen[f] += g * g
					w.Of[f] -= fitRate * g / math.Sqrt(seen[f]+1e-2)
				}
			}
		}
	}
	return w
}

// judge sets the score of each row.
func judge(rows []*saying, w rules.Weights) {
	for _, r := range rows {
		r.score = 0
		for _, c := range r.clauses {
			r.score = max(r.score, w.Score(c.Features))
		}
	}
}

func foldOf(group string, folds int) int {
	h := fnv.New32a()
	h.Write([]byte(group))
	return int(h.Sum32()>>8) % folds
}

// writeWeights fits the weights to all rows, and writes them into the product.
func writeWeights(data, name string) error {
	rows, err := readSayings(data)
	if err != nil {
		return err
	}
	w := fitWeights(rows)
	var b strings.Builder
	fmt.Fprintf(&b, "package rules\n\n// fitted are the weights of the features, in their order. `go run ./tests/quality -data FOLDER -fit` wrote\n// them; docs/capture.md says from what.\nvar fitted = Weights{Bias: %.3f, Of: []float64{", w.Bias)
	for i, x := range w.Of {
		if i%16 == 0 {
			b.WriteString("\n\t")
		} else {
			b.WriteString(" ")
		}
		fmt.Fprintf(&b, "%.2f,", x+0)
	}
	b.WriteString("\n}}\n")
	return os.WriteFile(name, []byte(b.String()), 0o644)
}
