package proxy

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/door"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/tests/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.RunTests(m)) }

// service stands in for a model's service.
type service struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
	heads  []http.Header
	paths  []string
	answer func(w http.ResponseWriter, r *http.Request, body string) // nil answers "ok" in the form of the path
}

func newService(t testing.TB) *service {
	s := &service{}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.bodies, s.heads, s.paths = append(s.bodies, string(body)), append(s.heads, r.Header.Clone()), append(s.paths, r.URL.RequestURI())
	answer := s.answer
	s.mu.Unlock()
	if answer != nil {
		answer(w, r, string(body))
		return
	}
	reply(w, r, "ok", strings.Contains(string(body), `"stream":true`))
}

// reply answers with a text in the form of the path, whole or as a stream.
func reply(w http.ResponseWriter, r *http.Request, text string, stream bool) {
	q := quoted(text)
	whole := map[string]string{
		"/v1/chat/completions": `{"choices":[{"index":0,"message":{"role":"assistant","content":` + q + `},"finish_reason":"stop"},{"index":1,"message":{"content":"another"}}]}`,
		"/v1/messages":         `{"type":"message","role":"assistant","content":[{"type":"text","text":` + q + `}],"stop_reason":"end_turn"}`,
		"/v1/responses":        `{"object":"response","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":` + q + `}]}]}`,
	}
	const part, thought = `{"candidates":[{"content":{"role":"model","parts":[%s]}%s}]}`, `{"text":"hm","thought":true},`
	whole[geminiPath] = fmt.Sprintf(part, thought+`{"text":`+q+`}`, `,"finishReason":"STOP"`)
	whole[ollamaPath] = `{"message":{"role":"assistant","content":` + q + `},"done":true}`
	events := map[string][]string{
		geminiPath:             {fmt.Sprintf(part, thought+`{"text":`+q+`}`, ""), fmt.Sprintf(part, `{"text":""}`, `,"finishReason":"STOP"`)},
		ollamaPath:             {`{"message":{"role":"assistant","content":` + q + `},"done":false}`, `{"message":{"role":"assistant","content":""},"done":true}`},
		"/v1/chat/completions": {`{"choices":[{"index":0,"delta":{"role":"assistant"}}]}`, `{"choices":[{"index":0,"delta":{"content":` + q + `}}]}`, `{"choices":[{"index":1,"delta":{"content":"another"}}]}`, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, `[DONE]`},
		"/v1/messages":         {`{"type":"content_block_start","content_block":{"type":"text","text":""}}`, `{"type":"content_block_delta","delta":{"type":"text_delta","text":` + q + `}}`, `{"type":"message_stop"}`},
		"/v1/responses":        {`{"type":"response.output_text.delta","delta":` + q + `}`, `{"type":"response.output_item.done","item":{"type":"message","content":[{"type":"output_text","text":` + q + `}]}}`, `{"type":"response.completed"}`},
	}
	if !stream {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, whole[r.URL.Path])
		return
	}
	kind, line := "text/event-stream", "data: %s\n\n"
	if r.URL.Path == ollamaPath {
		kind, line = "application/x-ndjson", "%s\n"
	}
	w.Header().Set("Content-Type", kind)
	for _, e := range events[r.URL.Path] {
		fmt.Fprintf(w, line, e)
		w.(http.Flusher).Flush()
	}
}

// last is the body of the last request.
func (s *service) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bodies[len(s.bodies)-1]
}

func (s *service) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bodies)
}

// setup is a proxy before a service, in a repository.
type setup struct {
	t   testing.TB
	box *storetest.Box
	up  *service
	env Env
	p   *Proxy
	at  *httptest.Server
	mu  sync.Mutex
	say []string
	// wait is how long a request waits for memory; 0 is as long as it takes.
	wait time.Duration
}

func newSetup(t *testing.T, change func(*Env)) *setup {
	t.Helper()
	return newSetupIn(t, storetest.Git(t, memfile.Template), change)
}

