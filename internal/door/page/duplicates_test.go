package page

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/door"
	"github.com/memctl/memctl/internal/fault"
)

const (
	docker  = "The integration tests need Docker running, and port 5432 free"
	docker2 = "Integration tests need Docker running and a free port 5432"
)

func TestNearDuplicatesAreMergedOrDropped(t *testing.T) {
	s := newSite(t, items([3]string{"style.tone", "be brief", "high"}), nil)
	s.remember(docker, "private")
	s.remember(docker2, "private")
	s.addTo("private", "testing.docker", docker2+".")
	s.addTo("private", "build.debug", "Guide of this project: Commands to build with: make the debug program first")
	s.addTo("private", "build.style", "Guide of this project: Commands to build with: indent with spaces everywhere")
	list := s.get("memory?show=alike")
	s.has("the pairs", list.text, "3 found", "Docker running, and port", "Docker running and a free")
	s.lacks("the pairs", list.text, "be brief", "Guide of")
	// Drop removes one, and the others still count.
	dropped := s.post("memory/merge?show=alike", list.form(t, "running and a free port 5432<"))
	s.has("drop", dropped.text, "Merged ", " into ", "1 found")
	left := s.get("memory").text
	s.has("what stays", left, "testing.docker", "Docker running, and port", "5 memories")
	back := s.undo(dropped)
	s.has("undo", back.text, "6 memories")
	// Merge opens an editor with both texts, and saving removes the other one.
	editor := s.follow(s.get("memory?show=alike&q=port+5432+free"), ">Merge")
	s.has("the editor", editor.text, "Save keeps this memory", docker, docker2)
	form := editor.form(t, "<textarea", "text", "Integration tests need Docker, and port 5432")
	form["pick"] = picks(editor.text)
	merged := s.post("memory/edit?show=alike", form)
	s.has("merge", merged.text, "Merged ", "into", "Docker, and port 5432")
	if n := strings.Count(s.get("memory").text, "data-row"); n != 5 {
		t.Errorf("%d memories are left", n)
	}
	s.has("undo takes back both", s.undo(merged).text, "6 memories")
	s.has("both texts are there", s.get("memory").text, docker, docker2)
}

// picks are the rows that the open editor names.
func picks(text string) (list []string) {
	_, form, _ := strings.Cut(text, `data-edit`)
	form, _, _ = strings.Cut(form, "</form>")
	for _, part := range strings.Split(form, `name="pick" value="`)[1:] {
		value, _, _ := strings.Cut(part, `"`)
		list = append(list, value)
	}
	return list
}

func TestWhatWasForgottenIsRestored(t *testing.T) {
	s := newSite(t, items([3]string{"style.tone", "be brief", "high"}), nil)
	s.remember(docker, "private")
	s.has("before", s.get("memory?show=forgotten").text, "Nothing here")
	for _, word := range []string{"style.tone", "Docker"} {
		s.post("memory/forget", s.get("memory").form(t, word))
	}
	list := s.get("memory?show=forgotten")
	s.has("the list", list.text, "2 found", "be brief", docker)
	s.has("the search", s.get("memory?show=forgotten&q=docker").text, "1 found", docker)
	for _, word := range []string{"style.tone", "Docker"} {
		s.has("restore", s.post("memory/restore?show=forgotten", list.form(t, word)).text, "<bdi>Restored")
	}
	s.has("after", s.get("memory?show=forgotten").text, "Nothing here")
	s.has("the memories", s.get("memory").text, "be brief", docker)
	agent := newSite(t, items(), func(e *door.PageEnv) { e.ReadOnly = true })
	s.lacks("an agent's page", agent.get("memory?show=forgotten").text, `value="forgotten"`)
}

func TestTheListIsSorted(t *testing.T) {
	s := newSite(t, items([3]string{"style.tone", "be brief", "high"}, [3]string{"style.old", "be long", "high"}), nil)
	s.box.Write("memories.md", strings.Replace(s.box.Read("memories.md"), "confidence: high\n      tags: []\n", "confidence: high\n      by: automatic\n      tags: []\n", 1))
	s.addTo("project", "a.new", "the newest")
	at := func(text, word string) int { return strings.Index(text, word) }
	text := s.get("memory?sort=new").text
	if at(text, "the newest") > at(text, "be brief") || at(text, "the newest") < 0 {
		t.Error("the newest is not first")
	}
	s.has("the days", text, ">2026-11-21 ", ">2026-01-01 ")
	text = s.get("memory?sort=who").text
	if at(text, "be brief") < at(text, "the newest") || at(text, "be brief") < at(text, "be long") {
		t.Error("what an agent concluded is not last")
	}
	s.has("who", text, "Said or confirmed by a person", "Concluded by an agent")
}

func TestWeakHitsAreMarked(t *testing.T) {
	s := newSite(t, items([3]string{"testing.style", "table tests keyed by a sentence", "high"}), nil)
	s.lacks("a good hit", s.get("memory?q=table+tests").text, "weak match", "nearest")
	s.has("a weak one", s.get("memory?q="+url.QueryEscape("which colour does the kitchen sentence have on Sundays")).text, "weak match", "These are the nearest")
}

func TestHealthRepairs(t *testing.T) {
	fixed := 0
	s := newSite(t, items(), func(e *door.PageEnv) {
		e.Checks = func(context.Context) []fault.Finding {
			return []fault.Finding{{Rule: "state", Severity: "warning", Message: "a write was killed", Hint: "memctl doctor --fix"}}
		}
		e.Fix = func(context.Context) ([]fault.Note, error) {
			fixed++
			return []fault.Note{fault.NewNote("finished", "finished a write")}[:2-fixed], nil
		}
	})
	s.has("the button", s.get("health").text, "Repair what needs no decision")
	s.has("what it did", s.post("health/fix", url.Values{}).text, "Repaired", "finished a write")
	s.has("again", s.post("health/fix", url.Values{}).text, "Nothing to repair")
	if fixed != 2 {
		t.Error(fixed)
	}
	s.lacks("without such a problem", newSite(t, items(), nil).get("health").text, "health/fix")
}
