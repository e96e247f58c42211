//go:build e2e

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

const (
	// keyPause lies between two keys: clients take faster ones for a paste, and the Enter at
	// its end for a part of it.
	keyPause = 15 * time.Millisecond
	// settled is how long a screen does not change once a client waits for the person.
	settled = time.Second
	// enterAgain is when Enter is pressed once more: a busy client may take the first one for a
	// part of what was typed before it. In an empty line it does nothing.
	enterAgain = 10 * time.Second
	// terminalWait bounds every wait for a client in a terminal.
	terminalWait = 90 * time.Second
)

// terminal is a client at work in a pseudo-terminal.
type terminal struct {
	t       *testing.T
	cmd     *exec.Cmd
	keys    *os.File
	done    chan struct{} // closed when the client has ended
	mu      sync.Mutex
	screen  bytes.Buffer // all that the client printed
	changed time.Time
}

// terminal starts the client in a pseudo-terminal.
func (r *trial) terminal(args ...string) *terminal {
	r.t.Helper()
	c := &terminal{t: r.t, cmd: exec.Command(r.bin, args...), done: make(chan struct{}), changed: time.Now()}
	c.cmd.Dir, c.cmd.Env = r.repo, append(r.env[:len(r.env):len(r.env)], "TERM=xterm-256color")
	keys, err := pty.StartWithSize(c.cmd, &pty.Winsize{Rows: 50, Cols: 150})
	if err != nil {
		r.t.Fatal(err)
	}
	c.keys = keys
	go c.read()
	r.t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		<-c.done
		_ = keys.Close()
		if dir := os.Getenv("MEMCTL_E2E_LOG"); dir != "" {
			name := filepath.Join(mkdir(r.t, dir), strings.ReplaceAll(r.t.Name(), "/", "_")+".screen")
			_ = os.WriteFile(name, []byte(c.text()), 0o600)
		}
	})
	c.until("prompt", func() bool { return strings.Contains(c.text(), r.c.ready) })
	return c
}

// terminalAnswers are what a terminal says when a program asks for the place of the cursor, and
// what it can do. Codex ends where nobody answers.
var terminalAnswers = map[string]string{"\x1b[6n": "\x1b[1;1R", "\x1b[c": "\x1b[?62;c"}

// read collects what the client prints until it ends.
func (c *terminal) read() {
	defer close(c.done)
	buffer := make([]byte, 32<<10)
	for {
		n, err := c.keys.Read(buffer)
		for question, answer := range terminalAnswers {
			for range bytes.Count(buffer[:n], []byte(question)) {
				_, _ = c.keys.WriteString(answer)
			}
		}
		c.mu.Lock()
		c.screen.Write(buffer[:n])
		c.changed = time.Now()
		c.mu.Unlock()
		if err != nil { // on Linux an EIO, once the client has ended
			_ = c.cmd.Wait()
			return
		}
	}
}

// controls are the sequences that move the cursor and colour the text.
var controls = regexp.MustCompile(`\x1b\[[0-9;?<>=$]*[A-Za-z]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b[=>78]`)

var spaces = regexp.MustCompile(` +`)

// text is what the client printed, without control sequences.
func (c *terminal) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return spaces.ReplaceAllString(controls.ReplaceAllString(c.screen.String(), " "), " ")
}

// until waits until the condition holds; what says what is waited for.
func (c *terminal) until(what string, holds func() bool) {
	c.t.Helper()
	until(c.t, what, holds)
}

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(terminalWait); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %s in %v; MEMCTL_E2E_LOG=FOLDER shows the screen", what, terminalWait)
		}
	}
}

// still waits until the client waits for the person.
func (c *terminal) still() {
	c.t.Helper()
	c.until("rest", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return time.Since(c.changed) > settled
	})
}

// press types keys one by one. A line end is Ctrl+J, which begins a new line in all clients.
func (c *terminal) press(keys string) {
	for _, key := range keys {
		_, _ = c.keys.WriteString(string(key))
		time.Sleep(keyPause)
	}
}

// line types a line, and Enter.
func (c *terminal) line(text string) {
	c.t.Helper()
	c.still()
	c.press(text)
	c.still()
	c.press("\r")
}

// ask types a prompt, and returns the requests of its turn once the client waits again.
func (r *trial) ask(c *terminal, prompt string) []request {
	r.t.Helper()
	before := len(r.m.requests(r.c.endpoint))
	r.send(c, prompt)
	c.still()
	return r.m.requests(r.c.endpoint)[before:]
}

// send types a prompt, and waits for a request that has it.
func (r *trial) send(c *terminal, prompt string) {
	r.t.Helper()
	before := len(r.m.requests(r.c.endpoint))
	c.line(prompt)
	entered := time.Now()
	c.until("request", func() bool {
		if time.Since(entered) > enterAgain {
			c.press("\r")
			entered = time.Now()
		}
		return r.sent(before, prompt)
	})
}

// sent reports whether the words are in a request after that many.
func (r *trial) sent(before int, words string) bool {
	return slices.ContainsFunc(r.m.requests(r.c.endpoint)[before:], func(a request) bool {
		return isTalk(a) && strings.Contains(a.body, jsonText(words))
	})
}

// leave ends the session as a person does, and waits for the client's end. On a busy machine, Gemini CLI
// 0.61.0 says goodbye and sometimes stays, without memctl too.
func (r *trial) leave(c *terminal) {
	r.t.Helper()
	c.line(r.c.quit)
	c.until("end", func() bool {
		select {
		case <-c.done:
			return true
		default:
			return r.c.goodbye != "" && strings.Contains(c.text(), r.c.goodbye)
		}
	})
}
