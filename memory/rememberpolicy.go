package memory

import (
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// keeps reports whether a person who was shown what holds the entry may keep it: milder
// personal data, in a scope of their own.
func (r *remembering) keeps(held policy.Ruling) bool {
	own := r.st.Scope == store.Private || r.st.Scope == store.User
	return r.Seen && own && r.explicit() && slices.Equal(held.Rules(), []string{policy.RulePersonal})
}

// policy asks the policy about every string of the entry.
func (r *remembering) policy() error {
	arrived := r.e
	arrived.Tags, arrived.Topics = r.Tags, r.Topics // lower case hides a secret
	ruling := contents.RuleEntry(r.st, arrived, r.Message, !r.explicit(), false)
	switch ruling.Verdict {
	case policy.Refuse:
		return &refusal{findings: findings(ruling.Findings)}
	case policy.Hold:
		if !r.keeps(ruling) {
			return &heldError{findings: ruling.Findings}
		}
		if r.DryRun {
			break
		}
		if err := r.st.Accept(r.ctx, contents.EntryDigest(r.e)); err != nil {
			return err
		}
		r.ss.Accepted(r.ctx) // the check of what is written counts it
		r.notes = append(r.notes, "your agents may have it, on this machine (undo: memctl policy accept --remove "+shortID(r.e.ID)+")")
	}
	r.noted = ruling.Findings
	if r.e.Tier() != entry.Fact { // of its day, and nothing that a person confirms
		r.noted = slices.DeleteFunc(slices.Clone(r.noted), func(f policy.Finding) bool { return f.Rule == policy.RuleNotDurable })
	}
	if ruling.Lower && !r.explicit() && r.e.Confidence != "" {
		r.doubt, r.e.Confidence = true, memfile.Low
	}
	return nil
}
