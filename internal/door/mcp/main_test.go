package mcp

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/tests/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.RunTests(m)) }

// The protocol's versions that the tests speak: one before and one after the
// change of how a server asks its client.
var versions = map[string]string{"an older client": "2025-06-18", "a newer client": "2026-07-28"}

// bench is a repository and the environment of a server in it.
type bench struct {
	t    *testing.T
	root string
	env  Env
}

// repository is a bench with a memory file that the person trusts.
func repository(t *testing.T) *bench {
	t.Helper()
	b := empty(t)
	b.git("config", "memctl.trust", "true")
	b.write("memories.md", template)
	b.git("add", ".")
	b.git("commit", "-q", "-m", "begin")
	return b
}

// empty is a bench whose repository has nothing in it.
func empty(t *testing.T) *bench {
	t.Helper()
	base := t.TempDir()
	t.Setenv("XDG_DATA_HOME", filepath.Join(base, "data"))
	b := &bench{t: t, root: filepath.Join(base, "work")}
	if err := os.Mkdir(b.root, 0o755); err != nil {
		t.Fatal(err)
	}
	b.git("init", "-q")
	b.env = Env{Resources: true,
		Version: "test",
		Open: func(ctx context.Context, dir string) (*store.Stores, error) {
			if dir == "" {
				dir = b.root
			}
			return store.Open(ctx, store.Env{Dir: dir, Getenv: os.Getenv, Now: today})
		},
		Explain: func(err error) *fault.Error {
			if known := fault.FindAnswer(err); known != nil {
				return known
			}
			return &fault.Error{Code: "bug", Status: 2, Cause: err.Error()}
		},
	}
	return b
}

func today() time.Time { return time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC) }

const template = "```yaml\nsaved_memory:\n  version: 1\n  updated: 1970-01-01\n  settings:\n    enabled: true\n    announce_writes: true\n  items: []\ndeletions: []\n```\n"

// memoryFile is a memory file with these items.
func memoryFile(items string) string {
	return strings.Replace(template, "  items: []\n", "  items:\n"+items, 1)
}

// item is one item as a person stated it.
func item(key, value string) string {
	return "    - key: " + key + "\n      value: " + value + "\n      added: 2026-11-01\n      source: explicit user preference\n      confidence: high\n      tags: []\n"
}

func (b *bench) git(args ...string) string {
	b.t.Helper()
	out, err := exec.Command("git", append([]string{"-C", b.root}, args...)...).CombinedOutput()
	if err != nil {
		b.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (b *bench) write(name, text string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.root, name), []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// commit writes the memory file as a person's commit.
func (b *bench) commit(text string) {
	b.t.Helper()
	b.write("memories.md", text)
	b.git("commit", "-q", "-m", "edit", "--", "memories.md")
}

func (b *bench) file() string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.root, "memories.md"))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

// client is a client of the bench's server.
type client struct {
	t       *testing.T
	link    *link
	session *sdk.ClientSession
	sdk     *sdk.Client
	asked   []string
	answer  func() *sdk.ElicitResult // what the person says; nil: they cannot be asked
	mu      sync.Mutex
}

// connect connects a client that speaks this version.
func (b *bench) connect(version string, answer func() *sdk.ElicitResult, roots ...string) *client {
	b.t.Helper()
	c := &client{t: b.t, answer: answer}
	o := &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}}
	if answer != nil {
		o.ElicitationHandler = func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.asked = append(c.asked, r.Params.Message)
			return c.answer(), nil
		}
	}
	if len(roots) > 0 {
		o.Capabilities.RootsV2 = &sdk.RootCapabilities{ListChanged: true}
	}
	c.sdk = sdk.NewClient(&sdk.Implementation{Name: "Test Agent", Version: "1"}, o)
	for _, root := range roots {
		c.sdk.AddRoots(&sdk.Root{URI: root})
	}
	l := b.env.link()
	c.link = l
	ours, theirs := sdk.NewInMemoryTransports()
	server, err := l.server.Connect(context.Background(), ours, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	c.session, err = c.sdk.Connect(context.Background(), theirs, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		c.session.Close()
		server.Wait()
		l.close()
	})
	return c
}

// says is a person who answers with this.
func says(action string, agreed bool) func() *sdk.ElicitResult {
	return func() *sdk.ElicitResult {
		r := &sdk.ElicitResult{Action: action}
		if action == "accept" {
			r.Content = map[string]any{"yes": agreed}
		}
		return r
	}
}

// call calls a tool and returns its answer: the JSON of what reads, which must be the same as text and as structure, or
// the one line of what writes or failed, as message.
func (c *client) call(tool string, args map[string]any) (answer map[string]any, failed bool) {
	c.t.Helper()
	res, err := c.session.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		c.t.Fatalf("%s %v: %v", tool, args, err)
	}
	if len(res.Content) != 1 {
		c.t.Fatalf("%s: %d parts of content", tool, len(res.Content))
	}
	text := res.Content[0].(*sdk.TextContent).Text
	if strings.Contains(text, "\n") {
		c.t.Errorf("%s: the answer is more than one line: %q", tool, text)
	}
	if res.StructuredContent == nil {
		return map[string]any{"message": text}, res.IsError
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		c.t.Fatalf("%s: %v in %q", tool, err, text)
	}
	structure, err := json.Marshal(res.StructuredContent)
	if err != nil {
		c.t.Fatal(err)
	}
	again, _ := json.Marshal(answer)
	if string(structure) != string(again) {
		c.t.Errorf("%s: text and structure differ:\n%s\n%s", tool, again, structure)
	}
	return answer, res.IsError
}

// ok is call for an answer that must be no failure. After a write, item is the memory that it names.
func (c *client) ok(tool string, args map[string]any) map[string]any {
	c.t.Helper()
	answer, failed := c.call(tool, args)
	if failed {
		c.t.Fatalf("%s %v: %v", tool, args, answer)
	}
	message, ok := answer["message"].(string)
	if !ok || tool == "forget" {
		return answer
	}
	name, _ := args["key"].(string)
	if _, rest, ok := strings.Cut(message, "stored as "); ok {
		name, _, _ = strings.Cut(rest, " ")
	}
	list, _ := c.call("list", map[string]any{"limit": mostItems})
	for _, it := range list["items"].([]any) {
		it := it.(map[string]any)
		if id, _ := it["id"].(string); it["key"] == name || id != "" && strings.HasPrefix(id, name) {
			answer["item"] = it
		}
	}
	return answer
}

// refused is call for an answer that must be a failure. It returns the line.
func (c *client) refused(tool string, args map[string]any) string {
	c.t.Helper()
	answer, failed := c.call(tool, args)
	line, _ := answer["message"].(string)
	if !failed || !strings.HasPrefix(line, "refused: ") {
		c.t.Fatalf("%s %v: not refused: %v", tool, args, answer)
	}
	return line
}

// keys are the keys of an answer's items.
func keys(answer map[string]any, list string) []string {
	var out []string
	items, _ := answer[list].([]any)
	for _, it := range items {
		out = append(out, it.(map[string]any)["key"].(string))
	}
	return out
}

// field is one field of an answer's item.
func field(answer map[string]any, name string) any {
	it, _ := answer["item"].(map[string]any)
	return it[name]
}

type args = map[string]any
