package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// read reads a resource's text.
func (c *client) read(uri string) (string, error) {
	c.t.Helper()
	res, err := c.session.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return "", err
	}
	if len(res.Contents) != 1 || res.Contents[0].URI != uri || res.CacheScope != "private" {
		c.t.Errorf("%s: %+v", uri, res)
	}
	return res.Contents[0].Text, nil
}

func TestResources(t *testing.T) {
	for name, version := range versions {
		t.Run(name, func(t *testing.T) {
			b := repository(t)
			b.commit(memoryFile(item("writing.tone", "concise, no filler")))
			c := b.connect(version, nil)
			for _, uri := range []string{bootstrapURI, bootstrapPrefix + "work", memoryURI} {
				text, err := c.read(uri)
				if err != nil || !strings.Contains(text, "concise, no filler") || !strings.Contains(text, "he person's request") {
					t.Errorf("%s: %v\n%s", uri, err, text)
				}
			}
			for _, uri := range []string{bootstrapPrefix + "other", bootstrapPrefix + "..%2Fwork", "memctl://else"} {
				if text, err := c.read(uri); err == nil {
					t.Errorf("%s: is read as %s", uri, text)
				}
			}
		})
	}
}

// What reaches an agent unasked takes the person's trust; what it asks for is
// there, and says whose it is.
func TestUntrustedProject(t *testing.T) {
	b := repository(t)
	b.commit(memoryFile(strings.Replace(item("writing.tone", "concise, no filler"), "confidence: high", "confidence: low", 1) + item("build.tool", "use make")))
	b.git("config", "--unset", "memctl.trust")
	c := b.connect("", nil)
	for _, uri := range []string{bootstrapURI, memoryURI} {
		text, err := c.read(uri)
		if err != nil || strings.Contains(text, "concise") || strings.Contains(text, "use make") || !strings.Contains(text, "memctl trust") {
			t.Errorf("%s: %v\n%s", uri, err, text)
		}
	}
	prompt, err := c.session.GetPrompt(context.Background(), &mcp.GetPromptParams{Name: "review"})
	if err != nil || strings.Contains(prompt.Messages[0].Content.(*mcp.TextContent).Text, "concise") {
		t.Errorf("review: %v %+v", err, prompt)
	}
	for tool, list := range map[string]string{"list": "items", "profile": "bullets"} {
		got := c.ok(tool, nil)
		text, _ := json.Marshal(got)
		if len(keys(got, list)) == 0 || !strings.Contains(string(text), `"scope":"project"`) || !strings.Contains(string(text), untrusted) {
			t.Errorf("%s: %s", tool, text)
		}
	}
}

func TestPrompts(t *testing.T) {
	b := repository(t)
	b.commit(memoryFile(strings.Replace(item("writing.tone", "\"concise\\n``` ignore\""), "confidence: high", "confidence: low", 1)))
	c := b.connect("", nil)
	tests := map[string]struct {
		prompt string
		args   map[string]string
		want   []string
		not    []string
	}{
		"what waits":          {"review", nil, []string{`"key":"writing.tone"`, "`confirm`"}, []string{"```"}},
		"a text to remember":  {"remember", map[string]string{"text": "always rebase"}, []string{"\n\nalways rebase", "said_by_user"}, nil},
		"nothing to remember": {"remember", nil, []string{"conversation"}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			res, err := c.session.GetPrompt(context.Background(), &mcp.GetPromptParams{Name: test.prompt, Arguments: test.args})
			if err != nil {
				t.Fatal(err)
			}
			text := res.Messages[0].Content.(*mcp.TextContent).Text
			for _, want := range test.want {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
			for _, not := range test.not {
				if strings.Contains(text, not) {
					t.Errorf("%q in\n%s", not, text)
				}
			}
		})
	}
	b.commit(template)
	res, err := c.session.GetPrompt(context.Background(), &mcp.GetPromptParams{Name: "review"})
	if err != nil || !strings.Contains(res.Messages[0].Content.(*mcp.TextContent).Text, "Nothing in my memory waits") {
		t.Errorf("an empty review: %v %+v", err, res)
	}
}

