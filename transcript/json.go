package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
)

// A transcript is mostly tool output, which memctl does not read. The functions of this file walk
// over a record without decoding it, about ten times as fast as encoding/json, so that only
// the few texts that are wanted have to be decoded. They accept some text that is not JSON;
// they never read past the end.

// pick returns the raw values of the named members of an object, nil for each member that
// the object does not have. ok is false where the object is not whole; the members before
// the fault are returned.
func pick(object []byte, names ...string) (values [][]byte, ok bool) {
	values = make([][]byte, len(names))
	ok = members(object, func(key, value []byte) {
		for i, name := range names {
			if string(key) == name {
				values[i] = value
			}
		}
	})
	return values, ok
}

// at returns the raw value that a path of member names leads to, nil where there is none.
func at(object []byte, path ...string) []byte {
	for _, name := range path {
		values, _ := pick(object, name)
		object = values[0]
	}
	return object
}

// members calls f with each member of an object. It reports whether the object is whole
// and nothing follows it.
func members(data []byte, f func(key, value []byte)) bool {
	i := skipSpace(data, 0)
	if i >= len(data) || data[i] != '{' {
		return false
	}
	i = skipSpace(data, i+1)
	if i < len(data) && data[i] == '}' {
		return skipSpace(data, i+1) == len(data)
	}
	for i < len(data) && data[i] == '"' {
		key := i + 1
		i = skipString(data, i)
		if i < 0 {
			return false
		}
		name := data[key : i-1]
		i = skipSpace(data, i)
		if i >= len(data) || data[i] != ':' {
			return false
		}
		value := skipSpace(data, i+1)
		if i = skipValue(data, value); i < 0 {
			return false
		}
		f(name, data[value:i])
		i = skipSpace(data, i)
		if i >= len(data) {
			return false
		}
		if data[i] == '}' {
			return skipSpace(data, i+1) == len(data)
		}
		if data[i] != ',' {
			return false
		}
		i = skipSpace(data, i+1)
	}
	return false
}

// elements calls f with each element of a list; with none where data is no whole list.
func elements(data []byte, f func(value []byte)) {
	if len(data) == 0 || data[0] != '[' {
		return
	}
	for i := skipSpace(data, 1); i < len(data) && data[i] != ']'; {
		end := skipValue(data, i)
		if end < 0 {
			return
		}
		f(data[i:end])
		i = skipSpace(data, end)
		if i < len(data) && data[i] == ',' {
			i = skipSpace(data, i+1)
		}
	}
}

func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the index after the string that begins at i, -1 where it has no end.
func skipString(data []byte, i int) int {
	for i++; ; {
		n := bytes.IndexByte(data[i:], '"')
		if n < 0 {
			return -1
		}
		end, slashes := i+n, 0
		for end-slashes > i && data[end-slashes-1] == '\\' {
			slashes++
		}
		i = end + 1
		if slashes%2 == 0 {
			return i
		}
	}
}

// skipValue returns the index after the value that begins at i, -1 where it has no end.
func skipValue(data []byte, i int) int {
	if i >= len(data) {
		return -1
	}
	switch data[i] {
	case '"':
		return skipString(data, i)
	case '{', '[':
	default:
		start := i
		for i < len(data) && strings.IndexByte(",]} \t\r\n\":{[", data[i]) < 0 {
			i++
		}
		if i == start {
			return -1
		}
		return i
	}
	for depth := 0; i < len(data); {
		switch data[i] {
		case '"':
			if i = skipString(data, i); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
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

// is reports whether the value is this string, which must need no escapes.
func is(value []byte, s string) bool {
	return len(value) == len(s)+2 && value[0] == '"' && string(value[1:len(value)-1]) == s
}

func isTrue(value []byte) bool { return string(value) == "true" }

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
