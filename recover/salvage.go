package recovery

import (
	"bytes"
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/patch"
)

// salvaged is what could be saved of a file, before it is written.
type salvaged struct {
	opt      Options
	base     *memfile.File // the first block, or what of it is sound; nil where there is nothing to build on
	settings memfile.Settings
	version  int
	updated  string
	switches switches
	items    []candidate
	graves   []grave
	lacked   []string // what complete put in
	*collector
}

// salvage reads everything that can be read. The problems are those of the
// whole file.
func salvage(name string, body []byte, problems []memfile.Problem, opt Options) *salvaged {
	s := &salvaged{opt: opt, collector: newCollector(opt)}
	broken := blockBroken(problems)
	rd := newReader(name, opt.Today)
	body = respelled(body)
	lines := splitLines(body)
	markStrays(lines, memfile.Strays(body))
	for _, side := range sides(lines) {
		for _, reg := range findRegions(side) {
			if reg.place != first || broken || !s.soundBlock(rd, body, reg) {
				s.region(rd, body, reg)
			}
		}
	}
	s.settings = memfile.Settings{Enabled: isOn(s.switches.enabled), AnnounceWrites: isOn(s.switches.announce)}
	s.version, s.updated = max(1, s.switches.version), opt.Today
	if len(bytes.TrimSpace(body)) == 0 {
		s.updated = neverUpdated
	}
	s.addGraves(s.dug(s.graves, opt.Base))
	s.addItems(s.items)
	s.complete(opt.Base)
	s.dateSalvaged()
	return s
}

// blockBroken reports whether the first block is known to be damaged in
// itself, so that reading it as a whole again would find the same. Conflict
// markers break the block, but not its sides.
func blockBroken(problems []memfile.Problem) bool {
	broken := false
	for _, p := range problems {
		switch p.Rule {
		case "conflict-markers":
			return false
		case "no-block", "several-blocks", "unclosed-fence", "stray-items", "section-name":
		default:
			broken = broken || p.Damage
		}
	}
	return broken
}

func isOn(b *bool) bool { return b == nil || *b }

// soundBlock takes the first block as a whole where it is sound on its own,
// and damage is elsewhere: then it keeps its comments and its layout too.
func (s *salvaged) soundBlock(rd *reader, body []byte, reg region) bool {
	was, _ := memfile.Parse(rd.name, asFile(body, reg.lines))
	if was == nil {
		return false
	}
	f, items := s.mended(was, reg)
	doc := f.Document()
	s.switches.and(written(doc, reg))
	graves := make([]grave, len(doc.Deletions))
	for i, t := range was.Document().Deletions {
		tomb := doc.Deletions[i]
		if tomb.Removed == "" {
			tomb.Removed = s.opt.Today // so that what was forgotten stays forgotten
		}
		graves[i] = grave{tomb: tomb, line: sourceLine(reg.lines, t.Line), stands: true}
	}
	s.take(f, items, graves)
	return true
}

// written are the switches that stand in a sound block: one that is not there
// is on, and yet nobody turned it on.
func written(doc memfile.Document, reg region) switches {
	s, stands := switches{version: doc.Version}, scan(reg).switches
	if on := doc.Settings.Enabled; !on || stands.enabled != nil {
		s.enabled = &on
	}
	if on := doc.Settings.AnnounceWrites; !on || stands.announce != nil {
		s.announce = &on
	}
	return s
}

// mended is a sound block without what is wrong in its fields, and its items.
// One that had to be changed is no longer kept as it was.
func (s *salvaged) mended(was *memfile.File, reg region) (*memfile.File, []candidate) {
	f, problems, err := patch.Mend(was)
	if err != nil {
		f = was // what is wrong there shows in the result, which is then written anew
	}
	for _, p := range problems {
		if p.Severity == memfile.Error {
			s.setAside(sourceLine(reg.lines, p.Line), p.Rule)
		}
	}
	before := was.Document().Items
	items := make([]candidate, len(before))
	for i, it := range f.Document().Items {
		tidy := it.Tidied()
		if tidy.Confidence != before[i].Confidence {
			memfile.Lower(&tidy.Labels)
		}
		kept := memfile.RenderItem(tidy) == memfile.RenderItem(before[i])
		items[i] = candidate{item: tidy, line: sourceLine(reg.lines, before[i].Line), kept: kept, sound: true}
	}
	return f, items
}

