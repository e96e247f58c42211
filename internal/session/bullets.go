package session

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/capture"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
)

const (
	// maxShared is how many areas the bullet names that small areas share.
	maxShared = 6
	// missingPrefix begins the line that names the items for which there is no room, and
	// maxMissing is how many it names.
	missingPrefix = "- no room for: "
	maxMissing    = 12
)

// filling is a profile whose items are chosen.
type filling struct {
	all   []Bullet // the first to keep first
	aged  []int    // the places of all, the oldest first
	takes []bool
	on    Conditions
}

// fill takes the items that fit, given the first to keep first, and names the others.
func (p *Profile) fill(shown []candidate, on Conditions) {
	f := filling{all: make([]Bullet, len(shown)), aged: make([]int, len(shown)), takes: make([]bool, len(shown)), on: on}
	for i := range shown {
		b := shown[i].bullet()
		b.says = saysItself(b.Key, cmp.Or(b.rest, b.Text))
		f.all[i], f.aged[i], f.takes[i] = b, i, true
	}
	// The oldest are printed first, so that a new item changes no byte before its own. A day has the
	// order of the file, as there is no time of day.
	slices.SortFunc(f.aged, func(i, j int) int {
		a, b := &shown[i], &shown[j]
		return cmp.Or(cmp.Compare(a.Added, b.Added), cmp.Compare(a.rank, b.rank), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Key, b.Key))
	})
	if left, limit := f.room(); left < 0 {
		p.Limit = limit
		f.choose()
	}
	for i, taken := range f.takes {
		if !taken {
			p.LeftOut = append(p.LeftOut, shown[i].leave(WhyCap))
		}
	}
	p.Bullets, p.Missing = f.split()
	p.Text = textOf(p.Bullets, p.Missing)
}

// choose takes the items that fit, the first to keep first.
func (f *filling) choose() {
	clear(f.takes)
	sizes := make([]int, len(f.all))
	for i, b := range f.all {
		sizes[i] = len(line(b)) // an item seldom takes more than a line of its own with its whole key
	}
	for found := true; found; {
		found = false
		left, _ := f.room()
		for i, size := range sizes {
			if !f.takes[i] && size <= left {
				left, f.takes[i], found = left-size, true, true
			}
		}
	}
	for i := len(f.all) - 1; i >= 0; i-- {
		if !f.takes[i] {
			continue
		}
		if left, _ := f.room(); left >= 0 {
			break
		}
		f.takes[i] = false // one more item can change which areas have bullets
	}
}

// split are the items that are taken, in the order in which they are printed, and the line that names the others.
func (f *filling) split() (bullets []Bullet, missing string) {
	bullets = make([]Bullet, 0, len(f.all))
	for _, i := range f.aged {
		if f.takes[i] {
			bullets = append(bullets, f.all[i])
		}
	}
	if len(bullets) == len(f.all) {
		return bullets, ""
	}
	var names []string
	for i := range f.all {
		if !f.takes[i] && len(names) < maxMissing {
			names = append(names, f.all[i].Key)
		}
	}
	missing = missingPrefix + strings.Join(names, ", ")
	if more := len(f.all) - len(bullets) - len(names); more > 0 {
		missing += " and " + strconv.Itoa(more) + " more"
	}
	return bullets, missing + "\n"
}

// room is how much more fits, and the limit that binds.
func (f *filling) room() (left int, limit string) {
	bullets, missing := f.split()
	text := textOf(bullets, missing)
	left, limit = MaxBytes-len(text), fmt.Sprintf("the limit is %d bytes", MaxBytes)
	if most := f.on.MaxBytes; most > 0 && most < MaxBytes {
		left, limit = most-len(text), fmt.Sprintf("the team's limit is %d bytes", most)
	}
	if units := f.on.Room - f.on.Client.Unit.Size(text); f.on.Room > 0 && units < left {
		left, limit = units, fmt.Sprintf("the agent takes %d %s", f.on.Client.Limit, f.on.Client.Unit)
	}
	return left, limit
}

