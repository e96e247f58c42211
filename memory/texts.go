package memory

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// MatchesID reports whether what a person gave is an id, or the beginning of one.
func MatchesID(id, given string) bool {
	const least = 6
	return id == given || len(given) >= least && strings.HasPrefix(id, strings.ToLower(given)) && strings.Trim(strings.ToLower(given), "0123456789abcdef-") == ""
}

// DayOf is the day of a time in UTC, "" for none.
func DayOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

// Union are both lists, each word once.
func Union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// LosesLines reports whether an entry is of the kind that loses lines: a summary or a
// note.
func LosesLines(e entry.Entry) bool { return e.Tier() == entry.Summary || e.Tier() == entry.Note }

// Retire moves an entry's file to deleted, with what says why.
func Retire(st *store.Store, old contents.Entry, why func(e *entry.Entry)) ([]store.FileChange, error) {
	c, err := ChangedEntry(st, old.Path, why)
	if err != nil {
		return nil, err
	}
	to := entry.DeletedPath(old.Path)
	there, err := contents.EntryBytes(st, to)
	if err != nil {
		return nil, err
	}
	return []store.FileChange{{Path: old.Path, Before: c.Before}, {Path: to, Before: there, After: c.After}}, nil
}

// ChangedEntry is the change of an entry's file. Errors: *Refusal for a file that cannot be read as an
// entry; those of contents.EntryBytes.
func ChangedEntry(st *store.Store, path string, change func(e *entry.Entry)) (store.FileChange, error) {
	was, err := contents.EntryBytes(st, path)
	if err != nil {
		return store.FileChange{}, err
	}
	f, problems := entry.Parse(path, was)
	if f == nil {
		return store.FileChange{}, Refuse(problems[0].Rule, "its file cannot be read: "+problems[0].Message)
	}
	e := f.Entry()
	change(&e)
	now, err := f.Rewrite(e)
	return store.FileChange{Path: path, Before: was, After: now}, err
}

// Words are the words of a text in normal form: runs of letters and digits.
func Words(text string) []string {
	return strings.FieldsFunc(memfile.NormalText(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}

// FewWords is the number of words up to which nothing counts as nearly the
// same: "use tabs" and "use spaces" share half of theirs.
const FewWords = 3

// ShortID is the beginning of an id, as it is printed and can be given back.
func ShortID(id string) string {
	return entry.ShortID(Redacted(entry.FormedID(id)))
}
