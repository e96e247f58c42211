package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/store"
)

// tool is one row of the table of tools. Its schemas are written by hand: what
// a library derives is four times as long, and every session pays for it.
type tool struct {
	name, description string
	input             string // the properties of the arguments
	required          string // names, with quotes and commas
	output            string
	hints             mcp.ToolAnnotations
	run               func(*call) (any, error)
}

// The parts that several schemas share. The answers' schemas name what is always there.
const (
	scopeProperty = `"scope":{"enum":["project","private","user"]}`
	saidProperty  = `"said_by_user":{"type":"boolean","description":"true only if the person said so"}`
	namesType     = `{"type":"array","items":{"type":"string"}}`
	limitProperty = `"limit":{"type":"integer"}`
	writeOutput   = `{"type":"object","properties":{"verdict":{"enum":["accept","hold","refuse"]},"message":{"type":"string"}},"required":["verdict","message"]}`
	itemsOutput   = `{"type":"object","required":["items"]}`
)

// categoryProperty names the categories, so that an agent need not try them out.
func categoryProperty() string {
	names, _ := json.Marshal(entry.Categories())
	return `"category":{"enum":` + string(names) + `}`
}

// The kinds of tools: one that reads, one that adds, one that changes what is
// there, and one that takes something out.
func reading() mcp.ToolAnnotations {
	return mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(bool)}
}

func writing(destructive, idempotent bool) mcp.ToolAnnotations {
	return mcp.ToolAnnotations{DestructiveHint: &destructive, IdempotentHint: idempotent, OpenWorldHint: new(bool)}
}

// tools is the one table of tools. remember is not idempotent: an automatic
// write that is made again on another day counts as a signal.
func tools() []tool {
	return []tool{
		{
			name: "remember", hints: writing(false, false), run: (*call).remember, output: writeOutput,
			description: "Record a lasting preference, convention, decision or lesson: an item if you give a key, otherwise a fact or a note of the day. No secrets, personal data or temporary matters. Your own findings start unconfirmed.",
			input: `"key":{"type":"string","description":"like writing.tone"},"value":{"description":"any JSON; lessons.* take issue, outcome, fix"},` +
				`"tier":{"enum":["fact","note"]},` + categoryProperty() + `,` + saidProperty +
				`,"tags":` + namesType + `,"topics":` + namesType + `,"session":{"type":"string"},"expires":{"type":"string","description":"YYYY-MM-DD"},` + scopeProperty,
			required: `"value"`,
		},
		{
			name: "update", hints: writing(true, false), run: (*call).update, output: writeOutput,
			description: "Change the value of a key, or of a fact by its id. A person's own value stays; yours is stored as a conflict.",
			input:       `"key":{"type":"string"},"value":{},` + saidProperty + `,` + scopeProperty,
			required:    `"key","value"`,
		},
		{
			name: "forget", hints: writing(true, true), run: (*call).forget, output: writeOutput,
			description: "Remove an item, fact or note for good.",
			input:       `"target":{"type":"string","description":"key, id, or exact text"},"reason":{"type":"string"},` + saidProperty + `,` + scopeProperty,
			required:    `"target"`,
		},
		{
			name: "confirm", hints: writing(false, true), run: (*call).confirm, output: writeOutput,
			description: "Have the person confirm an item (by key) or a fact (by id), or resolve its conflict.",
			input:       `"key":{"type":"string"},"choice":{"type":"integer","description":"which value of the conflict, from 1"},` + saidProperty + `,` + scopeProperty,
			required:    `"key"`,
		},
		{
			name: "recall", hints: reading(), run: (*call).recall, output: itemsOutput,
			description: "Search memory, or past sessions (history). Stale entries may be wrong.",
			input:       `"query":{"type":"string"},"history":{"type":"boolean"},` + limitProperty + `,` + scopeProperty,
			required:    `"query"`,
		},
		{
			name: "list", hints: reading(), run: (*call).list, output: itemsOutput,
			description: "List items by key, and facts and notes, the newest first.",
			input:       `"pattern":{"type":"string","description":"key or glob, like tooling.*"},"tier":{"enum":["item","fact","note","summary"]},` + categoryProperty() + `,` + limitProperty + `,` + scopeProperty,
		},
		{
			name: "profile", hints: reading(), run: (*call).profile,
			description: "What to know at a session's start: the confirmed preferences and conventions.",
			output:      `{"type":"object","required":["bullets"]}`,
		},
		{
			name: "skill_search", hints: reading(), run: (*call).skillSearch,
			description: "Find skills (instructions for a task). An exact name returns the skill.",
			input:       `"query":{"type":"string"}`, required: `"query"`,
			output: `{"type":"object","required":["skills"]}`,
		},
		{
			name: "stats", hints: reading(), run: (*call).stats,
			description: "Count each scope by kind, and what waits for review.",
			output:      `{"type":"object","required":["scopes"]}`,
		},
	}
}

// schema is the JSON Schema of the tool's arguments.
func (t tool) schema() json.RawMessage {
	required := ""
	if t.required != "" {
		required = `,"required":[` + t.required + `]`
	}
	return json.RawMessage(`{"type":"object","properties":{` + t.input + `}` + required + `}`)
}

func (l *link) addTools() {
	for _, t := range tools() {
		l.server.AddTool(&mcp.Tool{
			Name: t.name, Description: t.description, Annotations: &t.hints,
			InputSchema: t.schema(), OutputSchema: json.RawMessage(t.output),
		}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if ask := l.place(ctx, req, req.Session, req.Params.InputResponses); ask != nil {
				return &mcp.CallToolResult{InputRequests: ask}, nil
			}
			c := &call{ctx: ctx, link: l, req: req, tool: t.name}
			answer, err := t.run(c)
			return c.result(answer, err)
		})
	}
}

// call is one call of a tool under way.
type call struct {
	ctx  context.Context
	link *link
	req  *mcp.CallToolRequest
	tool string
}

// stores opens the stores anew: what was opened before a write has read what
// stood before it.
func (c *call) stores() (*store.Stores, error) { return c.link.open(c.ctx) }

// wrong is the error of a call whose arguments cannot be read.
func wrong(cause string) error {
	return &fault.Error{Code: "arguments", Status: 1, Cause: cause}
}

// arguments reads the call's arguments into the struct. They are decoded here
// and not by the library, which would pass them through a map and lose the
// order of fields and the text of numbers.
func (c *call) arguments(into any) error {
	raw := c.req.Params.Arguments
	if len(bytes.TrimSpace(raw)) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return wrong(fmt.Sprintf("%q: is a %s, and must be a %s", kind.Field, kind.Value, kind.Type))
	case err != nil:
		return wrong("the arguments are not valid JSON: " + strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); err != io.EOF {
		return wrong("unexpected text after the arguments")
	}
	return nil
}

// missing is the refusal of a call without an argument that it needs.
func missing(name string) error { return wrong(fmt.Sprintf("%q: is missing", name)) }