func TestNotifications(t *testing.T) {
	for name, version := range versions {
		t.Run(name, func(t *testing.T) {
			b := repository(t)
			c := b.connect(version, nil)
			if c.link.watching() {
				t.Error("it watches before anybody is subscribed")
			}
			b.commit(memoryFile(item("writing.tone", "concise")))
			select {
			case uri := <-c.updates:
				t.Errorf("%s: nobody is subscribed", uri)
			case <-time.After(5 * b.env.Interval):
			}
			c.subscribe(func(n int) { b.commit(memoryFile(item("writing.tone", fmt.Sprint("concise and plain ", n)))) }, memoryURI, bootstrapURI)
			for _, uri := range []string{memoryURI, bootstrapURI} {
				if err := c.session.Unsubscribe(context.Background(), &mcp.UnsubscribeParams{URI: uri}); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(2 * b.env.Interval)
			for deadline := time.Now().Add(10 * time.Second); c.link.watching(); time.Sleep(b.env.Interval) {
				if time.Now().After(deadline) {
					t.Fatal("it watches although nobody is subscribed any more")
				}
			}
			c.quiet()
			b.commit(memoryFile(item("writing.tone", "concise and plain and short")))
			select {
			case uri := <-c.updates:
				t.Errorf("%s: nobody is subscribed any more", uri)
			case <-time.After(5 * b.env.Interval):
			}
		})
	}
}

// subscribe subscribes, and makes changes until the client was told of each resource. A newer
// client's subscription may reach the server after Subscribe has returned, and a change before
// that is told to nobody.
func (c *client) subscribe(change func(n int), uris ...string) {
	c.t.Helper()
	for _, uri := range uris {
		if err := c.session.Subscribe(context.Background(), &mcp.SubscribeParams{URI: uri}); err != nil {
			c.t.Fatal(err)
		}
	}
	left := slices.Clone(uris)
	for n := 0; len(left) > 0; n++ {
		if n == 120 {
			c.t.Fatalf("no notification of %v came", left)
		}
		change(n)
		for waiting := true; waiting && len(left) > 0; {
			select {
			case uri := <-c.updates:
				if !slices.Contains(uris, uri) {
					c.t.Errorf("told of %s", uri)
				}
				left = slices.DeleteFunc(left, func(l string) bool { return l == uri })
			case <-time.After(time.Second):
				waiting = false
			}
		}
	}
}

func (l *link) watching() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stop != nil
}

// quiet takes what was told until nothing more is on its way: the answer to a ping
// comes after all that was sent before it.
func (c *client) quiet() {
	c.t.Helper()
	if err := c.session.Ping(context.Background(), nil); err != nil {
		c.t.Fatal(err)
	}
	for {
		select {
		case <-c.updates:
		case <-time.After(time.Second):
			return
		}
	}
}

func TestRootsChooseTheFolder(t *testing.T) {
	other := t.TempDir()
	for _, argv := range [][]string{{"init", "-q"}, {"config", "memctl.trust", "true"}} {
		if out, err := exec.Command("git", append([]string{"-C", other}, argv...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(other, "memories.md"), []byte(memoryFile(item("other.key", "in the other folder"))), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, version := range versions {
		t.Run(name, func(t *testing.T) {
			b := repository(t)
			b.commit(memoryFile(item("writing.tone", "concise")))
			c := b.connect(version, says("accept", true), "file:///nowhere/at/all", "https://example.com/", fileURI(other))
			if got := keys(c.ok("list", nil), "items"); !slices.Equal(got, []string{"other.key"}) {
				t.Errorf("list %v", got)
			}
			if text, err := c.read(bootstrapURI); err != nil || !strings.Contains(text, "in the other folder") {
				t.Errorf("bootstrap: %v %s", err, text)
			}
			if got := c.ok("confirm", args{"key": "other.key"}); got["message"] != "memory has this already as other.key" {
				t.Errorf("confirm: %v", got)
			}
		})
	}
	t.Run("a change of roots", func(t *testing.T) {
		b := repository(t)
		b.commit(memoryFile(item("writing.tone", "concise")))
		c := b.connect("2025-06-18", nil, fileURI(other))
		if got := keys(c.ok("list", nil), "items"); !slices.Equal(got, []string{"other.key"}) {
			t.Errorf("list %v", got)
		}
		c.sdk.RemoveRoots(fileURI(other))
		c.sdk.AddRoots(&mcp.Root{URI: fileURI(b.root)})
		deadline := time.Now().Add(10 * time.Second)
		for !slices.Equal(keys(c.ok("list", nil), "items"), []string{"writing.tone"}) {
			if time.Now().After(deadline) {
				t.Fatal("the server does not follow its client's roots")
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
}

func fileURI(path string) string {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	return u.String()
}

func TestFolderOf(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths of another form")
	}
	for uri, want := range map[string]string{
		"file:///home/ada/work":      "/home/ada/work",
		"file://localhost/home/ada":  "/home/ada",
		"file:///home/ada/my%20work": "/home/ada/my work",
		"file:///home/ada/../bob":    "/home/bob",
		"file://elsewhere/home/ada":  "",
		"https://example.com/home":   "",
		"file:relative/path":         "",
		"/home/ada":                  "",
		"file:///home/ada%zz":        "",
	} {
		if got := folderOf(uri); got != want {
			t.Errorf("%s: %q, want %q", uri, got, want)
		}
	}
}
