package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	proxyRequests = 100
	// proxyAim is the CPU time of a request with --turns.
	proxyAim = 5 * time.Millisecond
)

// proxyTable measures the CPU time of a request that passes through the proxy with --turns. The start and the first
// requests, which open the index, do not count. No command does that.
func (b *bench) proxyTable() (string, error) {
	if err := goBuild(filepath.Join(filepath.Dir(b.memctl), "memctl-full"), "github.com/memctl/memctl/cmd/memctl-full"); err != nil {
		return "", err
	}
	if _, err := os.Stat(b.factsAt(someFacts)); err != nil {
		if err := b.makeFacts(someFacts); err != nil {
			return "", err
		}
	}
	const warm = 10
	few, err := b.askProxy(warm)
	if err != nil {
		return "", err
	}
	many, err := b.askProxy(warm + proxyRequests)
	if err != nil {
		return "", err
	}
	each, met := (many-few)/proxyRequests, "met"
	if each > proxyAim {
		met = "missed"
	}
	return fmt.Sprintf("\nThe proxy:\n\n| | CPU, ms | aim |\n|---|--:|---|\n| a request to `memctl proxy --turns`, %d facts | %.1f | %d ms: %s |\n",
		someFacts, milliseconds(each), proxyAim.Milliseconds(), met), nil
}

// askProxy starts the proxy before a service that says one word, sends so many messages, each in a conversation of its
// own, and gives the CPU time of the whole process.
func (b *bench) askProxy(messages int) (cpu time.Duration, err error) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"done"}}]}`)
	}))
	defer service.Close()
	proxy := b.command(b.factsAt(someFacts), b.memctl, "proxy", "--listen", "127.0.0.1:0", "--upstream", service.URL, "--turns")
	out, err := proxy.StderrPipe()
	if err != nil {
		return 0, err
	}
	if err := proxy.Start(); err != nil {
		return 0, err
	}
	address := ""
	lines := bufio.NewReader(out)
	for address == "" && err == nil {
		var line string
		line, err = lines.ReadString('\n')
		if _, rest, ok := strings.Cut(line, "serving "); ok {
			address, _, _ = strings.Cut(rest, "/v1")
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	for i := 0; i < messages && err == nil; i++ {
		err = ask(address, i)
	}
	_ = proxy.Process.Signal(os.Interrupt)
	_ = proxy.Wait()
	return proxy.ProcessState.UserTime() + proxy.ProcessState.SystemTime(), err
}

// ask sends the message of a round.
func ask(address string, round int) error {
	text := fmt.Sprintf(`{"messages":[{"role":"user","content":"what do we know about %s and %s, for the %d. time?"}]}`, word(200), word(uint64(2000+round)), round)
	req, err := http.NewRequest(http.MethodPost, address+"/v1/chat/completions", strings.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Session-Id", fmt.Sprint(round))
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if said, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the proxy answers %d %s: %w", answer.StatusCode, said, err)
	}
	return nil
}
