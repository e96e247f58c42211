package memfile

import (
	"strings"
	"testing"
)

func TestOurs(t *testing.T) {
	item := "    - key: a.b\n      value: x\n      added: 2026-11-21\n      source: said\n      confidence: high\n"
	whole := strings.Replace(Template, "  items: []\n", "  items:\n"+item, 1)
	for name, c := range map[string]struct {
		src  string
		ours bool
	}{
		"a whole file":                      {whole, true},
		"a misspelled head":                 {strings.Replace(Template, "saved_memory", "saved_memroy", 1), true},
		"another spelling of it":            {strings.Replace(Template, "saved_memory:", "Saved-Memories: # all", 1), true},
		"two words":                         {strings.Replace(Template, "saved_memory", "saved memory", 1), true},
		"another name over items":           {strings.Replace(whole, "saved_memory", "memory", 1), true},
		"no head":                           {strings.Replace(whole, "saved_memory:\n", "", 1), true},
		"items alone":                       {item, true},
		"a tombstone alone":                 {"deletions:\n  - key: a.b\n    removed: 2026-11-21\n    reason: said so\n", true},
		"CRLF":                              {strings.ReplaceAll(item, "\n", "\r\n"), true},
		"nothing":                           {"", false},
		"prose":                             {"# Memories\n\nSaved memory: of a summer.\n\n- items: a hat\n", false},
		"a heading of that name":            {"saved memories:\n\n- a hat\n- a coat\n", false},
		"a block of another kind":           {"```yaml\nmemory:\n  limit: 2\n  items:\n    - name: x\n      value: y\n```\n", false},
		"keys of another kind":              {"- key: value pairs\n  value: many\n  source: here\n", false},
		"a key with one field of that name": {"- key: app.name\n  value: x\n", false},
		"fields that belong to the next":    {"- key: app.name\n  value: x\n- key: app.other\n  value: y\n", false},
		"in UTF-16":                         {"\xff\xfe" + wide(whole, 0), true},
		"its other order":                   {"\xfe\xff" + wide(whole, 1), true},
		"without its mark":                  {wide(whole, 0), true},
		"the other order without its mark":  {wide(strings.Replace(whole, "saved_memory", "saved_memroy", 1), 1), true},
		"prose in UTF-16":                   {"\xff\xfe" + wide("# Memories\n\nOf a summer.\n", 0), false},
		"a mark alone":                      {"\xff\xfe", false},
		"half a letter":                     {"\xfe\xff\x00", false},
		"NULs":                              {strings.Repeat("\x00", 40), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Ours([]byte(c.src)); got != c.ours {
				t.Errorf("Ours is %v", got)
			}
		})
	}
}

// wide is a text of plain letters in UTF-16 with its NULs before (1) or behind (0) them.
func wide(text string, order int) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		b.Write([][]byte{{c, 0}, {0, c}}[order])
	}
	return b.String()
}
