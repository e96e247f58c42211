package capture

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
)

// jsonEntry is one entry of a JSON input and the line that it begins at.
type jsonEntry struct {
	raw  json.RawMessage
	line int
	name string // the member's name, where the entries stand in an object
}

// lineCounter tells the line of growing offsets, each byte counted once.
type lineCounter struct {
	data []byte
	at   int
	n    int
}

func (l *lineCounter) line(offset int) int {
	offset = min(max(offset, l.at), len(l.data))
	l.n += bytes.Count(l.data[l.at:offset], []byte("\n"))
	l.at = offset
	return l.n + 1
}

// jsonEntries finds the entries of a JSON input: of an array, of the array or
// object that is the named member of an object ("*": of the object itself), or one a line. What is not JSON
// is skipped by its line, and an error only where nothing at all can be read.
func (r *reading) jsonEntries(f File, members ...string) ([]jsonEntry, error) {
	data := bytes.TrimSpace(f.Data)
	lead := bytes.Index(f.Data, data)
	if len(data) == 0 {
		return nil, nil
	}
	count := &lineCounter{data: f.Data}
	if data[0] == '[' || data[0] == '{' && slices.Contains(members, "*") {
		return container(f, data, lead, count)
	}
	var whole map[string]json.RawMessage
	if json.Unmarshal(data, &whole) == nil {
		var list []jsonEntry
		found := false
		for _, m := range members {
			if inner := bytes.TrimSpace(whole[m]); len(inner) > 0 && (inner[0] == '[' || inner[0] == '{') {
				more, err := container(f, inner, max(bytes.Index(f.Data, inner), 0), &lineCounter{data: f.Data})
				if err != nil {
					return nil, err
				}
				list, found = append(list, more...), true
			}
		}
		if found {
			return list, nil
		}
	}
	return r.jsonLinesOf(f), nil
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

// container reads the elements of an array, or the members of an object.
func container(f File, data []byte, lead int, count *lineCounter) ([]jsonEntry, error) {
	wrong := func(err error, at int64) error {
		why := "is broken JSON"
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			why = "is JSON that ends too early"
		}
		return unreadable(f.Name, count.line(lead+int(at)), why)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	open, err := dec.Token()
	if err != nil {
		return nil, wrong(err, dec.InputOffset())
	}
	var list []jsonEntry
	for dec.More() {
		var e jsonEntry
		if open == json.Delim('{') {
			name, err := dec.Token()
			if err != nil {
				return nil, wrong(err, dec.InputOffset())
			}
			e.name, _ = name.(string)
		}
		at := int(dec.InputOffset())
		for at < len(data) && bytes.IndexByte([]byte(" \t\r\n,:"), data[at]) >= 0 {
			at++
		}
		e.line = count.line(lead + at)
		if err := dec.Decode(&e.raw); err != nil {
			return nil, wrong(err, dec.InputOffset())
		}
		list = append(list, e)
	}
	if _, err := dec.Token(); err != nil {
		return nil, wrong(err, dec.InputOffset())
	}
	return list, nil
}
