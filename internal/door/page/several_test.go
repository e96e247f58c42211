package page

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
)

var pick = regexp.MustCompile(`name="pick" value="([^"]+)"`)

// picked is a form with the boxes of the rows that have these words ticked.
func (a answer) picked(t *testing.T, words ...string) url.Values {
	t.Helper()
	form := url.Values{}
	for _, word := range words {
		m := pick.FindStringSubmatch(a.row(word))
		if m == nil {
			t.Fatalf("the row of %q has no box:\n%s", word, a.text)
		}
		form.Add("pick", m[1])
	}
	return form
}

func TestSeveralRowsAreOneActInEachScope(t *testing.T) {
	s := newSite(t, items([3]string{"style.tone", "be brief", "low"}, [3]string{"style.names", "short", "low"}, [3]string{"tooling.formatter", "gofumpt", "high"}), nil)
	s.remember("The integration tests need Docker", "private")
	before := len(s.box.Subjects())
	a := s.post("memory/confirm", s.get("memory").picked(t, "style.tone", "style.names"))
	s.has("confirm", a.text, "Confirmed style.tone", "Confirmed style.names")
	s.has("the first", a.row("style.tone"), "level high")
	if n := len(s.box.Subjects()) - before; n != 1 {
		t.Errorf("%d commits, want 1", n)
	}
	a = s.undo(a)
	s.has("undo", a.row("style.tone")+a.row("style.names"), "level low")
	s.lacks("undo", a.row("style.tone")+a.row("style.names"), "level high")

	form := s.get("memory").picked(t, "style.tone", "style.names")
	form.Set("to", "user")
	a = s.post("memory/move", form)
	s.has("move", a.row("style.tone"), "chip user")
	s.has("move", a.row("style.names"), "chip user")
	s.has("undo", s.undo(a).row("style.names"), "chip project")

	a = s.post("memory/forget", s.get("memory").picked(t, "style.tone", "need Docker"))
	if a.row("style.tone")+a.row("need Docker") != "" {
		t.Errorf("they are still there:\n%s", a.text)
	}
	if a = s.undo(a); a.row("style.tone") == "" || a.row("need Docker") == "" {
		t.Errorf("undo did not bring both back:\n%s", a.text)
	}

	form = a.picked(t, "style.names", "gofumpt")
	s.box.Write("memories.md", strings.Replace(s.box.Read("memories.md"), "short", "long", 1))
	a = s.post("memory/forget", form)
	s.has("what changed meanwhile", a.text, "changed meanwhile")
	s.has("the other", a.row("gofumpt"), "gofumpt")
}

func TestSeveralDecisions(t *testing.T) {
	s := newSite(t, items([3]string{"style.tone", "be brief", "low"}, [3]string{"style.names", "short", "low"}, [3]string{"tooling.formatter", "gofumpt", "low"}), nil)
	s.propose("single quotes", "Use single quotes.")
	s.propose("tabs only", "Use tabs only.")
	form := s.get("review").picked(t, "style.tone", "style.names")
	form.Set("do", "keep")
	a := s.post("review/several", form)
	s.has("keep", a.text, "Confirmed style.tone", "Confirmed style.names", "3 decisions wait")
	s.has("undo", s.undo(a).text, `id="waiting">5<`)

	form = s.get("review").picked(t, "style.tone", "single quotes", "tabs only")
	form.Set("do", "keep")
	a = s.post("review/several", form)
	s.has("items and proposals", a.text, "2 decisions wait")
	list := s.get("memory")
	s.has("the proposals", list.row("single quotes")+list.row("tabs only"), "level high")

	form = s.get("review").picked(t, "style.names", "gofumpt")
	s.box.Write("memories.md", strings.Replace(s.box.Read("memories.md"), "short", "long", 1))
	form.Set("do", "drop")
	a = s.post("review/several", form)
	s.has("what changed meanwhile", a.text, "changed meanwhile")
	s.has("no box where nothing is ticked", s.post("review/several", url.Values{"do": {"keep"}}).text, "does not wait any more")
}

