package memory

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/capture"
	"github.com/memctl/memctl/similar"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/localstate"
)

const (
	// pendingFor is how long a prompt waits for the write that answers it.
	pendingFor = time.Hour
	// sureWords is from how many words on a text shows in which language it is.
	sureWords = 3
)

// A Reply says which prompt a write of an agent answers, where it passes on the person's words.
type Reply struct {
	Day    string             // on which the person typed it, if their own words have what the write says
	Stored *localstate.Stored // what the hook stored of the prompt and the write says again; nil for none
	Fuller bool               // the write says more of what the person typed than the hook stored
}

// ReplyTo finds the prompt that a relayed write answers. was is the value that the key has, "" for
// none: only what differs from it must be in the person's words. Where several sessions of the agent
// run, a write answers only what a hook stored in the same words.
func ReplyTo(ss *store.Stores, o Options, key, text string, was func() string) (r Reply) {
	if o.Origin.Kind != Relayed || o.Origin.Name == "" {
		return r
	}
	prompts, alone := promptsOf(ss, o.Origin.Name)
	rule := similar.NewRule(key, text)
	for _, p := range slices.Backward(prompts) {
		for i, s := range p.Stored {
			if capture.Same(s.Key, s.Text, key, text) || rule.Retells(s.Text) {
				return Reply{p.Time.Format(time.DateOnly), &p.Stored[i], fuller(p, i, rule, text)}
			}
		}
	}
	if !alone {
		return r
	}
	for _, p := range slices.Backward(prompts) {
		if states(p, text, was()) {
			return Reply{Day: p.Time.Format(time.DateOnly)}
		}
	}
	for _, p := range slices.Backward(prompts) {
		i := slices.IndexFunc(p.Stored, func(s localstate.Stored) bool { return !s.Answered })
		if i >= 0 && ss.Now().Sub(p.Time) <= pendingFor && !(p.English && similar.English(text, sureWords)) {
			return Reply{Day: p.Time.Format(time.DateOnly), Stored: &p.Stored[i]} // the agent says it in another language
		}
	}
	return r
}

// fuller reports whether a text has all words of the prompt's i-th statement and more of those that the
// person typed. A text that joins several statements is none: each of them has a record.
func fuller(p localstate.Prompt, i int, rule similar.Rule, text string) bool {
	stored := words(p.Stored[i].Text)
	more, has := 0, 0
	for _, w := range words(text) {
		switch {
		case slices.Contains(stored, w):
			has++
		case slices.Contains(p.Words, localstate.WordDigest(w)):
			more++
		}
	}
	for j, s := range p.Stored {
		if j != i && rule.Retells(s.Text) {
			return false
		}
	}
	return more > 0 && has >= len(stored) && states(p, text, "")
}

// states reports whether a prompt has what a text says and an earlier value does not: half of the
// words, and each part of a name or a number.
func states(p localstate.Prompt, text, was string) bool {
	old := words(was)
	n, has := 0, 0
	for field := range strings.FieldsSeq(text) {
		exact := strings.ContainsAny(strings.Trim(field, marks), ofNames)
		for _, w := range words(field) {
			if slices.Contains(old, w) {
				continue
			}
			n++
			if slices.Contains(p.Words, localstate.WordDigest(w)) {
				has++
			} else if exact {
				return false
			}
		}
	}
	return has > 0 && 2*has >= n
}

const (
	marks = "./:@_-#,;!?()[]'\"`"
	// ofNames are the characters within a word that make it a name or a number.
	ofNames = "./:@_0123456789"
)

// words are the words that say what a text is about, and the parts of its names.
func words(text string) []string {
	return similar.Distinctive(strings.Map(func(r rune) rune {
		if strings.ContainsRune(marks, r) {
			return ' '
		}
		return r
	}, text))
}

// RecordPrompt keeps the words that a person typed, so that a write can be compared with them. Errors:
// the local state cannot be written.
func RecordPrompt(ss *store.Stores, p localstate.Prompt, own string) error {
	p.English = similar.English(own, sureWords)
	return localstate.RecordPrompt(ss, p, words(own))
}

// Answered notes that a write answered what a hook stored.
func Answered(ctx context.Context, ss *store.Stores, stored localstate.Stored) error {
	return localstate.ChangePrompts(ss, func(list []localstate.Prompt) []localstate.Prompt {
		for _, p := range list {
			for i, s := range p.Stored {
				if s == stored {
					p.Stored[i].Answered = true
				}
			}
		}
		return list
	})
}

// promptsOf returns the recorded prompts of the agent's sessions here. alone reports whether one
// session of it is at work, which is then the one that writes.
func promptsOf(ss *store.Stores, agent string) (prompts []localstate.Prompt, alone bool) {
	all, err := localstate.Prompts(ss)
	if err != nil {
		return nil, false
	}
	running := ""
	alone = true
	for _, p := range all {
		if p.Agent == "" || !strings.Contains(agent, p.Agent) { // an MCP client says "claude-code" for "claude"
			continue
		}
		prompts = append(prompts, p)
		if ss.Now().Sub(p.Time) > pendingFor {
			continue
		}
		alone = alone && (running == "" || running == p.Session)
		running = p.Session
	}
	return prompts, alone && running != ""
}
