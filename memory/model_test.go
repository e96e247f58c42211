package memory_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
)

// The model says in the simplest way what docs/acts.md says: maps, no
// files, no history but a list of documents. It shares no code with the acts;
// values alone are memfile's.

type mRival struct {
	v                             memfile.Value
	added, source, conf, by, seen string
	signals                       int
}

type mItem struct {
	v                                               memfile.Value
	added, source, conf, updated, seen, expires, by string
	signals                                         int
	pinned, locked                                  bool
	tags                                            []string // sorted
	conflict                                        []mRival
}

type mTomb struct {
	removed, reason string
	text            string // what its hash is of
	v               *memfile.Value
}

type mDoc struct {
	enabled, announce bool
	updated           string
	items             map[string]mItem
	tombs             map[string]mTomb
}

// mAct is one act that changed something: what undo looks at.
type mAct struct {
	before, after mDoc
	version       int // index into model.versions
	undone, redo  bool
	origin        string
}

type model struct {
	origin    string // of the act under way
	doc       mDoc
	trusted   bool // so that a session reads it unasked
	today     string
	forgotten map[[2]string]bool // normal text and key
	queue     []mWaiting
	acts      []mAct
	versions  []mDoc // one a commit
}

type mWaiting struct {
	key string
	v   memfile.Value
}

// expect is what an act shall answer for one key.
type expect struct {
	verdict, rule string
	changed       bool
	saved         bool   // an add announces itself
	err           string // the code of an *Error, instead of all that
}

func newModel() *model {
	d := mDoc{enabled: true, announce: true, updated: "1970-01-01", items: map[string]mItem{}, tombs: map[string]mTomb{}}
	return &model{doc: d, forgotten: map[[2]string]bool{}, versions: []mDoc{d.clone()}}
}

func (d mDoc) clone() mDoc {
	d.items, d.tombs = maps.Clone(d.items), maps.Clone(d.tombs)
	for k, it := range d.items {
		it.tags, it.conflict = slices.Clone(it.tags), slices.Clone(it.conflict)
		d.items[k] = it
	}
	return d
}

// memory is what the document says apart from its day, as text.
func (d mDoc) memory() string {
	var lines []string
	for k, it := range d.items {
		lines = append(lines, it.line(k))
	}
	for k, t := range d.tombs {
		lines = append(lines, t.line(k))
	}
	slices.Sort(lines)
	return fmt.Sprintf("enabled %t, announce %t\n%s\n", d.enabled, d.announce, strings.Join(lines, "\n"))
}

func valueLine(v memfile.Value) string { return strconv.Itoa(int(v.Kind)) + v.Canonical() }

func (it mItem) line(key string) string {
	var rivals []string
	for _, r := range it.conflict {
		rivals = append(rivals, fmt.Sprintf("[%s added %s source %q %s by %q signals %d seen %q]", valueLine(r.v), r.added, r.source, r.conf, r.by, r.signals, r.seen))
	}
	slices.Sort(rivals)
	return fmt.Sprintf("item %s = %s added %s source %q %s updated %q seen %q signals %d expires %q by %q pinned %t locked %t tags %q rivals %s",
		key, valueLine(it.v), it.added, it.source, it.conf, it.updated, it.seen, it.signals, it.expires, it.by, it.pinned, it.locked, it.tags, rivals)
}

func (t mTomb) line(key string) string {
	value := "none"
	if t.v != nil {
		value = valueLine(*t.v)
	}
	return fmt.Sprintf("tomb %s removed %s reason %q value %s", key, t.removed, t.reason, value)
}

// say is the text of a value in normal form: ASCII alone here.
func say(v memfile.Value) string {
	return strings.Join(strings.Fields(strings.ToLower(v.Plain())), " ")
}

func saySame(a, b memfile.Value) bool {
	group := func(v memfile.Value) bool { return v.Kind == memfile.List || v.Kind == memfile.Map }
	if group(a) || group(b) {
		return group(a) && group(b) && a.Canonical() == b.Canonical()
	}
	return say(a) == say(b)
}

const unconfirmed = "needs-confirmation"

func with(tags []string, tag string) []string {
	if slices.Contains(tags, tag) {
		return tags
	}
	tags = append(slices.Clone(tags), tag)
	slices.Sort(tags)
	return tags
}

func without(tags []string, tag string) []string {
	return slices.DeleteFunc(slices.Clone(tags), func(t string) bool { return t == tag })
}

