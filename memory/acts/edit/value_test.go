package edit

import (
	"testing"

	"github.com/memctl/memctl/memfile"
)

func TestStorable(t *testing.T) {
	list := func(vs ...memfile.Value) memfile.Value { return memfile.Value{Kind: memfile.List, List: vs} }
	field := func(v memfile.Value) memfile.Value {
		return memfile.Value{Kind: memfile.Map, Map: []memfile.Field{{Name: "n", Value: v}}}
	}
	tests := map[string]struct {
		value memfile.Value
		want  bool
	}{
		"a string":         {memfile.Str("x"), true},
		"null":             {memfile.Value{}, false},
		"a list":           {list(memfile.Str("x"), memfile.Value{}), true},
		"a list in a list": {list(list()), false},
		"a map":            {field(memfile.Str("x")), true},
		"a list in a map":  {field(list()), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := checkValue("a.b", test.value) == nil; got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
