package agents

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/jsontext"
)

// errShape says that a value in a settings file has the wrong type.
var errShape = errors.New("does not have the form of this agent's settings")

// jsonFile edits memctl's entries in a JSON settings file. It knows them by what they run or allow, wherever they are and whoever
// wrote them.
type jsonFile struct {
	entries []entry
	root    []string // the names that lead to the member in which all of them are
	// ours reports whether a value is an entry of memctl's and nothing else, and uses whether it calls memctl among other things:
	// such an entry counts as installed, and stays.
	ours, uses func(*jsontext.Node) bool
	// version is a member that a new file needs, with its value; "" for none.
	version string
}

// entry is one value of memctl's.
type entry struct {
	part string   // its name, where it is missing
	at   []string // the names that lead to its list, or to its object
	name string   // of a member of that object; "" in a list
	item jsontext.Value
}

// trail leads from the root to a value: the containers and the child in each.
type trail []step

type step struct {
	in *jsontext.Node
	i  int
}

// isAt reports whether the value at the end of the trail is the entry: below its names, and of its text if it is one.
func (e entry) isAt(t trail) bool {
	for i, name := range e.at {
		if i >= len(t) || t[i].in.Children[t[i].i].Key != name {
			return false
		}
	}
	value := t.value()
	return value.Kind != jsontext.String || jsontext.Quote(value.Text) == e.item.Raw
}

func (t trail) value() *jsontext.Node {
	end := t[len(t)-1]
	return end.in.Children[end.i].Value
}

// reach follows names from the root; the value is nil where one is missing.
func reach(root *jsontext.Node, names []string) (t trail, value *jsontext.Node) {
	value = root
	for _, name := range names {
		i := -1
		if value != nil && value.Kind == jsontext.Object {
			i = slices.IndexFunc(value.Children, func(c jsontext.Child) bool { return c.Key == name })
		}
		if i < 0 {
			return t, nil
		}
		t = append(t, step{value, i})
		value = t.value()
	}
	return t, value
}

// parse reads the file. Each name that leads to an entry must have a value of the right kind. root is nil for a file that is not
// there or blank.
func (f jsonFile) parse(src []byte) (root *jsontext.Node, err error) {
	if root, err = jsontext.Parse(src); err != nil || root == nil {
		return nil, err
	}
	for _, e := range f.entries {
		for n := range len(e.at) + 1 {
			want, what := jsontext.Object, "the whole"
			if n == len(e.at) && e.name == "" {
				want = jsontext.Array
			}
			if n > 0 {
				what = `"` + strings.Join(e.at[:n], `"."`) + `"`
			}
			if _, value := reach(root, e.at[:n]); value != nil && value.Kind != want {
				return nil, fmt.Errorf("%s: %w", what, errShape)
			}
		}
	}
	return root, nil
}

// find lists the trails to the values that match, in the order of the file.
func (f jsonFile) find(root *jsontext.Node, match func(*jsontext.Node) bool) (list []trail) {
	var visit func(t trail, n *jsontext.Node)
	visit = func(t trail, n *jsontext.Node) {
		for i, c := range n.Children {
			if at := append(slices.Clip(t), step{n, i}); match(c.Value) {
				list = append(list, at)
			} else {
				visit(at, c.Value)
			}
		}
	}
	if t, n := reach(root, f.root); n != nil {
		visit(t, n)
	}
	return list
}

// findOurs lists all values that are memctl's or call it.
func (f jsonFile) findOurs(root *jsontext.Node) []trail {
	return f.find(root, func(n *jsontext.Node) bool { return f.ours(n) || f.uses != nil && f.uses(n) })
}

// isTakenByOther reports whether the name of an entry belongs to a value of somebody else.
func (f jsonFile) isTakenByOther(root *jsontext.Node, e entry) bool {
	_, value := reach(root, append(slices.Clip(e.at), e.name))
	return e.name != "" && value != nil && !f.ours(value)
}

