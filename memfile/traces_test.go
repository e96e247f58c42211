package memfile

import (
	"bytes"
	"compress/gzip"
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
		"the word in a sentence":            {"# Notes\n\nThe block saved_memory: read it.\n`saved_memory` is its name.\n", false},
		"a title, and no line ends":         {strings.ReplaceAll("# Our memory\n\n"+whole, "\n", "\r"), true},
		"lines with numbers":                {strings.ReplaceAll(whole, "\n", "\n    12\t"), true},
		"a string of JSON":                  {`"# Memory\n\nsaved_memory:\n  items:\n"`, true},
		"JSON in a list":                    {`[{"saved_memory": {"items": []}}]`, true},
		"a head of JSON":                    {"{\"saved_memory\": {}}", true},
		"a head behind other parts":         {"{deletions: [], saved_memory: {", true},
		"a head that lost its line ends":    {"```yaml saved_memory:  version: 1", true},
		"a head behind NULs":                {"\x00\x00saved_memory: {}", true},
		"a torn head":                       {"```yaml\nsaved_memory", true},
		"a shorter one":                     {"```y", true},
		"a shorter one with CRLF":           {"\ufeff```yaml\r\nsav", true},
		"a block of yaml that goes on":      {"```yaml\nsa: 1\n", false},
		"prose":                             {"# Memories\n\nSaved memory: of a summer.\n\n- items: a hat\n", false},
		"a heading of that name":            {"saved memories:\n\n- a hat\n- a coat\n", false},
		"a block of another kind":           {"```yaml\nmemory:\n  limit: 2\n  items:\n    - name: x\n      value: y\n```\n", false},
		"keys of another kind":              {"- key: value pairs\n  value: many\n  source: here\n", false},
		"a key with one field of that name": {"- key: app.name\n  value: x\n", false},
		"fields that belong to the next":    {"- key: app.name\n  value: x\n- key: app.other\n  value: y\n", false},
		"a whole file in UTF-16":            {"\xff\xfe" + wide(whole), false},
		"a mark alone":                      {"\xff\xfe", false},
		"half a letter":                     {"\xfe\xff\x00", false},
		"NULs":                              {strings.Repeat("\x00", 40), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := IsMemory([]byte(c.src)); got != c.ours {
				t.Errorf("Ours is %v", got)
			}
		})
	}
}

func TestSealed(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte(strings.Repeat(Template, 3)))
	_ = z.Close()
	for name, c := range map[string]struct {
		src    string
		sealed bool
	}{
		"nothing":            {"", false},
		"white space":        {" \n\n", false},
		"NULs":               {strings.Repeat("\x00", 40), false},
		"a mark alone":       {"\ufeff", false},
		"UTF-16's mark":      {"\xff\xfe", false},
		"a memory file":      {Template, false},
		"a page":             {"# Memories\n\nOf a summer.\n", false},
		"packed data":        {packed.String(), true},
		"an encrypted file":  {"Salted__" + packed.String(), true},
		"a file in UTF-16":   {"\xff\xfe" + wide(Template), true},
		"a key's own header": {"age-encryption.org/v1\n-> X25519 abc\n--- abc\n" + strings.Repeat(packed.String(), 3), true},
	} {
		if got := MayBeEncrypted([]byte(c.src)); got != c.sealed {
			t.Errorf("%s: Sealed is %v", name, got)
		}
	}
}

func TestPage(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte(strings.Repeat(Template, 3)))
	_ = z.Close()
	for name, c := range map[string]struct {
		src  string
		page bool
	}{
		"prose":                       {"# Memories\n\nOf a summer.\n", true},
		"one letter":                  {"a", true},
		"a number":                    {"12\n", true},
		"letters of another script":   {"記憶\n", true},
		"prose in another encoding":   {"Sch\xf6n war es, und gro\xdf.\n", true},
		"no other letters":            {"\xb1\xca\xbc\xc7\xb1\xca\xbc\xc7\n", true},
		"prose with a NUL in it":      {strings.Repeat("Of a summer.\n", 9) + "\x00", true},
		"yaml of other content":       {"name: x\nitems: [a, b]\n", true},
		"a page that tells of memory": {"We keep saved_memory in a file.\n", true},
		"what git-crypt locked":       {"\x00GITCRYPT\x00\x03\xff\x02", true},
		"a memory file":               {Template, false},
		"a torn one":                  {Template[:5], false},
		"a torn one with NULs":        {Template[:6] + strings.Repeat("\x00", 90), false},
		"nothing":                     {"", false},
		"a line end":                  {"\n", false},
		"white space":                 {" \t\r\n\u00a0\u200b\n", false},
		"a rule":                      {"---\n", false},
		"a mark of UTF-8":             {"\ufeff", false},
		"half of it":                  {"\xef\xbb", false},
		"a mark of UTF-16":            {"\xff\xfe", false},
		"a mark of UTF-32":            {"\x00\x00\xfe\xff", false},
		"NULs":                        {strings.Repeat("\x00", 300), false},
		"NULs behind some text":       {"value: x\n" + strings.Repeat("\x00", 300), false},
		"control characters":          {"\x01\x02\x03", false},
		"compressed":                  {packed.String(), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := IsPage([]byte(c.src)); got != c.page {
				t.Errorf("Page is %v", got)
			}
		})
	}
}

// wide is a text of plain letters in UTF-16.
func wide(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		b.Write([]byte{c, 0})
	}
	return b.String()
}
