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
	"github.com/memctl/memctl/store"
)

// row is one memory of the list.
type row struct {
	DOM        string // names it in the page
	Scope      string
	Tier       string // item, fact, note or summary
	ID         string // the key, or the entry's id
	Name       string // as shown: the key, or the beginning of the id
	Base       string // the version that the row shows
	Lines      []string
	Fields     []field // of a value with parts
	Rivals     []rival
	Confidence string
	Day        string
	When       string   // its words, separated by commas
	Tags       []string // and the category and topics of an entry
	Facts      []string // paths, commands, …
	Flags      []string // pinned, locked, withheld, …
	Locked     bool
	CanConfirm bool
	CanEdit    bool
	CanLock    bool
	CanChange  bool
	Targets    []string // scopes to move it to
	Told       bool     // the next session receives it
	NotTold    string   // why it does not, in a sentence; "" where there is nothing to say
	Handed     string   // how often it was handed over without a question, and on what last; "" for never
	Edit       *editState
	Cancel     template.URL // the query of the view without the edit

	source  string // the text that is edited
	present memory.Condition
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
	r.Tags, r.Facts, r.Flags = clean(r.Tags), clean(r.Facts), clean(r.Flags)
	for _, scope := range scopes {
		if scope != r.Scope && (scope != store.Project || !strings.HasPrefix(r.ID, memory.UserPrefix)) {
			r.Targets = append(r.Targets, scope)
		}
	}
	return r
}

// newRow is the row of a record.
func newRow(rec view.Record, scopes []string) row {
	present := rec.Unchanged()
	secret := rec.Secret()
	item, fact := rec.Tier == view.Item, rec.Tier == entry.Fact
	r := row{
		Scope: rec.Scope, Tier: rec.Tier, ID: rec.Key + rec.ID, Name: policy.Inert(rec.Key + memory.ShortID(rec.ID)), Confidence: rec.Confidence, Day: rec.Day(), Locked: rec.Locked,
		source: strings.TrimRight(rec.Text, "\n"), Tags: slices.Concat(rec.Tags, rec.Topics), Flags: flags(rec),
		present: present, Base: present.Version, CanChange: !secret, CanEdit: !secret && (item || fact), CanLock: !secret && item,
	}
	doubted := rec.Confidence != memfile.High && (item || rec.Confidence != "")
	r.CanConfirm = r.CanEdit && (doubted || item && (len(rec.Conflict) > 0 || rec.HasTag(memfile.TagNeedsConfirmation)))
	if fact && rec.Category != "" {
		r.Tags = slices.Insert(r.Tags, 0, rec.Category)
	}
	if r.When = strings.Join(rec.When, ", "); r.When != "" {
		r.Facts = append(r.Facts, "when "+r.When)
	}
	if !item {
		r.Lines = linesOf(r.source)
		return r.seal(scopes)
	}
	r.source = editable(*rec.Value)
	for _, p := range rec.Paths {
		r.Facts = append(r.Facts, "files "+p)
	}
	for _, c := range rec.Commands {
		r.Facts = append(r.Facts, "command "+c)
	}
	if rec.Signals > 1 {
		r.Facts = append(r.Facts, "seen "+strconv.Itoa(rec.Signals)+" times")
	}
	switch rec.Value.Kind {
	case memfile.Map:
		for _, f := range rec.Value.Map {
			r.Fields = append(r.Fields, field{policy.Inert(f.Name), policy.Inert(f.Value.Plain())})
		}
	default:
		r.Lines = []string{policy.Inert(rec.Value.Plain())}
	}
	for i, v := range rec.Conflict {
		r.Rivals = append(r.Rivals, rival{i + 1, policy.Inert(v.Value.Plain()), policy.Inert(v.Source)})
	}
	return r.seal(scopes)
}

func flags(r view.Record) (list []string) {
	if r.Pinned {
		list = append(list, "pinned")
	}
	if r.Locked {
		list = append(list, "locked")
	}
	if r.Expires != "" {
		list = append(list, "until "+r.Expires)
	}
	if r.Hidden() {
		list = append(list, "withheld: "+r.Rules())
	}
	if r.Stale {
		list = append(list, "stale")
	}
	return list
}

// linesOf are the lines of a text, safe to show.
func linesOf(text string) (lines []string) {
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		lines = append(lines, policy.Inert(strings.TrimRight(line, "\r\n")))
	}
	return lines
}