func newSetupIn(t testing.TB, box *storetest.Box, change func(*Env)) *setup {
	s := &setup{t: t, box: box, up: newService(t)}
	upstream, _ := url.Parse(s.up.URL)
	s.env = Env{Upstream: upstream, Turns: true, Open: func(ctx context.Context) (*store.Stores, error) {
		return store.Open(ctx, store.Env{Dir: box.Root, Getenv: os.Getenv, Now: time.Now})
	}, Say: func(line string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.say = append(s.say, line)
	}}
	if change != nil {
		change(&s.env)
	}
	s.start()
	t.Cleanup(s.stop)
	return s
}

func (s *setup) start() {
	s.p = newProxy(s.env, cmp.Or(s.wait, time.Minute)) // a loaded machine takes its time
	s.at = httptest.NewServer(s.p)
}

// stop ends the proxy, and stores what is to be stored.
func (s *setup) stop() {
	if s.p != nil {
		s.at.Close()
		s.p.Close()
		s.p = nil
	}
}

// restart is the next process.
func (s *setup) restart() { s.stop(); s.start() }

func (s *setup) stores() *store.Stores {
	s.t.Helper()
	ss, err := s.env.Open(context.Background())
	if err != nil {
		s.t.Fatal(err)
	}
	return ss
}

// add states an item in the person's own store.
func (s *setup) add(key, value string) {
	s.t.Helper()
	w, err := edit.Add(context.Background(), s.stores(), edit.Request{
		Options: memory.Options{Scope: store.Private, Origin: memory.Origin{Kind: memory.Explicit}}, Key: key, Value: memfile.Str(value),
	})
	if err != nil || !w.Changed {
		s.t.Fatalf("add: %v %+v", err, w)
	}
}

