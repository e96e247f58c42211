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

// trail leads from the root to a value: the containers and the child in each.
type trail []step

type step struct {
	in *jsontext.Node
	i  int
}

// walk reads settings and follows the names down to a value of a kind; value is nil where there is none. root is nil
// for a file that is not there or blank.
func walk(src []byte, kind jsontext.Kind, names ...string) (root, value *jsontext.Node, at trail, err error) {
	if root, err = jsontext.Parse(src); err != nil || root == nil {
		return nil, nil, nil, err
	}
	value = root
	for i := range len(names) + 1 {
		want, what := jsontext.Object, "the whole"
		if i == len(names) {
			want = kind
		}
		if i > 0 {
			what = `"` + strings.Join(names[:i], `"."`) + `"`
		}
		if value != nil && value.Kind != want {
			return nil, nil, nil, fmt.Errorf("%s: %w", what, errShape)
		}
		if i < len(names) {
			at, value = member(at, value, names[i])
		}
	}
	return root, value, at, nil
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

// put adds values under the names: at the end of a list, which it makes with all that holds it where they are missing.
func put(src []byte, values []jsontext.Item, names ...string) ([]byte, error) {
	root, list, _, err := walk(src, jsontext.Array, names...)
	if err != nil || list == nil {
		return putNew(src, root, jsontext.Item{Items: values}, names), err
	}
	for _, value := range values {
		src = jsontext.Append(src, list, "", value)
		if _, list, _, err = walk(src, jsontext.Array, names...); err != nil {
			return nil, err
		}
	}
	return src, nil
}

// putNew adds a missing value under the last of the names. A blank file stays as it is and gets no line end, so that Remove can
// tell it from a file that was not there.
func putNew(src []byte, root *jsontext.Node, value jsontext.Item, names []string) []byte {
	in := root
	for len(names) > 1 && in.Member(names[0]) != nil {
		in, names = in.Member(names[0]), names[1:]
	}
	for _, name := range slices.Backward(names[1:]) {
		value = jsontext.Item{Members: []jsontext.Member{{Name: name, Value: value}}}
	}
	if in != nil {
		return jsontext.Append(src, in, names[0], value)
	}
	text := jsontext.New([]jsontext.Member{{Name: names[0], Value: value}})
	if src == nil {
		return text
	}
	return append(slices.Clone(src), text[:len(text)-1]...)
}

// remove removes the value at the end of the trail, and each container that is empty without it. It returns nil
// where the whole file was ours.
func (t trail) remove(src []byte, root *jsontext.Node) []byte {
	for _, s := range slices.Backward(t) {
		if out, alone := jsontext.Remove(src, s.in, s.i); !alone {
			return out
		}
	}
	rest := append(slices.Clone(src[:root.Start]), src[root.End:]...)
	if string(rest) == "\n" && root.Start == 0 {
		return nil
	}
	return rest
}
