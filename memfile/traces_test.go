package memfile

import (
	"strings"
	"testing"
)

func TestMemoryOrPage(t *testing.T) {
	const neither, memory, page = "neither", "memory", "page"
	for name, c := range map[string]struct{ src, want string }{
		"a whole file":                 {Template, memory},
		"CRLF":                         {strings.ReplaceAll(Template, "\n", "\r\n"), memory},
		"a title, and CR as line ends": {strings.ReplaceAll("# Our memory\n\n"+Template, "\n", "\r"), memory},
		"a head without its fence":     {"# Ours\nsaved_memory:\n", memory},
		"a torn head":                  {"```yaml\nsaved_memory", memory},
		"a head behind NULs":           {"\x00\x00saved_memory: {}", memory},
		"JSON":                         {"{\"saved_memory\": {}}", memory},
		"a misspelled head":            {strings.Replace(Template, "saved_memory", "saved_memroy", 1), page},
		"items alone":                  {"- key: a.b\n  value: x\n  confidence: high\n", page},
		"prose":                        {"# Memories\n\nOf a summer.\n", page},
		"the name within a sentence":   {"We keep saved_memory in a file.\n", page},
		"one letter":                   {"a", page},
		"letters of another script":    {"記憶\n", page},
		"prose in another encoding":    {"Sch\xf6n war es, und gro\xdf.\n", page},
		"what git-crypt locked":        {"\x00GITCRYPT\x00\x03\xff\x02", page},
		"NULs behind some text":        {"value: x\n" + strings.Repeat("\x00", 300), page},
		"nothing":                      {"", neither},
		"white space":                  {" \t\r\n\u00a0\n", neither},
		"a mark of UTF-8":              {"\ufeff", neither},
		"a mark of UTF-16":             {"\xff\xfe", neither},
		"NULs":                         {strings.Repeat("\x00", 300), neither},
	} {
		t.Run(name, func(t *testing.T) {
			got := neither
			if IsMemory([]byte(c.src)) {
				got = memory
			}
			if IsPage([]byte(c.src)) {
				got = page
			}
			if got != c.want {
				t.Errorf("it is %s", got)
			}
		})
	}
}
