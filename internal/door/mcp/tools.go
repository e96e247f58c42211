package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
)

// tool is one row of the table of tools.
type tool struct {
	sdk.Tool
	run func(*call) (any, error)
}

// newTool is a tool whose arguments are the fields of A. Of their tags, json has the name, doc a
// description, oneof the values, and need marks what must be given.
func newTool[A any](name, description string, hints *sdk.ToolAnnotations, run func(*call, A) (any, error)) tool {
	return tool{
		Tool: sdk.Tool{Name: name, Description: description, Annotations: hints, InputSchema: schemaOf(reflect.TypeFor[A]())},
		run: func(c *call) (any, error) {
			var in A
			if err := c.arguments(&in); err != nil {
				return nil, err
			}
			return run(c, in)
		},
	}
}

// schemaOf is the JSON Schema of arguments. What the SDK derives is four times as long, and every session pays for it.
func schemaOf(arguments reflect.Type) json.RawMessage {
	var properties, required []string
	for _, f := range reflect.VisibleFields(arguments) {
		if f.Anonymous {
			continue
		}
		var parts []string
		switch kind := f.Type; {
		case kind == reflect.TypeFor[memfile.Value](): // any JSON
		case f.Tag.Get("oneof") != "":
			parts = append(parts, `"enum":`+quoted(strings.Fields(f.Tag.Get("oneof"))))
		case kind.Kind() == reflect.Bool:
			parts = append(parts, `"type":"boolean"`)
		case kind.Kind() == reflect.Int:
			parts = append(parts, `"type":"integer"`)
		case kind.Kind() == reflect.Slice:
			parts = append(parts, `"type":"array","items":{"type":"string"}`)
		default:
			parts = append(parts, `"type":"string"`)
		}
		if doc := f.Tag.Get("doc"); doc != "" {
			parts = append(parts, `"description":`+quoted(doc))
		}
		properties = append(properties, quoted(f.Tag.Get("json"))+":{"+strings.Join(parts, ",")+"}")
		if f.Tag.Get("need") != "" {
			required = append(required, f.Tag.Get("json"))
		}
	}
	schema := `{"type":"object","properties":{` + strings.Join(properties, ",") + `}`
	if required != nil {
		schema += `,"required":` + quoted(required)
	}
	return json.RawMessage(schema + "}")
}

func quoted(v any) string {
	text, _ := json.Marshal(v) // strings can be encoded
	return string(text)
}

// The kinds of tools: one that reads, and one that adds. Of any other a client supposes that it changes what is there.
func readOnly() *sdk.ToolAnnotations { return &sdk.ToolAnnotations{ReadOnlyHint: true} }

func adding() *sdk.ToolAnnotations { return &sdk.ToolAnnotations{DestructiveHint: new(bool)} }

// tools is the one table of tools. Every session pays for its words.
func tools(skills bool) []tool {
	list := []tool{
		newTool("remember", "Record a lasting preference, convention, decision or lesson, under the key of the listed rule that it changes, a new key, or none (a fact). No secrets, personal data, one-off requests. Your own findings wait for the person.",
			adding(), (*call).remember),
		newTool("update", "Change a memory by key, id or old text, or ask the person to confirm it. Beside a person's own value yours waits.", nil, (*call).update),
		newTool("forget", "Remove a memory for good.", nil, (*call).forget),
		newTool("recall", "Search memory, or past sessions (history).", readOnly(), (*call).recall),
		newTool("list", "List and count memories; tier review: what waits for the person.", readOnly(), (*call).list),
	}
	if skills {
		list = append(list, newTool("skill_search", "Find skills (instructions for a task). An exact name returns the skill.", readOnly(), (*call).skillSearch))
	}
	return list
}

func (l *link) addTools() {
	l.server.AddReceivingMiddleware(namesTools(l.env.Skills))
	for _, t := range tools(l.env.Skills) {
		l.server.AddTool(&t.Tool, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			if ask := l.findFolder(ctx, req, req.Session, req.Params.InputResponses); ask != nil {
				return &sdk.CallToolResult{InputRequests: ask}, nil
			}
			c := &call{ctx: ctx, link: l, req: req, tool: t.Name}
			answer, err := t.run(c)
			return c.result(answer, err)
		})
	}
}

// namesTools answers a call of a tool that does not exist with the names of those that do: a model reads that, and no error of
// the protocol.
func namesTools(skills bool) sdk.Middleware {
	var names []string
	for _, t := range tools(skills) {
		names = append(names, t.Name)
	}
	return func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			call, ok := req.GetParams().(*sdk.CallToolParamsRaw)
			if !ok || slices.Contains(names, call.Name) {
				return next(ctx, method, req)
			}
			text := "refused: " + memory.Quoted(call.Name) + " is no tool of memctl, which has " + strings.Join(names, ", ")
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}, IsError: true}, nil
		}
	}
}

// progressPause is how long a call takes before it tells the client how far it is, and until it does again.
const progressPause = 100 * time.Millisecond

// progress returns what tells the client how far the call is; nil where it did not ask. What it tells is not 0 and only grows, also where
// several things are counted one after the other.
func (c *call) progress() func(done, total int) {
	token := c.req.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	told, before, last := time.Now(), 0, 0
	return func(done, total int) {
		if done < last {
			before += last
		}
		if last = done; done > 0 && time.Since(told) >= progressPause {
			told = time.Now()
			_ = c.req.Session.NotifyProgress(c.ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: float64(before + done), Total: float64(before + total)})
		}
	}
}

// call is one call of a tool under way.
type call struct {
	ctx  context.Context
	link *link
	req  *sdk.CallToolRequest
	tool string
}

// stores opens the stores anew: what was opened before a write has read what
// stood before it.
func (c *call) stores() (*store.Stores, error) { return c.link.open(c.ctx) }

// argumentNames are the names of a call's arguments.
func argumentNames(into any) (list []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeOf(into).Elem()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			list = append(list, name)
		}
	}
	return list
}

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
		return wrong(fmt.Sprintf("%q is a %s, and must be a %s", kind.Field, kind.Value, kind.Type))
	case err != nil:
		if unknown, is := strings.CutPrefix(err.Error(), "json: unknown field "); is {
			return wrong(unknown + " is no argument of " + c.tool + ", which has " + strings.Join(argumentNames(into), ", "))
		}
		return wrong("the arguments are not valid JSON: " + strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); err != io.EOF {
		return wrong("unexpected text after the arguments")
	}
	in := reflect.ValueOf(into).Elem()
	for _, f := range reflect.VisibleFields(in.Type()) {
		if given := in.FieldByIndex(f.Index); f.Tag.Get("need") != "" && given.Kind() == reflect.String && given.Len() == 0 {
			return wrong(fmt.Sprintf("%q is missing", f.Tag.Get("json")))
		}
	}
	return nil
}
