package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/fault"
)

// reply is one scripted answer of the server.
type reply func(w http.ResponseWriter, r *http.Request)

// scripted is one server that speaks both protocols and answers its calls with the replies in order.
// The last reply repeats.
type scripted struct {
	*httptest.Server
	bodies []string
	paths  []string
	heads  []http.Header
}

func script(t *testing.T, replies ...reply) *scripted {
	t.Helper()
	s := &scripted{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.bodies, s.paths, s.heads = append(s.bodies, string(body)), append(s.paths, r.URL.Path), append(s.heads, r.Header)
		replies[min(len(s.bodies), len(replies))-1](w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *scripted) openAI() Provider {
	return Provider{Name: "first", Kind: OpenAI, URL: s.URL + "/v1", Model: "m", Key: "key-12345", Timeout: 5 * time.Second}
}

func (s *scripted) anthropic() Provider {
	p := s.openAI()
	p.Kind = Anthropic
	return p
}

// says is OpenAI's answer with a text.
func says(text, finish string) reply {
	return func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(map[string]any{
			"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": text}, "finish_reason": finish}},
			"usage":   map[string]int{"prompt_tokens": 10, "completion_tokens": 5},
		})
	}
}

func refuses(w http.ResponseWriter, _ *http.Request) {
	io.WriteString(w, `{"choices":[{"message":{"refusal":"No, private words here."},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":5}}`)
}

func status(code int, body string, header ...string) reply {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		io.WriteString(w, body)
	}
}

// cut ends the connection in the middle of an answer.
func cut(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", "5000")
	io.WriteString(w, `{"choices":[{"message":{"content":"{\"ok\":`)
	panic(http.ErrAbortHandler)
}

