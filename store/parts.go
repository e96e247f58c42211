package store

import (
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/memfile"
)

// Part is one of several acts that one write carries out, with one commit. A set of
// trailers is its own, and a record, so that undo takes it back alone.
type Part struct {
	Act     string
	Keys    []string
	Source  string
	Origin  string
	Message string
	Said    time.Time
	// Before and After are a memory file of what the part is about alone; nil where it
	// changes nothing of the memory file. Allowed stood beside what is in Before.
	Before, After []byte
	Allowed       []memfile.Allowance
	Files         []FileChange // the part's own step, where several change one file
}

// resolveParts finds out what the act's parts are. The commit says what each of them says.
func (t *transaction) resolveParts() {
	if t.w.Parts == nil {
		return
	}
	var messages []string
	for _, p := range t.w.Parts() {
		t.w.parts = append(t.w.parts, p)
		if p.Message != "" && !slices.Contains(messages, p.Message) {
			messages = append(messages, p.Message)
		}
	}
	t.w.Message = strings.Join(messages, "\n\n")
}

// partTrailers are a set for each part, one after the other.
func partTrailers(parts []Part, scope string) (list []gitops.Trailer) {
	for _, p := range parts {
		list = append(list, Write{Act: p.Act, Keys: p.Keys, Source: p.Source}.trailers(scope)...)
	}
	return list
}

// partRecords are the records of the act's parts; none where it has none, or they would
// be too much to keep: the act is one then, for undo too. So it is in the user store: a
// purge of that does not come to what other folders have recorded.
func (t *transaction) partRecords() (list []ActRecord) {
	if t.st.Scope == User {
		return nil
	}
	size := 0
	for _, p := range t.w.parts {
		rec := t.st.ss.newAct(Write{Act: p.Act, Said: p.Said, Origin: p.Origin}, t.st.Scope)
		rec.Part, rec.Before, rec.After, rec.Allowed, rec.Files = true, p.Before, p.After, p.Allowed, p.Files
		size += len(p.Before) + len(p.After)
		for _, c := range p.Files {
			size += len(c.Before) + len(c.After)
		}
		list = append(list, rec)
	}
	if size > maxActsBytes/4 {
		return nil
	}
	return list
}

// recordActs notes the act for undo, or each of its parts.
func (t *transaction) recordActs() error {
	if len(t.acts) == 0 {
		return t.st.ss.record(t.act)
	}
	for i := range t.acts {
		t.acts[i].Commit, t.acts[i].Why = t.act.Commit, t.act.Why
	}
	return t.st.ss.record(t.acts...)
}
