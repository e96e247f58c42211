package agents

import (
	"errors"
	"fmt"
	"slices"

	"github.com/memctl/memctl/internal/jsontext"
)

// hookSettings edits the hooks in a JSON settings file. Ours are known by
// their exact command.
type hookSettings struct {
	events []string
	// command is the command of an event, and also what removing looks for;
	// other is a second form, such as the one in a team's settings.
	command, other func(event string) string
	// nested says that an event holds groups, which hold the hooks.
	nested bool
	// version says that a new file starts with "version": 1.
	version bool
	// fields are the names under which a hook holds its command; the first is
	// looked at to know it again.
	fields []string
	typed  bool // a hook has "type": "command"
	// matchers name the tools that an event's hook is called for, as the agent writes it;
	// an event without one is called for all.
	matchers map[string]string
}

// fixed is a command that is the same for every event.
func fixed(command string) func(string) string { return func(string) string { return command } }

// errShape says that the hooks are not where they should be.
var errShape = errors.New("does not have the form of this agent's settings")

func shapeError(what string) error { return fmt.Errorf("%s: %w", what, errShape) }

// parsed reads the settings and finds the hooks in them, nil where there are none.
func (h hookSettings) parsed(src []byte) (root, hooks *jsontext.Node, err error) {
	root, err = jsontext.Parse(src)
	if err != nil || root == nil {
		return nil, nil, err
	}
	if root.Kind != jsontext.Object {
		return nil, nil, shapeError("the whole")
	}
	hooks = root.Member("hooks")
	if hooks == nil {
		return root, nil, nil
	}
	if hooks.Kind != jsontext.Object {
		return nil, nil, shapeError(`"hooks"`)
	}
	for _, event := range h.events {
		if list := hooks.Member(event); list != nil && list.Kind != jsontext.Array {
			return nil, nil, shapeError(`"hooks"."` + event + `"`)
		}
	}
	return root, hooks, nil
}

// ours reports whether a hook is one that we put there for the event.
func (h hookSettings) ours(hook *jsontext.Node, event string) bool {
	command := hook.Member(h.fields[0])
	return command != nil && command.Kind == jsontext.String &&
		(command.Text == h.command(event) || command.Text == h.other(event))
}

// trail leads from the root to a hook: the containers and the child in each.
type trail []step

type step struct {
	in *jsontext.Node
	i  int
}

// find is the trail to the last hook of ours for the event; nil where there is none.
func (h hookSettings) find(root *jsontext.Node, event string) trail {
	at, list := member(nil, root, "hooks")
	at, list = member(at, list, event)
	if list == nil {
		return nil
	}
	for i, child := range slices.Backward(list.Children) {
		here := append(slices.Clone(at), step{list, i})
		if !h.nested {
			if h.ours(child.Value, event) {
				return here
			}
			continue
		}
		group, hooks := member(here, child.Value, "hooks")
		if hooks == nil || hooks.Kind != jsontext.Array {
			continue
		}
		for j, hook := range slices.Backward(hooks.Children) {
			if h.ours(hook.Value, event) {
				return append(group, step{hooks, j})
			}
		}
	}
	return nil
}

// member steps into an object's member; nil where there is none.
func member(at trail, in *jsontext.Node, name string) (trail, *jsontext.Node) {
	if in == nil || in.Kind != jsontext.Object {
		return nil, nil
	}
	for i, child := range in.Children {
		if child.Key == name {
			return append(slices.Clone(at), step{in, i}), child.Value
		}
	}
	return nil, nil
}

// State counts the events that have our hook.
func (h hookSettings) State(src []byte) (State, error) {
	root, _, err := h.parsed(src)
	if err != nil {
		return "", err
	}
	switch len(h.without(root)) {
	case len(h.events):
		return Absent, nil
	case 0:
		return Installed, nil
	}
	return Partly, nil
}

// missing lists the events that have none of our hooks.
func (h hookSettings) missing(src []byte) []string {
	root, _, err := h.parsed(src)
	if err != nil {
		return nil
	}
	return h.without(root)
}

func (h hookSettings) without(root *jsontext.Node) []string {
	return slices.DeleteFunc(slices.Clone(h.events), func(event string) bool { return h.find(root, event) != nil })
}

// Install adds a hook to each event that has none of ours.
func (h hookSettings) Install(src []byte) ([]byte, error) {
	root, _, err := h.parsed(src)
	if err != nil {
		return nil, err
	}
	if root == nil {
		return h.fresh(src), nil
	}
	for _, event := range h.events {
		if h.find(root, event) != nil {
			continue
		}
		src = h.add(src, root, event)
		if root, _, err = h.parsed(src); err != nil {
			return nil, err
		}
	}
	return src, nil
}