// take adds what stands in f. The first such file is built upon: what stands
// in another (the other side of a conflict) counts as new there.
func (s *salvaged) take(f *memfile.File, items []candidate, graves []grave) {
	if s.base == nil {
		s.base = f
	} else {
		for i := range items {
			items[i].item.Line, items[i].item.Column = 0, 0
		}
		for i := range graves {
			graves[i].tomb.Line, graves[i].tomb.Column = 0, 0
		}
	}
	s.items, s.graves = append(s.items, items...), append(s.graves, graves...)
}

// region takes a region entry by entry.
func (s *salvaged) region(rd *reader, body []byte, reg region) {
	f := scan(reg)
	if reg.place != first {
		f.switches.version = 0 // what was appended does not decide the format
	}
	s.switches.and(f.switches)
	for _, n := range f.firstUnreadable {
		s.setAside(n, whyUnreadable)
	}
	buried := traces(reg, f.entries, s.opt.Today)
	if s.opt.NoSalvage {
		f.entries = onlyDeletions(f.entries)
	}
	items, graves, rest := rd.read(f.entries)
	items, graves = bury(buried, items, graves)
	if reg.place == first && s.base == nil && !s.opt.NoSalvage {
		for _, e := range rest {
			for _, l := range e.lines {
				f.unreadable.add(l.n)
			}
		}
		s.base = s.cleaned(rd, body, reg, f.unreadable, items, graves)
	}
	for _, e := range rd.noRoom {
		s.setAside(e.line(), whyNoRoom)
	}
	for _, n := range rd.dropped {
		s.setAside(n, whyDuplicateField)
	}
	for _, n := range f.noBool {
		s.setAside(n, whySetting)
	}
	for _, n := range rd.lost {
		s.setAside(n, whyField)
	}
	rd.noRoom, rd.dropped, rd.lost = nil, nil, nil
	s.items, s.graves = append(s.items, items...), append(s.graves, graves...)
}

// cleaned is the block without the lines that damage it, where it is sound
// without them and holds the items and tombstones that were read from it one
// by one: these then stand in it, with their comments and their layout.
func (s *salvaged) cleaned(rd *reader, body []byte, reg region, without lineSet, items []candidate, graves []grave) *memfile.File {
	var keep []line
	for _, l := range reg.lines {
		if !without.has(l.n) {
			keep = append(keep, l)
		}
	}
	src := asFile(body, keep)
	rd.budget -= len(src)
	if rd.budget < 0 {
		return nil
	}
	f, problems := memfile.Parse(rd.name, src)
	if f == nil || wronglyTyped(problems) {
		return nil
	}
	if g, _, err := patch.Mend(f); err == nil {
		f = g
	}
	doc := f.Document()
	stand, tombs := standing(items), standingGraves(graves)
	if len(stand) == 0 || len(stand) != len(doc.Items) || len(tombs) != len(doc.Deletions) {
		return nil
	}
	for i, it := range doc.Items {
		if it.Key != items[stand[i]].item.Key {
			return nil
		}
	}
	for i, it := range doc.Items {
		items[stand[i]].item = it
	}
	for i, t := range doc.Deletions {
		graves[tombs[i]].tomb = t
	}
	return f
}

// wronglyTyped reports whether a part of the document lost what makes it one,
// such as an items: line without its list.
func wronglyTyped(problems []memfile.Problem) bool {
	for _, p := range problems {
		if p.Rule == "field-type" && p.Key == "" {
			return true
		}
	}
	return false
}

func standing(items []candidate) []int {
	var out []int
	for i, c := range items {
		if c.kept {
			out = append(out, i)
		}
	}
	return out
}

func standingGraves(graves []grave) []int {
	var out []int
	for i, g := range graves {
		if g.stands {
			out = append(out, i)
		}
	}
	return out
}

func onlyDeletions(entries []entry) []entry {
	var out []entry
	for _, e := range entries {
		if kindOf(e) == aTombstone || (e.section == inDeletions && kindOf(e) == aForeign && e.plain) {
			out = append(out, e)
		}
	}
	return out
}

// asFile is a memory file whose block holds these lines, as they stand in the
// source.
func asFile(body []byte, lines []line) []byte {
	var b bytes.Buffer
	for _, l := range lines {
		b.Write(body[l.at:l.next])
	}
	if n := b.Len(); n > 0 && b.Bytes()[n-1] != '\n' {
		b.WriteByte('\n')
	}
	mark := fenceFor(b.Bytes())
	return []byte(mark + "yaml\n" + strings.ToValidUTF8(b.String(), "\ufffd") + mark + "\n")
}

// sourceLine is the line of the source that line n of asFile's result is.
func sourceLine(lines []line, n int) int {
	if n < 2 || n-2 >= len(lines) {
		return 1
	}
	return lines[n-2].n
}
