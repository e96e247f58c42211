package recovery

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/policy"
)

// Why something is set aside, where no rule of the policy says it.
const (
	whyForgotten  = "forgotten"
	whyUnreadable = "unreadable"
	whyDuplicate  = "duplicate-key"
	whyNoRoom     = "no-room"
	whySetting    = "setting-type"
)

// maxSetAside bounds the list of what is set aside; one more row counts the others.
const maxSetAside = 1000

// maxContent bounds what the new block is filled with, in bytes as printed, so
// that it stays under memfile.MaxBlockBytes and quick to read.
const maxContent = memfile.MaxBlockBytes - 128<<10

// maxRivals bounds the other values of one key.
const maxRivals = 32

// collector makes one document of the records of a file and of the earlier version.
type collector struct {
	opt       Options
	doc       memfile.Document
	at        map[string]int  // key: the index of its item
	tombs     map[string]int  // memfile.TombstoneKey: the index of the tombstone
	tombLines map[string]int  // key: the line of its tombstone in the file
	texts     map[string]bool // what was forgotten by its text, and the hashes of such texts
	salts     map[string]bool // of these hashes
	said      map[string]bool // what the items state
	next      map[string]int  // key that recovery gave: the next number behind it
	aside     map[int]string  // line: why it is set aside
	lines     []line          // of the file
	unread    []byte          // of the file, where nothing is memory
	outside   map[int]bool    // the lines in no region, and those that are nothing
	extent    map[int][]line  // the lines of each entry, by its first
	read      map[int]bool    // the lines of the file's sides
	bound     map[int]bool    // the lines of tombstones
	lacked    []string        // what the earlier version has and the file lacks
	size      int             // of the document as printed, in bytes, roughly
	kept      int
	salvaged  int
}

func newCollector(opt Options) *collector {
	return &collector{
		opt: opt, at: map[string]int{}, tombs: map[string]int{}, tombLines: map[string]int{}, texts: map[string]bool{}, salts: map[string]bool{},
		said: map[string]bool{}, next: map[string]int{}, aside: map[int]string{}, outside: map[int]bool{}, extent: map[int][]line{}, read: map[int]bool{}, bound: map[int]bool{},
	}
}

func (c *collector) setAside(line int, why string) {
	if _, ok := c.aside[line]; !ok {
		c.aside[line] = why
	}
}

// collect takes the tombstones, then the items: those of the first block, what the file lacks
// of the earlier version, those found elsewhere, and those made of what cannot be read.
func (c *collector) collect(records []*record) {
	earlier := memfile.Document{}
	if c.opt.Base != nil {
		earlier = *c.opt.Base
	}
	for _, r := range records {
		if r.tomb != nil {
			c.addTombstone(*r.tomb, r.line)
		}
	}
	for _, t := range earlier.Deletions {
		t.Line, t.Column = 0, 0
		c.addTombstone(t, 0)
	}
	for _, r := range records {
		differs := func(it memfile.Item) bool { return it.Key == r.item.Key && !memfile.SameItem(it, *r.item) }
		if r.last && r.item != nil && slices.ContainsFunc(earlier.Items, differs) {
			r.grade = salvaged
		}
	}
	for _, g := range []grade{sound, outside, salvaged} {
		for _, r := range records {
			if r.item != nil && r.grade == g {
				c.addItem(*r)
			}
		}
		if g == sound {
			c.addEarlier(earlier.Items)
		}
	}
}

// addTombstone takes a tombstone of the file, or of the earlier version (line 0).
func (c *collector) addTombstone(t memfile.Tombstone, line int) {
	at, has := c.tombs[memfile.TombstoneKey(t)]
	if line == 0 && !has {
		c.lacked = append(c.lacked, t.Key)
	}
	if !accepted(c.tombCandidate(t)) {
		t.Value, t.Reason, t.Conflict, t.Hashes = nil, source, nil, nil // the key alone keeps it forgotten
		if t.Key == "" || !accepted(c.tombCandidate(t)) {
			c.setAside(line, ruleNames(policy.Rule(c.tombCandidate(t))))
			return
		}
	}
	if text := forgottenText(t); text != "" {
		c.texts[text] = true
	}
	if salt := t.Salt(); salt != "" {
		c.texts[t.Hashes[0]], c.salts[salt] = true, true
	}
	if has {
		was := c.doc.Deletions[at]
		t = merge.JoinTombstones(was, t)
		t.Line, t.Column = was.Line, was.Column
		c.doc.Deletions[at] = t
		return
	}
	c.tombs[memfile.TombstoneKey(t)] = len(c.doc.Deletions)
	c.size += len(memfile.TombstoneText(t))
	c.tombLines[t.Key] = line
	c.doc.Deletions = append(c.doc.Deletions, t)
}

