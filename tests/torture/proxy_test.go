package torture

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/entry"
)

// proxied is a proxy under load, as a process of its own.
type proxied struct {
	c   *exec.Cmd
	url string
}

// proxy starts `memctl proxy` and waits until it serves.
func (m *machine) proxy(dir, upstream, flag string) *proxied {
	m.t.Helper()
	c := m.command(dir, "proxy", "--listen", "127.0.0.1:0", "--upstream", upstream, flag)
	out, err := c.StderrPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, rest, ok := strings.Cut(lines.Text(), "serving "); ok {
			url, _, _ := strings.Cut(rest, "/v1")
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return &proxied{c, url}
		}
	}
	m.t.Fatal("the proxy does not serve")
	return nil
}

// peak is the most memory that the process had, in MB, and files how many files it has open.
func (p *proxied) peak(t *testing.T) (megabytes, files int) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.c.Process.Pid))
	if err != nil {
		t.Skip("this system does not tell")
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
			megabytes = kb >> 10
		}
	}
	list, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.c.Process.Pid))
	return megabytes, len(list)
}

// streaming answers with chunks over a while.
func streaming(w http.ResponseWriter, r *http.Request, chunks int, pause time.Duration) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "text/event-stream")
	for range chunks {
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word \"}}]}\n\n")
		w.(http.Flusher).Flush()
		time.Sleep(pause)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// chat sends a message and returns how long the first byte took.
func chat(url, session, text string) (first time.Duration, err error) {
	req, err := http.NewRequest("POST", url+"/v1/chat/completions", strings.NewReader(`{"stream":true,"messages":[{"role":"user","content":"`+text+`"}]}`))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Session-Id", session)
	begun := time.Now()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	if _, err := res.Body.Read(make([]byte, 1)); err != nil {
		return 0, err
	}
	first = time.Since(begun)
	_, err = io.Copy(io.Discard, res.Body)
	return first, err
}

// TestProxyUnderLoad measures what the proxy costs with many streams at a time, beside a reverse proxy of
// the standard library that does nothing: on a small machine, the streams themselves make each other wait.
// A sample checks that they work.
func TestProxyUnderLoad(t *testing.T) {
	streams, rounds, chunks, pause := either(5, 200), either(2, 10), either(3, 60), time.Duration(either(1, 50))*time.Millisecond
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { streaming(w, r, chunks, pause) }))
	defer service.Close()
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = streams
	m := newMachine(t, "Ada")
	dir := filepath.Join(m.home, "repo")
	m.git(m.home, "init", "-q", dir)
	for i := range either(3, 50) {
		m.memctl(dir, "add", "-q", "--scope", "private", fmt.Sprintf("birds.bird%d", i), fmt.Sprintf("bird %d sits on the %d. post", i, i))
	}
	p := m.proxy(dir, service.URL, "--turns")
	_, filesBefore := p.peak(t)
	upstream, err := url.Parse(service.URL)
	if err != nil {
		t.Fatal(err)
	}
	relay := httputil.NewSingleHostReverseProxy(upstream)
	relay.FlushInterval = -1
	relay.Transport = &http.Transport{MaxIdleConnsPerHost: streams}
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		relay.ServeHTTP(w, r)
	}))
	defer plain.Close()
	took := map[string][]time.Duration{}
	for _, way := range []struct{ name, url string }{{"direct", service.URL}, {"plain", plain.URL}, {"proxy", p.url}} {
		var mu sync.Mutex
		var wg sync.WaitGroup
		for n := range streams {
			wg.Go(func() {
				time.Sleep(time.Duration(n) * time.Duration(chunks) * pause / time.Duration(streams)) // people do not type in step
				for i := range rounds {
					first, err := chat(way.url, fmt.Sprint(n), fmt.Sprintf("where does bird %d sit, for the %d. time?", n, i))
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					took[way.name] = append(took[way.name], first)
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		slices.Sort(took[way.name])
	}
	at := func(way string, share float64) time.Duration { return took[way][int(share*float64(len(took[way])-1))] }
	median, p99 := at("proxy", 0.5)-at("plain", 0.5), at("proxy", 0.99)-at("plain", 0.99)
	http.DefaultClient.CloseIdleConnections()
	peak, files := p.peak(t)
	for _, way := range []string{"direct", "plain", "proxy"} {
		t.Logf("%-6s %d streams at a time: first byte after %v at the median and %v at p99", way, streams, at(way, 0.5), at(way, 0.99))
	}
	t.Logf("%v and %v later than through a plain reverse proxy; %d MB at most, %d files open after, %d before", median, p99, peak, files, filesBefore)
	if all() && peak > 200 {
		t.Error("over 200 MB")
	}
}

// TestProxyKilled kills the proxy while it stores turns, and looks for turns that are not whole.
func TestProxyKilled(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { streaming(w, r, 1, 0) }))
	defer service.Close()
	m := newMachine(t, "Ada")
	dir := filepath.Join(m.home, "repo")
	m.git(m.home, "init", "-q", dir)
	// The store is there before the kills: the git that records its id outlives a killed memctl, and could record it late.
	if a := m.memctl(dir, "add", "-q", "--scope", "private", "a.a", "the first act"); a.status != 0 {
		t.Fatalf("the first act: %+v", a)
	}
	tail := strings.Repeat(" and so on", 400) + " to the end"
	sent := 0
	for round := range either(3, 100) {
		p := m.proxy(dir, service.URL, "--turns")
		killed := time.AfterFunc(time.Duration(20+round*37%200)*time.Millisecond, func() { _ = p.c.Process.Kill() })
		for {
			sent++
			if _, err := chat(p.url, "one", fmt.Sprintf("message %d%s", sent, tail)); err != nil {
				break
			}
		}
		killed.Stop()
		_ = p.c.Wait()
	}
	p := m.proxy(dir, service.URL, "--turns") // one that is not killed early, however slow the machine is
	sent++
	if _, err := chat(p.url, "one", fmt.Sprintf("message %d%s", sent, tail)); err != nil {
		t.Fatal(err)
	}
	for stored := filepath.Join(m.home, "data", "memctl", "private", "*", "memories", "*", "*", "*", "*", "*.md"); ; time.Sleep(10 * time.Millisecond) {
		if files, _ := filepath.Glob(stored); len(files) > 0 {
			break
		}
	}
	_ = p.c.Process.Kill()
	_ = p.c.Wait()
	if a := m.memctl(dir, "add", "-q", "--scope", "private", "a.b", "the next act"); a.status != 0 {
		t.Fatalf("the next act: %+v", a)
	}
	stores, _ := filepath.Glob(filepath.Join(m.home, "data", "memctl", "private", "*"))
	if len(stores) != 1 {
		t.Fatalf("stores: %q", stores)
	}
	turns := 0
	err := filepath.WalkDir(filepath.Join(stores[0], "memories"), func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(stores[0], name)
		f, _ := entry.Parse(filepath.ToSlash(rel), data)
		if f == nil || f.Entry().Role == entry.RoleUser && !strings.HasSuffix(f.Entry().Text, " to the end") {
			t.Errorf("%s is not whole:\n%s", rel, data)
		}
		turns++
		return nil
	})
	if err != nil || turns == 0 {
		t.Errorf("%d turns: %v", turns, err)
	}
	if status := m.git(stores[0], "status", "--porcelain"); status != "" {
		t.Errorf("the next act left: %s", status)
	}
	t.Logf("%d messages sent, %d turns stored", sent, turns)
}

