package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/acts/review"
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
func (c *call) ask(what string) (said, sdk.InputRequestMap) {
	who := c.client()
	if who == "" {
		who = "An agent"
	}
	question := &sdk.ElicitParams{Mode: "form", RequestedSchema: json.RawMessage(form), Message: who + " asks memctl to " + plain(what) + ". Do this in your name?"}
	if c.req.ProtocolVersion() >= roundTrips {
		sum := sha256.Sum256([]byte(c.tool + "\x00" + what))
		id := "ask-" + hex.EncodeToString(sum[:8])
		answer, ok := c.req.Params.InputResponses[id].(*sdk.ElicitResult)
		if !ok {
			return unanswered, sdk.InputRequestMap{id: question}
		}
		return parseAnswer(answer), nil
	}
	answer, err := c.req.Session.Elicit(c.ctx, question)
	if err != nil {
		return unanswered, nil
	}
	return parseAnswer(answer), nil
}

// parseAnswer is what the person said with an answer. A dialogue that was closed is no answer:
// a client without a person at it, such as claude -p, closes each by itself.
func parseAnswer(r *sdk.ElicitResult) said {
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
func (c *call) confirm(in updateArguments) (any, error) {
	do := func(ss *store.Stores, o memory.Options) (memory.Write, error) {
		return memory.First(review.Confirm(c.ctx, ss, edit.ConfirmRequest{Options: o, Keys: []string{in.Key}, Value: in.Choice}))
	}
	found, err := c.named(in.Key, in.Scope)
	if err != nil {
		return nil, err
	}
	if len(found) != 1 || in.Choice < 0 || in.Choice > len(found[0].Conflict) || c.link.env.Origin != "" {
		return c.write(in.Said, in.Scope, do, "confirm "+in.Key)
	}
	relay := func() (any, error) {
		w, err := c.act(do, memory.Options{Scope: in.Scope, Origin: c.origin(in.Said)})
		if err != nil {
			return nil, err
		}
		a := c.answer(w, in.Said)
		if !a.refused {
			confirm := "memctl confirm " + w.Key
			if in.Choice != 0 {
				confirm += " --value " + strconv.Itoa(in.Choice)
			}
			a.text += "; through you it gets medium confidence at most, the person can raise it to high" + forPerson([]string{confirm})
		}
		return a, nil
	}
	if !c.canAsk() {
		return relay()
	}
	r := found[0]
	value := memfile.Str(r.Text)
	switch {
	case in.Choice > 0:
		value = r.Conflict[in.Choice-1].Value
	case r.Value != nil:
		value = *r.Value
	}
	o := memory.Options{Scope: r.Scope, Expected: []memory.Condition{r.Unchanged()}}
	return c.asPerson(do, o, "confirm "+in.Key+" = "+brief(value)+" in the "+r.Scope+" memory", relay)
}