// forgottenText is the text that a tombstone's value binds: that of a tombstone without a key,
// or of three words or more.
func forgottenText(t memfile.Tombstone) string {
	if t.Value == nil {
		return ""
	}
	text := memfile.NormalText(t.Value.Plain())
	if t.Key != "" && len(strings.Fields(text)) < memfile.BindingWords {
		return ""
	}
	return text
}

// forgotten reports whether a tombstone has the text or the hash of it.
func (c *collector) forgotten(text string) bool {
	if c.texts[memfile.NormalText(text)] {
		return true
	}
	for salt := range c.salts {
		if c.texts[memfile.HashGist(salt, memfile.Gist(text))] {
			return true
		}
	}
	return false
}

// forgets reports whether a tombstone of the item's key is of its day or later.
func (c *collector) forgets(it memfile.Item) bool {
	i, has := c.tombs[memfile.TombstoneKey(memfile.Tombstone{Key: it.Key})]
	return has && c.doc.Deletions[i].Forgets(it)
}

// addEarlier adds the items of the earlier version whose keys the file lacks.
func (c *collector) addEarlier(items []memfile.Item) {
	for _, it := range items {
		it.Line, it.Column = 0, 0
		if _, has := c.at[it.Key]; has {
			continue
		}
		if c.forgets(it) {
			if line := c.tombLines[it.Key]; line > 0 {
				c.setAside(line, whyForgotten) // it may be a line that the damage moved
			}
			continue
		}
		c.put(it)
		c.lacked = append(c.lacked, it.Key)
	}
}

func (c *collector) put(it memfile.Item) {
	c.at[it.Key] = len(c.doc.Items)
	c.doc.Items = append(c.doc.Items, it)
	c.size += len(memfile.RenderItem(it))
	for _, s := range statements(it.Key, it.Value.Plain()) {
		c.said[s] = true
	}
}

// addItem takes an item of the file, or sets it aside. One that is not in the first block as
// memctl writes it waits for a person.
func (c *collector) addItem(r record) {
	it := *r.item
	if r.grade != sound {
		if normal, _ := memfile.NormalKey(it.Key); normal != it.Key && r.slug == "" {
			if _, has := c.at[normal]; has {
				it.Key = normal
			}
		}
		if r.slug != "" {
			it.Key = keyPrefix + r.slug
		}
		if c.states(it.Key, it.Value.Plain()) || r.phrase != "" && c.states("", r.phrase) {
			return
		}
		if r.slug != "" && !it.HasTag(tagSalvaged) && slices.ContainsFunc(c.doc.Items, func(o memfile.Item) bool { return memfile.Equal(o.Value, it.Value) }) {
			return // an item whose key is lost, and which is there
		}
		memfile.Lower(&it.Labels)
		if it.Added == "" {
			it.Added = c.opt.Today
		}
	}
	if it.Source == memfile.SourceByHand { // its labels may have been lost
		memfile.Lower(&it.Labels)
	}
	if r.grade == outside {
		it.By = memfile.ByAutomatic
	}
	if why := c.refusal(it, r); why != "" {
		c.setAside(r.line, why)
		return
	}
	if r.slug != "" {
		it.Key = c.freeKey(it.Key)
	}
	i, has := c.at[it.Key]
	switch {
	case has:
		c.addValue(i, it, r)
		return
	case r.grade == sound:
		c.kept++
	default:
		c.salvaged++
	}
	c.put(it)
}