// Look tells what is installed.
func (f jsonFile) Look(src []byte) (l Look, err error) {
	root, err := f.parse(src)
	if err != nil {
		return l, err
	}
	used, theirs := f.findOurs(root), false
	for _, e := range f.entries {
		if !slices.ContainsFunc(used, e.isAt) {
			theirs = theirs || f.isTakenByOther(root, e)
			l.Missing = append(l.Missing, e.part)
		}
	}
	if l.State = stateOf(len(l.Missing), len(f.entries)); theirs {
		l.State = Theirs
	}
	if f.entries[0].name != "" {
		return l, nil // an entry of that name is Theirs
	}
	for _, t := range f.find(root, func(n *jsontext.Node) bool { return n.Kind == jsontext.String && namesMemctl(n.Text) && !f.ours(n) }) {
		if !slices.ContainsFunc(t, func(s step) bool { return f.ours(s.in) }) {
			l.Others = append(l.Others, t.value().Text)
		}
	}
	return l, nil
}

// Install adds the entries that are missing.
func (f jsonFile) Install(src []byte) ([]byte, error) {
	root, err := f.parse(src)
	fresh := root == nil
	for _, e := range f.entries {
		if err == nil && !slices.ContainsFunc(f.findOurs(root), e.isAt) && !f.isTakenByOther(root, e) {
			src = put(src, root, e)
			root, err = f.parse(src)
		}
	}
	if err == nil && fresh && f.version != "" {
		src = jsontext.AppendChild(src, root, "version", jsontext.Value{Raw: f.version})
	}
	return src, err
}

// Remove takes memctl's values out, the last one first, and with them the lists and objects that were made for them.
func (f jsonFile) Remove(src []byte) ([]byte, error) {
	for {
		root, err := f.parse(src)
		if err != nil {
			return nil, err
		}
		list := f.find(root, f.ours)
		if len(list) == 0 {
			return src, nil
		}
		if src = f.cut(src, root, list[len(list)-1]); src == nil {
			return nil, nil
		}
	}
}

// put adds an entry at the end of its list or object, which it makes with all that holds it where they are missing. A blank file
// gets no line end, so that Remove can tell it from a file that was not there.
func put(src []byte, root *jsontext.Node, e entry) []byte {
	in, names, value := root, e.at, e.item
	for len(names) > 0 && in.Member(names[0]) != nil {
		in, names = in.Member(names[0]), names[1:]
	}
	if in != nil && len(names) == 0 {
		return jsontext.AppendChild(src, in, e.name, value)
	}
	if e.name == "" {
		value = jsontext.Value{Items: []jsontext.Value{value}}
	} else {
		names = append(slices.Clip(names), e.name)
	}
	for _, name := range slices.Backward(names[1:]) {
		value = jsontext.Value{Members: []jsontext.Member{{Name: name, Value: value}}}
	}
	if in != nil {
		return jsontext.AppendChild(src, in, names[0], value)
	}
	text := jsontext.PrintFile([]jsontext.Member{{Name: names[0], Value: value}})
	if src == nil {
		return text
	}
	return append(slices.Clone(src), text[:len(text)-1]...)
}

// cut removes the value at the end of the trail, and each container that does nothing without it: an empty one, a group of hooks
// that has only a matcher, and the whole of a file that memctl made. It returns nil where nothing is left of the file.
func (f jsonFile) cut(src []byte, root *jsontext.Node, t trail) []byte {
	for _, s := range slices.Backward(t) {
		if s.in.Kind == jsontext.Object && len(s.in.Children) == 2 && s.in.Children[s.i].Key == "hooks" && f.isUnusedMember(src, s.in.Children[1-s.i], s) {
			continue
		}
		if out, alone := jsontext.RemoveChild(src, s.in, s.i); !alone {
			return out
		}
	}
	rest := append(slices.Clone(src[:root.Start]), src[root.End:]...)
	if string(rest) == "\n" && root.Start == 0 {
		return nil
	}
	return rest
}

// isUnusedMember reports whether a member does nothing without the hooks beside it. Of a file, that is the version that Install put behind
// the hooks.
func (f jsonFile) isUnusedMember(src []byte, beside jsontext.Child, s step) bool {
	return beside.Key == "matcher" || f.version != "" && s.i == 0 && beside.Key == "version" && string(src[beside.Value.Start:beside.Value.End]) == f.version
}
