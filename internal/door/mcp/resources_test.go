package mcp

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// read reads a resource's text.
func (c *client) read(uri string) (string, error) {
	c.t.Helper()
	res, err := c.session.ReadResource(context.Background(), &sdk.ReadResourceParams{URI: uri})
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
			for _, uri := range []string{bootstrapURI, bootstrapPrefix + "work"} {
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
	text, err := c.read(bootstrapURI)
	if err != nil || strings.Contains(text, "concise") || strings.Contains(text, "use make") || !strings.Contains(text, "memctl trust") {
		t.Errorf("%v\n%s", err, text)
	}
	for tool, list := range map[string]string{"list": "items"} {
		got := c.ok(tool, nil)
		text, _ := json.Marshal(got)
		if len(keys(got, list)) == 0 || !strings.Contains(string(text), `"scope":"project"`) || !strings.Contains(string(text), untrusted) {
			t.Errorf("%s: %s", tool, text)
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
			if got := c.ok("update", args{"confirm": true, "key": "other.key"}); got["message"] != "memory has this already as other.key" {
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
		c.sdk.AddRoots(&sdk.Root{URI: fileURI(b.root)})
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
