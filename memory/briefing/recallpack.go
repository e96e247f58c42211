package briefing

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memctl/memctl/recall/index"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/localstate"
)

// packHits is how many hits are packed at most; a budget is smaller.
const packHits = 100

// Pack is what was found as lines for a prompt, at most budget characters: the
// summary of the conversation first, then what is known of the person, projects,
// the topics of what was found, facts, notes and the rest. A line is
// "[role] text"; one that does not fit is left out, and the next is tried.
func (r RecallResult) Pack(budget int) string {
	type line struct {
		rank int
		text string
	}
	var lines []line
	count := map[string]int{}
	for _, h := range r.Hits {
		if h.Weak {
			continue
		}
		text := strings.Join(strings.Fields(h.Text), " ")
		if h.Stale {
			text += " (stale)"
		}
		lines = append(lines, line{packRank(h), "[" + cmp.Or(h.Role, "memory") + "] " + text + "\n"})
		for _, topic := range h.Topics {
			count[topic]++
		}
	}
	if len(count) > 0 {
		topics := make([]string, 0, len(count))
		for topic := range count {
			topics = append(topics, topic)
		}
		slices.SortFunc(topics, func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b)) })
		lines = append(lines, line{packTopics, "[topics] " + strings.Join(topics, ", ") + "\n"})
	}
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.rank, b.rank) })
	var b strings.Builder
	for _, l := range lines {
		if n := utf8.RuneCountInString(l.text); n <= budget {
			budget -= n
			b.WriteString(l.text)
		}
	}
	return b.String()
}

// The order of packing.
const (
	packSummary = iota
	packUser
	packProject
	packTopics
	packFact
	packNote
	packRest
)

func packRank(h RecallHit) int {
	switch {
	case h.Tier == index.TierSummary.String():
		return packSummary
	case h.Tier == index.TierItem.String() && strings.HasPrefix(h.ID, "user."), h.Category == "personal":
		return packUser
	case h.Category == "project":
		return packProject
	case h.Tier == index.TierItem.String(), h.Tier == index.TierFact.String():
		return packFact
	case h.Tier == index.TierNote.String():
		return packNote
	}
	return packRest
}

// PackRequest is the request for as many hits as Pack may need.
func (req RecallRequest) PackRequest() RecallRequest {
	if req.K <= 0 {
		req.K = packHits
	}
	return req
}

// NoteUsed counts that an agent was given these. It is a count of use and no more: a
// fault, or a lock that is not got within the wait, costs the count alone.
func NoteUsed(ctx context.Context, ss *store.Stores, hits []RecallHit, wait time.Duration) {
	ids := map[string][]string{}
	for _, h := range hits {
		if !h.Shared && !h.Weak && h.Tier != index.TierFile.String() && !slices.Contains(ids[h.Scope], h.ID) {
			ids[h.Scope] = append(ids[h.Scope], h.ID)
		}
	}
	for scope, list := range ids {
		if st, err := ss.Get(ctx, scope); err == nil {
			_ = localstate.NoteUses(ctx, st, list, wait)
		}
	}
}
