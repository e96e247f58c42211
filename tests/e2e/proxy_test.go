//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// openAISDK is the SDK that is tested.
const openAISDK = "openai@6.49.0"

// proxied is a proxy in a scratch repository, before the stand-in.
type proxied struct {
	*scratch
	m    *model
	url  string
	stop func()
}

// startProxy starts `memctl proxy` and waits until it serves.
func startProxy(s *scratch, m *model, flags ...string) *proxied {
	s.t.Helper()
	c := exec.Command(filepath.Join(programs, "memctl"), append([]string{"proxy", "--listen", "127.0.0.1:0", "--upstream", m.URL}, flags...)...)
	c.Dir, c.Env = s.repo, s.env
	out, err := c.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	p := &proxied{scratch: s, m: m}
	lines := bufio.NewScanner(out)
	for p.url == "" && lines.Scan() {
		if _, rest, ok := strings.Cut(lines.Text(), "serving "); ok {
			p.url, _, _ = strings.Cut(rest, "/v1")
		}
	}
	if p.url == "" {
		s.t.Fatal("the proxy does not serve")
	}
	ended := make(chan bool)
	go func() {
		for lines.Scan() {
			s.t.Log("proxy: " + lines.Text())
		}
		close(ended)
	}()
	p.stop = func() {
		if c.ProcessState == nil {
			_ = c.Process.Signal(syscall.SIGTERM)
			<-ended
			_ = c.Wait()
		}
	}
	s.t.Cleanup(p.stop)
	return p
}

// said is the text of the person's last message in a request's body.
func said(t *testing.T, body string) string {
	t.Helper()
	var asked struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Input json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal([]byte(body), &asked); err != nil {
		t.Fatal(err)
	}
	if len(asked.Messages) == 0 {
		return string(asked.Input)
	}
	return string(asked.Messages[len(asked.Messages)-1].Content)
}

// TestProxySDK plays OpenAI's SDK. Each step is a process of its own.
func TestProxySDK(t *testing.T) {
	s, m := newScratch(t), newModel(t)
	sdk := install(t, "openai", openAISDK)
	script := filepath.Join(filepath.Dir(filepath.Dir(sdk)), "..", "proxy-openai.mjs") // beside the SDK, which it imports
	source, err := os.ReadFile(filepath.Join("proxy", "openai.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	s.write(script, string(source))
	s.run("memctl", "trust")
	p := startProxy(s, m, "--turns")
	s.env = append(s.env, "OPENAI_BASE_URL="+p.url+"/v1", "OPENAI_API_KEY=none")
	last := func(path string) string { all := m.requests(path); return all[len(all)-1].body }
	step := func(name string) {
		t.Helper()
		s.run("node", script, name)
		time.Sleep(time.Second) // turns are stored after the answer
	}
	step("tell")
	if body := last("/completions"); !strings.Contains(body, fact) {
		t.Errorf("the first request has no profile: %s", body)
	}
	step("name")
	for _, path := range []string{"/completions", "/responses"} {
		if body := last(path); !strings.Contains(said(t, body), "My name is Alice") {
			t.Errorf("the next process does not know the name at %s: %s", path, body)
		}
	}
	step("stream")
	m.plays = []play{{words: "what is the weather?", tool: "weather", input: object{}}}
	step("tools")
	if body := last("/completions"); !strings.Contains(body, `"content":"sunny"}]`) {
		t.Errorf("something follows the tool's output: %s", body)
	}
	step("image")
	if body := last("/completions"); !strings.Contains(body, "iVBORw0KGgo=") {
		t.Errorf("the image is gone: %s", body)
	}
	release := m.hold()
	step("cancel")
	release()
	step("two")
	step("cats")
	for _, r := range m.requests("/completions")[len(m.requests("/completions"))-2:] {
		if tom, kit := strings.Contains(r.body, "called Tom"), strings.Contains(r.body, "called Kit"); tom == kit || strings.Contains(r.body, "memory_id") {
			t.Errorf("a conversation has another one's memory, or none: %s", r.body)
		}
	}
	m.choices = []string{"one", "two"}
	step("several")
	m.choices = nil
	step("large")
	step("models")
	p.stop()
	if found := s.run("memctl", "recall", "hiking"); !strings.Contains(found, "My name is Alice") {
		t.Errorf("the turn is not in memory: %s", found)
	}
	m.Close()
	p = startProxy(s, m)
	s.env = append(s.env, "OPENAI_BASE_URL="+p.url+"/v1")
	begun := time.Now()
	step("down")
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("the client tried again for %s", took)
	}
}

// eachProxied plays with each client that can stand before a proxy.
func eachProxied(t *testing.T, play func(r *trial, p *proxied)) {
	for _, c := range []client{claudeClient(), codexClient(), openCodeClient(), copilotClient()} {
		t.Run(c.name, func(t *testing.T) {
			r := unconnected(t, c)
			r.scratch.run("memctl", "trust")
			p := startProxy(r.scratch, r.m, "--turns")
			c.setup(r.scratch, &model{Server: &httptest.Server{URL: p.url}})
			play(r, p)
		})
	}
}

// TestProxyAgents plays agents without hooks: the next process knows a name, a tool's output gets
// nothing, and a subagent's and a compaction's requests pass unchanged.
func TestProxyAgents(t *testing.T) {
	eachProxied(t, func(r *trial, p *proxied) {
		const asked = "what is the person's name?"
		r.scratch.run("memctl", "remember", "-q", "--scope", "private", "the person's name is Alice")
		r.answer(asked, r.c.shell("echo tried-it"))
		all := r.session(asked)
		talk := r.talk(all, asked)[0].body
		if !strings.Contains(talk, fact) {
			r.t.Errorf("the request has no profile: %s", talk)
		}
		if !strings.Contains(talk, "[memory] the person's name is Alice") {
			r.t.Errorf("the message got nothing: %s", talk)
		}
		for _, other := range all {
			if n := strings.Count(other.body, "Found in memory"); n != 1 && strings.Contains(other.body, "tried-it") {
				r.t.Errorf("after the tool, memory is there %d times: %s", n, other.body)
			}
			if !isTalk(other) && strings.Contains(other.body, fact) {
				r.t.Errorf("a request about something else has memory: %s", other.body)
			}
		}
		p.stop()
		if found := r.scratch.run("memctl", "recall", asked); !strings.Contains(found, asked) {
			r.t.Errorf("the turn is not in memory: %s", found)
		}
	})
}
