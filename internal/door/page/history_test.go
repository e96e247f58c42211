package page

import (
	"context"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
)

// add states a value of a key as a person does.
func (s *site) add(key, value string) {
	s.t.Helper()
	s.addTo("project", key, value)
}

// addTo writes an item to a scope as a person.
func (s *site) addTo(scope, key, value string) {
	s.t.Helper()
	ss, err := s.page.env.Open(context.Background())
	if err != nil {
		s.t.Fatal(err)
	}
	o := memory.Options{Scope: scope, Origin: memory.Origin{Kind: memory.Explicit}}
	if w, err := edit.Add(context.Background(), ss, edit.Request{Options: o, Key: key, Value: memfile.Str(value)}); err != nil || w.Verdict != "accept" {
		s.t.Fatal(w, err)
	}
}

var someButton = regexp.MustCompile(`formaction="([^"]*)" aria-label="([^"]*)"`)

// press presses the button of the row whose label begins so.
func (s *site) press(a answer, row, label string) answer {
	s.t.Helper()
	for _, m := range someButton.FindAllStringSubmatch(a.row(row), -1) {
		if strings.HasPrefix(m[2], label) {
			return s.post("http://"+s.host+html.UnescapeString(m[1]), a.form(s.t, row))
		}
	}
	s.t.Fatalf("the row of %q has no button %q:\n%s", row, label, a.row(row))
	return answer{}
}

func TestHistoryShowsChangesWordByWord(t *testing.T) {
	s := newSite(t, items([3]string{"style.tone", "be brief and kind", "high"}), nil)
	s.add("style.tone", "be brief and precise")
	s.remember("The integration tests need Docker", "private")
	a := s.get("history")
	s.has("a changed value", a.row("style.tone"), "be brief and <del>kind</del><ins>precise</ins>", "explicit user preference", ">project<")
	s.has("a fact", a.row("need Docker"), "<ins>The integration tests need Docker</ins>", ">private<", "remember")
	for query, words := range map[string][2]string{
		"q=style.tone":  {"precise", "need Docker"},
		"q=precis":      {"style.tone", "need Docker"},
		"q=docker":      {"need Docker", "style.tone"},
		"scope=private": {"need Docker", "style.tone"},
		"from=all":      {"style.tone", "No change fits"},
	} {
		a := s.get("history?" + query)
		s.has(query, strings.ReplaceAll(a.text, "<wbr>", ""), words[0])
		s.lacks(query, strings.ReplaceAll(a.text, "<wbr>", ""), words[1])
	}
	s.has("nothing", s.get("history?q=zebra").text, "No change fits")
	s.box.Write("memories.md", strings.Replace(s.box.Read("memories.md"), "precise", "quick", 1))
	a = s.get("history")
	s.has("a change on disk", a.row("On disk only"), "be brief and <del>precise</del><ins>quick</ins>")
	s.has("restored", s.press(a, "On disk only", "Restore").text, "Restored style.tone = be brief and precise")
}

func TestHistoryIsShownInParts(t *testing.T) {
	s := newSite(t, items([3]string{"style.tone", "the first", "high"}), nil)
	for i := range actsShown + 1 {
		s.add("style.tone", "value "+strings.Repeat("x", i+1))
	}
	a := s.get("history")
	s.has("the newest", a.text, "Show more", strings.Repeat("x", actsShown+1))
	s.lacks("the newest", a.text, "the first")
	a = s.follow(s.get("history?scope=project"), "Show more")
	s.has("more", a.text, "the first", `value="project" selected`)
}

func TestHistoryRestoresAndUndoes(t *testing.T) {
	s := newSite(t, items([3]string{"style.tone", "be brief", "high"}), nil)
	s.add("style.tone", "be verbose")
	s.add("style.tone", "be funny")
	a := s.press(s.get("history"), "<del>brief</del>", "Restore")
	s.has("restored", a.text, "Restored style.tone = be brief")
	s.has("the memory", s.get("memory").row("style.tone"), "be brief")
	s.has("undo of it", s.undo(a).text, "Undone")
	s.has("the memory", s.get("memory").row("style.tone"), "be funny")

	a = s.press(s.get("history"), "<del>verbose</del><ins>funny", "Undo")
	s.has("undone", a.text, "Undone")
	s.has("the memory", s.get("memory").row("style.tone"), "be verbose")

	s.remember("The integration tests need Docker", "private")
	s.post("memory/forget", s.get("memory").form(t, "need Docker"))
	s.has("a fact comes back", s.press(s.get("history"), "<del>The integration", "Restore").text, "Restored")
	s.has("the memory", s.get("memory").text, "need Docker")
}

func TestHistoryUndoesNoUnknownCommit(t *testing.T) {
	s := newSite(t, items([3]string{"style.tone", "be brief", "high"}), nil)
	s.add("style.tone", "be verbose")
	s.has("an unknown commit", s.post("history/revert", url.Values{"scope": {"project"}, "commit": {"0123456789"}}).text, "refused")
	s.has("the memory", s.get("memory").row("style.tone"), "be verbose")
}

func TestHistoryWithholds(t *testing.T) {
	secret := "ghp_" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3d"
	s := newSite(t, items([3]string{"style.tone", "be brief", "high"}, [3]string{"deploy.token", secret, "high"}), nil)
	s.box.Write("memories.md", items([3]string{"style.tone", "<img src=x onerror=alert(1)> be kind", "high"}))
	s.box.Git("commit", "-qam", "change by hand")
	a := s.get("history")
	s.has("a secret", a.row("deploy.token"), "withheld:")
	s.lacks("a secret", a.text, secret, `Restore the earlier value of deploy.token`)
	s.lacks("a text", a.text, "<img")

	s.post("memory/forget", s.get("memory").form(t, "style.tone"))
	s.has("a person sees what was forgotten", s.get("history").text, "be brief")
	s.page.env.ReadOnly = true
	a = s.get("history")
	s.has("an agent sees that something changed", a.text, "withheld:")
	s.lacks("an agent", a.text, "be brief", "be kind", `<form class="acts`)
	if a := s.post("history/revert", url.Values{"scope": {"project"}, "commit": {"HEAD"}}); a.StatusCode != http.StatusForbidden {
		t.Error(a.Status)
	}
}

func TestHistoryHasWhatOnlyTheJournalHas(t *testing.T) {
	s := newSite(t, items([3]string{"style.tone", "be brief", "high"}), nil)
	s.add("style.tone", "be verbose")
	s.box.Git("reset", "-q", "--hard", "HEAD~1")
	s.lacks("the branch", s.get("history").text, "verbose")
	a := s.get("history?from=all")
	s.has("the journal", a.row("verbose"), "only in the journal")
	s.lacks("the journal", a.row("verbose"), ">Undo<")
	s.has("restored", s.press(a, "verbose", "Restore").text, "Restored style.tone = be verbose")
	s.has("the memory", s.get("memory").row("style.tone"), "be verbose")
}
