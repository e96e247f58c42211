package session

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
)

const (
	// maxShared is how many areas the bullet names that small areas share.
	maxShared = 6
	// missingPrefix begins the line that names the items for which there is no room, and
	// maxMissing is how many it names.
	missingPrefix = "- no room for: "
	maxMissing    = 12
)

// room is what is left of the limits of a profile.
type room struct {
	bytes, units int
	unit         Unit
}

func (r room) without(texts ...string) room {
	for _, text := range texts {
		r.bytes, r.units = r.bytes-len(text), r.units-r.unit.Size(text)
	}
	return r
}

// withoutTaken is the room beside the items that are taken, as a briefing prints them.
func (r room) withoutTaken(aged []*ranked) room {
	for _, l := range printed(takenOf(aged), true) {
		pieces := l.pieces()
		r = r.without(pieces[:]...)
	}
	return r
}

func (r room) fits() bool { return r.bytes >= 0 && r.units >= 0 }

func roomOf(on Conditions) room {
	r := room{bytes: Lower(MaxBytes, on.MaxBytes), units: math.MaxInt, unit: on.Client.Unit}
	if on.Room > 0 {
		r.units = on.Room
	}
	return r
}

// limitNamed names the limit that a profile meets first.
func limitNamed(on Conditions, all room) string {
	switch {
	case !all.fits() && all.bytes > all.units:
		return fmt.Sprintf("the agent takes %d %s", on.Client.Limit, on.Client.Unit)
	case on.MaxBytes > 0 && on.MaxBytes < MaxBytes:
		return fmt.Sprintf("the team's limit is %d bytes", on.MaxBytes)
	}
	return fmt.Sprintf("the limit is %d bytes", MaxBytes)
}

// ranked is an item that may be taken.
type ranked struct {
	candidate
	Bullet
	taken bool
}

// fill takes the items that fit, given the first to keep first, and names the others.
func (p *Profile) fill(shown []candidate, on Conditions) {
	limit := roomOf(on).without(Preamble + "\n\n")
	all, order := make([]ranked, len(shown)), make([]*ranked, len(shown))
	for i, c := range shown {
		all[i] = ranked{c, c.bullet(), true}
		order[i] = &all[i]
	}
	// The oldest are printed first, so that a new item changes no byte before its own. A day has the
	// order of the file, as there is no time of day.
	aged := slices.Clone(order)
	slices.SortFunc(aged, func(a, b *ranked) int {
		return cmp.Or(cmp.Compare(a.Added, b.Added), cmp.Compare(a.rank, b.rank), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Bullet.Key, b.Bullet.Key))
	})
	if left := limit.withoutTaken(aged); !left.fits() {
		p.Limit = limitNamed(on, left)
		takeFitting(order, aged, limit.without(longestNames(order)))
	}
	p.Bullets = takenOf(aged)
	missing := make([]candidate, 0, len(order)-len(p.Bullets))
	p.LeftOut = slices.Grow(p.LeftOut, cap(missing))
	for _, r := range order {
		if !r.taken {
			missing = append(missing, r.candidate)
			p.LeftOut = append(p.LeftOut, r.leave(WhyCap))
		}
	}
	slices.SortFunc(missing, compare)
	p.Missing = missingLine(missing)
	p.Text = Preamble + "\n"
	if lines := printed(p.Bullets, false); len(lines)+len(p.Missing) > 0 {
		var list strings.Builder
		for _, l := range lines {
			list.WriteString(l.String())
		}
		p.Text += "\n" + list.String() + p.Missing
	}
}

// takeFitting marks the items that fit into the room. order has the first to keep first, and aged
// the first to print.
func takeFitting(order, aged []*ranked, limit room) {
	for _, r := range order {
		r.taken = false
	}
	for found := true; found; {
		found = false
		// An item seldom takes more than a line of its own with its whole key.
		left := limit.without("- [] \n").withoutTaken(aged)
		for _, r := range order {
			if r.taken {
				continue
			}
			whole := printedLine{"  - ", beyondProject(r.Bullet.Scope), r.Bullet.Key, &r.Bullet}.pieces()
			if next := left.without(whole[:]...); next.fits() {
				left, r.taken, found = next, true, true
			}
		}
	}
	over := !limit.withoutTaken(aged).fits() // one more item can change which areas have bullets
	for i := len(order) - 1; over && i >= 0; i-- {
		if order[i].taken {
			order[i].taken = false
			over = !limit.withoutTaken(aged).fits()
		}
	}
}

func takenOf(list []*ranked) (bullets []Bullet) {
	count := 0
	for _, r := range list {
		if r.taken {
			count++
		}
	}
	bullets = slices.Grow(bullets, count)
	for _, r := range list {
		if r.taken {
			bullets = append(bullets, r.Bullet)
		}
	}
	return bullets
}

// printedLine is a line of the profile.
type printedLine struct {
	bullet string
	scope  string  // as the line names it; "" where it does not
	name   string  // of an area, or the key of an item or its rest
	item   *Bullet // nil for an area
}

// pieces are the line cut into parts, so that its size is known before it is put together.
func (l printedLine) pieces() [8]string {
	p := [8]string{0: l.bullet, 4: l.name, 7: "\n"}
	if l.scope != "" {
		p[1], p[2], p[3] = "[", l.scope, "] "
	}
	if l.item != nil {
		p[6] = cmp.Or(l.item.rest, l.item.Text) // the line or the bullet above it names the area
	}
	if l.item != nil && l.name != "" {
		p[5] = ": "
	}
	return p
}

