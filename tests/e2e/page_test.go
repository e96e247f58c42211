//go:build e2e

package e2e

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// shots is a folder for pictures of each view, in each width and colour scheme.
var shots = flag.String("shots", "", "write pictures of the page into `FOLDER`")

// tab is a browser's tab that shows the page of a scratch folder.
type tab struct {
	*scratch
	ctx     context.Context
	address string
	mu      sync.Mutex
	said    []string // errors of the console, and violations of the content policy
}

// openPage starts memctl ui and a browser without a window. The test is skipped without Chromium.
func openPage(t *testing.T, s *scratch, flags ...string) *tab {
	t.Helper()
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil && browser == "" {
			browser = path
		}
	}
	if browser == "" {
		t.Skip("there is no Chromium")
	}
	p := &tab{scratch: s}
	server := exec.Command(filepath.Join(programs, "memctl"), append([]string{"ui", "--no-open"}, flags...)...)
	server.Dir, server.Env, server.Stderr = s.repo, s.env, os.Stderr
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Signal(os.Interrupt); _ = server.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	p.address = strings.TrimSpace(line)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.UserDataDir(t.TempDir()))
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(end)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	p.ctx, end = context.WithTimeout(ctx, 10*time.Minute)
	t.Cleanup(end)
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[int]("1")); err != nil { // it starts the browser
		t.Fatal(err)
	}
	if err := chromedp.Listen(p.ctx, p.listen); err != nil {
		t.Fatal(err)
	}
	p.do(func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, tab, log.Enable, cdp.Empty{})
		return chromedp.Void{}, err
	})
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, line := range p.said {
			t.Errorf("the console says: %s", line)
		}
	})
	return p
}

// listen collects what the console says. A refused form is answered with 409 or 422, which the
// console shows as a failed load.
func (p *tab) listen(event any) {
	line := ""
	switch e := event.(type) {
	case *log.EventEntryAdded:
		if line = string(e.Entry.Level) + " " + e.Entry.Text; strings.Contains(line, "status of 422") || strings.Contains(line, "status of 409") {
			return
		}
	case *runtime.EventExceptionThrown:
		line = "exception: " + e.ExceptionDetails.Text
	case *runtime.EventConsoleAPICalled:
		if e.Type != "error" {
			return
		}
		line = "console.error"
	default:
		return
	}
	p.mu.Lock()
	p.said = append(p.said, line)
	p.mu.Unlock()
}

func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.failed(err)
	}
}

// failed ends the test with what the page shows.
func (p *tab) failed(err error) {
	p.t.Helper()
	text, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string](`document.body ? document.body.innerText : ""`))
	p.t.Fatalf("%v\nThe page shows:\n%s", err, text)
}

// ask returns the value of an expression of JavaScript.
func ask[T any](p *tab, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.failed(err)
	}
	return v
}

// colours sets the colour scheme that the person prefers.
func (p *tab) colours(scheme string) {
	p.t.Helper()
	p.do(func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		return chromedp.Void{}, err
	})
}

// show goes to a view and waits for its script.
func (p *tab) show(view string) {
	p.t.Helper()
	p.do(chromedp.Navigate(p.address+view), chromedp.WaitVisible("html.js #main"))
}

// until waits until a condition of JavaScript is true.
func (p *tab) until(condition string) {
	p.t.Helper()
	if _, err := chromedp.Run(p.ctx, chromedp.Poll[bool](condition, chromedp.WithPollingInterval(50*time.Millisecond))); err != nil {
		p.failed(fmt.Errorf("%s: %w", condition, err))
	}
}

// sees waits until the page shows a text, and no longer another one ("" for none).
func (p *tab) sees(text, not string) {
	p.t.Helper()
	condition := "document.body.innerText.includes(" + quote(text) + ")"
	if not != "" {
		condition += " && !document.body.innerText.includes(" + quote(not) + ")"
	}
	p.until(condition)
}

func quote(s string) string { return "`" + strings.ReplaceAll(s, "`", "\\`") + "`" }

// keys types keys as a person does.
func (p *tab) keys(keys ...string) {
	p.t.Helper()
	for _, k := range keys {
		p.do(chromedp.KeyEvent(k))
	}
}

