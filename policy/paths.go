package policy

import (
	"strings"

	"github.com/memctl/memctl/memfile"
)

// PathTexts are the strings of a file's path, with slashes, that the policy judges: each
// part that can say anything, and all parts together. Of the paths that memctl makes it
// gives none.
func PathTexts(name string) []memfile.Text {
	name = strings.TrimSuffix(name, ".md")
	var list []memfile.Text
	parts := 0
	for part := range strings.SplitSeq(name, "/") {
		if parts++; !isMemctlPart(part) {
			list = append(list, memfile.Text{Where: "path", Text: part})
		}
	}
	if len(list) > 0 && parts > 1 {
		list = append(list, memfile.Text{Where: "path", Text: name})
	}
	return list
}

// isMemctlPart reports whether a part of a path is a folder of memctl's, a day, or an id with
// or without a time before it.
func isMemctlPart(part string) bool {
	switch part {
	case "", "memories", "entries", "notes", "facts", "summaries", "turns", "user", "assistant", "deleted", "project", "global", "summary":
		return true
	}
	if stamp, id, timed := strings.Cut(part, "__"); timed && strings.Trim(stamp, "0123456789T.Z") == "" && len(stamp) <= len("20060102T150405.000Z") {
		part = id
	}
	const uuid, day = 36, 10
	switch len(part) {
	case uuid:
		return strings.Count(part, "-") == 4 && strings.Trim(part, "0123456789abcdef-") == ""
	case day:
		return strings.Count(part, "-") == 2 && strings.Trim(part, "0123456789-") == ""
	}
	return false
}

// RulePath rules on a file's path, as an agent would be told of it.
func RulePath(name string) Ruling { return Rule(Candidate{OtherTexts: PathTexts(name), Raw: true}) }

// ScanFile is Scan of a file's bytes, and of its path before them: a finding about the path
// has no line. A file without bytes (nil) holds nothing, wherever it was.
func ScanFile(name string, src []byte) []Finding {
	if src == nil {
		return nil
	}
	for _, t := range PathTexts(name) {
		if found := Scan([]byte(t.Text)); len(found) > 0 {
			found[0].Line, found[0].Column, found[0].Where = 0, 0, "path"
			return append(found[:1], Scan(src)...)
		}
	}
	return Scan(src)
}

// ShownPath is a path as it may be printed: without secrets, on one line.
func ShownPath(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		stem, isMarkdown := strings.CutSuffix(part, ".md")
		if parts[i] = string(Redact([]byte(stem))); isMarkdown {
			parts[i] += ".md"
		}
	}
	return Inert(string(Redact([]byte(strings.Join(parts, "/")))))
}
