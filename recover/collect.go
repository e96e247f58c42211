package recovery

import (
	"sort"
	"strconv"
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/policy"
)

// Why something is set aside, where no rule of the policy says it.
const (
	whyForgotten      = "forgotten"
	whyUnreadable     = "unreadable"
	whyDuplicate      = "duplicate-key"
	whyDuplicateField = "duplicate-field"
	whyNoRoom         = "no-room"
	whySetting        = "setting-type"
	whyField          = "field-type"
)

// maxSetAside bounds the list of what is set aside; one more says how many
// are not named.
const maxSetAside = 1000

// maxRivals bounds the items of one key that are merged with each other.
const maxRivals = 32

// maxContent bounds what the new block is filled with, in bytes as printed, so
// that it stays under memfile.MaxBlockBytes and quick to read.
const maxContent = memfile.MaxBlockBytes - 128<<10

// collector merges what was found into one document.
type collector struct {
	opt     Options
	tombs   []memfile.Tombstone
	byKey   map[string]string // key of a tombstone: its latest day
	tombOf  map[string]int    // key of a tombstone: where it stands in tombs
	byValue map[string]string // normal text of a forgotten value: its latest day
	done    []memfile.Item    // the items of the document
	index   map[string][]int  // key: where its items stand in group
	group   []candidate
	aside   map[int]string
	size    int             // of the items so far, in bytes, roughly
	loose   map[string]bool // the keys of items in the document that are salvaged
	kept    int
	salved  int
}

func newCollector(opt Options) *collector {
	return &collector{opt: opt, byKey: map[string]string{}, tombOf: map[string]int{}, byValue: map[string]string{}, index: map[string][]int{}, aside: map[int]string{}, loose: map[string]bool{}}
}

func (c *collector) setAside(line int, why string) {
	if _, ok := c.aside[line]; !ok || why == whyForgotten {
		c.aside[line] = why
	}
}

// addGraves takes the tombstones: each key and value once, the latest day.
func (c *collector) addGraves(graves []grave) {
	for _, g := range graves {
		t := g.tomb
		if day, ok := c.byKey[t.Key]; t.Key != "" && ok && (day >= t.Removed || t.Line == 0) {
			if t.Removed > day {
				c.raise(t)
			}
			continue
		}
		text := forgottenText(t)
		if day, ok := c.byValue[text]; t.Key == "" && text != "" && ok && day >= t.Removed {
			continue
		}
		c.size += printedTombSize(t)
		if c.size > maxContent && t.Line == 0 {
			c.setAside(g.line, whyNoRoom)
			continue
		}
		t, ok := c.ruleTomb(t)
		if !ok {
			c.setAside(g.line, ruleNames(policy.Rule(c.tombCandidate(g.tomb))))
			continue
		}
		c.tombOf[t.Key] = len(c.tombs)
		c.tombs = append(c.tombs, t)
		if t.Key != "" {
			c.byKey[t.Key] = max(c.byKey[t.Key], t.Removed)
		}
		if text != "" {
			c.byValue[text] = max(c.byValue[text], t.Removed)
		}
	}
}

// raise gives the key's tombstone a later day.
func (c *collector) raise(t memfile.Tombstone) {
	c.tombs[c.tombOf[t.Key]].Removed = t.Removed
	c.byKey[t.Key] = t.Removed
}

// forgottenText is the text that a tombstone's value binds: that of a
// tombstone without a key, or of three words or more.
func forgottenText(t memfile.Tombstone) string {
	if t.Value == nil {
		return ""
	}
	text := memfile.NormalText(t.Value.Plain())
	if t.Key != "" && len(strings.Fields(text)) < 3 {
		return ""
	}
	return text
}

func (c *collector) tombCandidate(t memfile.Tombstone) policy.Candidate {
	cand := policy.Candidate{Key: t.Key, Reason: t.Reason, Scope: c.opt.Scope, Team: c.opt.Team, Raw: true}
	if t.Value != nil {
		cand.Value = *t.Value
	}
	return cand
}

