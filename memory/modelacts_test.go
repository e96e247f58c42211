package memory_test

import (
	"maps"
	"slices"
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
)

// rival sets a value aside; of two that say the same the better one stays, in
// the words of the first.
func (m *model) rival(it *mItem, r mRival) {
	order := map[string]int{"low": 1, "medium": 2, "high": 3}
	for i, old := range it.conflict {
		if !saySame(old.v, r.v) {
			continue
		}
		r.v = old.v
		if order[old.conf] > order[r.conf] || order[old.conf] == order[r.conf] && old.added > r.added ||
			order[old.conf] == order[r.conf] && old.added == r.added && old.source+"\x00"+old.by <= r.source+"\x00"+r.by {
			r, old = old, r
		}
		r.signals, r.seen = max(old.signals, r.signals), max(old.seen, r.seen)
		if old.by == "" {
			r.by = ""
		}
		it.conflict[i] = r
		return
	}
	it.conflict = append(it.conflict, r)
}

// items is confirm, doubt, lock or unlock in the model.
func (m *model) items(o op) []expect {
	d := m.doc.clone()
	list := make([]expect, len(o.keys))
	for i, key := range o.keys {
		it, known := d.items[key]
		if !known {
			list[i] = refused("not-found")
			continue
		}
		if rule := m.itemRule(o, d, it); rule != "" {
			list[i] = refused(rule)
			continue
		}
		switch o.act {
		case "confirm":
			m.confirm(&it, o)
			if o.origin == memory.Explicit {
				d.lift(key, it.v)
			}
		case "doubt":
			it.set(1)
			it.signals, it.seen = 0, ""
		case "lock", "unlock":
			it.locked = o.act == "lock"
		}
		d.items[key] = it
		list[i] = expect{verdict: "accept"}
	}
	changed := m.commit(d, true)
	for i := range list {
		list[i].changed = changed && list[i].verdict == "accept"
	}
	return list
}

func (m *model) itemRule(o op, d mDoc, it mItem) string {
	switch {
	case o.origin != memory.Explicit && !d.enabled:
		return "disabled"
	case o.origin != memory.Explicit && it.locked:
		return "locked"
	case (o.act == "doubt" || o.act == "lock") && o.origin != memory.Explicit && it.by == "":
		return "explicit-only"
	case o.act == "unlock" && o.origin != memory.Explicit, o.act == "confirm" && o.origin == memory.Automatic:
		return "explicit-only"
	case o.act == "confirm" && o.n > len(it.conflict):
		return "value"
	case o.act == "confirm" && o.origin != memory.Explicit && (o.n > 0 || it.inDoubt()):
		return "explicit-only"
	}
	return ""
}

func (m *model) confirm(it *mItem, o op) {
	if o.n > 0 {
		rivals := slices.Clone(it.conflict)
		slices.SortFunc(rivals, func(a, b mRival) int { return strings.Compare(a.v.Canonical(), b.v.Canonical()) })
		won := rivals[o.n-1]
		it.v, it.updated, it.source, it.by, it.signals, it.seen = won.v, m.today, won.source, won.by, 0, ""
	}
	if o.origin == memory.Explicit {
		if it.by != "" {
			it.source = o.source()
		}
		it.by, it.conflict = "", nil
		it.set(3)
		return
	}
	if it.level() < 2 {
		it.set(2)
	}
	if it.by == memory.Automatic {
		it.by, it.source = memory.Relayed, o.source()
	}
}

// forget resolves the text and takes one item out.
func (m *model) forget(o op) expect {
	key, byValue, rule := m.named(o)
	if rule != "" {
		return refused(rule)
	}
	it, known := m.doc.items[key]
	if !known {
		return expect{verdict: "accept"}
	}
	switch {
	case o.origin != memory.Explicit && it.locked:
		return refused("locked")
	case o.origin == memory.Automatic && it.by != memory.Automatic, o.origin == memory.Relayed && byValue && it.by == "":
		return refused("explicit-only")
	}
	d := m.doc.clone()
	delete(d.items, key)
	t := mTomb{removed: m.today, reason: "user asked to forget", text: say(it.v)}
	if o.origin != memory.Explicit {
		t.reason = o.origin + " by claude"
	}
	d.lift(key, it.v)
	d.tombs[key] = t
	m.commit(d, true)
	if it.v.Kind == memfile.String && len(strings.Fields(it.v.Text)) >= 3 {
		m.forgotten[[2]string{say(it.v), key}], m.forgotten[[2]string{say(it.v), former(key, say(it.v))}] = true, true
	}
	m.queue = slices.DeleteFunc(m.queue, func(w mWaiting) bool { return w.key == key })
	return expect{verdict: "accept", changed: true}
}

// named is the key that the text of a forget means.
func (m *model) named(o op) (key string, byValue bool, rule string) {
	text := o.text
	for _, k := range []string{text, strings.ToLower(strings.TrimSpace(text))} {
		if _, ok := m.doc.items[k]; ok {
			return k, false, ""
		}
	}
	if _, dead := m.doc.tombs[text]; dead {
		return text, false, ""
	}
	if strings.Contains(text, ".") && !strings.Contains(text, " ") {
		return "", false, "not-found"
	}
	var equal []string
	for _, k := range slices.Sorted(maps.Keys(m.doc.items)) {
		if say(m.doc.items[k].v) == say(memfile.Str(text)) {
			equal = append(equal, k)
		}
	}
	switch {
	case len(equal) == 1:
		return equal[0], true, ""
	case len(equal) > 1:
		return "", false, "ambiguous"
	}
	return "", false, "not-found"
}

