package upkeep

import (
	"fmt"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// purgeText is the command that purges a text without naming it.
const purgeText = "memctl purge - < FILE"

// whyUnsearchable is why nothing of some texts can be looked for, and its code; "" where
// something can.
func whyUnsearchable(trace policy.Trace, left policy.LeftOut) (code, why string) {
	switch {
	case trace.FindsMark():
		return "not-specific", "it is found in " + policy.Gone + ", which marks a purged text"
	case !trace.Empty():
		return "", ""
	case left.Long > 0:
		return "too-long", fmt.Sprintf("it is longer than %d bytes, the limit of a search", policy.MaxTrace)
	case left.Short > 0:
		return "not-specific", fmt.Sprintf("a text of less than %d bytes is too short to search for", policy.MinTrace)
	}
	return "not-specific", "true, false and null are too common to search for"
}

// unsearchable refuses what cannot be looked for, with what can be done instead.
func (req PurgeRequest) unsearchable(trace policy.Trace, left policy.LeftOut) error {
	code, why := whyUnsearchable(trace, left)
	if code == "" {
		return nil
	}
	name := "the text on stdin"
	e := &fault.Error{Code: code, Status: 1}
	if req.Key != "" {
		name = memory.Quoted(req.Key)
		e.Hints = []string{"memctl log " + req.named()} // shows which commits have it
	}
	e.Hints = append(e.Hints, purgeText)
	way := "purge a longer text that contains it, from stdin"
	if code == "too-long" {
		way = "purge a part of it, from stdin"
	}
	e.Cause = name + ": cannot be purged: " + why + "; " + way
	return e
}