// post sends a body and returns the answer's.
func (s *setup) post(path, body string, headers ...string) string {
	s.t.Helper()
	res := s.send("POST", path, body, headers...)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

func (s *setup) send(method, path, body string, headers ...string) *http.Response {
	s.t.Helper()
	req, err := http.NewRequest(method, s.at.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	return res
}

// talk is the body of a chat: the person, the model, the person and so on.
func talk(texts ...string) string {
	var list []string
	for i, text := range texts {
		role := []string{"user", "assistant"}[i%2]
		list = append(list, `{"role":"`+role+`","content":`+quoted(text)+`}`)
	}
	return `{"model":"m","messages":[` + strings.Join(list, ",") + `]}`
}

// turns are the stored turns, as "role: text", the oldest first.
func (s *setup) turns() (list []string) {
	s.t.Helper()
	st, err := s.stores().Get(context.Background(), store.Private)
	if err != nil {
		s.t.Fatal(err)
	}
	read, err := contents.ReadAllEntries(context.Background(), st)
	if err != nil {
		s.t.Fatal(err)
	}
	slices.SortFunc(read.List, func(a, b contents.Entry) int { return strings.Compare(a.Created+a.Role, b.Created+b.Role) })
	for _, e := range read.List {
		if !e.Deleted {
			list = append(list, e.Role+" in "+e.Conversation+": "+e.Text)
		}
	}
	return list
}

const (
	chatPath   = "/v1/chat/completions"
	geminiPath = "/v1beta/models/m:streamGenerateContent"
	ollamaPath = "/api/chat"
)

func TestTheNextProcessKnowsAName(t *testing.T) {
	for _, path := range []string{chatPath, "/v1/responses", "/v1/messages", geminiPath, ollamaPath} {
		t.Run(path, func(t *testing.T) {
			s := newSetup(t, nil)
			body := func(text string) string {
				switch path {
				case "/v1/responses":
					return `{"input":` + quoted(text) + `,"stream":true}`
				case geminiPath:
					return `{"contents":[{"parts":[{"text":` + quoted(text) + `}]}],"stream":true}`
				}
				return `{"stream":true,"messages":[{"role":"user","content":` + quoted(text) + `}]}`
			}
			s.post(path, body("My name is Alice and I love hiking"))
			s.restart()
			s.post(path, body("What's my name?"))
			if last := s.up.last(); !strings.Contains(last, "[user] My name is Alice and I love hiking") {
				t.Errorf("the request has no turn: %s", last)
			}
			s.stop()
			want := []string{"user in default: My name is Alice and I love hiking", "assistant in default: ok", "user in default: What's my name?", "assistant in default: ok"}
			if got := s.turns(); !slices.Equal(got, want) {
				t.Errorf("turns: %q; said %q", got, s.say)
			}
			if status := s.box.Git("status", "--porcelain"); status != "" {
				t.Errorf("the repository has changes: %s", status)
			}
		})
	}
}

func TestConversationsHaveTheirOwnTurns(t *testing.T) {
	s := newSetup(t, nil)
	s.post(chatPath, strings.Replace(talk("My name is Alice"), "{", `{"memory_id":"alice",`, 1))
	s.post(chatPath, talk("My name is Bob"), "X-Session-Id", "bob")
	s.restart()
	s.post(chatPath, strings.Replace(talk("What's my name?"), "{", `{"memory_id":"alice",`, 1))
	if last := s.up.last(); !strings.Contains(last, "is Alice") || strings.Contains(last, "Bob") || strings.Contains(last, "memory_id") {
		t.Errorf("Alice's request: %s", last)
	}
	s.post(chatPath, talk("What's my name?"), "X-Session-Id", "bob")
	if last := s.up.last(); !strings.Contains(last, "is Bob") || strings.Contains(last, "Alice") {
		t.Errorf("Bob's request: %s", last)
	}
	s.post(chatPath, talk("What's my name?"))
	if last := s.up.last(); strings.Contains(last, "Bob") || strings.Contains(last, "Alice") {
		t.Errorf("the request of neither: %s", last)
	}
}

func TestSummariesCanBeSwitchedOff(t *testing.T) {
	for _, off := range []bool{false, true} {
		s := newSetup(t, func(e *Env) { e.NoSummaries = off })
		w, err := edit.Add(context.Background(), s.stores(), edit.Request{
			Options: memory.Options{Scope: store.Private, Origin: memory.Origin{Kind: memory.Explicit}}, Role: entry.RoleSummary, Text: "birds were discussed", Conversation: "a",
		})
		if err != nil || !w.Changed {
			t.Fatalf("summary: %v %+v", err, w)
		}
		s.post(chatPath, talk("what next?"), "X-Session-Id", "a")
		if last := s.up.last(); strings.Contains(last, "birds were discussed") == off {
			t.Errorf("switched off %t: %s", off, last)
		}
	}
}

// TestNearEqualsAreOneLine has five facts that say nearly the same, and one other.
func TestNearEqualsAreOneLine(t *testing.T) {
	s := newSetup(t, nil)
	for _, text := range []string{"Ann likes apples", "Ann really likes apples", "our Ann likes apples", "Ann likes the apples", "Ann likes her apples", "apples are sold in the market"} {
		s.fact(text)
	}
	s.post(chatPath, talk("what does Ann think about apples?"))
	if last := s.up.last(); strings.Count(last, "[memory]") != 2 || !strings.Contains(last, "market") {
		t.Errorf("the request has: %s", last)
	}
}

func TestNothingIsStoredUnasked(t *testing.T) {
	s := newSetup(t, func(e *Env) { e.Turns = false })
	s.post(chatPath, talk("My name is Alice"))
	s.stop()
	if got := s.turns(); len(got) > 0 {
		t.Errorf("stored: %q", got)
	}
}

// TestPrefixesStay plays a conversation of 20 turns while memory changes, and compares each request
// with the one before: the provider's cache has what both begin with.
func TestPrefixesStay(t *testing.T) {
	s := newSetup(t, nil)
	s.add("style.tone", "answer briefly")
	texts := []string{}
	before := ""
	for i := range 20 {
		texts = append(texts, fmt.Sprintf("tell me about topic%d and birds", i%7))
		s.post(chatPath, talk(texts...), "X-Session-Id", "one")
		now := s.up.last()
		if !strings.Contains(now, "style.tone: answer briefly") {
			t.Fatalf("request %d has no profile: %s", i, now)
		}
		if !strings.HasPrefix(now, strings.TrimSuffix(before, "]}")) {
			t.Fatalf("request %d does not begin with the one before:\n%s\n%s", i, before, now)
		}
		before = now
		texts = append(texts, "well")
		if i%5 == 0 {
			s.add(fmt.Sprintf("birds.topic%d", i), "birds of topic "+fmt.Sprint(i))
		}
	}
	if !strings.Contains(before, "birds.topic") && !strings.Contains(before, "birds of topic") {
		t.Errorf("no message was given anything: %s", before)
	}
}

func TestAskedTwiceAndRepeated(t *testing.T) {
	s := newSetup(t, nil)
	s.post(chatPath, talk("What's my favourite bird?"))
	s.post(chatPath, talk("My favourite bird is the magpie"))
	s.restart() // the writer is done
	s.post(chatPath, talk("What's my favourite bird?"))
	if last := s.up.last(); !strings.Contains(last, "is the magpie") {
		t.Errorf("a new chat that begins with the same words is not looked up again: %s", last)
	}
}

func TestWhatAHookServedComesOnce(t *testing.T) {
	s := newSetup(t, nil)
	s.add("style.tone", "answer briefly")
	rec := localstate.SessionRecord{Agent: "claude", Session: "hooked", Event: "SessionStart", Source: "startup", Given: []localstate.Given{{Scope: store.Private, Key: "style.tone", Digest: "x"}}}
	if err := localstate.RecordSession(s.stores(), rec); err != nil {
		t.Fatal(err)
	}
	body := `{"system":"s","messages":[{"role":"user","content":"hi"}]}`
	s.post("/v1/messages", body, "X-Claude-Code-Session-Id", "hooked")
	if last := s.up.last(); last != body {
		t.Errorf("the session of a hook got memory again: %s", last)
	}
	s.post("/v1/messages", body, "X-Claude-Code-Session-Id", "another")
	if last := s.up.last(); !strings.Contains(last, "answer briefly") {
		t.Errorf("another session got none: %s", last)
	}
}

func TestAsidesPassUnchanged(t *testing.T) {
	s := newSetup(t, nil)
	s.add("style.tone", "answer briefly")
	body := `{"messages":[{"role":"system","content":"You are a title generator."},{"role":"user","content":"My name is Alice"}]}`
	s.post(chatPath, body)
	if last := s.up.last(); last != body {
		t.Errorf("it is now %s", last)
	}
	s.stop()
	if got := s.turns(); len(got) > 0 {
		t.Errorf("stored: %q", got)
	}
}

func TestToolsAndOtherPaths(t *testing.T) {
	s := newSetup(t, nil)
	s.up.answer = func(w http.ResponseWriter, r *http.Request, body string) {
		if strings.Contains(body, `"role":"tool"`) {
			reply(w, r, "the answer", false)
			return
		}
		fmt.Fprint(w, `{"choices":[{"index":0,"message":{"content":"let me look","tool_calls":[{"id":"1"}]},"finish_reason":"tool_calls"}]}`)
	}
	s.post(chatPath, talk("look for it"), "X-Session-Id", "a")
	s.post(chatPath, `{"messages":[{"role":"user","content":"look for it"},{"role":"assistant","content":"let me look","tool_calls":[{"id":"1"}]},{"role":"tool","content":"x"}]}`, "X-Session-Id", "a")
	s.stop()
	if got := s.turns(); !slices.Equal(got, []string{"user in a: look for it", "assistant in a: the answer"}) {
		t.Errorf("turns: %q; said %q", got, s.say)
	}
	s.start()
	s.up.answer = func(w http.ResponseWriter, _ *http.Request, body string) { fmt.Fprint(w, "echo "+body) }
	for _, req := range []struct{ method, path string }{{"GET", "/v1/models"}, {"POST", "/v1/messages/count_tokens?beta=true"}, {"POST", "/v1/embeddings"}, {"GET", "/v1/chat/completions/abc?b=2&a=1"}} {
		body := ""
		if req.method == "POST" {
			body = `{"messages":[{"role":"user","content":"hi"}]}`
		}
		res := s.send(req.method, req.path, body)
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if string(text) != "echo "+body || s.up.paths[len(s.up.paths)-1] != req.path {
			t.Errorf("%s %s: %s, asked for %s", req.method, req.path, text, s.up.paths[len(s.up.paths)-1])
		}
	}
	if res := s.send("HEAD", "/", ""); res.StatusCode != http.StatusOK {
		t.Errorf("HEAD / is %d", res.StatusCode)
	}
}

// TestRetriesAreOneTurn sends a request again that got no answer.
func TestRetriesAreOneTurn(t *testing.T) {
	s := newSetup(t, nil)
	s.up.answer = func(w http.ResponseWriter, r *http.Request, _ string) {
		if s.up.count() < 3 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(529)
			return
		}
		reply(w, r, "ok", false)
	}
	for range 3 {
		s.post(chatPath, talk("do it"), "X-Session-Id", "a")
	}
	s.stop()
	if got := s.turns(); !slices.Equal(got, []string{"user in a: do it", "assistant in a: ok"}) {
		t.Errorf("turns: %q; said %q", got, s.say)
	}
}

func TestFailuresPassUnchanged(t *testing.T) {
	s := newSetup(t, nil)
	const body = `{"error":{"message":"slow down","type":"rate_limit_error"}}`
	s.up.answer = func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.Header().Set("Retry-After", "17")
		w.Header().Set("X-Request-Id", "r1")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, body)
	}
	res := s.send("POST", chatPath, talk("hi"))
	got, _ := io.ReadAll(res.Body)
	res.Body.Close()
	if res.StatusCode != http.StatusTooManyRequests || string(got) != body || res.Header.Get("Retry-After") != "17" || res.Header.Get("X-Request-Id") != "r1" || s.up.count() != 1 {
		t.Errorf("%d %v %s after %d requests", res.StatusCode, res.Header, got, s.up.count())
	}
	s.up.Close()
	for path, form := range map[string]string{chatPath: `{"error":{`, "/v1/messages": `{"type":"error","error":{"type":"api_error","message":"memctl proxy: the upstream cannot be reached"}}`} {
		res = s.send("POST", path, talk("hi"))
		got, _ = io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != http.StatusBadGateway || !strings.HasPrefix(string(got), form) || res.Header.Get("X-Should-Retry") != "false" {
			t.Errorf("%s without an upstream: %d %s", path, res.StatusCode, got)
		}
	}
}

