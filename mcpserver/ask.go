package mcpserver

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/store"
)

// What a person said to a question.
type said int

const (
	unanswered said = iota // they could not be asked, or gave no answer
	no
	yes
)

// form is what the person fills in. Closing the dialogue with its main button
// is no yes: the box has to be ticked.
const form = `{"type":"object","properties":{"yes":{"type":"boolean","title":"Yes, do this for me"}},"required":["yes"]}`

// canAsk reports whether the client can put a question to the person.
func (c *call) canAsk() bool {
	caps := c.req.ClientCapabilities()
	return caps != nil && caps.Elicitation != nil && (caps.Elicitation.Form != nil || caps.Elicitation.URL == nil)
}

// ask puts a question to the person. Where the client is asked within the
// answer, it returns what to ask, and finds what they said when the call comes
// again. The question's name is made of all that is asked: an answer to another
// question, or about a value that has changed since, is none.
func (c *call) ask(what string) (said, mcp.InputRequestMap) {
	who := c.client()
	if who == "" {
		who = "An agent"
	}
	question := &mcp.ElicitParams{Mode: "form", RequestedSchema: json.RawMessage(form), Message: who + " asks memctl to " + plain(what) + ". Do this in your name?"}
	if c.req.ProtocolVersion() >= roundTrips {
		sum := sha256.Sum256([]byte(c.tool + "\x00" + what))
		id := "ask-" + hex.EncodeToString(sum[:8])
		answer, ok := c.req.Params.InputResponses[id].(*mcp.ElicitResult)
		if !ok {
			return unanswered, mcp.InputRequestMap{id: question}
		}
		return meaning(answer), nil
	}
	answer, err := c.req.Session.Elicit(c.ctx, question)
	if err != nil {
		return unanswered, nil
	}
	return meaning(answer), nil
}

// meaning is what the person said with an answer. A dialogue that was closed is no answer:
// a client without a person at it, such as claude -p, closes each by itself.
func meaning(r *mcp.ElicitResult) said {
	agreed, _ := r.Content["yes"].(bool)
	switch {
	case r.Action == "accept" && agreed:
		return yes
	case r.Action == "accept", r.Action == "decline":
		return no
	}
	return unanswered
}

// confirm asks the person whether an item holds. Where they cannot be asked or do not
// answer, their relayed word raises it to medium, and the command for the rest is in the
// answer.
func (c *call) confirm() (any, error) {
	var in struct {
		Key    string `json:"key"`
		Choice int    `json:"choice"`
		Said   bool   `json:"said_by_user"`
		Scope  string `json:"scope"`
	}
	if err := c.arguments(&in); err != nil {
		return nil, err
	}
	if in.Key == "" {
		return nil, missing("key")
	}
	do := func(ss *store.Stores, o memory.Options) (memory.Write, error) {
		return memory.First(edit.Confirm(c.ctx, ss, edit.ConfirmRequest{Options: o, Keys: []string{in.Key}, Value: in.Choice}))
	}
	value, o, err := c.candidate(in.Key, in.Scope, in.Choice)
	if err != nil {
		return nil, err
	}
	if value == nil || c.link.env.Origin != "" {
		return c.write(in.Said, in.Scope, do, "confirm "+in.Key)
	}
	refusal := memory.Write{
		Schema: memory.SchemaNumber, Act: "confirm", Key: in.Key, Scope: o.Scope, Origin: memory.Automatic, Verdict: "refuse",
		Findings: []memory.Finding{{Rule: memory.RuleExplicitOnly, Message: "only the person confirms"}},
	}
	if in.Choice != 0 {
		refusal.Facts.Names = []string{in.Key, "--value", strconv.Itoa(in.Choice)}
	}
	relay := func() (any, error) { return c.relayConfirm(do, in.Scope, in.Said, c.answer(refusal, true).Person) }
	if !c.canAsk() {
		return relay()
	}
	what := "confirm " + in.Key + " = " + brief(*value) + " in the " + o.Scope + " memory"
	return c.asPerson(do, o, what, refusal, relay)
}

// relayConfirm confirms with the agent's own rights, and names the person's command.
func (c *call) relayConfirm(do doing, scope string, said bool, commands []string) (any, error) {
	w, err := c.act(do, memory.Options{Scope: scope, Origin: c.origin(said)})
	if err != nil {
		return nil, err
	}
	a := c.answer(w, said)
	if !a.failed() {
		a.Message += " Through you, it gets medium confidence at most; the person can raise it to high with " + strings.Join(commands, " or ") + "."
	}
	if len(a.Person) == 0 {
		a.Person = commands
	}
	return a, nil
}

// candidate is the value that a confirm is about, and the options for an act on it in the one scope
// that has it, if it stays as it is; nil where there is not just one that an agent may see.
func (c *call) candidate(key, scope string, choice int) (*memfile.Value, memory.Options, error) {
	r, err := c.one(key, scope)
	if r == nil || choice < 0 || choice > len(r.Conflict) {
		return nil, memory.Options{}, err
	}
	o := memory.Options{Scope: r.Scope, Expected: []memory.Condition{r.Unchanged()}}
	switch {
	case choice > 0:
		return &r.Conflict[choice-1].Value, o, nil
	case r.Value != nil:
		return r.Value, o, nil
	}
	value := memfile.Str(r.Text)
	return &value, o, nil
}
