package jsontext

import (
	"slices"
	"strings"
	"testing"
)

func TestChildrenStandWhereTheyAre(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want []string
		end  int
	}{
		"members":                     {`{"a": 1, "b":{"c":[2]} } x`, []string{`"a":1`, `"b":{"c":[2]}`}, 24},
		"elements":                    {`[ "a\"]", {} ,3]`, []string{`:"a\"]"`, `:{}`, `:3`}, 16},
		"nothing":                     {`{ }`, nil, 3},
		"a fault after a member":      {`{"a":1 "b":2}`, []string{`"a":1`}, -1},
		"a text that is cut":          {`{"a":1,"b":[2`, []string{`"a":1`}, -1},
		"a bracket of another kind":   {`{"a":[1}}`, nil, -1},
		"a container that has no end": {`[`, nil, -1},
		"a name without a value":      {`{"a"`, nil, -1},
		"deep nesting":                {`[` + strings.Repeat("[", maxSkippedDepth+1), nil, -1},
	} {
		var got []string
		end := VisitChildren([]byte(tt.text), 0, func(name, value Span) {
			got = append(got, tt.text[name.From:name.To]+":"+tt.text[value.From:value.To])
		})
		if !slices.Equal(got, tt.want) || end != tt.end {
			t.Errorf("%s: %q and %d, want %q and %d", name, got, end, tt.want, tt.end)
		}
	}
}
