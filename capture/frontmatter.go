package capture

import "strings"

// fields are the plain fields of a front matter, by their names in lower case.
// Only what rule files use is read: one value a line, a list on its line, or
// items with dashes below. It is no YAML reader, because the rest means nothing
// here.
type fields map[string][]string

func (f fields) get(name string) string {
	if list := f[name]; len(list) > 0 {
		return list[0]
	}
	return ""
}

// list is a field's values, taken apart at commas.
func (f fields) list(name string) []string {
	var out []string
	for _, v := range f[name] {
		for part := range strings.SplitSeq(strings.Trim(v, "[]"), ",") {
			if part = unquoted(part); part != "" {
				out = append(out, part)
			}
		}
	}
	return out
}

// frontMatter takes the front matter off a text. first is the number of the
// line that the rest begins at.
func frontMatter(text string) (f fields, body string, first int) {
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return nil, text, 1
	}
	f = fields{}
	line, name := 1, ""
	for rest != "" {
		var at string
		at, rest, _ = strings.Cut(rest, "\n")
		line++
		trimmed := strings.TrimSpace(at)
		if trimmed == "---" || trimmed == "..." {
			return f, rest, line + 1
		}
		if item, ok := strings.CutPrefix(trimmed, "- "); ok && name != "" {
			f[name] = append(f[name], unquoted(item))
			continue
		}
		key, value, ok := strings.Cut(trimmed, ":")
		if !ok {
			continue
		}
		name = strings.ToLower(strings.TrimSpace(key))
		f[name] = nil
		if value = unquoted(value); value != "" {
			f[name] = []string{value}
		}
	}
	return nil, text, 1 // it never ended, so it was none
}

func unquoted(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}
