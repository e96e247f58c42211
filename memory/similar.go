package memory

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

const (
	// maxCompared is the number of files up to which a new fact is compared with
	// those that are there: beyond it, reading them all would be felt.
	maxCompared = 5000
	// nearlySame is the share of words that two facts have in common from which
	// one may be meant to take the place of the other.
	nearlySame = 0.7
	// fewWords is the number of words up to which nothing counts as nearly the
	// same: "use tabs" and "use spaces" share half of theirs.
	fewWords = 3
	maxNamed = 3
)

// replaced moves the fact that this one takes the place of to deleted; without
// one named, it names what is nearly the same.
func (r *remembering) replaced(name string, facts []contents.Entry) ([]store.FileChange, error) {
	if r.e.Role != entry.RoleFact {
		return nil, nil
	}
	facts = slices.DeleteFunc(facts, func(e contents.Entry) bool { return e.Path == name })
	if r.Replace == "" {
		r.nameSimilar(facts)
		return nil, nil
	}
	var old []contents.Entry
	for _, e := range facts {
		if matchesID(e.ID, r.Replace) {
			old = append(old, e)
		}
	}
	if len(old) != 1 {
		rule := map[bool]string{true: ruleNotFound, false: ruleAmbiguous}[len(old) == 0]
		return nil, refuse(rule, "--replace names one other fact of the same scope by its id", "memctl facts")
	}
	if old[0].Locked && !r.explicit() {
		return nil, refuse(ruleLocked, "the fact that it would replace is locked: only a person replaces it")
	}
	if !r.explicit() && old[0].By == "" {
		return nil, refuse(ruleExplicitOnly, "a person stated the fact that it would replace: only a person replaces it", "memctl remember --replace "+shortID(old[0].ID)+" "+shellText(r.e.Text))
	}
	r.inherit(old[0].Entry)
	return retire(r.st, old[0], func(e *entry.Entry) {
		e.ReplacedBy, e.Deleted = r.e.ID, entry.Stamp(r.ss.Now())
	})
}

// inherit takes over what the new fact does not say of itself.
func (r *remembering) inherit(old entry.Entry) {
	r.e.Category = cmp.Or(r.e.Category, old.Category)
	r.e.Tags, r.e.Topics = joined(r.e.Tags, old.Tags), joined(r.e.Topics, old.Topics)
	r.e.Weight = cmp.Or(r.e.Weight, old.Weight)
	r.e.Pinned = r.e.Pinned || old.Pinned
}

// retire moves an entry's file to deleted, with what says why.
func retire(st *store.Store, old contents.Entry, why func(e *entry.Entry)) ([]store.FileChange, error) {
	was, err := contents.EntryBytes(st, old.Path)
	if err != nil {
		return nil, err
	}
	f, problems := entry.Parse(old.Path, was)
	if f == nil {
		return nil, refuse(problems[0].Rule, "its file cannot be read: "+problems[0].Message)
	}
	e := f.Entry()
	why(&e)
	now, err := f.Rewrite(e)
	if err != nil {
		return nil, err
	}
	to := entry.DeletedPath(old.Path)
	there, err := contents.EntryBytes(st, to)
	if err != nil {
		return nil, err
	}
	return []store.FileChange{{Path: old.Path, Before: was}, {Path: to, Before: there, After: now}}, nil
}

// nameSimilar says which facts are nearly the same.
func (r *remembering) nameSimilar(facts []contents.Entry) {
	words := fields(r.e.Text)
	named := 0
	for _, e := range facts {
		if len(e.Withheld) > 0 || named == maxNamed || e.Conversation != r.e.Conversation || !mostlySame(words, fields(e.Text)) {
			continue
		}
		named++
		r.notes = append(r.notes, "nearly the same as "+shortID(e.ID)+": "+oneLine(memfile.Str(e.Text)))
		r.hints = append(r.hints, "memctl remember --replace "+shortID(e.ID)+" "+shellText(r.e.Text))
	}
}

// mostlySame reports whether two texts share most of their words.
func mostlySame(a, b []string) bool {
	if min(len(a), len(b)) <= fewWords {
		return false
	}
	set := map[string]bool{}
	for _, w := range a {
		set[w] = true
	}
	all, both, seen := len(set), 0, map[string]bool{}
	for _, w := range b {
		if seen[w] {
			continue
		}
		seen[w] = true
		if set[w] {
			both++
		} else {
			all++
		}
	}
	return float64(both) >= nearlySame*float64(all)
}

// shellText is a text to paste into a shell, TEXT where it is not for that.
func shellText(text string) string {
	const limit = 200
	if len(text) > limit || policy.Inert(text) != text || redacted(text) != text {
		return "TEXT"
	}
	return shell.QuoteAlways(text)
}

// matchesID reports whether what a person gave is an id, or the beginning of one.
func matchesID(id, given string) bool {
	const least = 6
	return id == given || len(given) >= least && strings.HasPrefix(id, strings.ToLower(given)) && strings.Trim(strings.ToLower(given), "0123456789abcdef-") == ""
}

// dayOf is the day of a time in UTC, "" for none.
func dayOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}
