package capture

import (
	"path"
	"slices"
	"strings"
)

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

// list is a field's values, taken apart at commas. Of braces it makes a value for each of their parts.
func (f fields) list(name string) (out []string) {
	for _, v := range f[name] {
		v = strings.TrimSuffix(strings.TrimPrefix(v, "["), "]")
		deep := 0
		for _, part := range strings.FieldsFunc(v, func(r rune) bool {
			switch r {
			case '{':
				deep++
			case '}':
				deep--
			}
			return r == ',' && deep == 0
		}) {
			if part = withoutQuotes(part); part != "" {
				out = append(out, unbraced(part)...)
			}
		}
	}
	return out
}

// unbraced returns the globs that one with braces stands for.
func unbraced(glob string) (list []string) {
	before, rest, open := strings.Cut(glob, "{")
	inner, after, closed := strings.Cut(rest, "}")
	if !open || !closed || strings.Count(glob, "{") > 3 {
		return []string{glob}
	}
	for part := range strings.SplitSeq(inner, ",") {
		list = append(list, unbraced(before+strings.TrimSpace(part)+after)...)
	}
	return list
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
			f[name] = append(f[name], withoutQuotes(item))
			continue
		}
		key, value, ok := strings.Cut(trimmed, ":")
		if !ok {
			continue
		}
		name = strings.ToLower(strings.TrimSpace(key))
		f[name] = nil
		if value = withoutQuotes(value); value != "" {
			f[name] = []string{value}
		}
	}
	return nil, text, 1 // it never ended, so it was none
}

func withoutQuotes(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// pathsOf is where the rules of a file apply: what its front matter says, below the folder that the file is about.
func pathsOf(front fields, folder string) (list []string) {
	if front.get("alwaysapply") != "true" {
		for _, name := range [...]string{"globs", "applyto", "paths"} {
			for _, glob := range front.list(name) {
				glob = strings.TrimPrefix(strings.TrimPrefix(glob, "./"), "/")
				switch {
				case glob == "**" || glob == "**/*" || glob == "*" || strings.Contains("/"+glob+"/", "/../"):
					list = append(list, path.Join(folder, "**")) // everywhere in the folder
				case !strings.Contains(glob, "/"):
					list = append(list, path.Join(folder, "**", glob))
				default:
					list = append(list, path.Join(folder, glob))
				}
			}
		}
	}
	if len(list) == 0 && folder != "" {
		list = []string{folder + "/**"}
	}
	if slices.Contains(list, "**") {
		return nil
	}
	return tagged(list...)
}
