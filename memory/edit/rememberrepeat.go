package edit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/confidence"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store/contents"
)

// again is an entry that is told once more.
func (r *remembering) again(old entry.Entry) entry.Entry {
	now := old
	if r.e.Role == entry.RoleSummary {
		now.Text, now.Created, now.Source, now.By, now.Stale = r.e.Text, r.e.Created, r.e.Source, r.e.By, false
		return now
	}
	if !r.Explicit() && old.Stated() { // what a person stated, no agent changes: it is counted
		r.raise(&now)
		return now
	}
	now.Tags, now.Topics = memory.Union(old.Tags, r.e.Tags), memory.Union(old.Topics, r.e.Topics)
	for _, a := range r.e.Anchors {
		now.Anchors = append(slices.DeleteFunc(slices.Clone(now.Anchors), func(b entry.Anchor) bool { return a.Path == b.Path }), a)
	}
	now.Pinned = old.Pinned || r.e.Pinned
	now.Category = cmp.Or(r.e.Category, old.Category)
	now.Weight = cmp.Or(r.e.Weight, old.Weight)
	now.Expires = cmp.Or(r.e.Expires, old.Expires)
	// What is said now holds: with a day that is over it would be shown to nobody.
	if now.Expired(r.ss.Today()) {
		now.Expires = ""
	}
	if r.Explicit() {
		now.ReplacedBy, now.Deleted = "", ""
	}
	r.raise(&now)
	return now
}

// raise is what docs/acts.md says of the same value told again.
func (r *remembering) raise(now *entry.Entry) {
	if now.Role != entry.RoleFact {
		return
	}
	switch r.Origin.Kind {
	case memory.Explicit:
		if now.By != "" {
			now.Source = r.e.Source
		}
		now.By = ""
		r.setConfidence(now)
	case memory.Relayed:
		if memory.Rank(now.Confidence) < memory.Rank(r.e.Confidence) && !now.Stated() {
			r.setConfidence(now)
			if now.By == memfile.ByAutomatic {
				now.By, now.Source = memfile.ByRelayed, r.e.Source
			}
		}
	default:
		if today := r.ss.Today(); now.Seen != today && !strings.HasPrefix(now.Created, today) {
			now.Signals, now.Seen = max(now.Signals, 1)+1, today
			if now.By == memfile.ByAutomatic && !r.doubt {
				now.Confidence = confidence.At(max(memory.Rank(now.Confidence), min(now.Signals, 3)))
			}
		}
	}
}

// setConfidence sets the confidence of this telling; one above low takes the tag with it.
func (r *remembering) setConfidence(now *entry.Entry) {
	if now.Confidence = r.e.Confidence; now.Confidence != memfile.Low {
		memory.Raise(&now.Labels, now.Confidence)
	}
}

// policy asks the policy about every string of the entry.
func (r *remembering) policy() error {
	arrived := r.e
	arrived.Tags, arrived.Topics = r.Tags, r.Topics // lower case hides a secret
	ruling := contents.RuleEntry(r.st, arrived, r.Message, !r.Explicit(), false)
	switch ruling.Verdict {
	case policy.Refuse:
		return &memory.Refusal{Findings: memory.Findings(ruling.Findings)}
	case policy.Hold:
		if !r.mayKeep(ruling) {
			return &heldError{findings: ruling.Findings}
		}
		if err := r.st.Accept(r.ctx, contents.EntryDigest(r.e)); err != nil {
			return err
		}
		r.ss.Accepted(r.ctx) // the check of what is written counts it
		r.notes = append(r.notes, "your agents may have it, on this machine (undo: memctl policy accept --remove "+memory.ShortID(r.e.ID)+")")
	}
	r.noted = ruling.Findings
	if r.e.Tier() != entry.Fact { // of its day, and nothing that a person confirms
		r.noted = slices.DeleteFunc(slices.Clone(r.noted), func(f policy.Finding) bool { return f.Rule == policy.RuleNotDurable })
	}
	if ruling.Lower && !r.Explicit() && r.e.Confidence != "" {
		r.doubt, r.e.Confidence = true, memfile.Low
	}
	return nil
}
