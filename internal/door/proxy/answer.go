package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
)

// maxHeard bounds what of an answer is kept to be stored, in bytes.
const maxHeard = 1 << 20

// listen has the answer to a person's message read as it passes by. What passes is not changed.
func (p *Proxy) listen(res *http.Response) error {
	s := messageOf(res.Request.Context())
	switch {
	case s == nil || s.session == nil || res.StatusCode != http.StatusOK:
	case p.env.Turns:
		res.Body = &listener{ReadCloser: res.Body, end: func(text string, whole bool) {
			if whole && text != "" {
				p.writer.answered(s, text)
			}
			s.session.answered(s.name)
		}, heard: heardAnswer{kind: s.kind, stream: streams(res.Header)}}
	default:
		s.session.answered(s.name)
	}
	return nil
}

// streams reports whether an answer comes in events, a line each.
func streams(h http.Header) bool {
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return kind == "text/event-stream" || kind == "application/x-ndjson"
}

// listener reads along.
type listener struct {
	io.ReadCloser
	heard heardAnswer
	end   func(text string, whole bool)
	ended bool
}

func (l *listener) Read(b []byte) (int, error) {
	n, err := l.ReadCloser.Read(b)
	l.heard.write(b[:n])
	if err == io.EOF {
		l.close(true)
	}
	return n, err
}

func (l *listener) Close() error {
	l.close(false)
	return l.ReadCloser.Close()
}

func (l *listener) close(whole bool) {
	if !l.ended {
		l.ended = true
		text, ok := l.heard.text()
		l.end(text, whole && ok)
	}
}

// heardAnswer gathers the text of the model's answer: of several choices the first.
type heardAnswer struct {
	kind   kind
	stream bool
	buf    []byte // of a stream the line under way, else everything
	said   strings.Builder
	calls  bool // it calls a tool, so the turn goes on
	done   bool // a stream said that it is complete
	lost   bool // too much, or not understood
}

func (a *heardAnswer) write(b []byte) {
	if a.lost {
		return
	}
	if a.said.Len()+len(a.buf)+len(b) > maxHeard {
		a.lost, a.buf = true, nil
		return
	}
	if a.buf = append(a.buf, b...); !a.stream {
		return
	}
	for {
		at := bytes.IndexByte(a.buf, '\n')
		if at < 0 {
			return
		}
		data, ok := bytes.CutPrefix(bytes.TrimRight(a.buf[:at], "\r"), []byte("data:"))
		if ok || bytes.HasPrefix(data, []byte("{")) {
			a.event(bytes.TrimSpace(data))
		}
		a.buf = a.buf[at+1:]
	}
}

// text is the answer; ok is false where it is not whole or goes on with a tool.
func (a *heardAnswer) text() (string, bool) {
	if !a.stream && !a.lost {
		a.event(a.buf)
		a.done = true
	}
	return strings.TrimSpace(a.said.String()), !a.lost && !a.calls && a.done
}

// event reads one event of a stream, or a whole answer.
func (a *heardAnswer) event(data []byte) {
	if len(data) == 0 {
		return
	}
	if string(data) == "[DONE]" {
		a.done = true
		return
	}
	var e any
	if json.Unmarshal(data, &e) != nil {
		a.lost = !a.stream
		return
	}
	is := services[a.kind]
	for _, v := range valuesAt(e, is.said...) {
		text, _ := v.(string)
		a.said.WriteString(text)
	}
	a.calls = a.calls || len(valuesAt(e, is.calls...)) > 0
	a.done = a.done || len(valuesAt(e, is.done...)) > 0
}

// valuesAt is what stands at the places of an answer: see form.
func valuesAt(v any, places ...string) (found []any) {
	for _, place := range places {
		found = append(found, valuesBelow(v, strings.Fields(place))...)
	}
	return found
}

func valuesBelow(v any, steps []string) (found []any) {
	if list, ok := v.([]any); ok {
		for _, element := range list {
			found = append(found, valuesBelow(element, steps)...)
		}
		return found
	}
	if len(steps) == 0 {
		if v != nil && v != "" {
			found = []any{v}
		}
		return found
	}
	members, _ := v.(map[string]any)
	name, want, filters := strings.Cut(steps[0], "=")
	if !filters {
		return valuesBelow(members[name], steps[1:])
	}
	is := ""
	if value, ok := members[name]; ok {
		is = fmt.Sprint(value)
	} else if name == "index" {
		is = "0"
	}
	if end, any := strings.CutPrefix(want, "*"); members == nil || is != want && !(any && strings.HasSuffix(is, end)) {
		return nil
	}
	return valuesBelow(members, steps[1:])
}
