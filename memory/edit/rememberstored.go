package edit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/briefing"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/similar"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// place finds the file of what is told: of a fact the one that says the
// same, whatever its name, since a person may have moved it, or written other words into
// the file of its id; else the first of its names where no other text stands. The
// entry's id is that of the file then.
func (r *remembering) place(facts []contents.Entry) (name string, err error) {
	if r.e.Role != entry.RoleFact {
		return r.e.Path(), nil
	}
	if was, err := factPlace(r.st, &r.e); was != nil || err != nil {
		return r.e.Path(), err
	}
	there := r.sameFact(facts)
	if there == nil {
		return r.e.Path(), nil
	}
	r.e.ID = there.ID
	return there.Path, nil
}

// sameFact finds the one among these that says the same, nil for none: for an agent in other words, too.
// What a person says in other words is a fact of its own, and the answer names the similar one.
func (r *remembering) sameFact(facts []contents.Entry) *contents.Entry {
	text, said := entry.NormalText(r.e.Text), similar.NewText(r.e.Text)
	var restated *contents.Entry
	for i := range facts {
		f := &facts[i]
		switch {
		case f.Deleted || f.Conversation != r.e.Conversation:
		case entry.NormalText(f.Text) == text:
			return f
		case restated == nil && !r.Explicit() && r.Replace == "" && !f.Hidden() && !f.Expired(r.ss.Today()) && said.Same(f.Text):
			restated = f
		}
	}
	if restated != nil {
		r.restated = restated.Text
	}
	return restated
}

// factPlace gives a fact the first of its ids whose file is not there, or says the same,
// or cannot be read, and returns the bytes of that file.
func factPlace(st *store.Store, e *entry.Entry) ([]byte, error) {
	for n := range entry.FactIDs {
		e.ID = entry.FactID(e.Text, n)
		was, err := contents.EntryBytes(st, e.Path())
		if was == nil || err != nil {
			return nil, err
		}
		if f, _ := entry.Parse(e.Path(), was); f == nil || entry.NormalText(f.Entry().Text) == entry.NormalText(e.Text) {
			return was, nil
		}
	}
	return nil, memory.Refuse(memory.RuleAmbiguous, "another text already uses each file name that its id could have", "memctl validate")
}

// facts are those of the store's facts that the index finds most like the new one, and that which --replace names.
func (r *remembering) facts() ([]contents.Entry, error) {
	if r.e.Role != entry.RoleFact {
		return nil, nil
	}
	paths, err := briefing.FactsLike(r.ctx, r.ss, r.st, r.e.Conversation, r.e.Text)
	if err == nil && r.Replace != "" {
		var named []string
		named, err = r.named()
		paths = append(paths, named...)
	}
	if err != nil {
		return nil, err
	}
	var files []contents.EntryFile
	slices.Sort(paths)
	for _, p := range slices.Compact(paths) {
		files = append(files, contents.EntryFile{Path: p})
	}
	return contents.ReadEntries(r.ctx, r.st, files)
}

// named returns the files of facts that --replace may mean: by their names, and else all, since a person may have
// renamed the file.
func (r *remembering) named() (paths []string, err error) {
	files, _, err := contents.EntryFiles(r.ctx, r.st)
	var all []string
	for _, f := range files {
		if p, ok := entry.ParsePath(f.Path); ok && !f.Deleted && p.Tier == entry.Fact {
			if all = append(all, f.Path); memory.MatchesID(p.ID, r.Replace) {
				paths = append(paths, f.Path)
			}
		}
	}
	if len(paths) == 0 {
		paths = all
	}
	return paths, err
}

// withRepeat is an entry after it was told once more.
func (r *remembering) withRepeat(old entry.Entry) entry.Entry {
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
	r.setGlobs(&now.Labels)
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
	own, all := memfile.OwnAgent(now.Source, now.By)
	if teller, _ := memfile.OwnAgent(r.e.Source, r.e.By); own != teller { // two know it, so it is everybody's
		now.Source = all
	}
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
		day, _, _ := strings.Cut(now.Created, "T")
		if r.signal(&now.Labels, day) && now.By == memfile.ByAutomatic && !r.doubt {
			now.Confidence = labels.ConfidenceAt(max(memory.Rank(now.Confidence), now.Signals))
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
	ruling := contents.RuleEntry(r.st, arrived, r.Message, !r.Explicit() && !r.chosen, false)
	if r.mayKeep(ruling) {
		if err := r.st.Accept(r.ctx, contents.EntryDigest(r.e)); err != nil {
			return err
		}
		r.ss.Accepted(r.ctx) // the check of what is written counts it
		r.notes = append(r.notes, noteOn("agents-may-have-it", "{key}", memory.ShortID(r.e.ID))...)
	} else if err := ruledOut(ruling); err != nil {
		return err
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
