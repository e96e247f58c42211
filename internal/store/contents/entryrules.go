package contents

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// The bytes that the text of an entry may have, beside a fact, which is as short
// as a value.
const (
	maxNoteText = 16 << 10
	maxTurnText = 64 << 10
)

// RuleEntry rules on every string of an entry that is stored or shown. message
// is the commit's; automatic adds the tests for what nobody asked to keep;
// loaded says that the entry stands in a file already.
func RuleEntry(st *store.Store, e entry.Entry, message string, automatic, loaded bool) policy.Ruling {
	c := EntryCandidate(e, "", st.Scope)
	c.Message, c.Automatic, c.Raw = message, automatic, loaded
	return ruleEntry(st, e, c)
}

// RuleEntryAt rules on an entry that stands in the file of a path, and on the path.
func RuleEntryAt(st *store.Store, path string, e entry.Entry) policy.Ruling {
	return ruleEntry(st, e, EntryCandidate(e, path, st.Scope))
}

// AgentsMayRead reports whether the policy lets agents have a part of a Markdown file that
// is no entry: its text, the headings above it, and the file's path.
func AgentsMayRead(st *store.Store, path, text string, headings []string) bool {
	c := EntryCandidate(entry.Entry{Role: entry.RoleNote, Text: text}, path, st.Scope)
	c.OtherTexts = other(c.OtherTexts, "heading", headings...)
	return len(st.Rule(c).Rules()) == 0
}

func ruleEntry(st *store.Store, e entry.Entry, c policy.Candidate) policy.Ruling {
	return lifted(st, st.Rule(c), "", memfile.Str(e.Text))
}

// EntryDigest names an entry by its text, as AcceptDigest does an item.
func EntryDigest(e entry.Entry) string {
	return AcceptDigest("", memfile.Str(e.Text))
}

// EntryCandidate is what the policy rules on for an entry that stands in the file of a
// path, from the store's folder; "" for one that stands in none yet.
func EntryCandidate(e entry.Entry, path, scope string) policy.Candidate {
	c := policy.Candidate{
		Value: memfile.Str(e.Text), Labels: e.Labels, Reason: e.Reason, Scope: scope, Raw: true, OtherTexts: policy.PathTexts(path),
	}
	c.Tags = slices.Concat(e.Tags, e.Topics)
	switch e.Tier() {
	case entry.Note, entry.Summary:
		c.MaxValueBytes = maxNoteText
	case entry.Turn:
		c.MaxValueBytes, c.IsTurn = maxTurnText, true
	}
	for _, a := range e.Anchors {
		c.Paths = append(c.Paths, a.Path)
		c.OtherTexts = other(c.OtherTexts, "anchors", a.Commit, a.Hash)
	}
	c.OtherTexts = other(c.OtherTexts, "field", e.ID, e.Session, e.Conversation, e.Category, e.SummaryKind, e.ReplacedBy, e.Confidence, e.By, e.Created, e.Deleted)
	for _, x := range e.Extra {
		c.OtherTexts = other(c.OtherTexts, "field", append([]string{x.Name}, x.Scalars...)...)
	}
	return c
}

// other adds the strings that say anything: ids, hashes and times of the usual
// form are chance or clock, and look like nothing else.
func other(list []memfile.Text, where string, texts ...string) []memfile.Text {
	for _, s := range texts {
		if s != "" && !idForm(s) {
			list = append(list, memfile.Text{Where: where, Text: s})
		}
	}
	return list
}

// idForm reports whether a text is a UUID, a git or content hash, or a time.
func idForm(s string) bool {
	switch len(s) {
	case 36:
		if strings.Count(s, "-") == 4 && strings.Trim(s, "0123456789abcdef-") == "" {
			return true
		}
	case 16, 40, 64:
		if strings.Trim(s, "0123456789abcdef") == "" {
			return true
		}
	}
	_, ok := entry.ParseTime(s)
	return ok
}