func (l printedLine) String() string {
	pieces := l.pieces()
	return strings.Join(pieces[:], "")
}

// printed lays the bullets out as a list: a bullet each for up to MaxBullets, else a bullet for each area, which is the first part
// of a key, with a line for each of its items. If there are too many areas, small ones share a bullet, and there each line begins
// with its area. A bullet names its scope if that is not the project, and a line under it if its scope is another one.
func printed(bullets []Bullet, scopes bool) (lines []printedLine) {
	name := func(scope string) string {
		if scopes {
			return beyondProject(scope)
		}
		return ""
	}
	if len(bullets) <= MaxBullets {
		for i := range bullets {
			lines = append(lines, printedLine{"- ", name(bullets[i].Scope), bullets[i].Key, &bullets[i]})
		}
		return lines
	}
	lines = make([]printedLine, 0, len(bullets)+MaxBullets)
	for _, area := range areasOf(bullets) {
		first := area.items[0]
		scope := first.Scope
		if len(area.items) == 1 && !area.shared {
			lines = append(lines, printedLine{"- ", name(scope), first.alone(), first})
			continue
		}
		lines = append(lines, printedLine{"- ", name(scope), area.name, nil})
		for _, b := range area.items {
			l := printedLine{"  - ", "", area.named(b), b}
			if scopes && b.Scope != scope {
				l.scope = b.Scope
			}
			lines = append(lines, l)
		}
	}
	return lines
}

// alone is what the only line of an area says before the text.
func (b *Bullet) alone() string {
	if b.rest != "" && b.rest != b.Text || isSentence(b.Text) {
		return firstPart(b.Key)
	}
	return b.Key
}

// named is what a line under the bullet says before the text: the rest of the key, where the text is no sentence, and in a shared
// bullet the area.
func (a area) named(b *Bullet) string {
	first, rest, _ := strings.Cut(b.Key, ".")
	sentence := isSentence(cmp.Or(b.rest, b.Text))
	switch {
	case first == "" || rest == "" && (a.shared || !sentence):
		return b.Key
	case !a.shared && sentence:
		return ""
	case !a.shared:
		return rest
	case sentence:
		return first
	}
	return first + " " + rest
}

// isSentence reports whether a text says by itself what it is about: some words that begin with no small letter, and no list.
func isSentence(text string) bool {
	const leastWords, leastRunes = 3, 12 // the second where a script has no spaces
	first, _ := utf8.DecodeRuneInString(text)
	if !unicode.IsLetter(first) || unicode.IsLower(first) {
		return false
	}
	words := len(strings.Fields(text))
	return words >= leastWords && strings.Count(text, ",") < words-1 || !unicode.IsUpper(first) && utf8.RuneCountInString(text) >= leastRunes
}

// beyondProject is the scope as the profile names it: what has no scope there is the project's.
func beyondProject(scope string) string {
	if scope == store.Project {
		return ""
	}
	return scope
}

// line is an item as a bullet of its own.
func line(b Bullet) string { return printedLine{"- ", b.Scope, b.Key, &b}.String() }

// area is the items under one bullet.
type area struct {
	name   string
	items  []*Bullet
	shared bool // several small areas have the bullet
}

// areasOf groups the bullets by the first part of their keys, in the order of the first of each. If they are more than MaxBullets,
// areas of one item, and those for which no bullet is left, share the last one.
func areasOf(bullets []Bullet) []area {
	size := map[string]int{}
	for _, b := range bullets {
		size[firstPart(b.Key)]++
	}
	var areas []area
	var names []string
	small := area{shared: true}
	at := map[string]int{}
	for i := range bullets {
		name := firstPart(bullets[i].Key)
		n, begun := at[name]
		switch {
		case begun:
			areas[n].items = append(areas[n].items, &bullets[i])
		case len(size) > MaxBullets && (size[name] < 2 || len(areas) == MaxBullets-1):
			if small.items = append(small.items, &bullets[i]); !slices.Contains(names, name) {
				names = append(names, name)
			}
		default:
			at[name] = len(areas)
			areas = append(areas, area{name: name, items: []*Bullet{&bullets[i]}})
		}
	}
	if len(small.items) == 0 {
		return areas
	}
	small.name = strings.Join(names[:min(len(names), maxShared)], ", ")
	if len(names) > maxShared {
		small.name += " and more"
	}
	return append(areas, small)
}

// firstPart is the area of a key. A key written by hand, such as .git, may have none.
func firstPart(key string) string {
	part, _, _ := strings.Cut(key, ".")
	return cmp.Or(part, strings.TrimLeft(key, "."), key)
}

// missingLine names the first of the items for which there is no room, and counts the others; ""
// for none.
func missingLine(missing []candidate) string {
	if len(missing) == 0 {
		return ""
	}
	var names []string
	for _, c := range missing[:min(len(missing), maxMissing)] {
		names = append(names, policy.Inert(c.Key))
	}
	text := strings.Join(names, ", ")
	if more := len(missing) - len(names); more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return missingPrefix + text + "\n"
}

// longestNames is at least as long as the line that names any of the items.
func longestNames(order []*ranked) string {
	items := make([]candidate, len(order))
	for i, r := range order {
		items[i] = r.candidate
	}
	slices.SortFunc(items, func(a, b candidate) int { return cmp.Compare(len(b.Key), len(a.Key)) })
	return missingLine(items)
}
