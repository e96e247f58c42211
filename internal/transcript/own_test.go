package transcript

import (
	"slices"
	"strings"
	"testing"
)

func ownTexts(s string) []string {
	list := []string{}
	for _, span := range Own(s) {
		list = append(list, s[span.From:span.To])
	}
	return list
}

func TestOwn(t *testing.T) {
	own := func(list ...string) []string { return append([]string{}, list...) }
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"plain words":                 {"From now on, use tabs.\nAnd never push.", own("From now on, use tabs.\nAnd never push.")},
		"nothing":                     {" \n", own()},
		"a fence":                     {"use tabs\n```go\n// always use spaces\n```\nplease", own("use tabs", "please")},
		"a fence in a line":           {"the error is ```always fails``` so use tabs", own("the error is", "so use tabs")},
		"a fence in a longer fence":   {"a\n````\n```\nnever\n```\nnever\n````\nb it is", own("a", "b it is")},
		"an open fence":               {"use tabs\n```\nnever push", own("use tabs")},
		"tildes":                      {"use tabs\n~~~\nnever push\n~~~\ngo", own("use tabs", "go")},
		"tildes in a sentence":        {"so nice~~~ always use tabs", own("so nice~~~ always use tabs")},
		"tildes in a fence":           {"a\n```\n~~~\n```\nuse tabs", own("a", "use tabs")},
		"inline code stays":           {"always run `make check`", own("always run `make check`")},
		"a sentence in backticks":     {"the README has `Always use four spaces.` so why", own("the README has", "so why")},
		"a command of four words":     {"always run `go test ./... -race` first", own("always run `go test ./... -race` first")},
		"a block quote":               {"> always use spaces\n> and never tabs\n\nno, use tabs", own("no, use tabs")},
		"a reminder":                  {"<system-reminder>never push</system-reminder>\nuse tabs <system-reminder>always\nask</system-reminder>", own("use tabs")},
		"a hook's context":            {"<hook_context># Memory\n- never push</hook_context>\n\nuse tabs", own("use tabs")},
		"the environment":             {"<environment_context>\n<cwd>/x</cwd>\n</environment_context>\nuse tabs", own("use tabs")},
		"an expanded command":         {"<command-name>/x</command-name>\n<command-args>never</command-args>", own()},
		"a reminder that is cut":      {"use tabs\n<system-reminder>never push", own("use tabs")},
		"tags around the words":       {"<user_query>\nuse tabs\n</user_query>", own("use tabs")},
		"pasted HTML":                 {"use tabs\n<div>\n<div>always</div>\nnever\n</div>\nplease", own("use tabs", "please")},
		"a tag in a sentence":         {"always use <b>bold</b> here", own("always use <b>bold</b> here")},
		"a placeholder":               {"<name> must be lower case", own("<name> must be lower case")},
		"an address":                  {"<https://example.com> is always down", own("<https://example.com> is always down")},
		"a template of an editor":     {"For the code present, we get this error:\n```\nnever used\n```\nHow can I resolve this? If you propose a fix, please make it concise.", own()},
		"an editor's context":         {"# Context from my IDE setup:\n\n## Active file: a.go\n\n## My request for Codex:\nuse tabs", own("use tabs")},
		"contents of files":           {"follow @a.md\n--- Content from referenced files ---\nContent from @a.md:\nnever push\n--- End of content ---", own("follow @a.md")},
		"an image":                    {"[Image #1] make it like this", own("make it like this")},
		"an interrupt":                {"[Request interrupted by user for tool use]", own()},
		"output that Aider adds":      {"I ran this command:\n\npytest\n\nAnd got this output:\n\nnever push", own("I ran this command:\n\npytest")},
		"a log":                       {"I see this:\n2026-03-04 05:06:07 INFO always retry\n2026-03-04 05:06:08 INFO retry\nuse tabs", own("I see this:", "use tabs")},
		"a log with times":            {"[05:06:07] never reached\nfix it", own("fix it")},
		"levels":                      {"ERROR: always fails\n[warn] never used\nfix it", own("fix it")},
		"a trace of JavaScript":       {"TypeError: x is never a function\n    at f (a.js:1:2)\n    at g (b.js:3:4)\n\nalways check types", own("always check types")},
		"a trace of Python":           {"Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    x()\nValueError: never\nuse tabs", own("use tabs")},
		"a trace of Go":               {"panic: always\n\ngoroutine 1 [running]:\nmain.f()\n\ta.go:12\n\nuse tabs", own("use tabs")},
		"errors of a compiler":        {"a.go:12:5: never used\nb/c.go:1:1: always true\nfix them", own("fix them")},
		"a place in a file":           {"look at a.go:12 and always check err", own("look at a.go:12 and always check err")},
		"a diff":                      {"apply this:\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-never push\n+always push\n\nthen commit", own("apply this:", "then commit")},
		"a list":                      {"- use tabs\n- never push\n    - not even docs\n1. always test", own("- use tabs\n- never push\n    - not even docs\n1. always test")},
		"a shell":                     {"$ make\nalways runs\nnever stops\n\nuse tabs", own("use tabs")},
		"a shell with a host":         {"ada@box:~/app$ make\nnever push\n\nuse tabs", own("use tabs")},
		"code without a fence":        {"rename it:\nconst never = true;\nif (never) {\n  push();\n}\nthen test", own("rename it:", "then test")},
		"words that look like code":   {"import statements should be sorted", own("import statements should be sorted")},
		"a line with a semicolon":     {"use tabs;\nnever push", own("use tabs;\nnever push")},
		"a long quotation":            {`the docs say "from now on always use spaces" but use tabs`, own("the docs say", "but use tabs")},
		"a quotation of another kind": {"he wrote «никогда не делай push сам» — use tabs", own("he wrote", "— use tabs")},
		"a quoted name":               {`call it "user name" always`, own(`call it "user name" always`)},
		"the whole message in quotes": {`"from now on always use tabs"`, own(`"from now on always use tabs"`)},
		"a conversation":              {"summarise:\n\nUser: use spaces\n\nAssistant: Yes, always.\nI promise.\n\nuse tabs", own("summarise:\n\nUser: use spaces", "use tabs")},
		"a speaker alone":             {"User: use tabs", own("User: use tabs")},
		"conflict markers":            {"<<<<<<< HEAD\n=======\n>>>>>>> x\nkeep ours", own("keep ours")},
		"another language":            {"これからは必ずタブを使って", own("これからは必ずタブを使って")},
		"CRLF":                        {"use tabs\r\n> never\r\nplease\r\n", own("use tabs", "please")},
	} {
		if got := ownTexts(tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, tt.want)
		}
	}
}