// set gives the item a confidence, 1 to 3, with the tag that low carries.
func (it *mItem) set(n int) {
	it.conf = []string{"", "low", "medium", "high"}[n]
	if n == 1 {
		it.tags = with(it.tags, unconfirmed)
	} else {
		it.tags = without(it.tags, unconfirmed)
	}
}

// inDoubt: a person stated it, and only a person lifts their doubt.
func (it mItem) inDoubt() bool {
	return it.by == "" && (it.level() == 1 || slices.Contains(it.tags, unconfirmed))
}

func (it mItem) level() int { return slices.Index([]string{"", "low", "medium", "high"}, it.conf) }

// commit takes the new document, if it says anything new.
func (m *model) commit(d mDoc, record bool) bool {
	if d.memory() == m.doc.memory() {
		return false
	}
	d.updated = m.today
	if record {
		m.acts = append(m.acts, mAct{before: m.doc.clone(), after: d.clone(), version: len(m.versions), origin: m.origin})
	}
	m.doc = d
	m.versions = append(m.versions, d.clone())
	return true
}

func refused(rule string) expect { return expect{verdict: "refuse", rule: rule} }

// barred is the rule that keeps an agent's add out, "" for none.
func (m *model) barred(o op, v memfile.Value) string {
	key := o.keys[0]
	it, known := m.doc.items[key]
	_, dead := m.doc.tombs[key]
	switch {
	case o.origin == memory.Explicit:
		return ""
	case !m.doc.enabled:
		return "disabled"
	case known && it.locked:
		return "locked"
	case dead:
		return "forgotten"
	}
	if _, dead = m.doc.tombs[former(key, say(v))]; dead {
		return "forgotten"
	}
	if v.Kind != memfile.String || len(strings.Fields(v.Text)) < 3 {
		return ""
	}
	for k := range m.doc.tombs {
		if m.binds(k, v) {
			return "forgotten"
		}
	}
	for k, other := range m.doc.items {
		if m.trusted && !known && k != key && values[o.val].telling && v.Text == other.v.Text && other.expires == o.expires && (o.expires == "" || o.expires >= m.today) {
			return "similar-value"
		}
	}
	return ""
}

// binds reports whether the tombstone of a key is one of that text, too.
func (m *model) binds(key string, v memfile.Value) bool {
	t := m.doc.tombs[key]
	return t.v != nil && saySame(*t.v, v) || m.forgotten[[2]string{say(v), key}]
}

// former is the key of the tombstone of a text whose key has another value.
func former(key, text string) string { return "former " + key + " " + text }

// lift lets a key have a value.
func (d mDoc) lift(key string, v memfile.Value) {
	if t, dead := d.tombs[key]; dead && t.text != "" && t.text != say(v) {
		d.tombs[former(key, t.text)] = t
	}
	delete(d.tombs, key)
	delete(d.tombs, former(key, say(v)))
}

func (m *model) add(o op) expect {
	val, key := values[o.val], o.keys[0]
	agent := o.origin != memory.Explicit
	switch {
	case o.pin && agent:
		return refused("explicit-only")
	case strings.HasPrefix(key, "lessons.") != val.lesson && strings.HasPrefix(key, "lessons."):
		return refused("value")
	}
	if rule := m.barred(o, val.v); rule != "" {
		return refused(rule)
	}
	switch {
	case val.refuse != "":
		return refused(val.refuse)
	case val.agentRefuse != "" && agent:
		return refused(val.agentRefuse)
	case val.agentHold != "" && agent:
		if !o.dry && !slices.ContainsFunc(m.queue, func(w mWaiting) bool { return w.key == key && saySame(w.v, val.v) }) {
			m.queue = append(m.queue, mWaiting{key, val.v})
		}
		return expect{verdict: "hold", rule: val.agentHold}
	}
	d := m.doc.clone()
	d.lift(key, val.v)
	it, known := d.items[key]
	switch {
	case !known:
		it = m.fresh(o, val)
	case o.origin == memory.Explicit:
		m.stated(&it, o, val)
	case o.origin == memory.Relayed:
		m.relayed(&it, o, val)
	default:
		m.signal(&it, o, val)
	}
	d.items[key] = it
	announce := d.announce
	changed := m.commit(d, true)
	return expect{verdict: "accept", changed: changed, saved: changed && announce}
}