// ruleTomb takes from a tombstone what the policy refuses: the key alone keeps
// what was forgotten forgotten.
func (c *collector) ruleTomb(t memfile.Tombstone) (memfile.Tombstone, bool) {
	if policy.Rule(c.tombCandidate(t)).Verdict == policy.Accept {
		return t, true
	}
	t.Value, t.Reason, t.Conflict, t.Extra = nil, source, nil, nil
	return t, t.Key != "" && policy.Rule(c.tombCandidate(t)).Verdict == policy.Accept
}

// addItems takes the items in our shape, and then the foreign ones, whose keys
// must not be theirs.
func (c *collector) addItems(cands []candidate) {
	var foreign []candidate
	for _, cand := range c.withoutRepeats(cands) {
		if cand.foreign {
			foreign = append(foreign, cand)
		} else if c.fits(cand) && c.admits(cand) {
			c.index[cand.item.Key] = append(c.index[cand.item.Key], len(c.group))
			c.group = append(c.group, cand)
		}
	}
	c.name(foreign)
	c.mergeKeys()
}

// printedTombSize is about what a tombstone takes in the block, in bytes.
func printedTombSize(t memfile.Tombstone) int {
	size := len("  - key: \n    removed: \n    reason: \n") + len(t.Key) + len(t.Removed) + len(t.Reason)
	if t.Value != nil {
		size += len("    value: \n") + len(t.Value.Canonical())
	}
	return size
}

// fits reports whether the block has room for the item. One that stands in
// the sound part of the first block has its room already, whatever it takes.
func (c *collector) fits(cand candidate) bool {
	it := cand.item
	c.size += printedSize(it)
	if c.size <= maxContent || it.Line > 0 {
		return true
	}
	c.setAside(cand.line, whyNoRoom)
	return false
}

// printedSize is about what an item takes in the block, in bytes.
func printedSize(it memfile.Item) int {
	size := len("    - key: \n      value: \n") + len(it.Key) + len(it.Value.Canonical())
	for name, text := range map[string]string{"added": it.Added, "source": it.Source, "confidence": it.Confidence, "by": it.By,
		"updated": it.Updated, "seen": it.Seen, "expires": it.Expires, "tags": strings.Join(it.Tags, ", ")} {
		if text != "" {
			size += len("      : \n") + len(name) + len(text)
		}
	}
	for _, f := range it.Extra {
		size += len("      : \n") + len(f.Name) + len(f.Value.Canonical())
	}
	return size
}

// admits rules on one item; one that is not admitted is set aside.
func (c *collector) admits(cand candidate) bool {
	if c.forgotten(cand) {
		c.setAside(cand.line, whyForgotten)
		return false
	}
	ruling := policy.Rule(c.candidate(cand))
	if ruling.Verdict == policy.Accept || (cand.sound && !hasSecret(ruling)) {
		return true // what stands in a sound block is withheld on reading, and nothing to recover
	}
	c.setAside(cand.line, ruleNames(ruling))
	return false
}

func (c *collector) candidate(cand candidate) policy.Candidate {
	p := policy.FromItem(cand.item, c.opt.Scope)
	p.Raw, p.Automatic, p.Team = true, false, c.opt.Team
	return p
}

func hasSecret(r policy.Ruling) bool {
	for _, f := range r.Findings {
		if f.Rule == "secret" && f.Verdict != policy.Accept {
			return true
		}
	}
	return false
}

func ruleNames(r policy.Ruling) string {
	return strings.Join(r.Rules(), ", ")
}

