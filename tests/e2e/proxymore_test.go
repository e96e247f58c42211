//go:build e2e

package e2e

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// seeing are the arguments of a session with an image, where the client's command line takes one.
// Claude Code reads it with a tool.
var seeing = map[string]func(c client, name, prompt string) []string{
	"claude": func(c client, _, prompt string) []string { return c.first(prompt) },
	"codex": func(c client, name, prompt string) []string {
		first := c.first(prompt)
		return append(first[:len(first)-1:len(first)-1], "--image="+name, prompt)
	},
	"opencode": func(c client, name, prompt string) []string { return append(c.first(prompt), "--file", name) },
	"copilot":  func(c client, name, prompt string) []string { return append(c.first(prompt), "--attachment", name) },
}

// TestProxyAgentsInParallel plays agents before the proxy: two conversations at once, one that is killed while
// its model answers, and an image. No client's command line asks for several answers (`n`) or takes a prompt of
// 10 MB: TestProxySDK has those.
func TestProxyAgentsInParallel(t *testing.T) {
	eachProxied(t, func(r *trial, p *proxied) {
		r.session("hello") // OpenCode makes its database at its first start, which two at once cannot
		r.playTwoAtOnce()
		r.playKilled()
		r.playImage()
		p.stop()
		for _, words := range []string{"the north gate", "the south gate", "the gate after that"} {
			if found := r.scratch.run("memctl", "recall", words); !strings.Contains(found, words) {
				r.t.Errorf("no turn in memory has %q: %s", words, found)
			}
		}
		r.scratch.run("memctl", "validate")
		if found := r.scratch.run("memctl", "recall", "the picture"); strings.Contains(found, "iVBORw0KGgo") {
			r.t.Errorf("memory has the bytes of the image: %s", found)
		}
	})
}

// playTwoAtOnce runs two processes at the same time. Both wait for the model before one is answered.
func (r *trial) playTwoAtOnce() {
	r.t.Helper()
	prompts := []string{"who guards the north gate?", "who guards the south gate?"}
	release := r.m.hold()
	var wait sync.WaitGroup
	for _, text := range prompts {
		wait.Go(func() {
			if out, err := r.try(r.bin, r.c.first(text)...); err != nil || !strings.Contains(out, reply) {
				r.t.Errorf("%s: %v\n%s", text, err, out)
			}
		})
	}
	r.arrives(prompts...)
	release()
	wait.Wait()
	for _, a := range r.talk(r.m.requests(r.c.endpoint), prompts[0]) {
		// What was said elsewhere is in memory at once, so recall may find it for this message.
		if own, _, _ := strings.Cut(a.body, "Found in memory"); strings.Contains(own, prompts[0]) && strings.Contains(own, prompts[1]) {
			r.t.Errorf("a conversation has the other one's prompt: %s", a.body)
		}
	}
}

// arrives waits until the model has a request with each of the texts.
func (r *trial) arrives(texts ...string) {
	r.t.Helper()
	for _, text := range texts {
		until(r.t, "request with "+text, func() bool { return r.sent(0, text) })
	}
}

// playKilled kills the client while the model answers. The proxy serves the next one.
func (r *trial) playKilled() {
	r.t.Helper()
	release := r.m.hold()
	c := exec.Command(r.bin, r.c.first("who guards the gate that is shut?")...)
	c.Dir, c.Env = r.repo, r.env
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the program may be a script that starts the client
	if err := c.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.arrives("who guards the gate that is shut?")
	_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
	_ = c.Wait()
	release()
	if all := r.session("who guards the gate after that?"); !strings.Contains(r.out, reply) {
		r.t.Errorf("after a client was killed, the next one reads %q in %d requests", r.out, len(all))
	}
}

// playImage shows the client an image of 8 by 8 points.
func (r *trial) playImage() {
	r.t.Helper()
	var data bytes.Buffer
	if err := png.Encode(&data, image.NewRGBA(image.Rect(0, 0, 8, 8))); err != nil {
		r.t.Fatal(err)
	}
	name := filepath.Join(r.repo, "gate.png")
	r.write(name, data.String())
	const look = "what is in the picture?"
	switch r.c.name {
	case "opencode":
		r.edit(filepath.Join(r.home, "config", "opencode", "opencode.json"), `"limit":`, `"attachment":true,"modalities":{"input":["text","image"],"output":["text"]},"limit":`)
	case "claude":
		r.answer(look, play{tool: "Read", input: object{"file_path": name}})
	}
	all := r.talk(r.play(seeing[r.c.name](r.c, name, look)), look)
	begins := base64.StdEncoding.EncodeToString(data.Bytes())[:40]
	if body := last(all).body; !strings.Contains(body, begins) {
		r.t.Errorf("the request has no image: %s", body)
	}
}
