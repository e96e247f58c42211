package page

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestTheEditorSetsAllLabelsAndTheKey(t *testing.T) {
	s := newSite(t, items([3]string{"style.tone", "be brief", "low"}, [3]string{"style.other", "be kind", "high"}), nil)
	editor := s.get("memory?edit=" + s.get("memory").form(t, "style.tone").Get("row"))
	s.has("the editor", editor.text, `name="key" value="style.tone"`, `name="tags"`, `name="paths"`, `name="commands"`, `name="expires"`, `name="when"`, `name="pinned"`)
	all := []string{"text", "be brief", "key", "writing.tone", "tags", "docs, style", "when", "wording", "paths", "docs/**, *.md", "commands", "git commit*", "expires", "2030-01-31", "pinned", "on"}
	a := s.post("memory/edit", s.get("memory").form(t, "style.tone", all...))
	s.has("the answer", a.text, "Renamed style.tone to writing.tone")
	s.has("the row", a.row("writing.tone"), "pinned", "expires 2030-01-31", "in docs/** *.md", "at git commit*", "when wording", "tags docs style")
	if n := len(s.box.Subjects()); n != 2 {
		t.Errorf("%d commits: %s", n, s.box.Subjects())
	}
	undone := s.undo(a)
	s.has("undo", undone.row("style.tone"), "level low")
	s.lacks("undo", undone.row("style.tone"), "pinned", "tags docs")
	again := s.undo(undone) // redo
	s.has("redo", again.row("writing.tone"), "tags docs style")
	// What is empty is removed.
	none := []string{"text", "be brief", "key", "writing.tone", "tags", "", "when", "", "paths", "", "commands", "", "expires", ""}
	row := s.post("memory/edit", s.get("memory").form(t, "writing.tone", none...)).row("writing.tone")
	s.lacks("without labels", row, "pinned", "expires", "docs/**", "git commit", "wording", "tags docs")
	s.has("nothing to do", s.post("memory/edit", s.get("memory").form(t, "writing.tone", none...)).text, "Nothing changed")
	// What is refused keeps all fields.
	for key, why := range map[string]string{"style.other": "exists", "Nokey": "a key needs two", "user.tone": "about the person"} {
		bad := s.get("memory").form(t, "writing.tone", "text", "be brief", "key", key, "tags", "kept-tag", "when", "", "paths", "", "commands", "", "expires", "")
		a := s.post("memory/edit", bad)
		if a.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s: %s", key, a.Status)
		}
		s.has(key, a.text, why, `value="kept-tag"`, `value="`+key+`"`)
	}
	bad := s.get("memory").form(t, "writing.tone", "text", "be brief", "expires", "soon")
	s.has("a day that is none", s.post("memory/edit", bad).text, "2026-12-31")
	s.lacks("after the refusals", s.box.Read("memories.md"), "kept-tag", "soon")
}

func TestTheEditorOfAFactKeepsWhatItDoesNotShow(t *testing.T) {
	s := newSite(t, items(), nil)
	s.remember(docker, "private")
	editor := s.get("memory?edit=" + s.get("memory").form(t, "Docker").Get("row"))
	s.lacks("the editor", editor.text, `name="key"`, `name="paths"`)
	s.post("memory/lock", s.get("memory").form(t, "Docker"))
	a := s.post("memory/edit", s.get("memory").form(t, "Docker", "text", docker, "tags", "tests", "when", "dial tcp", "commands", "make it*", "expires", "", "pinned", "on"))
	s.has("its labels", a.row("Docker"), "pinned", "locked", "at make it*", "when dial tcp", "tags tests")
	a = s.post("memory/edit", s.get("memory").form(t, "Docker", "text", docker+" too", "tags", "", "when", "dial tcp", "commands", "", "expires", "2030-01-01"))
	s.has("another text", a.row("Docker"), docker+" too", "locked", "when dial tcp", "expires 2030-01-01")
	s.lacks("another text", a.row("Docker"), "pinned", "tags tests", "make it")
	s.has("undo", s.undo(a).row("Docker"), docker, "pinned", "tags tests")
}

func TestANoteIsAdded(t *testing.T) {
	s := newSite(t, items(), nil)
	form := url.Values{"kind": {"note"}, "text": {"Tried a bloom filter; it was not worth it."}, "tags": {"search"}, "scope": {"project"}}
	a := s.post("memory/add", form)
	s.has("the note", a.row("bloom filter"), `<span class="kind">note</span>`, "tags search")
	s.has("undo", s.undo(a).text, "0 memories")
	form.Set("key", "search.bloom")
	refused := s.post("memory/add", form)
	s.has("a key", refused.text, "A note has no key", `<option value="note" selected>`, "bloom filter; it was not worth it.</textarea>")
	s.has("a fact with paths", s.post("memory/add", url.Values{"text": {docker}, "paths": {"docs/**"}}).text, "Only items have paths")
	s.has("an item with labels", s.post("memory/add", url.Values{"key": {"search.filter"}, "text": {"none"}, "paths": {"docs/**"}, "tags": {"search"}, "expires": {""}, "pinned": {"on"}}).row("search.filter"), "pinned", "in docs/**", "tags search")
	ask := url.Values{"key": {"git.push"}, "text": {"wait for the tests"}, "expires": {""}, "ask": {"on"}}
	s.has("ask without a command", s.post("memory/add", ask).text, "no command and no path", `name="ask" checked`)
	ask.Set("commands", "git push*")
	s.has("ask", s.post("memory/add", ask).row("git.push"), "at git push*", "<bdi>ask</bdi>")
	s.lacks("no ask any more", s.post("memory/edit", s.get("memory").form(t, "git.push", "text", "wait for the tests", "commands", "git push*", "expires", "")).row("git.push"), "<bdi>ask</bdi>")
	s.has("a category", s.post("memory/add", url.Values{"text": {"Servers talk protobuf"}, "category": {"decision"}}).row("protobuf"), "decision")
}

func TestMarkupInKeysAndLabelsIsShownAsText(t *testing.T) {
	evil := `"><img src=x onerror=alert(1)><script>alert(2)</script>`
	s := newSite(t, items([3]string{"style.tone", "be brief", "high"}), nil)
	form := s.get("memory").form(t, "style.tone", "text", "be brief", "key", evil, "tags", evil, "when", evil, "paths", evil, "commands", evil, "expires", evil, "kind", evil)
	for _, a := range []answer{
		s.post("memory/edit", form), s.post("memory/add", form), s.post("memory/merge", url.Values{"row": {evil}, "into": {evil}}), s.post("memory/restore", url.Values{"key": {evil}, "rev": {evil}}),
		s.do(http.MethodGet, "memory?"+url.Values{"show": {evil}, "sort": {evil}, "edit": {"new"}, "with": {evil}, "scope": {"project"}}.Encode(), nil, nil),
		s.do(http.MethodGet, "memory?show="+url.QueryEscape(evil), nil, nil), s.do(http.MethodGet, "memory?edit=new&scope="+url.QueryEscape(evil), nil, nil),
	} {
		s.lacks(a.Request.URL.Path, a.text, "<img", "<script>alert")
	}
	ok := s.get("memory").form(t, "style.tone", "text", "be brief", "when", evil, "tags", evil)
	s.post("memory/edit", ok)
	if !strings.Contains(s.box.Read("memories.md"), "onerror") {
		t.Log(s.box.Read("memories.md")) // the policy may refuse it
	}
	for _, view := range []string{"memory", "memory?sort=who", "history", "review", "sessions", "health", "memory?edit=" + ok.Get("row")} {
		s.lacks(view, s.get(view).text, "<img", "<script>alert")
	}
}
