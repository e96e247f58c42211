package capture

import (
	"bytes"
	"encoding/json"
	"slices"
)

// jsonEntry is one entry of a JSON input and the line that it begins at.
type jsonEntry struct {
	raw  json.RawMessage
	line int
	name string // the member's name, where the entries stand in an object
}

// jsonEntries finds the entries of a JSON input: of an array, of the array or
// object that is the named member of an object ("*": of the object itself), or one a line. What is not JSON
// is skipped by its line, and an error only where nothing at all can be read.
func (r *reading) jsonEntries(f File, members ...string) (list []jsonEntry, err error) {
	data := bytes.TrimSpace(f.Data)
	if len(data) > 0 && (data[0] == '[' || data[0] == '{' && slices.Contains(members, "*")) {
		return container(f, data)
	}
	var whole map[string]json.RawMessage
	_ = json.Unmarshal(data, &whole) // else it has no members
	found := false
	for _, m := range members {
		if inner := whole[m]; len(inner) > 0 && (inner[0] == '[' || inner[0] == '{') {
			more, err := container(f, inner)
			if err != nil {
				return nil, err
			}
			list, found = append(list, more...), true
		}
	}
	if !found {
		list = r.jsonLinesOf(f)
	}
	return list, nil
}

// jsonLinesOf reads one entry a line.
func (r *reading) jsonLinesOf(f File) []jsonEntry {
	var list []jsonEntry
	n := 0
	for line := range bytes.Lines(f.Data) {
		n++
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
		case len(line) > maxJSONLine:
			r.skip(n, ruleTooLong, "is a line of more than 1 MB")
		case line[0] != '{' || !json.Valid(line):
			r.skip(n, ruleLineForm, "is not a JSON object")
		default:
			list = append(list, jsonEntry{raw: line, line: n})
		}
	}
	return list
}

// container reads the elements of an array, or the members of an object. data is a part of the file.
func container(f File, data []byte) (list []jsonEntry, err error) {
	line, counted := 1, 0
	lineAt := func(offset int64) int { // of growing offsets
		to := min(max(bytes.Index(f.Data, data), 0)+int(offset), len(f.Data))
		line, counted = line+bytes.Count(f.Data[counted:to], []byte("\n")), to
		return line
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	open, err := dec.Token()
	for err == nil && dec.More() {
		var e jsonEntry
		if open == json.Delim('{') {
			name, _ := dec.Token()
			e.name, _ = name.(string)
		}
		at := dec.InputOffset()
		for at < int64(len(data)) && bytes.IndexByte([]byte(" \t\r\n,:"), data[at]) >= 0 {
			at++
		}
		e.line = lineAt(at)
		if err = dec.Decode(&e.raw); err == nil {
			list = append(list, e)
		}
	}
	if err == nil {
		_, err = dec.Token()
	}
	if err != nil {
		return nil, unreadable(f.Name, lineAt(dec.InputOffset()), "is broken JSON, or ends too early")
	}
	return list, nil
}
