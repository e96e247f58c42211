package store

import (
	"path/filepath"
	"reflect"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// UnifiedDiff shows what changes in a file, "" where nothing does. nil stands
// for no file.
func UnifiedDiff(name string, before, after []byte) string {
	name = strings.TrimPrefix(filepath.ToSlash(name), "/")
	from, to := "a/"+name, "b/"+name
	if before == nil {
		from = "/dev/null"
	}
	if after == nil {
		to = "/dev/null"
	}
	return string(diff.Diff(from, before, to, after))
}

// forAgent reports whether the answer to the write is an agent's.
func (w Write) forAgent() bool { return w.Origin != "" && w.Origin != originExplicit }

// byAgent reports whether an agent, or memctl for it, asked for the write.
func (w Write) byAgent() bool { return w.forAgent() || w.Clean }

// originRelayed is a person's word that an agent passes on.
const originRelayed = "relayed"

// agentDiff takes out of a file's diff the lines around the change, which can
// be anybody's, and those of the change itself that take away or bring in an
// item which is withheld from agents, or a field that has not its form. Of a file whose
// path the policy objects to nothing is left.
func (st *Store) agentDiff(c FileChange, diff string) string {
	if policy.RulePath(c.Path).Verdict != policy.Accept {
		return ""
	}
	before, after := st.withheldIn(c.Path, c.Before), st.withheldIn(c.Path, c.After)
	gone, come := before.lacks(after), after.lacks(before)
	var b strings.Builder
	body := false
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "@@"):
			body = true
		case !body:
		case line[0] == ' ', line[0] == '-' && gone, line[0] == '+' && come:
			continue
		}
		b.WriteString(line)
	}
	return b.String()
}

// withheldItems are the items of a file that are withheld from agents, whole or a field of
// theirs, by key and value.
type withheldItems map[string]bool

// withheldIn reads them of a memory file's bytes, or of an entry's; other files have
// none.
func (st *Store) withheldIn(name string, src []byte) withheldItems {
	set := withheldItems{}
	if _, isEntry := entry.ParsePath(name); isEntry && src != nil {
		e, _ := st.interpretEntry(name, src, &Forgotten{})
		if e == nil {
			set[name] = true // nobody can say what stands there
		} else if raw := entry.In(name, src); len(e.Withheld) > 0 || raw != nil && !reflect.DeepEqual(*raw, e.Entry) {
			set[name+"\x00"+e.Text] = true
		}
		return set
	}
	if name != memfile.FileName || src == nil {
		return set
	}
	doc := st.historic(src)
	if doc.Updated != memfile.FormedDay(doc.Updated) {
		set["updated\x00"+doc.Updated] = true
	}
	said := heldBy(doc)
	for _, it := range doc.Items {
		if len(st.withheld(doc, it, nil, said)) > 0 {
			set[it.Key+"\x00"+it.Value.Canonical()] = true
		}
		if id := contentKey(it); id != contentKey(it.Formed()) {
			set[id] = true
		}
	}
	return set
}

// lacks reports whether the other set is without one of these.
func (set withheldItems) lacks(other withheldItems) bool {
	for id := range set {
		if !other[id] {
			return true
		}
	}
	return false
}
