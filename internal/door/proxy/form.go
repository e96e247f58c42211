package proxy

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/memctl/memctl/internal/jsontext"
	"github.com/memctl/memctl/internal/transcript"
)

// request is a request to a model, with the places in its body that matter.
type request struct {
	kind   kind
	is     form
	body   []byte
	whole  span
	fields map[string]span
	list   span      // the array of messages; nothing where the input is one text
	turns  []message // in their order
	last   int       // the index of the person's new message, -1 where there is none
}

// message is one message of a request.
type message struct {
	span
	role    string
	content span
	tool    bool   // it has the output of a tool, or is a call of one
	parts   []span // its texts, as JSON strings
	texts   []span // the objects that hold them; nothing where the content is one text
}

// name is the name of a message: it is the same in each request that has the message.
type name [sha256.Size]byte

// parse finds the places in a body. problem says what is wrong with it, "" for nothing.
func parse(k kind, body []byte) (r *request, problem string) {
	r = &request{kind: k, is: services[k], body: body, last: -1}
	from := jsontext.SpaceEnd(body, 0)
	r.whole = span{from, jsontext.ValueEnd(body, from)}
	if r.whole.to < 0 || jsontext.SpaceEnd(body, r.whole.to) != len(body) || r.whole.first(body) != '{' {
		return nil, "the body is not a JSON object"
	}
	var ok bool
	if r.fields, ok = object(body, r.whole); !ok {
		return nil, "the body is not a JSON object, or has a member twice"
	}
	list := r.fields[r.is.list]
	items, ok := array(body, list)
	switch first := list.first(body); {
	case ok:
		r.list = list
	case r.is.items && first == '"':
		r.turns = []message{{span: list, role: "user", content: list, parts: []span{list}}}
	case !r.is.items || first == '[':
		return nil, `"` + r.is.list + `" must be an array`
	}
	for _, at := range items {
		m, ok := r.message(at)
		switch {
		case !ok && r.is.items:
			m = message{span: at, tool: true} // a call of a tool, its output, a reasoning
		case !ok:
			return nil, `each of "` + r.is.list + `" must be an object with a role`
		}
		r.turns = append(r.turns, m)
	}
	r.findLast()
	return r, ""
}

// message reads one message; ok is false where it is none.
func (r *request) message(at span) (m message, ok bool) {
	fields, ok := object(r.body, at)
	m = message{span: at, role: cmp.Or(text(r.body, fields["role"]), r.is.role), content: fields[r.is.content]}
	if !ok || m.role == "" {
		return m, false
	}
	m.tool = m.role == "tool" || m.role == "function"
	switch m.content.first(r.body) {
	case '"':
		m.parts = []span{m.content}
	case '[':
		if m.isFromModel() {
			break // nobody asks for its texts
		}
		list, _ := array(r.body, m.content)
		for _, at := range list {
			part, ok := object(r.body, at)
			if !ok {
				continue
			}
			t := part["text"]
			switch text(r.body, part["type"]) {
			case "tool_result":
				m.tool = true
			case "", "text", "input_text":
				if m.tool = m.tool || part["functionResponse"].to > 0; t.first(r.body) == '"' {
					m.parts, m.texts = append(m.parts, t), append(m.texts, at)
				}
			}
		}
	}
	return m, true
}

// isFromModel reports whether a message is the model's.
func (m message) isFromModel() bool { return m.role == "assistant" || m.role == "model" }

// findLast finds the person's new message: the last one, with no answer or tool after it.
func (r *request) findLast() {
	for i := len(r.turns) - 1; i >= 0; i-- {
		m := r.turns[i]
		if isSystem(m.role) && !m.tool {
			continue // some clients put notices of their own after it
		}
		if m.role == "user" && !m.tool && r.said(m) != "" {
			r.last = i
		}
		return
	}
}

func isSystem(role string) bool { return role == "system" || role == "developer" }

// said is what a person says in a message: the texts that are not only a client's own.
func (r *request) said(m message) string {
	var said []string
	for _, at := range m.parts {
		if t := transcript.WithoutHarness(text(r.body, at)); isOwn(t) {
			said = append(said, t)
		}
	}
	return strings.Join(said, "\n\n")
}

// maxOwn is how much of a text is looked at to see whether a person wrote any of it.
const maxOwn = 64 << 10

func isOwn(text string) bool {
	head := strings.TrimSpace(text)
	if head == "" {
		return false
	}
	if !strings.HasPrefix(head, "<") && !strings.HasPrefix(head, "# AGENTS.md") {
		return true // a text of code or a quotation alone is still what the person sent
	}
	return len(transcript.Own(text[:min(len(text), maxOwn)])) > 0
}

// names names the person's messages by their texts, and by how often the same texts came before,
// by their index. What clients change about a message later, such as where they ask for caching,
// is not part of it.
func (r *request) names() map[int]name {
	names, times := map[int]name{}, map[name]byte{}
	for i, m := range r.turns {
		if m.role != "user" || m.tool || len(m.parts) == 0 {
			continue
		}
		sum := r.sum(m)
		times[sum]++
		sum[0] += times[sum]
		names[i] = sum
	}
	return names
}

func (r *request) sum(m message) (sum name) {
	h := sha256.New()
	for _, at := range m.parts {
		h.Write(at.of(r.body)) // with its quotes, so that no two lists are written alike
	}
	h.Sum(sum[:0])
	return sum
}

