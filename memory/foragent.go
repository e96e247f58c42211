package memory

import (
	"slices"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/session"
)

// What an agent is told of what it may not have: that it is there, and which rules withhold
// it. The key goes too, since the policy may object to it; it stays where the item was
// forgotten or is outranked, so that the agent does not write it again.

// ForAgent takes out of the answer what is withheld from agents, and what was forgotten. It
// returns how many items are withheld.
func (r *ShowResult) ForAgent() int {
	hidden := 0
	for i := range r.Scopes {
		for j := range r.Scopes[i].Items {
			hidden += r.Scopes[i].Items[j].hide()
		}
		for j := range r.Scopes[i].Deletions {
			r.Scopes[i].Deletions[j].hide()
		}
	}
	return hidden
}

// ForAgent takes out of the answer what is withheld from agents, and returns how much that
// is.
func (r *WhyResult) ForAgent() int {
	hidden := hideChanges(r.Changes)
	if d := r.Deleted; d != nil {
		was := d.Key
		if d.hide(); d.Key != was {
			r.Key, r.Restore = "", ""
		}
	}
	if r.Item == nil || r.Item.hide() == 0 {
		return hidden
	}
	r.Key = r.Item.Key
	for i := range r.Changes {
		r.Changes[i].hide(r.Item.Withheld)
	}
	return 1
}

// ForAgent takes out of the answer what is withheld from agents, and returns how many
// changes lost something.
func (r *LogResult) ForAgent() int { return hideChanges(r.Changes) }

// ForAgent takes out of the answer what is withheld from agents, and returns how many
// changes lost something.
func (r *DiffResult) ForAgent() int { return hideChanges(r.Changes) }

// ForAgent takes out of the answer all of what the policy holds or withholds but its id and
// the rules, and returns how much that is.
func (r *ReviewResult) ForAgent() int {
	hidden := 0
	for i := range r.Waiting {
		if w := &r.Waiting[i]; len(w.Rules) > 0 {
			*w = Waiting{ID: w.ID, Key: keyForAgent(w.Key, w.Rules), Scope: w.Scope, Why: w.Why, Rules: w.Rules}
			hidden++
		}
	}
	return hidden
}

// ForAgent takes the keys out of what stays out of the export, and returns how many they
// are.
func (r *ExportResult) ForAgent() int {
	for i := range r.Withheld {
		r.Withheld[i].Key = ""
	}
	return len(r.Withheld)
}

// ForAgent takes the keys of withheld items out of the answer, and returns how many they
// are.
func (r *ProfileResult) ForAgent() int {
	hidden := 0
	for i := range r.LeftOut {
		if r.LeftOut[i].Why == session.WhyWithheld {
			r.LeftOut[i].Key = ""
			hidden++
		}
	}
	return hidden
}

// ForAgent takes the keys and paths to which the policy objects out of the findings, with
// what is said of them, and returns how many findings lost something.
func (r *ValidateResult) ForAgent() int {
	hidden := 0
	for i := range r.Findings {
		v := &r.Findings[i]
		path := policy.RulePath(v.File).Verdict != policy.Accept
		if !path && (v.Key == "" || !objected(v.Key)) {
			continue
		}
		if v.Key, v.Hint, v.Message = "", "", "a person is told what this is about"; path {
			v.File = ""
		}
		hidden++
	}
	return hidden
}

// ForAgent is ForAgent of the briefing's profile.
func (r *BootstrapResult) ForAgent() int { return r.Profile.ForAgent() }

// keyForAgent is the key of what these rules withhold, as an agent may have it.
func keyForAgent(key string, rules []string) string {
	other := func(rule string) bool { return rule != ruleForgotten && rule != session.WhyOutranked }
	if slices.ContainsFunc(rules, other) || objected(key) {
		return ""
	}
	return key
}

// objected reports whether the policy objects to a string that stands alone.
func objected(text string) bool {
	return policy.Rule(policy.Candidate{Other: []memfile.Text{{Where: "field", Text: text}}, Raw: true}).Verdict != policy.Accept
}

// hide leaves of a withheld item the rules.
func (v *ItemView) hide() int {
	if len(v.Withheld) == 0 {
		return 0
	}
	*v = ItemView{Key: keyForAgent(v.Key, v.Withheld), Tags: []string{}, Withheld: v.Withheld}
	return 1
}

// hide leaves of a tombstone its day and a key that is harmless.
func (v *TombstoneView) hide() {
	rules := v.objections
	if v.Value != nil || len(v.Conflict) > 0 || len(rules) > 0 {
		rules = append([]string{ruleForgotten}, rules...)
	}
	*v = TombstoneView{Key: keyForAgent(v.Key, rules), Removed: v.Removed, Withheld: rules}
}

// hideChanges hides what is withheld of each change, and returns how many that were.
func hideChanges(changes []Change) int {
	hidden := 0
	for i := range changes {
		c := &changes[i]
		rules := slices.Concat(c.Withheld, c.held)
		if len(rules) > 0 {
			c.hide(rules)
			hidden++
			continue
		}
		if c.tomb {
			c.Source, c.Author = "", ""
		}
		for _, s := range []*string{&c.Author, &c.Act, &c.Source} { // whoever made the commit wrote these
			if objected(*s) {
				*s = ""
			}
		}
	}
	return hidden
}

// hide leaves of a withheld change where and when it was made, and the rules.
func (c *Change) hide(rules []string) {
	rules = slices.Clone(rules)
	slices.Sort(rules)
	*c = Change{
		Commit: c.Commit, Date: c.Date, Kind: c.Kind, Change: c.Change, Act: c.Change, Key: keyForAgent(c.Key, rules), Scope: c.Scope,
		Journal: c.Journal, Withheld: slices.Compact(rules),
	}
}
