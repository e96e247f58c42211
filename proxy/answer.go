package proxy

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// maxHeard bounds what of an answer is kept to be stored, in bytes.
const maxHeard = 1 << 20

// listen has the answer to a person's message read as it passes by. What passes is not changed.
func (p *Proxy) listen(res *http.Response) error {
	s := heard(res.Request.Context())
	switch {
	case s == nil || s.session == nil || res.StatusCode != http.StatusOK:
	case p.env.Turns:
		res.Body = &listener{ReadCloser: res.Body, end: func(text string, whole bool) {
			if whole && text != "" {
				p.writer.answered(s, text)
			}
			s.session.answered(s.name)
		}, heard: heardAnswer{kind: s.kind, stream: strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream")}}
	default:
		s.session.answered(s.name)
	}
	return nil
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
		if data, ok := bytes.CutPrefix(bytes.TrimRight(a.buf[:at], "\r"), []byte("data:")); ok {
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

// event reads one event of a stream, or a whole answer: their forms have no name in common that
// means two things.
func (a *heardAnswer) event(data []byte) {
	if len(data) == 0 {
		return
	}
	if string(data) == "[DONE]" {
		a.done = true
		return
	}
	var e event
	if json.Unmarshal(data, &e) != nil {
		a.lost = !a.stream
		return
	}
	switch a.kind {
	case chat:
		a.chat(e)
	case messages:
		a.messages(e)
	case responses:
		a.responses(e)
	}
}

// event has what the three services' answers and events say.
type event struct {
	Type    string `json:"type"`
	Choices []struct {
		Index   int         `json:"index"`
		Message chatMessage `json:"message"`
		Delta   chatMessage `json:"delta"`
		Finish  string      `json:"finish_reason"`
	} `json:"choices"`
	Content []part          `json:"content"`
	Output  []item          `json:"output"`
	Delta   json.RawMessage `json:"delta"`
	Block   part            `json:"content_block"`
	Item    item            `json:"item"`
}

type chatMessage struct {
	Content json.RawMessage   `json:"content"`
	Calls   []json.RawMessage `json:"tool_calls"`
}

type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type item struct {
	Type    string `json:"type"`
	Content []part `json:"content"`
}

func (a *heardAnswer) chat(e event) {
	for _, c := range e.Choices {
		if c.Index != 0 {
			continue
		}
		for _, m := range []chatMessage{c.Message, c.Delta} {
			var text string
			if json.Unmarshal(m.Content, &text) == nil {
				a.said.WriteString(text)
			}
			a.calls = a.calls || len(m.Calls) > 0
		}
		a.done = a.done || c.Finish != ""
	}
}

func (a *heardAnswer) messages(e event) {
	for _, p := range e.Content {
		a.part(p)
	}
	switch e.Type {
	case "content_block_start":
		a.part(e.Block)
	case "content_block_delta":
		var delta part
		if json.Unmarshal(e.Delta, &delta) == nil && delta.Type == "text_delta" {
			a.said.WriteString(delta.Text)
		}
	case "message_stop":
		a.done = true
	}
}

func (a *heardAnswer) part(p part) {
	switch p.Type {
	case "text", "output_text":
		a.said.WriteString(p.Text)
	case "tool_use":
		a.calls = true
	}
}

func (a *heardAnswer) responses(e event) {
	for _, it := range e.Output {
		a.item(it)
	}
	switch e.Type {
	case "response.output_item.done":
		a.item(e.Item)
	case "response.completed":
		a.done = true
	}
}

func (a *heardAnswer) item(it item) {
	switch {
	case it.Type == "message":
		for _, p := range it.Content {
			a.part(p)
		}
	case strings.HasSuffix(it.Type, "_call"):
		a.calls = true
	}
}