// appendTo adds a text to the end of a message. Claude Code sends a message as a list of parts
// while it is new, and as one text later: both become the same list.
func (r *request) appendTo(m message, block string) []splice {
	switch {
	case m.content.first(r.body) == '[':
		return []splice{appended(r.body, m.content, fillTemplate(r.is.part, block))}
	case r.is.listed:
		before, after, _ := strings.Cut(r.is.part, asString)
		return []splice{insert(m.content.from, "["+before), insert(m.content.to, after+","+fillTemplate(r.is.part, block)+"]")}
	}
	return []splice{insert(m.content.to-1, escapeJSON("\n\n"+block))}
}

// afterSystem adds a text after the caller's own system message. A request that continues an earlier answer needs none:
// the service still has it.
func (r *request) afterSystem(block string) []splice {
	system := r.fields[r.is.system]
	switch first := system.first(r.body); {
	case r.fields["previous_response_id"].first(r.body) == '"':
		return nil
	case r.is.first != "" && r.list.to > 0: // Codex' service checks the instructions, so they stay as they are
		if len(r.turns) > 0 && isSystem(r.turns[0].role) {
			if c := r.turns[0].content.first(r.body); c == '"' || c == '[' {
				return r.appendTo(r.turns[0], block)
			}
		}
		return []splice{prepended(r.body, r.list, fillTemplate(r.is.first, block))}
	case first == 0:
		return []splice{prepended(r.body, r.whole, `"`+r.is.system+`":`+fillTemplate(cmp.Or(r.is.alone, asString), block))}
	case first == '"':
		return []splice{insert(system.to-1, escapeJSON("\n\n"+block))}
	case first == '{':
		fields, _ := object(r.body, system)
		if system = fields[r.is.content]; system.first(r.body) != '[' {
			return nil // another form than the service's
		}
	case first != '[': // it is null
		return []splice{{system, []byte(fillTemplate(cmp.Or(r.is.alone, asString), block))}}
	}
	list, _ := array(r.body, system)
	for _, at := range list {
		head := at.of(r.body)
		if !bytes.Contains(head[:min(len(head), 200)], []byte(billingMark)) {
			return []splice{insert(at.to, ","+fillTemplate(r.is.part, block))}
		}
	}
	return []splice{appended(r.body, system, fillTemplate(r.is.part, block))}
}

// billingMark begins a block that Claude Code puts before its system message.
const billingMark = "x-anthropic-billing-header"

// without removes a member of the body.
func (r *request) without(member string) (splice, bool) {
	value, ok := r.fields[member]
	if !ok {
		return splice{}, false
	}
	at, to := r.whole.from+1, value.to
	for _, other := range r.fields { // it goes with what is between it and the member before it
		if other.to < value.from {
			at = max(at, other.to)
		}
	}
	if next := jsontext.SpaceEnd(r.body, to); at == r.whole.from+1 && r.body[next] == ',' {
		to = next + 1 // the first one goes with the comma after it
	}
	return splice{span{at, to}, nil}, true
}

// isConversation reports whether a request is the conversation with the person, and not for a title, for a summary or the
// work of a subagent. The proxy changes no other.
func isConversation(h http.Header, r *request) bool {
	for _, header := range []string{"X-Openai-Subagent", "X-Parent-Session-Id", "X-Claude-Code-Agent-Id"} { // only requests of subagents have them
		if h.Get(header) != "" {
			return false
		}
	}
	if kind := codexKind(h); kind != "" && kind != "turn" {
		return false
	}
	system, end := r.system(), []byte(nil)
	if len(r.turns) > 0 {
		end = r.turns[len(r.turns)-1].of(r.body)
	}
	for _, m := range marks() {
		if contains(system, m.system) && contains(end, m.end...) {
			return false
		}
	}
	return true
}

// contains reports whether a text has all of the parts.
func contains(text []byte, parts ...string) bool {
	for _, part := range parts {
		if !bytes.Contains(text, []byte(part)) {
			return false
		}
	}
	return true
}

// codexKind is what Codex says that a request is for, "" where it is not Codex.
func codexKind(h http.Header) string {
	var said struct {
		Kind   string `json:"request_kind"`
		Source string `json:"thread_source"`
	}
	if json.Unmarshal([]byte(h.Get("X-Codex-Turn-Metadata")), &said) != nil {
		return ""
	}
	if said.Source == "subagent" {
		return said.Source
	}
	return said.Kind
}

// mark is what a request has that is no part of the conversation, as the clients write it.
type mark struct {
	system string   // in its system message
	end    []string // in its last message
}

func marks() []mark {
	return []mark{
		{system: "You are a title generator"},                                            // OpenCode
		{system: "context summarization agent"},                                          // OpenCode
		{system: "You are a helpful AI assistant tasked with summarizing conversations"}, // Claude Code, Copilot
		{system: "Generate a concise, sentence-case title"},                              // Claude Code
		{end: []string{"create a detailed summary of the conversation"}},                 // Claude Code, Copilot
		{end: []string{"CONTEXT CHECKPOINT COMPACTION"}},                                 // Codex
		{end: []string{"### Task:\\n", "chat_history"}},                                  // Open WebUI: titles, tags, questions to go on with
		{end: []string{"### Task:\\n", "### Chat History:"}},                             // its older versions
		{end: []string{"Create a concise, 3-5 word phrase", "Chat History"}},             // and those before
		{end: []string{"Generate a concise, sentence-case title", "<session>"}},          // Claude Code
	}
}

// system is what stands before the conversation.
func (r *request) system() []byte {
	if r.is.first != "" && len(r.turns) > 0 && isSystem(r.turns[0].role) {
		return r.turns[0].of(r.body)
	}
	return r.fields[r.is.system].of(r.body)
}
