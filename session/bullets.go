package session

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

const (
	// ownBullets of the profile's are kept for what the person stated in the user's and
	// private scopes, while there is any.
	ownBullets = 5
	// alsoKey begins the bullet of items that share nothing but their scope.
	alsoKey = "also"
	// missingPrefix begins the line that names the items for which there is no room.
	missingPrefix = "- no room for: "
)

// line is one bullet in the making: the items of one scope that share it, the first to
// keep first.
type line struct {
	key   string // what the items share; alsoKey where that is their scope alone
	items []candidate
	kept  bool // it is among the bullets that there can be
	begun bool // an item of it is taken
}

func (l *line) first() candidate { return l.items[0] }

// joined reports whether the bullet is for several items.
func (l *line) joined() bool { return len(l.items) > 1 }

// member is one item of a bullet of several: the rest of its key, and its value.
func (l *line) member(c candidate) string {
	text := Defuse(c.Value.Plain())
	if strings.Contains(text, ";") || strings.Contains(c.Value.Text, "\n") {
		text = `"` + strings.ReplaceAll(text, `"`, `\"`) + `"` // else nobody could tell where it ends
	}
	return l.name(c) + ": " + text + c.otherwiseSaid()
}

// name is what an item's key has beside what the bullet's items share.
func (l *line) name(c candidate) string {
	if l.key == alsoKey {
		return policy.Inert(c.Key)
	}
	return policy.Inert(strings.TrimPrefix(c.Key, l.key+"."))
}

// lines arranges the items, given the first to keep first, in at most so many bullets.
// While they have more items than that, those of one scope that share the first part of
// their key share a bullet; where that is not enough, the last ones of one scope share
// one more. What is pinned has a bullet of its own, so there can be more than the limit.
func lines(shown []candidate, limit int) []*line {
	var list []*line
	shared := map[Ref]*line{}
	for _, c := range shown {
		part, _, _ := strings.Cut(c.Key, ".")
		ref := Ref{c.scope, part}
		switch l := shared[ref]; {
		case len(shown) <= limit || c.Pinned:
			list = append(list, &line{key: c.Key, items: []candidate{c}})
		case l != nil:
			l.items = append(l.items, c)
		default:
			shared[ref] = &line{key: part, items: []candidate{c}}
			list = append(list, shared[ref])
		}
	}
	for len(list) > limit {
		before, last := lowest(list)
		if before < 0 {
			break
		}
		l := list[before]
		l.key, l.items = alsoKey, append(l.items, list[last].items...)
		list = slices.Delete(list, last, last+1)
	}
	return list
}

// lowest finds the last two bullets of one scope that can share one; -1 where there are
// none. The few that are kept for the person's own scopes come last.
func lowest(list []*line) (before, last int) {
	own := 0
	for _, l := range list {
		if l.first().reserved() {
			own++
		}
	}
	for _, spare := range []bool{true, false} {
		latest := map[string]int{}
		for i := len(list) - 1; i >= 0; i-- {
			c := list[i].first()
			if c.Pinned || spare && own <= ownBullets && c.reserved() {
				continue
			}
			if j, ok := latest[c.scope]; ok {
				return i, j
			}
			latest[c.scope] = i
		}
	}
	return -1, -1
}

// keep marks the bullets that there can be: a few that the person stated in their own
// scopes, so that the number of the project's bullets does not crowd them out, and then
// the first ones. What an agent put there has no such reserve, because it would crowd out
// what a person stated in the project.
func keep(list []*line, limit int) {
	own := 0
	for _, l := range list {
		if l.first().reserved() && own < min(ownBullets, limit) {
			l.kept, own = true, own+1
		}
	}
	rest := limit - own
	for _, l := range list {
		if !l.kept && rest > 0 {
			l.kept, rest = true, rest-1
		}
	}
}

// fill takes the items for which the caps have room, those of the person's own few bullets
// first. A line names the others, and its bytes count.
func (p *Profile) fill(shown []candidate, on Conditions) {
	limit := Lower(MaxBullets, on.MaxBullets)
	list := lines(shown, limit)
	keep(list, limit)
	of := map[Ref]*line{}
	for _, l := range list {
		for _, c := range l.items {
			of[c.ref()] = l
		}
	}
	room := roomFor(shown, Lower(MaxBytes, on.MaxBytes))
	taken := map[Ref]bool{}
	for _, reserve := range []bool{true, false} {
		for _, c := range shown {
			l := of[c.ref()]
			if l.kept && !taken[c.ref()] && (l.first().reserved() || !reserve) {
				taken[c.ref()] = room.take(l, c)
			}
		}
	}
	p.print(list, taken, room)
}

