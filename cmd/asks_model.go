package cmd

import (
	"cmp"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/extraction"
	"github.com/memctl/memctl/memory/upkeep"
	"github.com/memctl/memctl/store"
)

// guess is a possible answer to a question, by a model; "" without one, which it says.
func (s *session) guess(question string) string {
	text, err := extraction.Guess(s.ctx, s.stores, question)
	switch {
	case fault.Is(err, fault.NoModel):
		s.talk("note: no model is configured, so recall searches for the words of the query only")
	case err != nil:
		s.talk("note: recall searches for the words of the query only: " + strings.ReplaceAll(explain(err).Error(), "\n", " "))
	}
	return text
}

// updateSummary writes a conversation's summary from its facts.
func (s *session) updateSummary(o *entryOptions) error {
	s.bringIn()
	conversation := cmp.Or(o.conversation, entry.ProjectConversation)
	if o.conversation == "" && s.Scope == store.User {
		conversation = entry.GlobalConversation
	}
	w, byModel, failed := extraction.UpdateSummary(s.ctx, s.stores, s.Options, conversation)
	if w.Act == "" {
		return failed
	}
	switch {
	case failed != nil && w.Changed:
		s.talk("note: written by rule: " + strings.ReplaceAll(explain(failed).Error(), "\n", " "))
	case failed != nil:
		return failed
	case w.Changed && !byModel:
		s.talk("note: written by rule, because no model is configured")
	case !w.Changed && w.Saved == "" && len(w.Findings) == 0:
		s.talk("note: no fact of conversation " + inert(redact(conversation)) + " is newer than its summary")
	}
	return s.finish([]memory.Write{w}, nil)
}

// judge lets a model name facts that are redundant or can be merged. It is asked once about the same
// facts, so that compact does what its table shows. Without a model, or if none answers, compact
// says so and goes on.
func (s *session) judge() (func(texts []string) (upkeep.Judgement, error), error) {
	chain, err := extraction.Chain(s.ctx, s.stores)
	if err != nil && !fault.Is(err, fault.NoModel) {
		return nil, err
	}
	if err != nil {
		s.talk("note: no model is configured, so compact goes by rules only")
		return nil, nil
	}
	known := map[string]upkeep.Judgement{}
	return func(texts []string) (upkeep.Judgement, error) {
		name := strings.Join(texts, "\n")
		if judged, ok := known[name]; ok {
			return judged, nil
		}
		judged, err := extraction.Judge(s.ctx, chain, texts)
		if err != nil {
			s.talk("note: compact goes by rules only: " + strings.ReplaceAll(explain(err).Error(), "\n", " "))
		}
		known[name] = judged
		return judged, s.ctx.Err()
	}, nil
}