// forgotten reports whether a tombstone covers the item. A foreign item has no
// day of its own, so any tombstone of its key or text does.
func (c *collector) forgotten(cand candidate) bool {
	day, covered := c.byKey[cand.item.Key]
	if len(c.byValue) > 0 {
		text := memfile.NormalText(cand.item.Value.Plain())
		if d, ok := c.byValue[text]; ok {
			day, covered = max(day, d), true
		}
		if d, ok := c.byValue[memfile.NormalText(cand.text)]; ok && cand.foreign {
			day, covered = max(day, d), true
		}
	}
	return covered && (cand.foreign || day >= cand.item.Day())
}

// name gives each foreign item its key. One that says what another item already says is
// the same item, and is not taken twice.
func (c *collector) name(foreign []candidate) {
	said := map[string]bool{}
	for _, g := range c.group {
		said[unnumbered(g.item.Key)+"\n"+g.item.Value.Plain()] = true
		said[g.item.Key+"\n"+g.item.Value.Plain()] = true
	}
	stated := c.statements()
	next := map[string]int{}
	for _, cand := range foreign {
		base := keyPrefix + cand.slug
		same := base + "\n" + cand.item.Value.Plain()
		if said[same] || stated.has(base, cand.item.Value.Plain()) || stated.has("", cand.text) {
			continue
		}
		said[same] = true
		cand.item.Key = base
		if !c.fits(cand) || !c.admits(cand) {
			continue
		}
		for n := max(next[base], 2); c.index[cand.item.Key] != nil || c.byKey[cand.item.Key] != ""; n++ {
			cand.item.Key = base + "-" + strconv.Itoa(n)
			next[base] = n + 1
		}
		c.index[cand.item.Key] = []int{len(c.group)}
		c.group = append(c.group, cand)
	}
}

// unnumbered is a key without the "-2" that a collision gave it.
func unnumbered(key string) string {
	i := strings.LastIndexByte(key, '-')
	if i < 0 || i+1 == len(key) || strings.Trim(key[i+1:], "0123456789") != "" {
		return key
	}
	return key[:i]
}

// mergeKeys makes one item of each key, in the order of the file.
func (c *collector) mergeKeys() {
	for i, cand := range c.group {
		all := c.index[cand.item.Key]
		if all[0] != i {
			continue
		}
		it, kept := cand.item, cand.kept
		if len(all) > 1 {
			it, kept = c.mergeKey(all)
		}
		c.done = append(c.done, it)
		if kept {
			c.kept++
		} else {
			c.loose[it.Key] = true
			c.salved++
		}
	}
}

// mergeKey merges the items of one key. Those that are kept merge among
// themselves, as in any merge without a base. What is salvaged beside them is
// only set aside as their rival, like an automatic write: it puts nothing in
// doubt that a person wrote.
func (c *collector) mergeKey(all []int) (memfile.Item, bool) {
	said := map[string]bool{}
	var kept, salvaged []memfile.Item
	for _, i := range all {
		cand := c.group[i]
		text := cand.item.Value.Canonical()
		switch {
		case said[text]:
			continue
		case len(said) == maxRivals:
			c.setAside(cand.line, whyDuplicate)
			continue
		}
		said[text] = true
		if cand.kept {
			kept = append(kept, cand.item)
		} else {
			salvaged = append(salvaged, cand.item)
		}
	}
	if len(kept) == 0 {
		return merge.SameKey(salvaged), false
	}
	it := merge.SameKey(kept)
	for _, s := range salvaged {
		it.Conflict = merge.AddRival(it.Conflict, s.Rival())
	}
	return it, true
}

// listAside is what was set aside, in the order of lines, bounded.
func (c *collector) listAside() []SetAside {
	lines := make([]int, 0, len(c.aside))
	for n := range c.aside {
		lines = append(lines, n)
	}
	sort.Ints(lines)
	var out []SetAside
	for i, n := range lines {
		if i == maxSetAside {
			return append(out, SetAside{Line: n, Why: "and " + strconv.Itoa(len(lines)-i) + " more"})
		}
		out = append(out, SetAside{Line: n, Why: c.aside[n]})
	}
	return out
}