func TestMemoriesAreAdded(t *testing.T) {
	s := newSite(t, items(), nil)
	a := s.follow(s.get("memory"), "Add")
	s.has("the form", a.text, `name="key"`, "<textarea", ">Private</option>")
	a = s.post("memory/add?edit=new", url.Values{"key": {"style.tone"}, "text": {"password: hunter2-Tr0ub4dor"}, "scope": {"private"}})
	if a.StatusCode != http.StatusUnprocessableEntity {
		t.Error(a.Status)
	}
	s.has("a refusal", a.text, "Not saved:", `value="style.tone"`, "Tr0ub4dor</textarea>", `<option value="private" selected>`)
	a = s.post("memory/add?edit=new", url.Values{"key": {"style.tone"}, "text": {"be brief"}, "scope": {"private"}})
	s.has("an item", a.row("style.tone"), "be brief", "chip private")
	s.lacks("the form", a.text, "<textarea")
	a = s.post("memory/add", url.Values{"text": {"The integration tests need Docker"}})
	s.has("a fact", a.row("need Docker"), ">fact<")
	if a = s.undo(a); a.row("need Docker") != "" {
		t.Error("undo left the fact")
	}
	s.has("no text", s.post("memory/add", url.Values{"key": {"style.tone"}}).text, "The text is empty")
	s.page.env.ReadOnly = true
	s.lacks("an agent", s.get("memory?edit=new").text, "<textarea", `name="pick"`)
}

func TestMemoryIsGroupedByAreaAndMarksWhatTheNextSessionReceives(t *testing.T) {
	s := newSite(t, items([3]string{"style.tone", "be brief", "high"}, [3]string{"build.cache", "on", "high"}, [3]string{"style.names", "short", "low"}), nil)
	s.remember("The integration tests need Docker", "private")
	s.has("without trust", s.get("memory").text, "You have not trusted this repository")
	s.box.Git("config", "memctl.trust", "true")
	a := s.get("memory")
	at := -1
	for _, heading := range []string{">style <", ">Other items <", ">Facts <"} {
		i := strings.Index(a.text, heading)
		if i <= at {
			t.Errorf("%s is at %d, after %d:\n%s", heading, i, at, a.text)
		}
		at = i
	}
	s.has("the client", a.text, "The next session of Claude Code receives it")
	s.has("a confirmed item", a.row("style.tone"), ">in session<")
	s.has("a doubted one", a.row("style.names"), "Not in the session: Its confidence is low")
	s.lacks("a doubted one", a.row("style.names"), ">in session<")
	s.lacks("a search", s.get("memory?q=brief").text, ">style <")
}

func TestMemoryAndSessionsSayTheSame(t *testing.T) {
	s := newSite(t, items([3]string{"style.tabs", "Use tabs", "high"}, [3]string{"lessons.cache", "clear it", "high"}), nil)
	s.box.Git("config", "memctl.trust", "true")
	s.box.Write("CLAUDE.md", "- Use tabs\n")
	s.box.Git("add", "CLAUDE.md")
	s.box.Git("commit", "-qm", "rules")
	s.remember("The integration tests need Docker", "private")
	s.store(edit.Request{Options: memory.Options{Scope: "private", Origin: memory.Origin{Kind: memory.Automatic}}, Role: entry.RoleFact, Text: "The page is slow on Mondays"})
	a := s.get("memory")
	for name, why := range map[string]string{
		"style.tabs":      "Not in the session: The agent reads it in its own instruction file",
		"slow on Mondays": "Not in the session: Nobody has confirmed it yet",
	} {
		s.has(name, a.row(name), why)
		s.lacks(name, a.row(name), ">in session<")
	}
	b := s.get("sessions")
	_, out, _ := strings.Cut(b.text, "What stays out")
	s.has("what stays out", out, "style.<wbr>tabs", "facts")
	for name, text := range map[string]string{"lessons.cache": "lessons.cache: clear it", "need Docker": "need Docker"} {
		s.has(name, a.row(name), ">in session<")
		s.has(name, b.text, text)
		s.lacks(name, out, "lessons")
	}
	s.has("no item", b.text, "<strong>0</strong> of 9,500 bytes")
}

func TestTheTabCountsWhatWaits(t *testing.T) {
	s := newSite(t, items([3]string{"style.tone", "be brief", "low"}, [3]string{"style.names", "short", "low"}), nil)
	s.has("another view", s.get("memory").text, `id="waiting">2<`, `data-waiting="2"`)
	a := s.post("review/decide", s.get("review").form(t, "style.tone", "key", "k"))
	s.has("after a decision", a.text, `id="waiting">1<`)
	s.box.Write("memories.md", items([3]string{"a.x", "1", "low"}, [3]string{"b.x", "1", "low"}, [3]string{"c.x", "1", "low"}))
	s.has("after a change on disk", s.get("health").text, `id="waiting">3<`)
}