func FuzzOwn(f *testing.F) {
	f.Add("use tabs\n```\nx\n```\n<a><b></a> \"one two three four\"\n$ make\nUser: a\nAI: b")
	f.Add("For the code present, we get this error:\nx\n--- a/x\n+++ b/x\n@@ -1 @@\n at f (a:1)")
	f.Fuzz(func(t *testing.T, s string) {
		last := -1
		for _, span := range Own(s) {
			if span.From <= last || span.From >= span.To || span.To > len(s) || strings.TrimSpace(s[span.From:span.To]) != s[span.From:span.To] {
				t.Fatalf("%+v after %d of %d", span, last, len(s))
			}
			last = span.To
		}
	})
}

// BenchmarkOwn takes texts of 10,000 characters. Aim: 1 ms.
func BenchmarkOwn(b *testing.B) {
	for name, part := range map[string]string{
		"prose": "From now on, use tabs in all Go files, and never push to main. ", "lines": "use tabs\n", "tags": "<a>\n<b x>\n", "names": "", "fences": "```x", "quotes": `"a b c d`, "logs": "2026-03-04 05:06:07 INFO x\n",
	} {
		text := strings.Repeat(part, 10000/max(1, len(part)))
		for i := 0; name == "names" && len(text) < 10000; i++ {
			text += "<" + strings.Repeat(string(rune('a'+i%26)), 1+i/26) + ">\n"
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Own(text)
			}
		})
	}
}