// fresh is a file with nothing but our hooks.
func (h hookSettings) fresh(src []byte) []byte {
	var events []jsontext.Member
	for _, event := range h.events {
		events = append(events, jsontext.Member{Name: event, Value: jsontext.Item{Items: []jsontext.Item{h.entry(event)}}})
	}
	members := []jsontext.Member{{Name: "hooks", Value: jsontext.Item{Members: events}}}
	if h.version {
		members = append(members, jsontext.Member{Name: "version", Value: jsontext.Item{Raw: "1"}})
	}
	return fresh(src, members)
}

// fresh is the text for a file that is not there or blank. A blank one keeps
// what it has, and gets no line end at the end: so Remove can tell the two.
func fresh(src []byte, members []jsontext.Member) []byte {
	text := jsontext.New(members)
	if src == nil {
		return text
	}
	return append(slices.Clone(src), text[:len(text)-1]...)
}

// add puts a hook at the end of the event's list, making the list and what
// holds it where they are missing.
func (h hookSettings) add(src []byte, root *jsontext.Node, event string) []byte {
	entry := h.entry(event)
	list := jsontext.Item{Items: []jsontext.Item{entry}}
	hooks := root.Member("hooks")
	switch {
	case hooks == nil:
		return jsontext.Append(src, root, "hooks", jsontext.Item{Members: []jsontext.Member{{Name: event, Value: list}}})
	case hooks.Member(event) == nil:
		return jsontext.Append(src, hooks, event, list)
	}
	return jsontext.Append(src, hooks.Member(event), "", entry)
}

// entry is one hook as it stands in an event's list.
func (h hookSettings) entry(event string) jsontext.Item {
	var members []jsontext.Member
	if h.typed {
		members = append(members, jsontext.Member{Name: "type", Value: jsontext.Item{Raw: `"command"`}})
	}
	for _, field := range h.fields {
		members = append(members, jsontext.Member{Name: field, Value: jsontext.Item{Raw: jsontext.Quote(h.command(event))}})
	}
	if h.nested {
		members = []jsontext.Member{{Name: "hooks", Value: jsontext.Item{Items: []jsontext.Item{{Members: members}}}}}
	}
	if matcher := h.matchers[event]; matcher != "" {
		members = slices.Insert(members, 0, jsontext.Member{Name: "matcher", Value: jsontext.Item{Raw: jsontext.Quote(matcher)}})
	}
	return jsontext.Item{Members: members}
}

// Remove takes our hooks out, the last one first, and with them the lists and
// objects that were made for them.
func (h hookSettings) Remove(src []byte) ([]byte, error) {
	root, _, err := h.parsed(src)
	if err != nil {
		return nil, err
	}
	for root != nil {
		at := h.last(root)
		if at == nil {
			return src, nil
		}
		done := false
		for _, s := range slices.Backward(at) {
			if s.in == root && h.madeBoth(src, root) {
				break
			}
			if h.matched(s) {
				continue // a matcher without hooks is of no use: the group goes
			}
			if src, done = removeChild(src, s); done {
				break
			}
		}
		if !done {
			return withoutRoot(src, root), nil
		}
		if root, _, err = h.parsed(src); err != nil {
			return nil, err
		}
	}
	return src, nil
}

// last is the trail to the hook of ours that stands last in the file.
func (h hookSettings) last(root *jsontext.Node) trail {
	var last trail
	at := -1
	for _, event := range h.events {
		if t := h.find(root, event); t != nil {
			end := t[len(t)-1]
			if start := end.in.Children[end.i].Start; start > at {
				at, last = start, t
			}
		}
	}
	return last
}

// madeBoth reports whether the hooks stand before a version, as in a file that
// fresh made: Append puts them behind what is there.
func (h hookSettings) madeBoth(src []byte, root *jsontext.Node) bool {
	if !h.version || len(root.Children) != 2 || root.Children[0].Key != "hooks" {
		return false
	}
	version := root.Children[1]
	return version.Key == "version" && string(src[version.Value.Start:version.Value.End]) == "1"
}

// matched reports whether a step leads into the hooks of a group that has a matcher, as
// entry makes it, and nothing else.
func (h hookSettings) matched(s step) bool {
	if len(h.matchers) == 0 || s.in.Kind != jsontext.Object || len(s.in.Children) != 2 || s.in.Children[s.i].Key != "hooks" {
		return false
	}
	return s.in.Children[1-s.i].Key == "matcher"
}

func removeChild(src []byte, s step) (out []byte, done bool) {
	out, alone := jsontext.Remove(src, s.in, s.i)
	return out, !alone
}

// withoutRoot is what is left of a file whose object was ours.
func withoutRoot(src []byte, root *jsontext.Node) []byte {
	rest := append(slices.Clone(src[:root.Start]), src[root.End:]...)
	if string(rest) == "\n" && root.Start == 0 {
		return nil
	}
	return rest
}
