package page

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/door"
	"github.com/memctl/memctl/internal/fault"
)

const docker = "The integration tests need Docker running, and port 5432 free"

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