// TestProxyExtracts has the upstream's own model find a fact, with the request's key. A later message gets it only
// after a person has confirmed it.
func TestProxyExtracts(t *testing.T) {
	const found = `{"facts":[{"message":1,"quote":"I love hiking","category":"personal","topics":[]}],"profile":[],"topics":[],"projects":[],"daily":[],"lessons":[],"summary":[]}`
	var mu sync.Mutex
	last, keys := "", map[string]bool{}
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		keys[r.Header.Get("Authorization")] = true
		text := `"ok"`
		if strings.Contains(string(body), "extract what") {
			text = strconv.Quote(found)
		} else {
			last = string(body)
		}
		fmt.Fprintf(w, `{"choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`, text)
	}))
	defer service.Close()
	m := newMachine(t, "Ada")
	dir := filepath.Join(m.home, "folder")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	p := m.proxy(dir, service.URL+"/v1", "--learn")
	ask := func(text string) string {
		req, err := http.NewRequest("POST", p.url+"/v1/chat/completions", strings.NewReader(fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"%s"}]}`, text)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer the-key")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		mu.Lock()
		defer mu.Unlock()
		return last
	}
	ask("I love hiking")
	for !strings.Contains(m.memctl(dir, "review").out, "love hiking") { // the test's own limit ends it where nothing is found
		time.Sleep(50 * time.Millisecond)
	}
	const question, handed = "which hiking does the person love?", "[memory] I love hiking"
	if sent := ask(question); strings.Contains(sent, "[memory") {
		t.Errorf("it is handed over before anybody confirmed it: %s", sent)
	}
	id, _, _ := strings.Cut(m.memctl(dir, "list", "--tier", "fact").out, " ")
	if a := m.memctl(dir, "confirm", id); a.status != 0 {
		t.Fatalf("confirm %s: %+v", id, a)
	}
	for !strings.Contains(ask(question), handed) {
		time.Sleep(50 * time.Millisecond)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(keys) != 1 || !keys["Bearer the-key"] {
		t.Errorf("keys: %v", keys)
	}
}
