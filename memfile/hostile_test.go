package memfile

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestNoInputIsSlow reads inputs of a megabyte, each of which took minutes or would if the time grew with the
// square of the input: then the tests of this package end at go test's own limit. With -v it prints the times,
// which are below a second on a quiet machine.
func TestNoInputIsSlow(t *testing.T) {
	const mb = 1 << 20
	fill := func(s string) string { return strings.Repeat(s, (mb-400)/len(s)) }
	var keys, nested, items, nest, stair strings.Builder
	for i := range 90_000 {
		fmt.Fprintf(&keys, "k%d: 1\n", i)
	}
	for i := range 1400 {
		nested.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	for i := range 20_000 {
		fmt.Fprintf(&items, "    - key: a.b%d\n      value: text of item\n", i)
	}
	for i := range 1400 {
		nest.WriteString(strings.Repeat(" ", i) + "- x\n")
	}
	for i := range 700 {
		stair.WriteString(strings.Repeat("  ", i) + "- x\n")
	}
	block := func(s string) string { return "```yaml\n" + s + "\n```\n" }
	for name, src := range map[string]string{
		"opening brackets":            block("a: " + fill("[")),
		"brackets in pairs":           block("a: [" + fill("[],") + "]"),
		"opening braces with keys":    block("a: " + fill("{a: ")),
		"dashes":                      block(fill("- ")),
		"dashes on lines":             block(fill("-\n")),
		"keys in one map":             block(keys.String()),
		"keys in one flow map":        block("{" + strings.ReplaceAll(keys.String(), "\n", ", ") + "}"),
		"maps that nest":              block(nested.String()),
		"items":                       block("saved_memory:\n  items:\n" + items.String()),
		"one plain scalar of lines":   block("a:\n" + fill("  b \n")),
		"one quoted scalar of lines":  block("a: \"" + fill("  b \n") + "\""),
		"one literal of blank lines":  block("a: |\n" + fill(" \n")),
		"folded lines":                block("a: >\n" + fill("  b\n\n   c\n")),
		"comments":                    block(fill("# a\n") + "a: 1"),
		"quotes that never close":     block(fill("- \"\n")),
		"apostrophes":                 block("a: '" + fill("''")),
		"colons":                      block(fill(":")),
		"escapes":                     block("a: \"" + fill(`\n`) + "\""),
		"backslashes":                 block("a: \"" + fill(`\`) + "\""),
		"values in a flow list":       block("a: [" + fill("b,") + "]"),
		"flow lists in lines":         block("a:\n" + fill("  - [a]\n")),
		"blank lines in a flow list":  block("a: [" + fill("\n") + "]"),
		"allowances":                  block("saved_memory:\n  items:\n    - key: a.b\n" + fill("      # memctl:allow too-long 12345678 x\n")),
		"quotations":                  strings.Repeat(">", mb-10) + "\n```\n",
		"quotations on lines":         strings.Repeat(strings.Repeat(">", 999)+"\n", mb/1000-1) + "\n```\n",
		"lists in lists":              nest.String() + "```\n",
		"lists in lists, step two":    stair.String() + stair.String() + "```\n",
		"list markers on a line":      strings.Repeat("1. ", mb/3-10) + "\n```\n",
		"fences":                      strings.Repeat("```\n", mb/4-10),
		"yaml fences":                 strings.Repeat("```yaml\n```\n", mb/12-10),
		"headings of notes":           strings.Repeat(NotesHeading+"\n", mb/27-10),
		"headings of notes in fences": strings.Repeat("```\n"+NotesHeading+"\n```\n", mb/36-10),
		"strays":                      block("saved_memory: {}") + strings.Repeat("    - a: b\n\n", mb/12-10),
		"bullets":                     block("saved_memory: {}") + strings.Repeat("- a\n  - b: c\n", mb/14-10),
		"markers of conflicts":        strings.Repeat("<<<<<<< a\n", mb/10-10),
		"blanks":                      strings.Repeat(" ", mb-10) + "\n```\n",
		"link definitions":            strings.Repeat("[a]: b\n", mb/7-10) + "```\n",
		"comments of HTML":            strings.Repeat("<!-- ", mb/5-10) + "\n```\n",
		"lines of one paragraph":      strings.Repeat("a\n", mb/2-10) + "```\n",
		"tabs":                        strings.Repeat("\t- ", mb/3-10) + "\n```\n",
	} {
		t.Run(name, func(t *testing.T) {
			if len(src) > MaxFileBytes {
				t.Fatalf("the input is too large to test anything: %d", len(src))
			}
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			f, problems := Parse("m", []byte(src))
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			space := (after.TotalAlloc - before.TotalAlloc) >> 20
			if testing.Verbose() {
				t.Logf("%v, %d MB allocated, %d problems, read: %v", took.Round(time.Millisecond), space, len(problems), f != nil)
			}
		})
	}
}
