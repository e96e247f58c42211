//go:build e2e

package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// model stands in for a model service: it logs the requests, and answers by its plays, else
// with reply.
type model struct {
	*httptest.Server
	mu    sync.Mutex
	asked []request
	plays []play
	spent int           // tokens that it says the next request with tools had; 0 for few
	words string        // what it says in place of reply, "" for that
	held  chan struct{} // where it is set, answers wait until it is closed
	// choices are what it says where a request asks for several answers.
	choices []string
	// decide gives the tool that it calls after the prompt with the words about, as the request tells it; without an input, none.
	decide func(body string) (tool string, input object)
	about  string
}

// request is one that was sent to the model.
type request struct {
	path string
	body string
}

// reply is the answer to every request that no play answers.
const reply = "hello from the stand-in"

// play makes the model call a tool, in a request that has the words and, after them, the output
// of that many tools.
type play struct {
	words   string
	after   int
	tool    string
	input   object
	inputOf func(body string) object // in place of input, where it depends on the request
	wait    time.Duration            // how long the model thinks before
}

func newModel(t *testing.T) *model {
	m := &model{}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	if dir := os.Getenv("MEMCTL_E2E_LOG"); dir != "" {
		t.Cleanup(func() { m.writeLog(t, dir) })
	}
	return m
}

// writeLog writes each request to a file, for a person who looks into a failure.
func (m *model) writeLog(t *testing.T, dir string) {
	dir = mkdir(t, dir, strings.ReplaceAll(t.Name(), "/", "_"))
	for i, r := range m.requests("") {
		name := fmt.Sprintf("%02d%s.json", i, strings.NewReplacer("/", "_", ":", "_").Replace(r.path))
		_ = os.WriteFile(filepath.Join(dir, name), []byte(r.body), 0o600)
	}
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	asked := request{r.URL.Path, string(body)}
	m.mu.Lock()
	m.asked = append(m.asked, asked)
	// Claude Code takes answers of one id for one answer.
	a := answer{id: strconv.Itoa(len(m.asked)), text: reply, usage: 1, stream: strings.Contains(asked.body, `"stream":true`) || strings.Contains(asked.path, ":stream")}
	if m.words != "" {
		a.text = m.words
	}
	var wait time.Duration
	for _, p := range m.plays {
		if p.due(asked) {
			wait = p.wait
			a.tool, a.input = p.tool, p.input
			if p.inputOf != nil {
				a.input = p.inputOf(asked.body)
			}
			break
		}
	}
	if m.decide != nil && (play{words: m.about}).due(asked) {
		if tool, input := m.decide(asked.body); input != nil {
			a.tool, a.input = tool, input
		}
	}
	if m.spent > 0 && isTalk(asked) {
		a.usage, m.spent = m.spent, 0
	}
	held, choices := m.held, m.choices
	m.mu.Unlock()
	if held != nil {
		<-held
	}
	time.Sleep(wait)
	switch {
	case strings.HasSuffix(asked.path, "/count_tokens"):
		_, _ = io.WriteString(w, `{"input_tokens":1}`)
	case strings.Contains(asked.path, ":countTokens"):
		fmt.Fprintf(w, `{"totalTokens":%d}`, a.usage)
	case strings.HasSuffix(asked.path, "/messages"):
		a.anthropic(w)
	case strings.HasSuffix(asked.path, "/responses"):
		a.openAI(w)
	case strings.HasSuffix(asked.path, "/chat/completions") && choices != nil:
		several(w, choices)
	case strings.HasSuffix(asked.path, "/chat/completions"):
		a.completions(w)
	case strings.Contains(asked.path, "enerateContent"):
		a.google(w)
	case strings.HasSuffix(asked.path, "/models"):
		_, _ = io.WriteString(w, `{"object":"list","data":[],"models":[]}`)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// spend makes the next request of a conversation count as one of so many tokens.
func (m *model) spend(tokens int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spent = tokens
}

// say makes the model answer with these words; "" is reply again.
func (m *model) say(words string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.words = words
}

// hold makes answers wait, until the function that it returns is called.
func (m *model) hold() (release func()) {
	held := make(chan struct{})
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held = held
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.held = nil
		close(held)
	}
}

// toolOutput begins the output of a tool in a request, in the forms of the four services.
var toolOutput = regexp.MustCompile(`"type":"tool_result"|"type":"function_call_output"|"role":"tool"|"functionResponse":`)

// due reports whether the play answers this request.
func (p play) due(r request) bool {
	at := strings.LastIndex(r.body, p.words)
	return at >= 0 && isTalk(r) && len(toolOutput.FindAllString(r.body[at:], -1)) == p.after
}

// answered reports whether a request has the words and the output of that many tools after them.
func (m *model) answered(words string, tools int) bool {
	return slices.ContainsFunc(m.requests(""), play{words: words, after: tools}.due)
}

// requests are those to a path that has this part, in their order.
func (m *model) requests(part string) []request {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []request
	for _, r := range m.asked {
		if strings.Contains(r.path, part) {
			list = append(list, r)
		}
	}
	return list
}