// addValue takes another value of a key. One that was made of what cannot be read gives way.
func (c *collector) addValue(i int, it memfile.Item, r record) {
	has := &c.doc.Items[i]
	switch {
	case memfile.Equal(has.Value, it.Value) && r.grade != sound:
	case r.grade == salvaged, len(has.Conflict) == maxRivals:
		c.setAside(r.line, whyDuplicate)
	case r.grade == sound:
		*has = merge.SameKey([]memfile.Item{*has, it})
	default: // it puts nothing in doubt that is in the first block
		has.Conflict = merge.AddRival(has.Conflict, it.Rival())
	}
}

// refusal is why an item is set aside; "" if it is not.
func (c *collector) refusal(it memfile.Item, r record) string {
	if c.forgets(it) {
		return whyForgotten
	}
	if r.grade != sound && (c.forgotten(it.Value.Plain()) || c.forgotten(r.phrase)) {
		return whyForgotten
	}
	if c.size+len(memfile.RenderItem(it)) > maxContent && it.Line == 0 {
		return whyNoRoom
	}
	p := policy.FromItem(it, c.opt.Scope)
	p.Raw, p.Automatic, p.Team = true, false, c.opt.Team
	ruling := policy.Rule(p)
	if ruling.Verdict == policy.Accept || r.grade == sound && !hasSecret(ruling) {
		return "" // what a sound item says is withheld on reading, and nothing to recover
	}
	return ruleNames(ruling)
}

func (c *collector) tombCandidate(t memfile.Tombstone) policy.Candidate {
	cand := policy.Candidate{Key: t.Key, Reason: t.Reason, Scope: c.opt.Scope, Team: c.opt.Team, Raw: true}
	if t.Value != nil {
		cand.Value = *t.Value
	}
	return cand
}

func accepted(c policy.Candidate) bool { return policy.Rule(c).Verdict == policy.Accept }

func hasSecret(r policy.Ruling) bool {
	return slices.ContainsFunc(r.Findings, func(f policy.Finding) bool { return f.Rule == "secret" && f.Verdict != policy.Accept })
}

func ruleNames(r policy.Ruling) string { return strings.Join(r.Rules(), ", ") }

// freeKey is a key that no item and no tombstone has: the key itself, or with a number.
func (c *collector) freeKey(key string) string {
	taken := func(key string) bool {
		_, has := c.at[key]
		_, forgotten := c.tombLines[key]
		return has || forgotten
	}
	if !taken(key) {
		return key
	}
	n := max(c.next[key], 2)
	for taken(key + "-" + strconv.Itoa(n)) {
		n++
	}
	c.next[key] = n + 1
	return key + "-" + strconv.Itoa(n)
}

// statements are the forms in which an item is recognised: with its key, and by its text alone
// if that has words enough. Case, quotes, spaces and the punctuation around it do not count.
func statements(key, text string) []string {
	text = memfile.Gist(text)
	key = strings.TrimPrefix(key, keyPrefix)
	if i := strings.LastIndexByte(key, '-'); i > 0 && strings.Trim(key[i+1:], "0123456789") == "" {
		key = key[:i] // without the number that freeKey gave it
	}
	forms := []string{strings.NewReplacer(".", "", "-", "", "_", "").Replace(memfile.NormalText(key)) + "\n" + text}
	if len(strings.Fields(text)) >= memfile.BindingWords {
		forms = append(forms, "\n"+text)
	}
	return forms
}

// states reports whether an item of the document says what one of this key and text would.
func (c *collector) states(key, text string) bool {
	return slices.ContainsFunc(statements(key, text), func(s string) bool { return c.said[s] })
}

// listAside is what was set aside, in the order of lines, bounded.
func (c *collector) listAside() []SetAside {
	lines := slices.Sorted(maps.Keys(c.aside))
	var out []SetAside
	for i, n := range lines {
		if i == maxSetAside {
			return append(out, SetAside{Line: n, Why: "and " + strconv.Itoa(len(lines)-i) + " more"})
		}
		out = append(out, SetAside{Line: n, Why: c.aside[n]})
	}
	return out
}
