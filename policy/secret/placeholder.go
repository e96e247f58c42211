package secret

import (
	"strings"

	"github.com/memctl/memctl/policy/chars"
)

// placeholder reports whether a value stands for a secret without being one:
// a variable, a template, a row of x, the word for what belongs there.
func placeholder(v string) bool {
	if v == "" {
		return true
	}
	switch v[0] {
	case '$', '%', '<', '{', '[', '(', '*', '&', '#':
		return true
	}
	v = v[:min(len(v), 200)]
	c := chars.Count(v)
	if len(v) >= 6 && c.Distinct <= 3 || c.LongestRun >= 8 && c.LongestRun*3 >= len(v) {
		return true
	}
	l := chars.LowerASCII(v)
	if strings.HasPrefix(l, "my_") && (strings.HasSuffix(l, "_key") || strings.HasSuffix(l, "_secret") || strings.HasSuffix(l, "_token")) && c.Digits == 0 {
		return true
	}
	for _, w := range placeholderParts {
		if strings.Contains(l, w) {
			return true
		}
	}
	return false
}

// placeholderParts never stand in a real secret but by an unlikely chance.
var placeholderParts = []string{
	"example", "xxxxx", "*****", ".....", "placeholder", "redacted", "your_", "your-", "yourtoken", "yourkey",
	"yourapi", "yoursecret", "yourpass", "your_", "_here", "-here", "tokenhere", "keyhere", "changeme", "change_me",
	"change-me", "replaceme", "replace_", "replace-", "insert_", "insert-", "dummy", "${", "{{", "$(", "#####", "todo",
	"<", "…", "process.env", "os.environ", "getenv", "env.", "env[", "secrets.", "vault:", "config.", "settings.", "arn:aws", "new ", "function", "null)",
}