func TestInvalidRequests(t *testing.T) {
	s := newSetup(t, nil)
	for body, form := range map[string]string{"no JSON": `{"error":{"message":"memctl proxy: the body is not a JSON object","type":"invalid_request_error","param":null,"code":null}}`, `{"model":"m"}`: `{"error":{"message":"memctl proxy: \"messages\" must`} {
		res := s.send("POST", chatPath, body)
		got, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != http.StatusBadRequest || !strings.HasPrefix(string(got), form) {
			t.Errorf("%s: %d %s", body, res.StatusCode, got)
		}
	}
	if s.up.count() > 0 {
		t.Error("the service was asked")
	}
	large := talk(strings.Repeat("x", 10<<20))
	s.post(chatPath, large)
	if last := s.up.last(); last != large {
		t.Errorf("a request of 10 MB arrived with %d bytes", len(last))
	}
	if res := s.send("POST", chatPath, talk(strings.Repeat("x", maxBody))); res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a request that is too large: %d", res.StatusCode)
	}
}

// TestChunksPassAtOnce holds the service back after each chunk until the client has it.
func TestChunksPassAtOnce(t *testing.T) {
	s := newSetup(t, nil)
	got := make(chan bool)
	s.up.answer = func(w http.ResponseWriter, r *http.Request, _ string) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 3 {
			fmt.Fprintf(w, "data: {\"n\":%d}\n\n", i)
			w.(http.Flusher).Flush()
			select {
			case <-got:
			case <-r.Context().Done():
			}
		}
	}
	res := s.send("POST", chatPath, talk("hi"))
	defer res.Body.Close()
	buf := make([]byte, 100)
	for i := range 3 {
		n, err := res.Body.Read(buf)
		if want := fmt.Sprintf("data: {\"n\":%d}\n\n", i); string(buf[:n]) != want || err != nil && err != io.EOF {
			t.Fatalf("chunk %d: %q %v", i, buf[:n], err)
		}
		got <- true
	}
}

