package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/fault"
)

// The kinds of provider.
const (
	OpenAI    = "openai"    // an address that speaks OpenAI's chat completions
	Anthropic = "anthropic" // an address that speaks Anthropic's messages
	Command   = "command"   // a program that reads the prompt on stdin
)

// Provider is one way to a model.
type Provider struct {
	Name       string // as the person named it
	Kind       string // OpenAI, Anthropic or Command
	URL        string // the server's base, such as http://127.0.0.1:11434/v1; "" is the vendor's own
	Model      string
	Key        string        // "" sends none
	KeyCommand string        // a command line that prints the key; used where Key is empty
	Command    string        // of kind Command: a command line
	Timeout    time.Duration // for one request with its second attempts; 0 is DefaultTimeout
}

const (
	openAIBase    = "https://api.openai.com/v1"
	anthropicBase = "https://api.anthropic.com/v1"
	// anthropicVersion is the version of the protocol that the types below describe.
	anthropicVersion = "2023-06-01"
	// maxUnsupported is how many parts of a request are left out for a server that does not know them.
	maxUnsupported = 2
)

// dialect is what a server turned out not to support.
type dialect struct {
	noSchema        bool // no structured output
	completionLimit bool // the limit is max_completion_tokens
}

// call is one request to a provider, with the calls that it took so far.
type call struct {
	provider Provider
	key      string
	budget   Budget
	dialect  dialect
	used     Usage
}

// ask makes one call, and again without what the server does not support.
func (c *call) ask(ctx context.Context, r Request) (string, error) {
	if c.provider.Kind == Command {
		return c.counted(ctx, r, func() (string, Usage, error) { return c.provider.run(ctx, r) })
	}
	for unsupported := 0; ; unsupported++ {
		text, err := c.counted(ctx, r, func() (string, Usage, error) { return c.send(ctx, r) })
		var status *StatusError
		if !errors.As(err, &status) || unsupported == maxUnsupported || !c.adapt(r, status) {
			return text, err
		}
	}
}

// adapt leaves out what the server complains about, and reports whether that changed the request.
func (c *call) adapt(r Request, e *StatusError) bool {
	if e.Status != http.StatusBadRequest && e.Status != http.StatusUnprocessableEntity || c.provider.Kind != OpenAI {
		return false
	}
	switch {
	case strings.Contains(e.body, "max_completion_tokens") && !c.dialect.completionLimit:
		c.dialect.completionLimit = true
	case r.Schema != nil && !c.dialect.noSchema:
		c.dialect.noSchema = true
	default:
		return false
	}
	return true
}

// counted makes a call within the budget.
func (c *call) counted(ctx context.Context, r Request, make func() (string, Usage, error)) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	settle := func(bool, int) error { return nil }
	if c.budget != nil {
		var err error
		if settle, err = c.budget.Reserve(ctx, c.maxTokens(r)); err != nil {
			return "", err
		}
	}
	text, used, err := make()
	c.used = c.used.plus(used)
	return text, errors.Join(err, settle(countsAsCall(err), used.Total()))
}

// maxTokens is the largest number of tokens that a call can use. A token is at least one byte of text.
// What a program uses is not known, and counts as bytes / 3.5.
func (c *call) maxTokens(r Request) int {
	if c.provider.Kind == Command {
		return estimate(len(prompt(r))) + r.MaxTokens
	}
	const framing = 16 // tokens around a message
	most := len(r.System) + framing + r.MaxTokens
	for _, m := range r.Messages {
		most += len(m.Text) + framing
	}
	if r.Schema != nil {
		most += 2 * len(r.Schema.JSON) // in the instructions, and as a part of the request
	}
	return most
}

// estimate is the number of tokens that a text of this many bytes counts as.
func estimate(bytes int) int { return int(math.Ceil(float64(bytes) / bytesPerToken)) }

const bytesPerToken = 3.5

// instructions are the request's instructions, with the form of the answer: not every server
// enforces a schema, and a model answers better when it has read it.
func instructions(r Request) string {
	if r.Schema == nil {
		return r.System
	}
	return r.System + "\n\nAnswer with one JSON value of this JSON Schema and nothing else, without a code fence:\n" + string(r.Schema.JSON)
}

// prompt is the whole request as one text.
func prompt(r Request) string {
	var b strings.Builder
	b.WriteString(instructions(r))
	for _, m := range r.Messages {
		if m.Role == "assistant" {
			b.WriteString("\n\nYou answered:\n")
		} else {
			b.WriteString("\n\n")
		}
		b.WriteString(m.Text)
	}
	return b.String() + "\n"
}