// filled is a scratch folder with memories of each kind.
func filled(t *testing.T) *scratch {
	s := newScratch(t)
	for _, args := range [][]string{
		{"add", "writing.tone", "concise, no filler; write the conclusion first"},
		{"add", "tooling.formatter", "gofumpt, and goimports for the imports", "--tag", "go"},
		{"add", "tooling.languages", "--yaml", "[go, sql, bash]"},
		{"add", "testing.style", "table tests keyed by a sentence that states the expectation", "--path", "**/*_test.go"},
		{"add", "review.size", "at most 400 changed lines in one pull request", "--auto"},
		{"add", "lessons.fsync", "--issue", "a crash lost the last write", "--outcome", "the journal was empty", "--fix", "sync the folder after the rename"},
		{"add", "user.editor", "helix", "--scope", "user"},
		{"remember", "[gotcha] The integration tests need Docker running, and port 5432 free", "--topic", "testing"},
		{"remember", "[decision] We keep memory in git, because a review of it is a review of a diff", "--scope", "private"},
		{"note", "Tried a bloom filter for the index: 4 % faster, twice the code. Not worth it."},
	} {
		s.run("memctl", args...)
	}
	s.run("memctl", "lock", "writing.tone")
	s.run("memctl", "remember", "Integration tests need Docker running, and a free port 5432", "--topic", "testing", "--when", "connection refused")
	s.run("memctl", "add", "old.tool", "make all")
	s.run("memctl", "forget", "old.tool")
	s.run("git", "switch", "-q", "-c", "feature")
	s.run("memctl", "add", "feature.flag", "flags are in flags.yaml", "--scope", "project")
	s.run("git", "switch", "-q", "-")
	s.run("memctl", "trust")
	mkdir(t, s.home, ".claude")
	mkdir(t, s.home, ".codex")
	s.run("memctl", "hooks", "install", "claude")
	for i, prompt := range []string{"How do the integration tests work?", "From now on, use single quotes in TypeScript.", "Always run the linter before you commit, remember that."} {
		s.hook(fmt.Sprintf(`{"hook_event_name":"SessionStart","source":"startup","session_id":"s%d","cwd":%q}`, i, s.repo))
		s.hook(fmt.Sprintf(`{"hook_event_name":"UserPromptSubmit","session_id":"s%d","cwd":%q,"prompt":%q}`, i, s.repo, prompt))
		s.hook(fmt.Sprintf(`{"hook_event_name":"SessionEnd","session_id":"s%d","cwd":%q,"reason":"exit"}`, i, s.repo))
	}
	return s
}

// hook sends an event of Claude Code.
func (s *scratch) hook(event string) {
	s.t.Helper()
	c := exec.Command(filepath.Join(programs, "memctl"), "hook", "--agent", "claude")
	c.Dir, c.Env, c.Stdin = s.repo, s.env, strings.NewReader(event)
	if out, err := c.CombinedOutput(); err != nil {
		s.t.Fatalf("%v\n%s", err, out)
	}
}

func TestPageSearchesWhileYouType(t *testing.T) {
	p := openPage(t, filled(t))
	p.show("memory")
	p.sees("gofumpt", "")
	p.keys("/")
	p.until(`document.activeElement.id === "q"`)
	ask[string](p, `document.getElementById("q").value = ""`) // the protocol types the key although the page took it
	p.keys("d", "o", "c", "k")
	p.until(`document.getElementById("q").value === "dock"`)
	p.sees("need Docker", "gofumpt")
	p.until(`document.activeElement.id === "q" && document.activeElement.value === "dock"`)
}

func TestPageEditsAndUndoesByKeyboard(t *testing.T) {
	p := openPage(t, filled(t))
	p.show("memory")
	p.keys("/")
	p.do(chromedp.SendKeys("#q", "gofumpt"))
	p.sees("1 of", "")
	p.do(chromedp.SendKeys("#q", kb.ArrowDown))
	p.until(`document.activeElement.matches("[data-row]")`)
	p.keys("e")
	p.until(`document.activeElement.nodeName === "TEXTAREA"`)
	p.keys(" ", "o", "n", "l", "y")
	p.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.sees("imports only", "Save")
	p.until(`document.activeElement.matches("[data-row]")`)
	p.keys("u")
	p.sees("Undone", "imports only")
}

func TestPageReviewsByKeyboard(t *testing.T) {
	p := openPage(t, filled(t))
	p.show("review")
	p.sees("3 decisions wait", "")
	p.keys("k") // the first row, without choosing it
	p.sees("2 decisions wait", "")
	p.sees("Confirmed review.size", "")
	p.until(`document.activeElement.matches("[data-row]")`)
	p.keys("s") // the next row
	p.until(`document.activeElement.matches("[data-row]:last-child")`)
	p.keys("d")
	p.sees("1 decision waits", "")
	p.until(`document.activeElement.matches("[data-row]")`)
	p.keys("e")
	p.until(`document.activeElement.nodeName === "TEXTAREA"`)
	p.keys("!")
	p.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.sees("Nothing waits for you", "")
	p.keys("u")
	p.sees("Undone", "")
}

func TestPageKeepsAllThatWaits(t *testing.T) {
	p := openPage(t, filled(t))
	p.show("review")
	p.sees("3 decisions wait", "")
	ask[bool](p, `(document.querySelector("[data-tick]").click(), true)`)
	p.until(`document.querySelectorAll("[name=pick]:checked").length === 3`)
	ask[bool](p, `(document.querySelector("#several [value=keep]").click(), true)`)
	p.sees("Nothing waits for you", "")
	p.keys("u")
	p.sees("Undone", "")
}

