package edit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/capture"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
)

// inScope brings one scope's candidates in with one write. As with an add, the rules are asked before
// the store is touched: where nothing comes in, no store is made and no edit of the person's is committed.
func (im *importing) inScope(scope string) (ImportWrite, error) {
	w := ImportWrite{Scope: scope}
	var list []*importLine
	files := false
	for _, l := range im.lines {
		if l.Outcome == "" && l.Scope == scope {
			list, files = append(list, l), files || !l.c.isItem()
		}
	}
	if len(list) == 0 {
		return w, im.queueHeld(scope)
	}
	st, err := im.ss.Get(im.ctx, scope)
	if err != nil {
		return w, err
	}
	doc, err := contents.Document(im.ctx, st)
	if err == nil {
		err = im.change(scope, &doc, list)
	}
	if err != nil {
		return w, err
	}
	files = files && slices.ContainsFunc(list, func(l *importLine) bool { return !l.c.isItem() && l.Outcome == "" })
	write := txn.Write{Act: im.act(), Source: im.from(capture.Row{}), Create: memory.CreatesFile(scope) || scope == store.Only && files, Files: files}
	write.Change = func(d *txn.Draft) error {
		err := im.change(scope, d.Document, list)
		if err == nil && files {
			err = im.put(d, list)
		}
		var entries int
		if d.Keys, entries = cameIn(list); files && im.Turns {
			d.Subject = "keep " + memory.Count(entries, "turn")
		} else if files {
			d.Subject = "import " + memory.Count(len(d.Keys)+entries, "line")
		}
		return err
	}
	keys, _ := cameIn(list)
	var out txn.Outcome
	if len(keys) > 0 || files {
		out, err = im.Update(im.ctx, st, write)
		if err != nil {
			return w, err
		}
	}
	keys, w.FileCount = cameIn(list)
	w.ItemCount = len(keys)
	w.Take(out)
	return w, im.queueHeld(scope)
}

// comesIn reports whether the line changes memory.
func (e ImportRow) comesIn() bool {
	return e.Outcome == outcomeAdded || e.Outcome == outcomeChanged || e.Outcome == outcomeConflict
}

// cameIn returns the keys of the items that come in, and how many entries do.
func cameIn(list []*importLine) (keys []string, entries int) {
	for _, l := range list {
		switch {
		case !l.comesIn():
		case !l.c.isItem():
			entries++
		default:
			keys = append(keys, l.c.Key)
		}
	}
	return keys, entries
}

// change applies each item to the document; one that is refused or held leaves the others alone. Of the entries it
// finds those that nobody may bring in.
func (im *importing) change(scope string, doc *memfile.Document, list []*importLine) error {
	if err := im.learn(scope, doc); err != nil {
		return err
	}
	im.seen = map[string]memfile.Value{}
	for _, l := range list {
		if err := im.ctx.Err(); err != nil {
			return err
		}
		l.Outcome, l.Scope, l.Findings, l.held = "", scope, []fault.Finding{}, nil
		if !l.c.isItem() {
			l.Key = l.c.name()
			if err := l.ruled(cmp.Or(im.restorable(l, l.c.checkAuthority(doc, nil)), l.judged)); err != nil {
				return err
			}
			continue
		}
		before := memfile.Document{Items: append([]memfile.Item(nil), doc.Items...), Deletions: append([]memfile.Tombstone(nil), doc.Deletions...)}
		if err := l.ruled(im.apply(doc, l)); err != nil {
			return err
		}
		if l.Outcome == outcomeHeld || l.Outcome == outcomeRefused {
			doc.Items, doc.Deletions = before.Items, before.Deletions
		} else if l.comesIn() {
			im.knows(scope, l.c.Key, l.c.Value)
		}
	}
	return nil
}

// learn notes the values that are known, in this document and in the other
// scopes: what memory has under another key is not imported twice.
func (im *importing) learn(scope string, doc *memfile.Document) error {
	im.texts = map[string]ImportRow{}
	memories, err := contents.Readable(im.ctx, im.ss, "")
	if err != nil {
		return err
	}
	for _, m := range memories {
		for _, it := range m.Items {
			im.knows(m.Store.Scope, it.Key, it.Value)
		}
	}
	for _, it := range doc.Items { // these last: they say where a text is that both have
		im.knows(scope, it.Key, it.Value)
	}
	return nil
}

func (im *importing) knows(scope, key string, v memfile.Value) {
	at := ImportRow{Scope: scope, Key: key}
	im.texts[capture.TextOf(key, v.Plain(), false)], im.texts[capture.TextOf(key, v.Plain(), true)] = at, at
}