// textOf is the profile as a text; "" for one without a line.
func textOf(bullets []Bullet, missing string) string {
	if len(bullets)+len(missing) == 0 {
		return ""
	}
	var b strings.Builder
	b.Grow(MaxBytes)
	b.WriteString(Preamble + "\n\n")
	for _, l := range printed(bullets) {
		l.print(&b)
	}
	return b.String() + missing
}

// printedLine is a line of the profile.
type printedLine struct {
	bullet string
	scope  string  // as the line names it; "" where it does not
	name   string  // of an area, or the key of an item or its rest
	item   *Bullet // nil for an area
}

func (l printedLine) String() string {
	var b strings.Builder
	l.print(&b)
	return b.String()
}

func (l printedLine) print(b *strings.Builder) {
	b.WriteString(l.bullet)
	if l.scope != "" {
		b.WriteString("[" + l.scope + "] ")
	}
	if b.WriteString(l.name); l.item != nil && l.name != "" {
		b.WriteString(": ")
	}
	if l.item != nil {
		b.WriteString(cmp.Or(l.item.rest, l.item.Text)) // the line or the bullet above it names the area
	}
	b.WriteByte('\n')
}

// printed lays the bullets out as a list: a bullet each for up to MaxBullets, else a bullet for each area, which is the first part
// of a key, with a line for each of its items. If there are too many areas, small ones share a bullet, and there each line begins
// with its area. A bullet names its scope if that is not the project, and a line under it if its scope is another one.
func printed(bullets []Bullet) (lines []printedLine) {
	if len(bullets) <= MaxBullets {
		for i := range bullets {
			lines = append(lines, printedLine{"- ", beyondProject(bullets[i].Scope), bullets[i].Key, &bullets[i]})
		}
		return lines
	}
	lines = make([]printedLine, 0, len(bullets)+MaxBullets)
	for _, area := range areasOf(bullets) {
		first := area.items[0]
		scope := first.Scope
		if len(area.items) == 1 && !area.shared {
			lines = append(lines, printedLine{"- ", beyondProject(scope), first.alone(), first})
			continue
		}
		lines = append(lines, printedLine{"- ", beyondProject(scope), area.name, nil})
		for _, b := range area.items {
			l := printedLine{"  - ", "", area.named(b), b}
			if b.Scope != scope {
				l.scope = b.Scope
			}
			lines = append(lines, l)
		}
	}
	return lines
}

// alone is the label before the text of an area's only line.
func (b *Bullet) alone() string {
	if b.rest != "" && b.rest != b.Text || b.says {
		return firstPart(b.Key)
	}
	return b.Key
}

// named is the label of a line under the bullet: the rest of the key, unless the text needs none, and in a shared bullet also
// the area.
func (a area) named(b *Bullet) string {
	first, rest, _ := strings.Cut(b.Key, ".")
	switch {
	case first == "" || rest == "" && (a.shared || !b.says):
		return b.Key
	case !a.shared && b.says:
		return ""
	case !a.shared:
		return rest
	case b.says:
		return first
	}
	return first + " " + rest
}

// saysItself reports whether a text says what it is about without its key: it is a sentence, the step that the key numbers, or
// has all words of the key after its area.
func saysItself(key, text string) bool {
	part := key[strings.LastIndexByte(key, '.')+1:]
	if isSentence(text) || capture.Number(text) != "" && part != strings.TrimLeft(part, "0123456789") {
		return true
	}
	_, rest, _ := strings.Cut(key, ".")
	words := "-" + memfile.KeyPart(text, len(text)) + "-"
	for w := range strings.SplitSeq(strings.ReplaceAll(cmp.Or(rest, key), ".", "-"), "-") {
		if !strings.Contains(words, "-"+w+"-") {
			return false
		}
	}
	return true
}

// isSentence reports whether a text is some words that begin with no small letter, and no list.
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