func TestCutStreamsAreCut(t *testing.T) {
	s := newSetup(t, nil)
	s.up.answer = func(w http.ResponseWriter, r *http.Request, _ string) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"half\"}}]}\n\n")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	for i := range either(10, 100) {
		res := s.send("POST", chatPath, talk(fmt.Sprint("hi ", i)), "X-Session-Id", "a")
		got, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err == nil || !strings.Contains(string(got), "half") {
			t.Fatalf("stream %d: %q %v", i, got, err)
		}
	}
	s.stop()
	for _, turn := range s.turns() {
		if strings.HasPrefix(turn, "assistant") {
			t.Errorf("half an answer is stored: %s", turn)
		}
	}
}

func TestACancelledRequestEndsUpstream(t *testing.T) {
	s := newSetup(t, nil)
	ended := make(chan bool, 1)
	s.up.answer = func(w http.ResponseWriter, r *http.Request, _ string) {
		fmt.Fprint(w, "data: {}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		ended <- true
	}
	ctx, cancel := context.WithCancel(context.Background())
	req, _ := http.NewRequestWithContext(ctx, "POST", s.at.URL+chatPath, strings.NewReader(talk("hi")))
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	res.Body.Close()
	<-ended // the test's own limit is what ends it else
}

func TestMostMemoriesOfAMessage(t *testing.T) {
	s := newSetup(t, nil)
	for i := range 12 {
		w, err := edit.Add(context.Background(), s.stores(), edit.Request{
			Options: memory.Options{Scope: store.Private, Origin: memory.Origin{Kind: memory.Explicit}}, Role: entry.RoleFact, Text: fmt.Sprintf("magpies of the %d. garden like shiny things", i),
		})
		if err != nil || !w.Changed {
			t.Fatalf("remember: %v %+v", err, w)
		}
	}
	s.post(chatPath, talk("what do magpies like?"))
	var sent struct{ Messages []struct{ Content string } }
	if err := json.Unmarshal([]byte(s.up.last()), &sent); err != nil {
		t.Fatal(err)
	}
	last := sent.Messages[len(sent.Messages)-1].Content
	if n := strings.Count(last, "\n[memory] magpies"); n != maxLines {
		t.Errorf("%d lines in %q", n, last)
	}
}

func TestARequestToRememberWaitsForReview(t *testing.T) {
	t.Setenv("MEMCTL_CAPTURE", "rules")
	s := newSetup(t, nil)
	s.post(chatPath, talk("From now on, always write tests before the code."))
	s.stop()
	st, err := s.stores().Get(context.Background(), store.Private)
	if err != nil {
		t.Fatal(err)
	}
	queue, err := ledger.Queue(st)
	if err != nil || len(queue) != 1 || !strings.Contains(queue[0].Said, "write tests before the code") {
		t.Errorf("%v: %+v waits; said %q", err, queue, s.say)
	}
}

// TestEviction says more than a conversation may keep. A summary stays.
func TestEviction(t *testing.T) {
	t.Setenv("MEMCTL_TURNS_LIMIT", "6")
	s := newSetup(t, nil)
	w, err := edit.Add(context.Background(), s.stores(), edit.Request{
		Options: memory.Options{Scope: store.Private, Origin: memory.Origin{Kind: memory.Explicit}}, Role: entry.RoleSummary, Text: "birds were discussed", Conversation: "a",
	})
	if err != nil || !w.Changed {
		t.Fatalf("summary: %v %+v", err, w)
	}
	for i := range 5 {
		s.post(chatPath, talk(fmt.Sprintf("message %d about birds", i)), "X-Session-Id", "a")
		s.restart() // the writer is done
	}
	s.stop()
	got := s.turns()
	if len(got) < 3 || len(got) > 7 || !slices.Contains(got, "summary in a: birds were discussed") || !slices.Contains(got, "user in a: message 4 about birds") || slices.Contains(got, "user in a: message 0 about birds") {
		t.Errorf("kept: %q; said %q", got, s.say)
	}
}

// TestAnswersUnderWayEndWhole ends a proxy while a stream is under way.
func TestAnswersUnderWayEndWhole(t *testing.T) {
	s := newSetup(t, nil)
	begun, ending := make(chan struct{}), make(chan struct{})
	s.up.answer = func(w http.ResponseWriter, _ *http.Request, _ string) {
		_, _ = io.WriteString(w, "first ")
		w.(http.Flusher).Flush()
		close(begun)
		<-ending
		_, _ = io.WriteString(w, "last")
	}
	l, err := door.Listen("127.0.0.1:0", "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.p.Serve(ctx, l) }()
	answer := make(chan string, 1)
	go func() {
		res, err := http.Post("http://"+l.Addr().String()+chatPath, "application/json", strings.NewReader(`{"messages":[{"role":"user","content":"hello"}]}`))
		if err != nil {
			answer <- err.Error()
			return
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		answer <- fmt.Sprint(string(body), err)
	}()
	<-begun
	end()
	select {
	case err := <-served:
		t.Errorf("the proxy ended while an answer was under way: %v", err)
	default:
	}
	close(ending)
	if got, want := <-answer, "first last<nil>"; got != want {
		t.Errorf("the client got %q, want %q", got, want)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestOtherConversationsTakeNoPlaces has many turns of another conversation that fit a message better.
func TestOtherConversationsTakeNoPlaces(t *testing.T) {
	s := newSetup(t, nil)
	s.stop()
	w := &writer{env: s.env, say: func(line string) { t.Error(line) }}
	said := func(conversation, text string) {
		w.addTurn(entry.RoleUser, conversation, "", text)
	}
	said("mine", "my neighbour told me that magpies like the shiny things which people leave on their tables in the garden after lunch")
	for i := range 400 {
		said("another", fmt.Sprintf("magpies like shiny thing %d", i))
	}
	if !w.write(context.Background()) {
		t.Fatal("the turns are not stored")
	}
	s.start()
	s.post(chatPath, talk("magpies like which shiny thing?"), "X-Session-Id", "mine")
	if last := s.up.last(); !strings.Contains(last, "my neighbour told me") || strings.Contains(last, "shiny thing 3") {
		t.Errorf("the request has not the turns of its own conversation: %s", last)
	}
}

// TestUploadsAreNotCut answers a request on another path before its body has ended.
func TestUploadsAreNotCut(t *testing.T) {
	s := newSetup(t, nil)
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		first := make([]byte, len("first "))
		_, err := io.ReadFull(r.Body, first)
		fmt.Fprint(w, string(first), err, " ")
		w.(http.Flusher).Flush()
		rest, err := io.ReadAll(r.Body)
		fmt.Fprint(w, string(rest), err)
	}))
	defer up.Close()
	s.stop()
	s.env.Upstream, _ = url.Parse(up.URL)
	s.start()
	body, send := io.Pipe()
	go func() { _, _ = io.WriteString(send, "first ") }()
	res, err := http.Post(s.at.URL+"/v1/files", "application/octet-stream", body)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	got := make([]byte, len("first <nil> "))
	if _, err := io.ReadFull(res.Body, got); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.WriteString(send, "last "); send.Close() }()
	rest, err := io.ReadAll(res.Body)
	if all := string(got) + string(rest); err != nil || all != "first <nil> last <nil>" {
		t.Errorf("the answer is %q, %v", all, err)
	}
}