// setting is enable, disable or announce.
func (m *model) setting(o op) expect {
	if o.origin != memory.Explicit {
		return refused("explicit-only")
	}
	d := m.doc.clone()
	if o.act == "enabled" {
		d.enabled = o.on
	} else {
		d.announce = o.on
	}
	return expect{verdict: "accept", changed: m.commit(d, true)}
}

// undo takes back the newest act that is not undone, or the commit of that
// number.
func (m *model) undo(o op) []expect {
	i := -1
	var act mAct
	if o.n > 0 {
		version := 1 + (o.n-1)%max(len(m.versions)-1, 1)
		if version >= len(m.versions) {
			return []expect{{err: "nothing-to-undo"}}
		}
		act = mAct{before: m.versions[version-1], after: m.versions[version]}
		i = slices.IndexFunc(m.acts, func(a mAct) bool { return a.version == version && !a.undone && !a.redo })
	} else {
		for j, a := range m.acts {
			if !a.undone && !a.redo {
				i = j
			}
		}
		if i < 0 {
			return []expect{{err: "nothing-to-undo"}}
		}
		act = m.acts[i]
	}
	if i >= 0 {
		act.origin = m.acts[i].origin
	}
	d := m.doc.clone()
	keys, rule := undone(&d, act, o.origin)
	if o.origin != memory.Explicit && !agentUndoes(act, o.origin) {
		rule = "explicit-only"
	}
	list := make([]expect, len(keys))
	changed := false
	if rule == "" {
		changed = m.commit(d, true)
	}
	if changed && i >= 0 {
		m.acts[i].undone, m.acts[len(m.acts)-1].redo = true, true
	}
	for j := range list {
		list[j] = expect{verdict: "accept", changed: changed}
		if rule != "" {
			list[j] = refused(rule)
		}
	}
	return list
}

// agentUndoes reports whether an agent may take the act back by itself.
func agentUndoes(act mAct, origin string) bool {
	before, after := act.before, act.after
	if act.origin != memory.Relayed && act.origin != memory.Automatic || before.enabled != after.enabled || before.announce != after.announce {
		return false
	}
	for _, k := range union(before.tombs, after.tombs) {
		b, had := before.tombs[k]
		a, has := after.tombs[k]
		if (had != has || b.line(k) != a.line(k)) && (has || origin == memory.Automatic) {
			return false
		}
	}
	for _, k := range union(before.items, after.items) {
		b, had := before.items[k]
		a, has := after.items[k]
		switch {
		case had == has && b.line(k) == a.line(k):
		case had && b.conf == "high" && a.conf != "high",
			origin == memory.Automatic && (had && b.by != memory.Automatic || has && a.by != memory.Automatic):
			return false
		}
	}
	return true
}

// undone changes the document back, unless what the act made has changed since.
func undone(d *mDoc, act mAct, origin string) (keys []string, rule string) {
	before, after := act.before, act.after
	fail := func(r string) {
		if rule == "" {
			rule = r
		}
	}
	if before.enabled != after.enabled {
		keys, d.enabled = append(keys, "enabled"), before.enabled
	}
	if before.announce != after.announce {
		keys, d.announce = append(keys, "announce_writes"), before.announce
	}
	for _, k := range union(before.items, after.items) {
		b, had := before.items[k]
		a, has := after.items[k]
		cur, now := d.items[k]
		switch {
		case had == has && b.line(k) == a.line(k):
			continue
		case had == now && cur.line(k) == b.line(k): // as before the act already
		case has != now || cur.line(k) != a.line(k), had && d.tombs[k] != (mTomb{}) && d.tombs[k] != after.tombs[k]:
			fail("changed-since")
		case now && cur.locked && origin != memory.Explicit:
			fail("locked")
		}
		keys = append(keys, k)
		delete(d.items, k)
		if had {
			d.items[k] = b
		}
	}
	for _, k := range union(before.tombs, after.tombs) {
		b, had := before.tombs[k]
		a, has := after.tombs[k]
		cur, now := d.tombs[k]
		if had == has && b.line(k) == a.line(k) {
			continue
		}
		if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
		switch {
		case has && origin != memory.Explicit:
			fail("explicit-only")
		case had == now && cur.line(k) == b.line(k):
		case has != now || cur.line(k) != a.line(k):
			fail("changed-since")
		}
		delete(d.tombs, k)
		if had {
			d.tombs[k] = b
		}
	}
	return keys, rule
}

func union[T any](a, b map[string]T) []string {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// restore brings back the newest version of the item that is not how it stands.
func (m *model) restore(o op) expect {
	if o.origin != memory.Explicit {
		return refused("explicit-only")
	}
	key := o.keys[0]
	cur, now := m.doc.items[key]
	var was *mItem
	for i := len(m.versions) - 1; i >= 0 && was == nil; i-- {
		if it, ok := m.versions[i].items[key]; ok && (!now || valueLine(it.v) != valueLine(cur.v)) {
			was = &it
		}
	}
	if was == nil {
		return refused("not-found")
	}
	d := m.doc.clone()
	d.lift(key, was.v)
	maps.DeleteFunc(d.tombs, func(k string, _ mTomb) bool { // an agent's item is withheld while one has its text
		return was.by != "" && len(strings.Fields(was.v.Text)) > 2 && m.binds(k, was.v)
	})
	d.items[key] = *was
	return expect{verdict: "accept", changed: m.commit(d, true)}
}
