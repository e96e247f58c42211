package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/jsontext"
)

// A transcript is mostly tool output, which memctl does not read. The functions of this file walk
// over a record without decoding it, so that only the few texts that are wanted have to be decoded.
// They accept some text that is not JSON.

// at returns the raw value at a path of a value, nil where there is none.
func at(value []byte, path string) []byte { return (&node{raw: value}).get(path) }

// members calls f with each member of an object. It reports whether the object is whole
// and nothing follows it.
func members(data []byte, f func(key, value []byte)) bool {
	i := jsontext.SpaceEnd(data, 0)
	if i >= len(data) || data[i] != '{' {
		return false
	}
	end := jsontext.VisitChildren(data, i, func(name, value jsontext.Span) { f(data[name.From+1:name.To-1], data[value.From:value.To]) })
	return end >= 0 && jsontext.SpaceEnd(data, end) == len(data)
}

// elements calls f with each element of a list; with none where data is no list.
func elements(data []byte, f func(value []byte)) {
	if len(data) > 0 && data[0] == '[' {
		jsontext.VisitChildren(data, 0, func(_, value jsontext.Span) { f(data[value.From:value.To]) })
	}
}

// text decodes a string, "" for any other value.
func text(value []byte) string {
	if len(value) < 2 || value[0] != '"' {
		return ""
	}
	if bytes.IndexByte(value, '\\') < 0 {
		return strings.ToValidUTF8(string(value[1:len(value)-1]), "\uFFFD")
	}
	var s string
	if json.Unmarshal(value, &s) != nil {
		return ""
	}
	return s
}

// isString reports whether the value is this string, which must need no escapes.
func isString(value []byte, s string) bool {
	return len(value) == len(s)+2 && value[0] == '"' && string(value[1:len(value)-1]) == s
}

// texts joins the texts of a content: a string, a list of strings, or a list of parts with a
// text each.
func texts(content []byte) string {
	if len(content) > 0 && content[0] == '"' {
		return text(content)
	}
	var list []string
	elements(content, func(part []byte) {
		s := text(part)
		if s == "" {
			s = text(at(part, "text"))
		}
		if s != "" {
			list = append(list, s)
		}
	})
	return strings.Join(list, "\n")
}

// stamp reads a time as the clients write it: RFC 3339, or milliseconds since 1970.
func stamp(value []byte) time.Time {
	if len(value) > 2 && value[0] == '"' {
		at, err := time.Parse(time.RFC3339, string(value[1:len(value)-1]))
		if err != nil {
			return time.Time{}
		}
		return at.UTC()
	}
	n, ok := number(value)
	if !ok || n <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(n)).UTC()
}

// number reads the digits that the value begins with.
func number(value []byte) (n int, ok bool) {
	negative := len(value) > 0 && value[0] == '-'
	if negative {
		value = value[1:]
	}
	i := 0
	for ; i < len(value) && i < 18 && value[i] >= '0' && value[i] <= '9'; i++ {
		n = n*10 + int(value[i]-'0')
	}
	if negative {
		n = -n
	}
	return n, i > 0
}

// numberAfter reads the number that follows the last occurrence of a phrase, which must
// need no escapes. Clients write exit statuses into the output of a command: the caller
// takes care to look only where the client writes.
func numberAfter(value []byte, phrase string) (n int, ok bool) {
	i := bytes.LastIndex(value, []byte(phrase))
	if i < 0 {
		return 0, false
	}
	return number(value[i+len(phrase):])
}

// head and tail are the first and the last bytes of a value.
func head(value []byte, n int) []byte { return value[:min(len(value), n)] }
func tail(value []byte, n int) []byte { return value[max(0, len(value)-n):] }
