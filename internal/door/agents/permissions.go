package agents

import (
	"slices"

	"github.com/memctl/memctl/internal/jsontext"
)

// permissionRules keeps rules in permissions.allow of a JSON settings file. A rule is a
// bare string, so nothing can mark it as ours, and the person may have made the same one.
// Install therefore always adds the whole list, in one order and side by side, and Remove
// looks for that run: a rule elsewhere in the list is the person's own.
type permissionRules []string

// formerRule reports whether an earlier memctl had the rule among its own, for a tool that no longer exists.
func formerRule(rule string) bool {
	return rule == "mcp__"+serverName+"__profile" || rule == "mcp__"+serverName+"__stats"
}

const (
	permissionsKey = "permissions"
	allowKey       = "allow"
)

// parsed leads to the list; list is nil where there is none.
func (p permissionRules) parsed(src []byte) (root, list *jsontext.Node, at trail, err error) {
	return walk(src, jsontext.Array, permissionsKey, allowKey)
}

// run is where ours stand: the last run of more than half of our rules in our order. The
// person may have taken some of them out.
func (p permissionRules) run(list *jsontext.Node) (from, to int, former bool) {
	if list == nil {
		return 0, 0, false
	}
	last, start := -1, 0
	for i, child := range list.Children {
		at := -1
		if last >= 0 && start < i && formerRule(child.Value.Text) {
			former = true
			continue
		}
		if child.Value.Kind == jsontext.String {
			at = slices.Index(p, child.Value.Text)
		}
		if at < 0 || at <= last {
			start = i
		}
		if last = at; at < 0 {
			start = i + 1
		}
		if n := i + 1 - start; n > len(p)/2 {
			from, to = start, i+1
		}
	}
	return from, to, former && to > from
}

// all reports whether each of the rules is in the list.
func (p permissionRules) all(list *jsontext.Node) bool {
	for _, rule := range p {
		if list == nil || !slices.ContainsFunc(list.Children, func(c jsontext.Child) bool {
			return c.Value.Kind == jsontext.String && c.Value.Text == rule
		}) {
			return false
		}
	}
	return true
}

// missing lists the rules that are not in the list.
func (p permissionRules) missing(src []byte) []string {
	_, list, _, err := p.parsed(src)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p), func(rule string) bool { return permissionRules{rule}.all(list) })
}

// State is Theirs where the person made each of the rules themselves.
func (p permissionRules) State(src []byte) (State, error) {
	_, list, _, err := p.parsed(src)
	if err != nil {
		return "", err
	}
	switch from, to, former := p.run(list); {
	case former:
		return Partly, nil
	case to-from == len(p):
		return Installed, nil
	case p.all(list):
		return Theirs, nil
	case to > from:
		return Partly, nil
	}
	return Absent, nil
}

func (p permissionRules) Install(src []byte) ([]byte, error) {
	state, err := p.State(src)
	if err != nil || state == Installed || state == Theirs {
		return src, err
	}
	if state == Partly {
		if src, err = p.Remove(src); err != nil {
			return nil, err
		}
	}
	items := make([]jsontext.Item, len(p))
	for i, rule := range p {
		items[i] = jsontext.Item{Raw: jsontext.Quote(rule)}
	}
	return put(src, items, permissionsKey, allowKey)
}

// Remove takes the run out, the last rule first, and with it the list and the objects that
// Install made for it.
func (p permissionRules) Remove(src []byte) ([]byte, error) {
	_, list, _, err := p.parsed(src)
	if err != nil {
		return nil, err
	}
	from, to, _ := p.run(list)
	for i := to - 1; i >= from; i-- {
		root, list, at, err := p.parsed(src)
		if err != nil {
			return nil, err
		}
		src = append(at, step{list, i}).remove(src, root)
	}
	return src, nil
}
