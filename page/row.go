package page

import (
	"crypto/sha256"
	"encoding/hex"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
)

// row is one memory of the list.
type row struct {
	DOM        string // names it in the page
	Scope      string
	Tier       string // item, fact, note or summary
	ID         string // the key, or the entry's id
	Name       string // as shown: the key, or the beginning of the id
	Base       string // a digest of all that the row shows, to notice a change
	Lines      []string
	Fields     []field // of a value with parts
	Rivals     []rival
	Confidence string
	Day        string
	Tags       []string // and the category and topics of an entry
	Facts      []string // paths, commands, …
	Flags      []string // pinned, locked, withheld, …
	Locked     bool
	CanConfirm bool
	CanEdit    bool
	CanLock    bool
	CanChange  bool
	Targets    []string // scopes to move it to
	Edit       *editState
	Cancel     template.URL // the query of the view without the edit

	source  string // the text that is edited
	created string
}

type field struct{ Name, Text string }

// rival is another value of an item in conflict, which `confirm` can choose by number.
type rival struct {
	Number int
	Text   string
	From   string
}

// seal sets what follows from the rest of the row.
func (r row) seal(scopes []string) row {
	id := sha256.Sum256([]byte(r.Scope + "\x00" + r.Tier + "\x00" + r.ID))
	r.DOM = "m" + hex.EncodeToString(id[:8])
	var all strings.Builder
	for _, list := range [][]string{{r.source, r.Confidence, r.Day}, r.Tags, r.Facts, r.Flags} {
		all.WriteString(strings.Join(list, "\x00") + "\x01")
	}
	for _, v := range r.Rivals {
		all.WriteString(v.Text + "\x00")
	}
	base := sha256.Sum256([]byte(all.String()))
	r.Base = hex.EncodeToString(base[:12])
	r.Tags, r.Facts, r.Flags = clean(r.Tags), clean(r.Facts), clean(r.Flags)
	for _, scope := range scopes {
		if scope != r.Scope {
			r.Targets = append(r.Targets, scope)
		}
	}
	return r
}

// itemRow is the row of an item of the profile.
func itemRow(it view.ListItem, scopes []string) row {
	secret := slices.Contains(it.Withheld, policy.RuleSecret)
	r := row{
		Scope: it.Scope, Tier: tierItem, ID: it.Key, Name: policy.Inert(it.Key), Confidence: it.Confidence, Day: max(it.Added, it.Updated), Locked: it.Locked,
		source: editable(it.Value), Tags: it.Tags, Flags: flags(it.Pinned, it.Locked, it.Expires, it.Withheld),
		CanChange: !secret, CanEdit: !secret, CanLock: !secret,
	}
	r.CanConfirm = !secret && (it.Confidence != memfile.High || len(it.Conflict) > 0 || slices.Contains(it.Tags, memfile.TagNeedsConfirmation))
	for _, p := range it.Paths {
		r.Facts = append(r.Facts, "files "+p)
	}
	for _, c := range it.Commands {
		r.Facts = append(r.Facts, "command "+c)
	}
	if it.Signals > 1 {
		r.Facts = append(r.Facts, "seen "+strconv.Itoa(it.Signals)+" times")
	}
	switch it.Value.Kind {
	case memfile.Map:
		for _, f := range it.Value.Map {
			r.Fields = append(r.Fields, field{policy.Inert(f.Name), policy.Inert(f.Value.Plain())})
		}
	default:
		r.Lines = []string{policy.Inert(it.Value.Plain())}
	}
	for i, v := range it.Conflict {
		r.Rivals = append(r.Rivals, rival{i + 1, policy.Inert(v.Value.Plain()), policy.Inert(v.Source)})
	}
	return r.seal(scopes)
}

// entryRow is the row of a fact, a note or a summary.
func entryRow(e view.EntryView, scopes []string) row {
	secret := slices.Contains(e.Withheld, policy.RuleSecret)
	day, _, _ := strings.Cut(e.Created, "T")
	r := row{
		Scope: e.Scope, Tier: e.Tier, ID: e.ID, Name: policy.Inert(memory.ShortID(e.ID)), Confidence: e.Confidence, Day: day, Locked: e.Locked, created: e.Created,
		source: strings.TrimRight(e.Text, "\n"), Tags: slices.Concat(e.Tags, e.Topics), Flags: flags(e.Pinned, e.Locked, e.Expires, e.Withheld),
		CanChange: !secret, CanEdit: !secret && e.Tier == entry.Fact,
	}
	r.CanConfirm = !secret && e.Tier == entry.Fact && e.Confidence != "" && e.Confidence != memfile.High
	if e.Category != "" && e.Tier == entry.Fact {
		r.Tags = slices.Insert(r.Tags, 0, e.Category)
	}
	if e.Stale {
		r.Flags = append(r.Flags, "stale")
	}
	for line := range strings.Lines(r.source) {
		r.Lines = append(r.Lines, policy.Inert(strings.TrimRight(line, "\r\n")))
	}
	return r.seal(scopes)
}

func flags(pinned, locked bool, expires string, withheld []string) (list []string) {
	if pinned {
		list = append(list, "pinned")
	}
	if locked {
		list = append(list, "locked")
	}
	if expires != "" {
		list = append(list, "until "+expires)
	}
	for _, rule := range withheld {
		list = append(list, "withheld: "+rule)
	}
	return list
}
