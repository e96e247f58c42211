package memory

import (
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// RuleOn refuses an item that the policy would not take as it stands.
func RuleOn(st *store.Store, r *txn.Record) error {
	var ruling policy.Ruling
	if r.Item != nil {
		ruling = st.Rule(policy.FromItem(*r.Item, st.Scope))
	} else {
		ruling = contents.RuleEntry(st, *r.Entry, "", false, true)
	}
	if ruling.Verdict == policy.Refuse {
		return &Refusal{Findings: Findings(ruling.Findings)}
	}
	return nil
}

// NotPurged refuses to bring back what stands where a purged value was.
func NotPurged(v memfile.Value) error {
	if policy.Purged(v) {
		return Refuse(rulePurged, "the value was purged, so it cannot be brought back")
	}
	return nil
}

// ReviewHint is the command that shows what waits.
const ReviewHint = "memctl review"

// Held is the reason of what waits because the policy holds it.
const Held = "held"
