package agents

import (
	"slices"

	"github.com/memctl/memctl/internal/jsontext"
)

// hookSettings edits the hooks in a JSON settings file. Ours are known by
// their exact command.
type hookSettings struct {
	agent, scope string
	events       []string
	named        bool // the command names its event, because the agent's input does not
	// nested says that an event holds groups, which hold the hooks.
	nested bool
	// version says that a new file starts with "version": 1.
	version bool
	field   string // the name under which a hook holds its command
	typed   bool   // a hook has "type": "command"
	// timeout is the member that limits a hook to five seconds, in the agent's own unit.
	timeout jsontext.Member
	// matchers name the tools that an event's hook is called for, as the agent writes it;
	// an event without one is called for all.
	matchers map[string]string
	former   string // the matcher that an older memctl wrote in place of one of these
}

// safeguard names what a hook lacks that an older memctl installed.
const safeguard = "what lets your prompts through when memctl fails"

// call is how a hook calls memctl, and was the whole command of an older memctl. It is the
// same for every version: Codex trusts a command by its exact text.
func (h hookSettings) call(event string) string {
	call := "memctl hook --agent " + h.agent
	if h.named {
		call += " --event " + event
	}
	return call
}

// command is the shell command of an event's hook. Its status is 0 whatever becomes of memctl:
// a Go program that dies exits with 2, and Claude Code and Codex then block the prompt. In
// settings that a team shares it says nothing where memctl is not installed.
func (h hookSettings) command(event, scope string) string {
	command := h.call(event) + " || true"
	if scope == ForProject {
		command = "command -v memctl >/dev/null 2>&1 && " + command
	}
	return command
}

// limit is the member for a timeout of an agent.
func limit(name, value string) jsontext.Member {
	return jsontext.Member{Name: name, Value: jsontext.Item{Raw: value}}
}

// parsed reads the settings; each event has to be a list.
func (h hookSettings) parsed(src []byte) (root *jsontext.Node, err error) {
	for _, event := range h.events {
		if root, _, _, err = walk(src, jsontext.Array, "hooks", event); err != nil || root == nil {
			return nil, err
		}
	}
	return root, nil
}

// ours reports whether a hook is one that we put there for the event.
func (h hookSettings) ours(hook *jsontext.Node, event string) bool {
	command := hook.Member(h.field)
	return command != nil && command.Kind == jsontext.String &&
		slices.Contains([]string{h.command(event, ForUser), h.command(event, ForProject), h.call(event)}, command.Text)
}

// mended is the text with the event's hook, at the end of the trail, as this version installs it.
func (h hookSettings) mended(src []byte, at trail, event string) []byte {
	if at == nil {
		return src
	}
	end := at[len(at)-1]
	hook := end.in.Children[end.i].Value
	if hook.Member(h.timeout.Name) == nil {
		src = jsontext.Append(src, hook, h.timeout.Name, h.timeout.Value)
	}
	// What Append added stands behind the command.
	if command := hook.Member(h.field); command.Text == h.call(event) {
		src = slices.Replace(slices.Clone(src), command.Start, command.End, []byte(jsontext.Quote(h.command(event, h.scope)))...)
	}
	return src
}

// formerMatcher is the matcher beside the event's hook if an older memctl wrote it; nil for another.
func (h hookSettings) formerMatcher(at trail, event string) *jsontext.Node {
	if len(at) < 2 || h.matchers[event] == "" {
		return nil
	}
	matcher := at[len(at)-2].in.Member("matcher")
	if matcher == nil || matcher.Text != h.former {
		return nil
	}
	return matcher
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

// State counts the events that have our hook as this version installs it.
func (h hookSettings) State(src []byte) (State, error) {
	root, err := h.parsed(src)
	if err != nil {
		return "", err
	}
	lacks := h.lacks(src, root)
	switch {
	case len(lacks) == 0:
		return Installed, nil
	case slices.Equal(lacks, h.events):
		return Absent, nil
	}
	return Partly, nil
}

// missing lists the events that have none of our hooks, and the safeguard if a hook has none.
func (h hookSettings) missing(src []byte) []string {
	root, err := h.parsed(src)
	if err != nil {
		return nil
	}
	return h.lacks(src, root)
}

func (h hookSettings) lacks(src []byte, root *jsontext.Node) []string {
	var list []string
	unsafe := false
	for _, event := range h.events {
		at := h.find(root, event)
		if at == nil || h.formerMatcher(at, event) != nil {
			list = append(list, event)
		}
		unsafe = unsafe || len(h.mended(src, at, event)) != len(src)
	}
	if unsafe {
		list = append(list, safeguard)
	}
	return list
}

// Install adds a hook to each event that has none of memctl's, and mends the others. A new file also gets the other settings
// that it needs.
func (h hookSettings) Install(src []byte) ([]byte, error) {
	root, err := h.parsed(src)
	isNew := root == nil
	for _, event := range h.events {
		if err != nil {
			return nil, err
		}
		at := h.find(root, event)
		if at == nil {
			src, err = put(src, []jsontext.Item{h.entry(event)}, "hooks", event)
		} else if former := h.formerMatcher(at, event); former != nil {
			src = slices.Replace(slices.Clone(src), former.Start, former.End, []byte(jsontext.Quote(h.matchers[event]))...)
		}
		if err == nil {
			root, err = h.parsed(src)
		}
		if err == nil && at != nil {
			src = h.mended(src, h.find(root, event), event)
			root, err = h.parsed(src)
		}
	}
	if err == nil && isNew && h.version {
		src = jsontext.Append(src, root, "version", jsontext.Item{Raw: "1"})
	}
	return src, err
}

// entry is one hook as it stands in an event's list.
func (h hookSettings) entry(event string) jsontext.Item {
	var members []jsontext.Member
	if h.typed {
		members = append(members, jsontext.Member{Name: "type", Value: jsontext.Item{Raw: `"command"`}})
	}
	members = append(members, jsontext.Member{Name: h.field, Value: jsontext.Item{Raw: jsontext.Quote(h.command(event, h.scope))}}, h.timeout)
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
	root, err := h.parsed(src)
	if err != nil {
		return nil, err
	}
	for root != nil {
		at := h.last(root)
		if at == nil {
			return src, nil
		}
		at = slices.DeleteFunc(at, func(s step) bool {
			return h.matched(s) || s.in == root && h.madeBoth(src, root) // without our hook, the rest of it does nothing
		})
		if src = at.remove(src, root); src == nil {
			return nil, nil
		}
		if root, err = h.parsed(src); err != nil {
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
