package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/localstate"
)

// texts are the texts of an answer's entries.
func texts(answer map[string]any) []string {
	var out []string
	items, _ := answer["items"].([]any)
	for _, it := range items {
		it := it.(map[string]any)
		if text, ok := it["text"].(string); ok && it["key"] == nil {
			out = append(out, text)
		}
	}
	return out
}

func TestFactsAndNotes(t *testing.T) {
	for name, version := range versions {
		t.Run(name, func(t *testing.T) {
			b := repository(t)
			c := b.connect(version, nil)
			got := c.ok("remember", args{"value": "The orders service runs in two regions", "category": "decision"})
			if field(got, "tier") != "fact" || field(got, "confidence") != "low" || !strings.Contains(got["message"].(string), "confirmation") {
				t.Errorf("a fact: %v", got)
			}
			id := field(got, "id").(string)
			note := c.ok("remember", args{"value": "Moved the importer behind a flag", "tier": "note"})
			if field(note, "tier") != "note" {
				t.Errorf("a note: %v", note)
			}
			c.ok("remember", args{"key": "orders.owner", "value": "the platform team owns it"})
			got = c.ok("recall", args{"query": "orders regions"})
			if list := texts(got); len(list) == 0 || list[0] != "The orders service runs in two regions" || len(keyed(got)) != 1 {
				t.Errorf("recall: %v", got)
			}
			if got = c.ok("list", args{"category": "decision"}); len(texts(got)) != 1 || got["match_count"] != 1.0 {
				t.Errorf("list of a category: %v", got)
			}
			if got = c.ok("list", nil); len(texts(got)) != 2 || len(keyed(got)) != 1 || got["match_count"] != 3.0 {
				t.Errorf("list: %v", got)
			}
			if s := got["scopes"].([]any)[0].(map[string]any); s["fact_count"] != 1.0 || s["note_count"] != 1.0 || s["item_count"] != 1.0 {
				t.Errorf("counts: %v", s)
			}
			got = c.ok("update", args{"key": id, "value": "The orders service runs in three regions now", "said_by_user": true})
			if field(got, "category") != "decision" || field(got, "confidence") != "medium" {
				t.Errorf("update: %v", got)
			}
			now := field(got, "id").(string)
			if got := c.refused("update", args{"confirm": true, "key": now}); !strings.Contains(got, "only a person") {
				t.Errorf("a confirm that nobody asked for: %s", got)
			}
			if got = c.ok("list", args{"tier": "fact"}); len(texts(got)) != 1 {
				t.Errorf("what was replaced is listed: %v", got)
			}
			c.ok("forget", args{"target": now, "said_by_user": true})
			if got = c.ok("recall", args{"query": "orders regions"}); len(texts(got)) != 0 {
				t.Errorf("what was forgotten is found: %v", got)
			}
			if got := c.refused("remember", args{"value": "The orders service runs in three regions now"}); !strings.Contains(got, "forgotten") {
				t.Errorf("what was forgotten comes back: %s", got)
			}
		})
	}
}

// keyed are the keys of those of an answer's items that have one.
func keyed(answer map[string]any) []string {
	var out []string
	items, _ := answer["items"].([]any)
	for _, it := range items {
		if key, ok := it.(map[string]any)["key"].(string); ok {
			out = append(out, key)
		}
	}
	return out
}

func TestThePersonConfirmsAFact(t *testing.T) {
	for name, tt := range map[string]struct {
		answer     func() *sdk.ElicitResult
		said       bool
		confidence string
	}{
		"asked, and agreed":                   {says("accept", true), false, "high"},
		"nobody to ask, their word passed on": {nil, true, "medium"},
	} {
		t.Run(name, func(t *testing.T) {
			c := repository(t).connect("", tt.answer)
			id := field(c.ok("remember", args{"value": "The orders service runs in two regions"}), "id")
			got := c.ok("update", args{"confirm": true, "key": id, "said_by_user": tt.said})
			if field(got, "confidence") != tt.confidence {
				t.Errorf("%v", got)
			}
		})
	}
}

func TestUsesOfWhatWasGivenAreCounted(t *testing.T) {
	b := repository(t)
	c := b.connect("", nil)
	id := field(c.ok("remember", args{"value": "The orders service runs in two regions"}), "id").(string)
	c.ok("recall", args{"query": "orders regions"})
	c.ok("recall", args{"query": "kubernetes"})
	c.link.running.Wait()
	ss, err := b.env.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	st, err := ss.Get(t.Context(), store.Project)
	if err != nil {
		t.Fatal(err)
	}
	uses, err := localstate.Uses(st)
	if err != nil || uses[id].Count != 1 {
		t.Errorf("uses %v, %v", uses, err)
	}
}

// TestEntriesOfOthersAreMarked: in a repository that the person does not trust, a tool says so with each answer.
func TestEntriesOfOthersAreMarked(t *testing.T) {
	b := repository(t)
	c := b.connect("", nil)
	c.ok("remember", args{"value": "The orders service runs in two regions", "said_by_user": true})
	b.git("config", "memctl.trust", "false")
	for tool, arguments := range map[string]args{"recall": {"query": "orders regions"}, "list": nil} {
		got, _ := json.Marshal(c.ok(tool, arguments))
		if !strings.Contains(string(got), "orders service") || !strings.Contains(string(got), "anybody may have written") {
			t.Errorf("%s: %s", tool, got)
		}
	}
}
