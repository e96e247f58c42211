package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"time"

	"github.com/memctl/memctl/internal/fault"
)

// Message is one message of a conversation with a model.
type Message struct {
	Role string `json:"role"` // "user" or "assistant"
	Text string `json:"content"`
}

// Schema is the form that an answer must have.
type Schema struct {
	Name string          // letters, digits and underscores
	JSON json.RawMessage // a JSON Schema; see Valid for the keywords that count
}

// Request is one question to a model.
type Request struct {
	System    string // the instructions
	Messages  []Message
	Schema    *Schema // nil asks for plain text
	MaxTokens int     // the longest answer; 0 is DefaultMaxTokens
}

// DefaultMaxTokens bounds an answer whose request sets no bound.
const DefaultMaxTokens = 4096

// Usage is the number of tokens of one or more calls.
type Usage struct {
	Input, Output int
	Estimated     bool // the provider did not report it, so that it is bytes / 3.5
}

// Total is the sum of both directions.
func (u Usage) Total() int { return u.Input + u.Output }

func (u Usage) plus(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Output + v.Output, u.Estimated || v.Estimated}
}

// Answer is what a model answered.
type Answer struct {
	Text     string          // the answer; with a schema, the bytes of JSON
	JSON     json.RawMessage // a value of the schema; nil for a request without one
	Usage    Usage           // of all calls that the request took, failed ones included
	Provider string          // the name of the provider that answered
}

// Budget is the daily limit. Each call reserves the most that it can use, and afterwards reports
// what it has used, so that calls at the same time cannot exceed the limit together.
type Budget interface {
	// Reserve takes one call and at most tokens out of the limit. settle, which is called
	// once, replaces the tokens by those used, and gives the call back where no model was
	// reached. Errors: fault.ModelLimit.
	Reserve(ctx context.Context, tokens int) (settle func(reached bool, used int) error, err error)
	// Report notes whether the chain answered or every provider failed.
	Report(ctx context.Context, failure error)
}

// Chain is the providers in the order in which they are tried.
type Chain struct {
	Providers []Provider
	Budget    Budget // nil sets no limit
}

// Ask tries each provider in turn, each within its own time limit, and returns the first answer
// that fits the schema. Usage is filled in also with an error.
// Errors: fault.ModelLimit; fault.NoModel for an empty chain; fault.ModelFailed, which wraps a *ChainError with
// the error of each provider; that of the context.
func (c Chain) Ask(ctx context.Context, r Request) (Answer, error) {
	if len(c.Providers) == 0 {
		return Answer{}, fault.New(fault.NoModel, "", "no model is configured")
	}
	var total Usage
	failed := &ChainError{}
	for _, p := range c.Providers {
		answer, err := p.Ask(ctx, r, c.Budget)
		total = total.plus(answer.Usage)
		answer.Usage = total
		if err == nil {
			answer.Provider = p.Name
			c.report(ctx, nil)
			return answer, nil
		}
		if ctx.Err() != nil {
			return Answer{Usage: total}, ctx.Err() // the caller gave up, so that no provider failed
		}
		if fault.Is(err, fault.ModelLimit) {
			return Answer{Usage: total}, err
		}
		failed.Attempts = append(failed.Attempts, Attempt{p.Name, err})
	}
	c.report(ctx, failed)
	return Answer{Usage: total}, &fault.Error{Code: fault.ModelFailed, Cause: failed.Error(), Err: failed, Retry: true}
}

func (c Chain) report(ctx context.Context, err error) {
	if c.Budget != nil {
		c.Budget.Report(ctx, err)
	}
}

// Attempt is why one provider gave no answer.
type Attempt struct {
	Provider string
	Err      error
}

// ChainError says that no provider of a chain answered. It repeats no prompt and no key.
type ChainError struct{ Attempts []Attempt }

func (e *ChainError) Error() string {
	text := "no model answered"
	for i, a := range e.Attempts {
		sep := "; "
		if i == 0 {
			sep = ": "
		}
		text += fmt.Sprintf("%s%s: %v", sep, a.Provider, a.Err)
	}
	return text
}

// Unwrap returns the errors of the providers.
func (e *ChainError) Unwrap() []error {
	var list []error
	for _, a := range e.Attempts {
		list = append(list, a.Err)
	}
	return list
}

// Ask asks this provider alone, within its time limit. Where the answer is no JSON of the schema, it
// asks once more. b may be nil. Errors: fault.ModelLimit, fault.ModelAddress, fault.ModelAnswer,
// fault.ModelRefused, *StatusError and those of the network.
func (p Provider) Ask(ctx context.Context, r Request, b Budget) (Answer, error) {
	if r.MaxTokens <= 0 {
		r.MaxTokens = DefaultMaxTokens
	}
	limit := p.Timeout
	if limit <= 0 {
		limit = DefaultTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fault.New(fault.ModelAnswer, "", fmt.Sprintf("gave no answer within %s", limit)))
	defer cancel()
	key, err := p.key(ctx)
	if err != nil {
		return Answer{}, err
	}
	c := call{provider: p, key: key, budget: b}
	text, err := c.ask(ctx, r)
	if err == nil && r.Schema != nil {
		var value json.RawMessage
		if value, err = Parse(text, r.Schema.JSON); err != nil {
			r.Messages = append(r.Messages[:len(r.Messages):len(r.Messages)],
				Message{"assistant", text}, Message{"user", "Your answer could not be read: " + err.Error() + ". Answer again with only the JSON value, without other text."})
			if text, err = c.ask(ctx, r); err == nil {
				value, err = Parse(text, r.Schema.JSON)
			}
		}
		return Answer{Text: string(value), JSON: value, Usage: c.used}, p.cause(ctx, err)
	}
	return Answer{Text: text, Usage: c.used}, p.cause(ctx, err)
}

// cause names the time limit where it ended the call.
func (p Provider) cause(ctx context.Context, err error) error {
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return context.Cause(ctx)
	}
	return err
}

// countsAsCall reports whether a call counts: not where there is no server or program, or where the
// server takes no key of the person's. A provider that is off must not use up the day's calls.
func countsAsCall(err error) bool {
	var status *StatusError
	if errors.As(err, &status) {
		return status.Status != http.StatusUnauthorized && status.Status != http.StatusForbidden
	}
	return !refusedConnection(err) && !errors.Is(err, exec.ErrNotFound)
}

// DefaultTimeout is how long a provider may take for one request.
const DefaultTimeout = 30 * time.Second