// isKnown reports whether memory says what a line says, be it without the label above it, or another text since somebody corrected it.
func (im *importing) isKnown(doc *memfile.Document, l *importLine) bool {
	area, _, _ := strings.Cut(l.base, ".")
	for text, more := l.text, true; more; _, text, more = strings.Cut(text, ": ") {
		if at, there := im.texts[text]; there && (text == l.text || strings.HasPrefix(at.Key, area+".")) {
			if l.c.confirms(doc, at.Key) {
				l.base = at.Key
				return false
			}
			l.Outcome, l.Scope, l.Key = outcomeKnown, at.Scope, at.Key
			return true
		}
	}
	if memory.Find(doc, l.base) < 0 {
		return false
	}
	scope := l.c.st.Scope
	if im.corrected[scope] == nil {
		im.corrected[scope] = memory.KeysByCorrectedImport(im.ctx, l.c.st)
	}
	key := im.corrected[scope][l.text]
	if i := memory.Find(doc, key); i >= 0 && doc.Items[i].IsStated() {
		l.Outcome, l.Why, l.Key = outcomeSkipped, memory.Quoted(key)+" was corrected since", key
		return true
	}
	return false
}

// confirms reports whether the person accepts what an import of the same file stored without their yes.
func (c *candidate) confirms(doc *memfile.Document, key string) bool {
	i := memory.Find(doc, key)
	return c.Explicit() && i >= 0 && !doc.Items[i].IsStated() && doc.Items[i].Source == c.source() && memfile.Same(doc.Items[i].Value, c.Value)
}

// apply brings one item in.
func (im *importing) apply(doc *memfile.Document, l *importLine) error {
	c := l.c
	c.met, c.allow, c.Key = repeats, nil, l.base
	if c.derived {
		if im.isKnown(doc, l) {
			return nil
		}
	}
	d := &txn.Draft{Document: doc, Store: c.st}
	there, err := d.Find(c.Key)
	if err == nil {
		err = c.checkAuthority(doc, there)
	}
	if err != nil {
		return im.restorable(l, err)
	}
	if c.derived {
		c.Key = im.freeKey(doc, c)
	}
	if value, twice := im.seen[c.Key]; twice && !memfile.Same(value, c.Value) {
		return memory.Refuse(ruleDuplicateKey, "an earlier line of the import has this key with another value")
	}
	im.seen[c.Key] = c.Value
	i := memory.Find(doc, c.Key)
	if i < 0 && !im.Explicit() {
		if err := c.notRepeated(); err != nil {
			return err
		}
	}
	l.Key = c.Key
	if i >= 0 && !c.confirms(doc, c.Key) && (memfile.Same(doc.Items[i].Value, c.Value) || doc.Items[i].IsStated() && sameValue(doc.Items[i].Value, c.Value)) {
		l.Outcome = outcomeKnown
		return nil
	}
	if err := c.draft(d); err != nil {
		return err
	}
	l.Outcome = outcomeAdded
	if i >= 0 {
		l.Outcome = outcomeChanged
	}
	if c.met == waits {
		l.Outcome = outcomeConflict
	}
	l.Confidence, l.Findings = c.stored.Confidence, memory.Findings(c.noted)
	return nil
}

// freeKey is the derived key, with a number where an item from elsewhere has it: two sentences on one subject are no two values of
// one thing. An item from the same source is the same line, edited since, unless the file still says it.
func (im *importing) freeKey(doc *memfile.Document, a *candidate) string {
	free := a.Key
	for n := 2; ; n++ {
		i := memory.Find(doc, free)
		if i < 0 || memfile.Same(doc.Items[i].Value, a.Value) {
			return free
		}
		if doc.Items[i].Source == a.source() && !slices.ContainsFunc(im.lines, func(l *importLine) bool {
			return l.c != nil && l.c.isItem() && memfile.Same(l.c.Value, doc.Items[i].Value)
		}) {
			return free
		}
		free = a.Key + "-" + strconv.Itoa(n)
	}
}

// queueHeld puts the lines that the policy holds into the scope's queue, for review.
func (im *importing) queueHeld(scope string) error {
	for _, l := range im.lines {
		if l.Scope != scope || l.held == nil || l.Outcome != outcomeHeld {
			continue
		}
		if im.queued++; im.queued > maxHeldAtOnce {
			l.refuse(ruleTooMany, fmt.Sprintf("one import can leave at most %d entries pending", maxHeldAtOnce))
			continue
		}
		if _, err := queue(l.c, memory.Write{}, memory.Held, l.held); err != nil {
			return err
		}
	}
	return nil
}
