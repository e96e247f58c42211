package briefing

import (
	"fmt"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memory/reading/view"
)

// scorePart is a part of a hit's score: its name in RecallHit.Parts, and what it says of the hit.
type scorePart struct{ Name, Meaning string }

// scoreParts lists the parts of a score in the order in which they are shown.
func scoreParts() []scorePart {
	return []scorePart{
		{"words", "words of the query, and related ones"}, {"phrase", "words that are next to each other in both"}, {"vector", "similar meaning, by the embedder"},
		{"rerank", "relevance, by the reranker"}, {"meaning", "similar meaning"}, {"near", "what is before and after it"}, {"answer", "the question that it answers"}, {"group", "other memories of its session or file"},
		{"day", "other memories of its day"}, {"speaker", "the query names the speaker"}, {"when", "from the time that the query names"}, {"recency", "how new it is"},
	}
}

// Why says in words why the hit is where it is, a sentence each.
func (h RecallHit) Why() []string {
	var list, parts []string
	for _, p := range scoreParts() {
		if v := h.Parts[p.Name]; v != 0 {
			parts = append(parts, fmt.Sprintf("%s (%.2f)", p.Meaning, v))
		}
	}
	if len(parts) > 0 {
		list = append(list, "score: "+strings.Join(parts, " + "))
	}
	onlyMeaning := len(parts) == 1 && h.Parts["meaning"] > 0
	if share, ok := h.Parts["share"]; ok {
		list = append(list, fmt.Sprintf("it and its neighbours match %.0f %% of the query", 100*share))
	}
	for _, c := range []struct {
		holds bool
		text  string
	}{
		{h.Weak && !onlyMeaning, "weak: even the best hit matches too little of the query"},
		{h.Weak && onlyMeaning, "weak: it has no word of the query"},
		{h.Scope == store.User || h.Scope == store.Private, "raised: it is in a scope of your own"},
		{h.Role == entry.RoleAssistant, "lowered: an agent said it"},
		{h.Pinned, "raised: it is pinned"},
		{h.Tier == view.Item && h.InSession, "an agent of the newest session has it, and gets it after the other hits"},
	} {
		if c.holds {
			list = append(list, c.text)
		}
	}
	return list
}