func TestPageForgetsSeveralByKeyboard(t *testing.T) {
	p := openPage(t, filled(t))
	p.show("memory")
	p.until(`getComputedStyle(document.getElementById("several")).display === "none"`)
	p.do(chromedp.SendKeys("#q", kb.ArrowDown))
	p.keys("x", kb.ArrowDown, "x")
	p.until(`document.querySelectorAll("[name=pick]:checked").length === 2`)
	ask[bool](p, `(document.querySelector("#several .danger").click(), true)`)
	p.sees("10 memories", "gofumpt")
	p.until(`getComputedStyle(document.getElementById("several")).display === "none"`)
	p.keys("u")
	p.sees("12 memories", "")
	p.keys("a")
	p.until(`document.activeElement.nodeName === "TEXTAREA"`)
	p.keys("o", "k")
	p.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.sees("13 memories", "Add a memory")
}

func TestPageFollowsTheCommandLine(t *testing.T) {
	s := filled(t)
	p := openPage(t, s)
	p.show("memory")
	p.sees("gofumpt", "")
	id := ask[string](p, `[...document.querySelectorAll("[data-row]")].find((r) => r.innerText.includes("helix")).id`)
	p.do(chromedp.Focus("#"+id), chromedp.KeyEvent("e"), chromedp.WaitVisible("#"+id+"-text"), chromedp.SendKeys("#"+id+"-text", " and vim"))
	s.run("memctl", "add", "style.new", "it came by itself")
	p.sees("it came by itself", "")
	// What the person types stays, and they hear that the memory changed.
	s.run("memctl", "add", "user.editor", "emacs", "--scope", "user")
	p.sees("has just changed on disk", "")
	p.until(`document.querySelector("textarea").value === "helix and vim"`)
	p.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.sees("changed while you edited it", "")
	p.until(`document.querySelector("pre").textContent === "emacs" && document.querySelector("textarea").value === "helix and vim"`)
	p.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.sees("Changed: user.editor = helix and vim", "Save")
}

func TestPageRunsNoMemory(t *testing.T) {
	s := filled(t)
	evil := `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`
	s.edit(filepath.Join(s.repo, "memories.md"), "gofumpt, and goimports for the imports", "'"+strings.ReplaceAll(evil, "'", "''")+"'")
	p := openPage(t, s)
	p.show("memory")
	p.sees("<img src=x onerror=", "")
	p.until(`!document.title.includes("run") && !document.querySelector("main img, main script")`)
	// The same through the script, which takes the answer apart.
	p.do(chromedp.SendKeys("#q", "onerror"))
	p.sees("1 of", "gofumpt")
	p.until(`!document.title.includes("run") && !document.querySelector("main img, main script")`)
}

// views are what axe looks at and what pictures are taken of.
var views = []string{
	"memory", "sessions", "review", "history", "health", "memory?edit=new", "memory?sort=new", "memory?q=" + url.QueryEscape("how do we paint the kitchen tests"),
	"memory?show=forgotten",
}

// allViews are the views with those of an open editor, and of an open merge.
func (p *tab) allViews() []string {
	all := slices.Clone(views)
	for view, link := range map[string]string{"memory": "[data-key=e]", "review": "a[data-key=e]"} {
		p.show(view)
		all = append(all, strings.TrimPrefix(ask[string](p, `document.querySelector("`+link+`").href.split("#")[0]`), p.address))
	}
	return all
}

// shotName is the name of a view's picture.
func shotName(view string) string {
	id := regexp.MustCompile(`m[0-9a-f]{16}`)
	return strings.NewReplacer("?", "-", "&", "-", "%20", "-").Replace(id.ReplaceAllString(view, "ROW"))
}

func TestPageIsAccessible(t *testing.T) {
	p := openPage(t, filled(t))
	bin := install(t, "none", "axe-core")
	source, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(bin)), "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	views := p.allViews()
	for _, scheme := range []string{"light", "dark"} {
		p.colours(scheme)
		for _, view := range views {
			for _, width := range []int64{360, 1440} {
				p.do(chromedp.EmulateViewport(width, 900))
				p.show(view)
				ask[int](p, string(source)+`;0`)
				found := ask[[]string](p, `axe.run().then((r) => { window.rules = r.passes.length; return r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html + " " + n.failureSummary).join("; ")) })`)
				rules := ask[int](p, `window.rules`)
				if rules < 10 {
					t.Errorf("%s: axe checked only %d rules", view, rules)
				}
				for _, f := range found {
					t.Errorf("%s, %s, %d pixels: %s", view, scheme, width, f)
				}
				p.until(`document.documentElement.scrollWidth <= innerWidth`)
				p.until(`[...document.querySelectorAll("nav a")].every((tab) => tab.getBoundingClientRect().right <= innerWidth)`)
			}
		}
	}
}

func TestPageLooksGood(t *testing.T) {
	if *shots == "" {
		t.Skip("-shots FOLDER takes pictures")
	}
	p := openPage(t, filled(t))
	views := p.allViews()
	mkdir(t, *shots)
	for _, scheme := range []string{"light", "dark"} {
		p.colours(scheme)
		for _, view := range views {
			for _, width := range []string{"360", "800", "1440"} {
				p.do(chromedp.EmulateViewport(map[string]int64{"360": 360, "800": 800, "1440": 1440}[width], 900))
				p.show(view)
				picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(*shots, shotName(view)+"-"+width+"-"+scheme+".png"), picture, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
