package mdtext

import (
	"fmt"
	"strings"
	"testing"
)

func TestStatements(t *testing.T) {
	for expectation, tt := range map[string]struct{ src, want string }{
		"list items and paragraphs with their lines":             {"# H\n\nSome\ntext\n\n- a\n- b\n  c\n1. d\n", "3 Some text|6* a|7* b c|9* d"},
		"an item with something below it is not whole":           {"- a\n  - b\n- c\n\n  more\n", "1 item a|2 item b|3 item c|5 more"},
		"a list under a colon is not whole":                      {"Never:\n\n- a\n\n## H\n\n- b\n", "1 Never:|3 item a|7* b"},
		"nor under one of another script, or a bold line":        {"決して：\n- a\n\n**Not so**\n- b\n", "1 決して：|2 item a|4 **Not so**|5 item b"},
		"code, comments, quotations and HTML say nothing":        {"```\n- a\n```\n\n    - b\n\n> - c\n\n<!--\n- d\n-->\n\n<p>\n- e\n</p>\n", ""},
		"Windows' line ends and a mark at the start are no text": {"\ufeff- a\r\n- b\r\n", "1* a|2* b"},
	} {
		var got []string
		for _, s := range Statements([]byte(tt.src)) {
			kind := ""
			switch {
			case s.Item && s.Whole:
				kind = "*"
			case s.Item:
				kind = " item"
			}
			got = append(got, fmt.Sprintf("%d%s %s", s.Line, kind, s.Text))
		}
		if joined := strings.Join(got, "|"); joined != tt.want {
			t.Errorf("%s: %s, want %s", expectation, joined, tt.want)
		}
	}
}