// room counts the bytes of a profile as the briefing prints it, each bullet with its scope.
type room struct {
	max   int
	used  int // by the preamble and the items that are taken
	names int // of the items that are not taken, with what separates them
}

// maxNames is the share of a profile that the names of the items without room can take.
const maxNames = 0.75

func roomFor(shown []candidate, limit int) *room {
	r := &room{max: limit, used: len(Preamble) + len("\n\n")}
	for _, c := range shown {
		r.names += nameSize(c)
	}
	return r
}

func nameSize(c candidate) int { return len(policy.Inert(c.Key)) + len(", ") }

// forNames is what the line of names takes when it has so many bytes of them.
func (r *room) forNames(names int) int {
	if names == 0 {
		return 0
	}
	return min(len(missingPrefix)+names, int(maxNames*float64(r.max)))
}

// take takes the item into its bullet, if there is room.
func (r *room) take(l *line, c candidate) bool {
	size := len("; ") + len(l.member(c))
	switch {
	case !l.joined():
		b := c.bullet()
		size = len("- [] : \n") + len(b.Scope) + len(b.Key) + len(b.Text)
	case !l.begun:
		size += len("- [] : \n") + len(c.scope) + len(l.key)
	}
	if r.used+size+r.forNames(r.names-nameSize(c)) > r.max {
		return false
	}
	r.used, r.names, l.begun = r.used+size, r.names-nameSize(c), true
	return true
}

// print lays out what is taken, the oldest first, so that a new item changes no byte before
// its own.
func (p *Profile) print(list []*line, taken map[Ref]bool, r *room) {
	var missing []candidate
	for _, l := range list {
		l.items = slices.DeleteFunc(l.items, func(c candidate) bool {
			if !taken[c.ref()] {
				missing = append(missing, c)
			}
			return !taken[c.ref()]
		})
		slices.SortFunc(l.items, byAge)
		if len(l.items) == 1 {
			l.key = l.first().Key
		}
	}
	list = slices.DeleteFunc(list, func(l *line) bool { return len(l.items) == 0 })
	slices.SortFunc(list, func(a, b *line) int {
		return cmp.Or(cmp.Compare(a.first().Added, b.first().Added), cmp.Compare(a.key, b.key), cmp.Compare(a.first().rank, b.first().rank))
	})
	var text strings.Builder
	text.WriteString(Preamble + "\n")
	for i, l := range list {
		b := l.bullet()
		p.Bullets = append(p.Bullets, b)
		if i == 0 {
			text.WriteByte('\n')
		}
		text.WriteString("- " + b.Key + ": " + b.Text + "\n")
	}
	for _, c := range missing {
		p.leave(c, WhyCap)
	}
	p.Missing = missingLine(missing, r.max-r.used)
	if p.Missing != "" && len(list) == 0 {
		text.WriteByte('\n')
	}
	p.Text = text.String() + p.Missing
}

func byAge(a, b candidate) int {
	return cmp.Or(cmp.Compare(a.Added, b.Added), cmp.Compare(a.Key, b.Key))
}

// missingLine names the items for which there is no room, in at most so many bytes; "" for
// none.
func missingLine(missing []candidate, most int) string {
	if len(missing) == 0 {
		return ""
	}
	slices.SortFunc(missing, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.rank, b.rank)) })
	var names []string
	most -= len(missingPrefix) + len("\n")
	for i, c := range missing {
		rest := len(missing) - i
		more := "and " + strconv.Itoa(rest) + " more"
		if size := nameSize(c); rest > 1 && most < size+len(more) || most < size-len(", ") {
			names = append(names, more)
			break
		}
		most -= nameSize(c)
		names = append(names, policy.Inert(c.Key))
	}
	return missingPrefix + strings.Join(names, ", ") + "\n"
}

// bullet is the line as it is handed out.
func (l *line) bullet() Bullet {
	first := l.first()
	if !l.joined() {
		return first.bullet()
	}
	b := Bullet{Key: policy.Inert(l.key), Scope: first.scope, Confidence: first.Confidence}
	var texts []string
	for _, c := range l.items {
		if c.Confidence == memfile.High {
			b.Confidence = memfile.High
		}
		texts = append(texts, l.member(c))
		b.Items = append(b.Items, BulletItem{Key: policy.Inert(c.Key), Text: c.text(), Confidence: c.Confidence})
	}
	b.Text = strings.Join(texts, "; ")
	return b
}