// silent answers nothing until the client gives up.
func silent(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

const good = `{"ok":true}`

var okSchema = &Schema{Name: "check", JSON: json.RawMessage(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"],"additionalProperties":false}`)}

// counting is a budget that records what was reserved and used.
type counting struct {
	calls, tokens, limit int
	reports              []error
}

func (c *counting) Reserve(_ context.Context, tokens int) (func(bool, int) error, error) {
	if c.tokens+tokens > c.limit {
		return nil, fault.New(fault.ModelLimit, "", "limit")
	}
	c.calls++
	c.tokens += tokens
	return func(reached bool, used int) error {
		if c.tokens += used - tokens; !reached {
			c.calls--
		}
		return nil
	}, nil
}

func (c *counting) Report(_ context.Context, err error) { c.reports = append(c.reports, err) }

func TestChainSurvivesFailures(t *testing.T) {
	const prompt = "private words here"
	for name, c := range map[string]struct {
		first    []reply // of the first provider; the second always answers well
		calls    int     // of the first
		answered string
	}{
		"a good answer ends the chain":                        {[]reply{says(good, "stop")}, 1, "first"},
		"JSON in a fence is JSON":                             {[]reply{says("```json\n"+good+"\n```", "stop")}, 1, "first"},
		"JSON wrapped in prose is asked for once more":        {[]reply{says("Sure! "+good, "stop"), says(good, "stop")}, 2, "first"},
		"prose before and after, again, moves on":             {[]reply{says("Sure! "+good+" Anything else?", "stop")}, 2, "second"},
		"an answer of another form is asked for once more":    {[]reply{says(`{"ok":"yes"}`, "stop"), says(good, "stop")}, 2, "first"},
		"an answer that is cut by its limit moves on":         {[]reply{says(`{"ok":`, "length")}, 1, "second"},
		"a connection that ends half-way moves on":            {[]reply{cut}, 1, "second"},
		"a refusal moves on":                                  {[]reply{refuses}, 1, "second"},
		"busy for a moment is waited for":                     {[]reply{status(429, "busy", "Retry-After", "0"), says(good, "stop")}, 2, "first"},
		"busy for long moves on":                              {[]reply{status(429, "busy", "Retry-After", "3600")}, 1, "second"},
		"busy again moves on":                                 {[]reply{status(503, "busy", "Retry-After", "0")}, 2, "second"},
		"a wrong key moves on and is not repeated":            {[]reply{status(401, `{"error":"key-12345 is wrong"}`)}, 1, "second"},
		"a server without schemas gets the request without":   {[]reply{status(400, `{"error":"unknown field response_format"}`), says(good, "stop")}, 2, "first"},
		"a server with another limit gets that":               {[]reply{status(400, `use max_completion_tokens`), says(good, "stop")}, 2, "first"},
		"an error that repeats the prompt does not spread it": {[]reply{status(400, "cannot read: "+prompt)}, 2, "second"},
		"no JSON at all from the server moves on":             {[]reply{status(200, "<html>private words here")}, 1, "second"},
		"an answer without choices moves on":                  {[]reply{status(200, `{"choices":[]}`)}, 1, "second"},
		"silence until the time limit moves on to the second": {[]reply{silent}, 1, "second"},
		"an empty answer moves on":                            {[]reply{says(" ", "stop")}, 1, "second"},
	} {
		t.Run(name, func(t *testing.T) {
			first, second := script(t, c.first...), script(t, says(good, "stop"))
			p, q := first.openAI(), second.openAI()
			q.Name = "second"
			if strings.HasPrefix(name, "silence") {
				p.Timeout = 100 * time.Millisecond
			}
			b := &counting{limit: 1 << 20}
			request := Request{System: "Answer.", Messages: []Message{{"user", prompt}}, Schema: okSchema, MaxTokens: 100}
			answer, err := Chain{Providers: []Provider{p, q}, Budget: b}.Ask(context.Background(), request)
			if err != nil || string(answer.JSON) != good || answer.Provider != c.answered || len(first.bodies) != c.calls {
				t.Fatalf("got %q by %q after %d calls of the first, %v; want %q after %d", answer.JSON, answer.Provider, len(first.bodies), err, c.answered, c.calls)
			}
			counted := len(first.bodies) + len(second.bodies)
			if strings.HasPrefix(name, "a wrong key") {
				counted = len(second.bodies)
			}
			if strings.HasPrefix(name, "busy") && c.calls == 2 {
				counted-- // asking a busy server again is the same call
			}
			if b.calls != counted || answer.Usage.Total() != b.tokens || b.tokens == 0 {
				t.Errorf("counted %d calls and %d tokens, want %d calls and %d tokens", b.calls, b.tokens, counted, answer.Usage.Total())
			}
			if c.answered == "first" {
				return
			}
			// The same failure from every provider is one error, which repeats no prompt and no key.
			_, err = Chain{Providers: []Provider{p, p}, Budget: b}.Ask(context.Background(), request)
			var all *ChainError
			if !errors.As(err, &all) || len(all.Attempts) != 2 || b.reports[len(b.reports)-1] == nil || b.reports[0] != nil {
				t.Fatalf("error %v and reports %v, want one of two attempts", err, b.reports)
			}
			for _, secret := range []string{"key-12345", "private words", "words here"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error %q repeats %q", err, secret)
				}
			}
		})
	}
}

func TestAnthropicAsksForATool(t *testing.T) {
	s := script(t, status(529, `{"type":"error"}`, "Retry-After", "0"), status(200, `{"content":[{"type":"text","text":"I will."},{"type":"tool_use","id":"t","name":"check","input":{"ok":true}}],"stop_reason":"tool_use","usage":{"input_tokens":7,"output_tokens":3,"cache_read_input_tokens":2}}`))
	answer, err := s.anthropic().Ask(context.Background(), Request{System: "Answer.", Messages: []Message{{"user", "x"}}, Schema: okSchema}, nil)
	if err != nil || string(answer.JSON) != good || answer.Usage != (Usage{Input: 9, Output: 3}) {
		t.Fatalf("got %+v, %v", answer, err)
	}
	var body struct {
		Model, System string
		MaxTokens     int `json:"max_tokens"`
		Tools         []struct{ Name string }
		Choice        struct{ Type, Name string } `json:"tool_choice"`
	}
	if err := json.Unmarshal([]byte(s.bodies[1]), &body); err != nil || body.Model != "m" || body.MaxTokens != DefaultMaxTokens || body.Choice.Name != "check" || body.Tools[0].Name != "check" {
		t.Errorf("sent %s, %v", s.bodies[1], err)
	}
	if s.paths[1] != "/v1/messages" || s.heads[1].Get("X-Api-Key") != "key-12345" || s.heads[1].Get("Authorization") != "" || s.heads[1].Get("Anthropic-Version") == "" {
		t.Errorf("sent to %s with %v", s.paths[1], s.heads[1])
	}
	for _, stop := range []string{"refusal", "max_tokens"} {
		s := script(t, status(200, `{"content":[{"type":"tool_use","input":{"ok":true}}],"stop_reason":"`+stop+`"}`))
		if answer, err := s.anthropic().Ask(context.Background(), Request{Messages: []Message{{"user", "x"}}, Schema: okSchema}, nil); err == nil {
			t.Errorf("with stop reason %s got %s", stop, answer.JSON)
		}
	}
}

func TestChainKeepsToTheBudget(t *testing.T) {
	s := script(t, says("a text", "stop"))
	b := &counting{limit: 400}
	chain := Chain{Providers: []Provider{s.openAI()}, Budget: b}
	request := Request{System: "Answer.", Messages: []Message{{"user", strings.Repeat("x", 200)}}, MaxTokens: 100}
	answer, err := chain.Ask(context.Background(), request)
	if err != nil || answer.Text != "a text" || answer.JSON != nil || b.tokens != 15 {
		t.Fatalf("got %+v, %v; %d tokens used", answer, err, b.tokens)
	}
	request.MaxTokens = 300
	if _, err = chain.Ask(context.Background(), request); !fault.Is(err, fault.ModelLimit) || len(s.bodies) != 1 || len(b.reports) != 1 {
		t.Fatalf("error %v after %d calls: a call that could exceed the limit must not be made, and is no failure of a model", err, len(s.bodies))
	}
	if _, err := (Chain{}).Ask(context.Background(), request); !fault.Is(err, fault.NoModel) {
		t.Errorf("an empty chain: %v", err)
	}
}

func TestAProviderThatIsOffUsesNothing(t *testing.T) {
	off := httptest.NewServer(nil)
	off.Close()
	for name, c := range map[string]struct {
		provider Provider
		calls    int
	}{
		"a closed port":          {Provider{Kind: OpenAI, URL: off.URL}, 0},
		"an unknown name":        {Provider{Kind: OpenAI, URL: "http://no-such-host.invalid"}, 0},
		"a program not there":    {Provider{Kind: Command, Command: "no-such-program-here"}, 0},
		"a wrong key":            {script(t, status(401, "no")).openAI(), 0},
		"a key that may not":     {script(t, status(403, "no")).openAI(), 0},
		"a server with a fault":  {script(t, status(500, "no", "Retry-After", "3600")).openAI(), 1},
		"a connection that ends": {script(t, cut).openAI(), 1},
	} {
		if runtime.GOOS == "windows" && c.provider.Kind == Command {
			continue // cmd says 1 of every failure
		}
		b := &counting{limit: 1 << 20}
		if _, err := (Chain{Providers: []Provider{c.provider}, Budget: b}).Ask(t.Context(), Request{}); !fault.Is(err, fault.ModelFailed) {
			t.Errorf("%s: %v", name, err)
		}
		if b.calls != c.calls || c.calls == 0 && b.tokens != 0 {
			t.Errorf("%s used %d calls and %d tokens; want %d calls", name, b.calls, b.tokens, c.calls)
		}
	}
}

func TestChainEndsWithItsCaller(t *testing.T) {
	s := script(t, silent)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	b := &counting{limit: 1 << 20}
	if _, err := (Chain{Providers: []Provider{s.openAI()}, Budget: b}).Ask(ctx, Request{}); !errors.Is(err, context.Canceled) || len(b.reports) != 0 {
		t.Fatalf("error %v with reports %v, want that of the context", err, b.reports)
	}
}

func TestCommandReadsThePromptInAnEmptyFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	t.Setenv("CLAUDECODE", "1")
	t.Setenv("GIT_DIR", "/nowhere")
	t.Setenv("MEMCTL_STORE", "/nowhere")
	dir := t.TempDir()
	seen := filepath.Join(dir, "seen")
	p := Provider{Name: "c", Kind: Command, Command: fmt.Sprintf(`cat >%s; { ls -A | wc -l; env; } >>%s; echo '{"ok":true}'`, seen, seen)}
	answer, err := p.Ask(context.Background(), Request{System: "The system.", Messages: []Message{{"user", "The words."}}, Schema: okSchema}, nil)
	if err != nil || string(answer.JSON) != good || !answer.Usage.Estimated || answer.Usage.Output != 4 {
		t.Fatalf("got %+v, %v", answer, err)
	}
	data, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, want := range []string{"The system.", "The words.", `"additionalProperties"`, "\n0\n", "MEMCTL_ENABLED=false", TemporaryFolder} {
		if !strings.Contains(text, want) {
			t.Errorf("the command did not see %q", want)
		}
	}
	for _, hidden := range []string{"CLAUDECODE", "GIT_DIR", "MEMCTL_STORE"} {
		if strings.Contains(text, hidden+"=") {
			t.Errorf("the command saw %s", hidden)
		}
	}
}

func TestCommandFailures(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	for name, c := range map[string]struct{ command, keyCommand, want string }{
		"a status":                   {"cat; echo private words >&2; exit 3", "", "failed with status 3"},
		"no such program":            {"no-such-program-here", "", "was not found"},
		"no answer":                  {"cat >/dev/null", "", "printed no answer"},
		"too long an answer":         {"cat >/dev/null; yes", "", "more than its limit"},
		"no end":                     {"sleep 600", "", "no answer within 300ms"},
		"a child that holds the end": {"sleep 600 & exit 4", "", "failed with status 4"},
	} {
		t.Run(name, func(t *testing.T) {
			p := Provider{Name: "c", Kind: Command, Command: c.command, Timeout: 5 * time.Second}
			if name == "no end" {
				p.Timeout = 300 * time.Millisecond
			}
			_, err := p.Ask(context.Background(), Request{Messages: []Message{{"user", "private words"}}, MaxTokens: 50}, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "private words") {
				t.Errorf("error %v, want %q without the prompt", err, c.want)
			}
		})
	}
	s := script(t, says("x", "stop"))
	p := s.openAI()
	p.Key, p.KeyCommand = "", "echo from-the-vault"
	if _, err := p.Ask(context.Background(), Request{}, nil); err != nil || s.heads[0].Get("Authorization") != "Bearer from-the-vault" {
		t.Errorf("the key's command: %v, %q", err, s.heads[0].Get("Authorization"))
	}
	p.KeyCommand = "exit 1"
	if _, err := p.Ask(context.Background(), Request{}, nil); !fault.Is(err, fault.ModelAddress) || len(s.bodies) != 1 {
		t.Errorf("a key's command that fails: %v", err)
	}
}

func TestParse(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"list":{"type":"array","items":{"type":"string","enum":["a","b"]}},"n":{"type":"integer"}},"required":["list"],"additionalProperties":false}`)
	for text, ok := range map[string]bool{
		`{"list":["a"]}`:                   true,
		" {\"list\":[], \"n\": 3}\n":       true,
		"```json\n{\"list\":[\"b\"]}\n```": true,
		"```\n{\"list\":[\"b\"]}\n```":     true,
		`{"list":["c"]}`:                   false,
		`{"list":"a"}`:                     false,
		`{"n":3}`:                          false,
		`{"list":[],"n":3.5}`:              false,
		`{"list":[],"other":1}`:            true,
		`{"list":[]} {"list":[]}`:          false,
		`{"list":[]}, and so on`:           false,
		`Here: {"list":[]}`:                false,
		`["a"]`:                            false,
		`null`:                             false,
		``:                                 false,
		`{"list":["a"`:                     false,
	} {
		value, err := Parse(text, schema)
		if (err == nil) != ok || ok && !json.Valid(value) {
			t.Errorf("%q gives %q, %v", text, value, err)
		}
	}
}