// given is the confidence that the origin gives, lowered by the flag and by a
// doubt about durable.
func (o op) given(n int, val testValue) int {
	if i := slices.Index([]string{"", "low", "medium", "high"}, o.conf); i > 0 {
		n = min(n, i)
	}
	switch {
	case val.passing && o.origin != memory.Explicit:
		n = 1
	case val.passing && o.conf == "" && o.expires == "":
		n = min(n, 2) // high is for what is unlikely to change soon
	}
	return n
}

func (o op) flags(it *mItem) {
	for _, t := range o.tags {
		it.tags = with(it.tags, t)
	}
	if o.expires != "" {
		it.expires = o.expires
	}
	it.pinned = it.pinned || o.pin
}

func (o op) by() string {
	if o.origin == memory.Explicit {
		return ""
	}
	return o.origin
}

func (o op) source() string {
	switch {
	case o.origin == memory.Relayed:
		return "relayed by claude"
	case o.origin == memory.Explicit:
		return "explicit user preference"
	}
	return "inferred"
}

func (m *model) fresh(o op, val testValue) mItem {
	it := mItem{v: val.v, added: m.today, source: o.source(), by: o.by()}
	switch {
	case o.origin == memory.Explicit:
		it.set(o.given(3, val))
	case o.origin == memory.Relayed:
		it.set(o.given(2, val))
	default:
		it.set(1)
	}
	o.flags(&it)
	return it
}

func (m *model) stated(it *mItem, o op, val testValue) {
	same := saySame(it.v, val.v)
	if !same || it.by != "" {
		it.source = o.source()
	}
	if !same {
		it.signals, it.seen = 0, ""
	}
	if valueLine(it.v) != valueLine(val.v) {
		it.v, it.updated = val.v, m.today
	}
	it.by, it.conflict = "", nil
	it.set(o.given(3, val))
	o.flags(it)
}

func (m *model) relayed(it *mItem, o op, val testValue) {
	switch {
	case saySame(it.v, val.v):
		if it.level() < o.given(2, val) && !val.passing && it.by != "" {
			it.set(o.given(2, val))
			it.by, it.source = memory.Relayed, o.source()
		}
	case it.by != "":
		it.v, it.updated, it.source, it.by, it.signals, it.seen = val.v, m.today, o.source(), memory.Relayed, 0, ""
		it.conflict = slices.DeleteFunc(it.conflict, func(r mRival) bool { return saySame(r.v, val.v) })
		it.set(o.given(2, val))
	default:
		m.rival(it, mRival{v: val.v, added: m.today, source: o.source(), conf: []string{"", "low", "medium"}[o.given(2, val)], by: memory.Relayed})
		return
	}
	if it.by != "" { // what a person stated keeps its day of expiry and its tags
		o.flags(it)
	}
}

func (m *model) signal(it *mItem, o op, val testValue) {
	last := func(days ...string) string { return slices.Max(days) }
	if saySame(it.v, val.v) {
		if it.seen != m.today && (it.seen != "" || last(it.added, it.updated) != m.today) {
			it.signals, it.seen = max(it.signals, 1)+1, m.today
			if n := min(it.signals, 3); n > it.level() && !val.passing && !it.inDoubt() {
				lowBefore := it.level() == 1
				tagged := slices.Contains(it.tags, unconfirmed)
				it.set(n)
				if tagged && !lowBefore {
					it.tags = with(it.tags, unconfirmed)
				}
			}
		}
		if it.by != "" { // what a person stated keeps its day of expiry and its tags
			o.flags(it)
		}
		return
	}
	i := slices.IndexFunc(it.conflict, func(r mRival) bool { return saySame(r.v, val.v) })
	if i < 0 {
		m.rival(it, mRival{v: val.v, added: m.today, source: o.source(), conf: "low", by: memory.Automatic})
		return
	}
	r := &it.conflict[i]
	if r.seen == m.today || r.seen == "" && r.added == m.today {
		return
	}
	r.signals, r.seen = max(r.signals, 1)+1, m.today
	if it.by != memory.Automatic || r.signals <= max(it.signals, 1) {
		return
	}
	won := *r
	it.conflict = slices.Delete(it.conflict, i, i+1)
	m.rival(it, mRival{v: it.v, added: last(it.added, it.updated), source: it.source, conf: it.conf, by: it.by, signals: it.signals, seen: it.seen})
	it.v, it.updated, it.source, it.by, it.signals, it.seen = won.v, m.today, won.source, memory.Automatic, won.signals, won.seen
	it.set(min(won.signals, 3))
	if val.passing {
		it.set(1)
	}
	o.flags(it)
}
