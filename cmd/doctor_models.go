package cmd

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/memctl/memctl/llm"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/localstate"
)

// checkModels looks at the configuration of models and at the daily limit. With try it asks
// each model of the chain one tiny question, which counts against the limit.
func (s *session) checkModels(try bool) []check {
	if s.stores == nil {
		return nil
	}
	found, err := s.stores.Providers(s.ctx)
	if err != nil {
		return []check{{Name: "models", Status: checkFail, Said: explain(err).Error(), Fix: "memctl config"}}
	}
	var checks []check
	for _, problem := range found.Problems {
		checks = append(checks, check{Name: "models", Status: checkFail, Said: problem, Fix: "git config --global --edit"})
	}
	for _, name := range found.LiteralKeys {
		checks = append(checks, check{
			Name: "model " + inert(name), Status: checkWarn, Said: "its key is in git config, where every program can read it",
			Fix: "git config --global memctl-llm." + name + ".keyCommand 'pass show NAME'",
		})
	}
	if len(found.Chain) == 0 {
		if capturing, err := s.stores.Setting(s.ctx, store.Capture); err == nil && capturing.Text == store.CaptureModel {
			checks = append(checks, check{Name: "models", Status: checkWarn, Said: "memctl.capture is model, but no model is configured", Fix: "git config --global memctl-llm.local.kind openai"})
		} else if try && len(checks) == 0 {
			checks = append(checks, check{Name: "models", Status: checkNote, Said: "no model is configured", Fix: "git config --global memctl-llm.local.kind openai"})
		}
		return checks
	}
	answered := false
	for _, p := range found.Chain {
		c := check{Name: "model " + inert(p.Name), Status: checkOK, Said: p.Describe()}
		if try {
			c = s.tryModel(p)
			answered = answered || c.Status == checkOK
		}
		checks = append(checks, c)
	}
	if answered {
		localstate.BudgetOf(s.stores).Report(s.ctx, nil)
	}
	return append(checks, s.checkModelUse())
}

// tryModel asks a model one tiny question.
func (s *session) tryModel(p llm.Provider) check {
	c := check{Name: "model " + inert(p.Name), Status: checkOK}
	answer, err := p.Ask(s.ctx, llm.Request{
		System:   "This is a test of the connection.",
		Messages: []llm.Message{{Role: "user", Text: "Answer with ok set to true."}},
		Schema:   &llm.Schema{Name: "test", JSON: json.RawMessage(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"],"additionalProperties":false}`)},
		// A model that reasons needs room before it answers.
		MaxTokens: 1024,
	}, localstate.BudgetOf(s.stores))
	if err != nil {
		c.Status, c.Said, c.Fix = checkFail, p.Describe()+": "+strings.ReplaceAll(err.Error(), "\n", " "), "git config --global --get-regexp 'memctl-llm\\..*\\.(kind|url|model)'"
		return c
	}
	c.Said = fmt.Sprintf("%s answered (%d tokens)", p.Describe(), answer.Usage.Total())
	return c
}

// checkModelUse tells what is left of the daily limit, and that models fail.
func (s *session) checkModelUse() check {
	c := check{Name: "model use", Status: checkOK}
	u, err := localstate.UseOfModels(s.ctx, s.stores)
	c.Said = fmt.Sprintf("%s and %d of %d tokens today", count(u.Calls, "call"), u.Tokens, u.MaxTokens)
	switch failing := u.Failing(); {
	case err != nil:
		c.Status, c.Said, c.Fix = checkFail, explain(err).Error(), "memctl doctor --fix"
	case failing != "":
		c.Status, c.Said, c.Fix = checkWarn, failing, "memctl doctor --models"
	case u.Tokens >= u.MaxTokens:
		c.Status = checkNote
	}
	return c
}