// send makes one call over HTTP.
func (c *call) send(ctx context.Context, r Request) (text string, used Usage, err error) {
	// Of a call that fails half-way nobody knows what it used; it counts as the whole.
	lost := Usage{Input: estimate(len(prompt(r))), Output: r.MaxTokens, Estimated: true}
	e, name, body, read := c.openAI(r)
	if c.provider.Kind == Anthropic {
		e, name, body, read = c.anthropic(r)
	}
	u, err := e.address(name)
	if err != nil {
		return "", Usage{}, err
	}
	data, err := json.Marshal(body)
	if err != nil {
		return "", Usage{}, err
	}
	var answer served
	if err = e.send(ctx, u, data, &answer); err != nil {
		var status *StatusError
		if errors.As(err, &status) || refusedConnection(err) { // no model has worked on the request
			lost = Usage{}
		}
		return "", lost, err
	}
	text, end := read(answer)
	switch {
	case end == "refusal", end == "content_filter":
		err = fault.New(fault.ModelRefused, shown(u), "the model refused to answer")
	case end == "length", end == "max_tokens":
		err = fault.New(fault.ModelAnswer, shown(u), "the answer ends half-way: it is longer than its limit")
	case strings.TrimSpace(text) == "":
		err = fault.New(fault.ModelAnswer, shown(u), "the answer is empty")
	}
	used = answer.Usage.total()
	if used.Input < 0 || used.Output < 0 || used.Total() == 0 {
		used = lost
		if err == nil {
			used.Output = estimate(len(text))
		}
	}
	return text, used, err
}

// served is the form of the servers' answers: what a server does not have is empty.
type served struct {
	Choices []struct {
		Message struct{ Content, Refusal string }
		Finish  string `json:"finish_reason"`
	}
	Content []struct {
		Type, Text string
		Input      json.RawMessage
	}
	Stop  string `json:"stop_reason"`
	Usage tokens
}

// tokens are the names by which servers count.
type tokens struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Input      int `json:"input_tokens"`
	Created    int `json:"cache_creation_input_tokens"`
	Read       int `json:"cache_read_input_tokens"`
	Output     int `json:"output_tokens"`
}

func (t tokens) total() Usage {
	return Usage{Input: t.Prompt + t.Input + t.Created + t.Read, Output: t.Completion + t.Output}
}

// endpoint is the provider's server.
func (c *call) endpoint(base string, r Request, header http.Header) Endpoint {
	var private bytes.Buffer
	for _, m := range r.Messages {
		private.WriteString(m.Text + "\n")
	}
	if c.provider.URL != "" {
		base = c.provider.URL
	}
	return Endpoint{URL: base, Key: c.key, header: header, private: private.String()}
}

// object is a JSON object of a request.
type object map[string]any

func (c *call) openAI(r Request) (Endpoint, string, object, func(served) (text, end string)) {
	body := object{"model": c.provider.Model, "messages": append([]Message{{"system", instructions(r)}}, r.Messages...)}
	if c.provider.Model == "" {
		delete(body, "model")
	}
	limit := "max_tokens"
	if c.dialect.completionLimit || c.provider.URL == "" {
		limit = "max_completion_tokens"
	}
	body[limit] = r.MaxTokens
	if r.Schema != nil && !c.dialect.noSchema {
		body["response_format"] = object{"type": "json_schema", "json_schema": object{"name": r.Schema.Name, "strict": true, "schema": r.Schema.JSON}}
	}
	return c.endpoint(openAIBase, r, nil), "chat/completions", body, func(a served) (text, end string) {
		if len(a.Choices) == 0 {
			return "", ""
		}
		if first := a.Choices[0]; first.Message.Refusal == "" {
			return first.Message.Content, first.Finish
		}
		return "", "refusal"
	}
}

// anthropic asks for structured output as the input of a tool that the model must call: every
// model and every server of this protocol supports that.
func (c *call) anthropic(r Request) (Endpoint, string, object, func(served) (text, end string)) {
	body := object{"model": c.provider.Model, "max_tokens": r.MaxTokens, "messages": r.Messages}
	if r.System != "" {
		body["system"] = r.System
	}
	if r.Schema != nil {
		body["tools"] = []object{{"name": r.Schema.Name, "description": "Gives the answer.", "input_schema": r.Schema.JSON}}
		body["tool_choice"] = object{"type": "tool", "name": r.Schema.Name}
	}
	header := http.Header{"Anthropic-Version": {anthropicVersion}}
	if c.key != "" {
		header.Set("X-Api-Key", c.key)
	}
	e := c.endpoint(anthropicBase, r, header)
	if base, ok := strings.CutSuffix(strings.TrimSuffix(e.URL, "/"), "/v1"); ok {
		e.URL = base
	}
	return e, "v1/messages", body, func(a served) (text, end string) {
		for _, block := range a.Content {
			if block.Type == "tool_use" {
				return string(block.Input), a.Stop
			}
			text += block.Text
		}
		return text, a.Stop
	}
}

// Describe names the provider for a person: its kind, its address without a password, or its
// command's first word, and its model.
func (p Provider) Describe() string {
	where := ""
	switch p.Kind {
	case Command:
		where, _, _ = strings.Cut(strings.TrimSpace(p.Command), " ")
	default:
		u, err := Endpoint{URL: p.URL}.address("x")
		if err == nil {
			where = strings.TrimSuffix(shown(u), "/x")
		}
	}
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s %s", p.Kind, where, p.Model)), " ")
}
