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
		if settle, err = c.budget.Reserve(ctx, c.most(r)); err != nil {
			return "", err
		}
	}
	text, used, err := make()
	c.used = c.used.plus(used)
	return text, errors.Join(err, settle(reached(err), used.Total()))
}

// most is the largest number of tokens that a call can use. A token is at least one byte of text.
// What a program uses is not known, and counts as bytes / 3.5.
func (c *call) most(r Request) int {
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
	e, name, body, answer := c.openAI(r)
	if c.provider.Kind == Anthropic {
		e, name, body, answer = c.anthropic(r)
	}
	u, err := e.address(name)
	if err != nil {
		return "", Usage{}, err
	}
	data, err := json.Marshal(body)
	if err != nil {
		return "", Usage{}, err
	}
	if err = e.send(ctx, u, data, answer); err != nil {
		var status *StatusError
		if errors.As(err, &status) || refusedConnection(err) { // no model has worked on the request
			lost = Usage{}
		}
		return "", lost, err
	}
	text, used, err = answer.read()
	if used.Input < 0 || used.Output < 0 || used.Total() == 0 {
		used = lost
		if err == nil {
			used.Output = estimate(len(text))
		}
	}
	if err != nil {
		err = &fault.Error{Code: fault.ModelAnswer, Thing: shown(u), Cause: err.Error()}
		if errors.Is(err, errRefused) {
			err = fault.New(fault.ModelRefused, shown(u), errRefused.Error())
		}
	}
	return text, used, err
}

// answerer is the form of a server's answer.
type answerer interface {
	// read returns the text. Its errors repeat nothing of the answer.
	read() (string, Usage, error)
}

var errRefused = errors.New("the model refused to answer")

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

// openAIAnswer is a chat completion.
type openAIAnswer struct {
	Choices []struct {
		Message struct {
			Content string `json:"content"`
			Refusal string `json:"refusal"`
		} `json:"message"`
		Finish string `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		Input  int `json:"prompt_tokens"`
		Output int `json:"completion_tokens"`
	} `json:"usage"`
}

func (a *openAIAnswer) read() (string, Usage, error) {
	used := Usage{Input: a.Usage.Input, Output: a.Usage.Output}
	if len(a.Choices) == 0 {
		return "", used, errors.New("the answer has no choices")
	}
	choice := a.Choices[0]
	switch {
	case choice.Message.Refusal != "", choice.Finish == "content_filter":
		return "", used, errRefused
	case choice.Finish == "length":
		return "", used, errors.New("the answer ends half-way: it is longer than its limit")
	case strings.TrimSpace(choice.Message.Content) == "":
		return "", used, errors.New("the answer is empty")
	}
	return choice.Message.Content, used, nil
}

func (c *call) openAI(r Request) (Endpoint, string, any, answerer) {
	type form struct {
		Name   string          `json:"name"`
		Strict bool            `json:"strict"`
		Schema json.RawMessage `json:"schema"`
	}
	type format struct {
		Type   string `json:"type"`
		Schema form   `json:"json_schema"`
	}
	body := struct {
		Model     string    `json:"model,omitempty"`
		Messages  []Message `json:"messages"`
		Format    *format   `json:"response_format,omitempty"`
		MaxTokens int       `json:"max_tokens,omitempty"`
		Limit     int       `json:"max_completion_tokens,omitempty"`
	}{Model: c.provider.Model, Messages: append([]Message{{"system", instructions(r)}}, r.Messages...), MaxTokens: r.MaxTokens}
	if c.dialect.completionLimit || c.provider.URL == "" {
		body.MaxTokens, body.Limit = 0, r.MaxTokens
	}
	if r.Schema != nil && !c.dialect.noSchema {
		body.Format = &format{"json_schema", form{r.Schema.Name, true, r.Schema.JSON}}
	}
	return c.endpoint(openAIBase, r, nil), "chat/completions", body, &openAIAnswer{}
}

// anthropicAnswer is a message of the model.
type anthropicAnswer struct {
	Content []struct {
		Type  string          `json:"type"`
		Text  string          `json:"text"`
		Input json.RawMessage `json:"input"`
	} `json:"content"`
	Stop  string `json:"stop_reason"`
	Usage struct {
		Input   int `json:"input_tokens"`
		Created int `json:"cache_creation_input_tokens"`
		Read    int `json:"cache_read_input_tokens"`
		Output  int `json:"output_tokens"`
	} `json:"usage"`
}

func (a *anthropicAnswer) read() (string, Usage, error) {
	used := Usage{Input: a.Usage.Input + a.Usage.Created + a.Usage.Read, Output: a.Usage.Output}
	switch a.Stop {
	case "refusal":
		return "", used, errRefused
	case "max_tokens":
		return "", used, errors.New("the answer ends half-way: it is longer than its limit")
	}
	var text strings.Builder
	for _, block := range a.Content {
		switch block.Type {
		case "tool_use":
			return string(block.Input), used, nil
		case "text":
			text.WriteString(block.Text)
		}
	}
	if strings.TrimSpace(text.String()) == "" {
		return "", used, errors.New("the answer is empty")
	}
	return text.String(), used, nil
}

// anthropic asks for structured output as the input of a tool that the model must call: every
// model and every server of this protocol supports that.
func (c *call) anthropic(r Request) (Endpoint, string, any, answerer) {
	type tool struct {
		Name   string          `json:"name"`
		About  string          `json:"description"`
		Schema json.RawMessage `json:"input_schema"`
	}
	type choice struct {
		Type string `json:"type"`
		Name string `json:"name"`
	}
	body := struct {
		Model     string    `json:"model"`
		MaxTokens int       `json:"max_tokens"`
		System    string    `json:"system,omitempty"`
		Messages  []Message `json:"messages"`
		Tools     []tool    `json:"tools,omitempty"`
		Choice    *choice   `json:"tool_choice,omitempty"`
	}{Model: c.provider.Model, MaxTokens: r.MaxTokens, System: r.System, Messages: r.Messages}
	if r.Schema != nil {
		body.Tools = []tool{{r.Schema.Name, "Gives the answer.", r.Schema.JSON}}
		body.Choice = &choice{"tool", r.Schema.Name}
	}
	header := http.Header{"Anthropic-Version": {anthropicVersion}}
	if c.key != "" {
		header.Set("X-Api-Key", c.key)
	}
	e := c.endpoint(anthropicBase, r, header)
	if base, ok := strings.CutSuffix(strings.TrimSuffix(e.URL, "/"), "/v1"); ok {
		e.URL = base
	}
	return e, "v1/messages", body, &anthropicAnswer{}
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
