package capture

import "strings"

// cellsOf takes a row of a table apart.
func cellsOf(row string) (cells []string) {
	row = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(row), "|"), "|")
	from, code := 0, false
	for i := range len(row) {
		switch {
		case row[i] == '`':
			code = !code
		case row[i] == '|' && !code && (i == 0 || row[i-1] != '\\'):
			cells, from = append(cells, plainInline(row[from:i])), i+1
		}
	}
	return append(cells, plainInline(row[from:]))
}

// trimLabel is a label without the marks at its end.
func trimLabel(text string) string { return strings.TrimRight(text, ":：.。;；, ") }

// sentencesOf takes a text apart after each sentence.
func sentencesOf(text string) (list []string) {
	for at := 0; at < len(text); {
		end := len(text)
		for i, r := range text[at:] {
			after := text[at+i+len(string(r)):]
			if strings.ContainsRune("。！？", r) || strings.ContainsRune(".!?؟।", r) && strings.HasPrefix(after, " ") && strings.Count(text[at:at+i], "`")%2 == 0 && i > 3 {
				end = len(text) - len(after)
				break
			}
		}
		list, at = append(list, strings.TrimSpace(text[at:end])), end
	}
	return list
}

// piecesOf puts as many sentences of a text together as there is room for.
func piecesOf(text string, room int) (list []string) {
	if len(text) <= room {
		return []string{text}
	}
	for _, s := range sentencesOf(text) {
		if n := len(list); n > 0 && len(list[n-1])+1+len(s) <= room {
			list[n-1] += " " + s
		} else {
			list = append(list, s)
		}
	}
	return list
}

// withoutCode is a text without its code.
func withoutCode(text string) string {
	parts := strings.Split(text, "`")
	for i := 1; i < len(parts); i += 2 {
		parts[i] = ""
	}
	return strings.Join(parts, " ")
}

// plainInline takes off the marks of bold text. Code and links stay as they are.
func plainInline(text string) string {
	text = strings.TrimSpace(text)
	if boldLine(text) {
		text = strings.ReplaceAll(strings.Trim(text, "*_"), "  ", " ")
	}
	if len(text) > maxSource || !strings.Contains(text, "**") {
		return text
	}
	parts := strings.Split(text, "`")
	for i := 0; i < len(parts); i += 2 { // the others are code
		parts[i] = strings.ReplaceAll(parts[i], "**", "")
	}
	return strings.TrimSpace(strings.Join(parts, "`"))
}

// withoutTargets is a text with the labels of its links alone.
func withoutTargets(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		label, size := link(text[i:])
		b.WriteString(label)
		i += size
	}
	return b.String()
}

// link reads a link at the start of text: its label and how many bytes it takes. Of any other text it is
// the first byte.
func link(text string) (label string, size int) {
	end := strings.IndexByte(text, ']')
	if text[0] != '[' || end < 0 || end+1 >= len(text) || text[end+1] != '(' {
		return text[:1], 1
	}
	stop := strings.IndexByte(text[end:], ')')
	if stop < 0 {
		return text[:1], 1
	}
	return text[1:end], end + stop + 1
}

// onlyLink reports whether a text is a link and nothing else.
func onlyLink(text string) bool {
	_, size := link(text + " ")
	return size > 1 && strings.Trim(text[min(size, len(text)):], " .;,") == ""
}
