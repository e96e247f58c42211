package memory

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/confidence"
	"github.com/memctl/memctl/memfile"
)

// again is an entry that is told once more.
func (r *remembering) again(old entry.Entry) entry.Entry {
	now := old
	if r.e.Role == entry.RoleSummary {
		now.Text, now.Created, now.Source, now.By, now.Stale = r.e.Text, r.e.Created, r.e.Source, r.e.By, false
		return now
	}
	if !r.explicit() && old.Stated() { // what a person stated, no agent changes: it is counted
		r.raise(&now)
		return now
	}
	now.Tags, now.Topics = joined(old.Tags, r.e.Tags), joined(old.Topics, r.e.Topics)
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
	if r.explicit() {
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
	case Explicit:
		if now.By != "" {
			now.Source = r.e.Source
		}
		now.By = ""
		r.setConfidence(now)
	case Relayed:
		if level(now.Confidence) < level(r.e.Confidence) && !now.Stated() {
			r.setConfidence(now)
			if now.By == memfile.ByAutomatic {
				now.By, now.Source = memfile.ByRelayed, r.e.Source
			}
		}
	default:
		if today := r.ss.Today(); now.Seen != today && !strings.HasPrefix(now.Created, today) {
			now.Signals, now.Seen = max(now.Signals, 1)+1, today
			if now.By == memfile.ByAutomatic && !r.doubt {
				now.Confidence = confidence.At(max(level(now.Confidence), min(now.Signals, 3)))
			}
		}
	}
}

// setConfidence sets the confidence of this telling; one above low takes the tag with it.
func (r *remembering) setConfidence(now *entry.Entry) {
	if now.Confidence = r.e.Confidence; now.Confidence != memfile.Low {
		now.Tags = slices.DeleteFunc(slices.Clone(now.Tags), func(t string) bool { return t == memfile.TagNeedsConfirmation })
	}
}

// joined are both lists, each word once.
func joined(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
