package recovery

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/patch"
)

// Recover returns the sound file. The original stands byte for byte under the
// notes heading (redacted where it contains a secret), unless a commit has it. Recovering the result changes nothing. Errors: fault.TooLarge where the result would pass
// memfile.MaxFileBytes.
func Recover(name string, src []byte, opt Options) (Result, error) {
	f, problems := memfile.Parse(name, src)
	if f != nil {
		doc := f.Document()
		return Result{Document: doc, Bytes: src, Kept: len(doc.Items), Notes: listNotes(problems)}, nil
	}
	if len(src) > memfile.MaxFileBytes {
		return Result{}, tooLarge(name, len(src))
	}
	start, end := ownNotes(src)
	orig, was := newOriginal(slices.Concat(src[:start], src[end:])), newOriginal(src[start:end])
	if opt.Named != nil {
		orig.command = opt.Named(src)
	}
	from := readFile(name, withoutNotes(src), opt)
	if at, after := memfile.SplitNotes(src); start == end { // somebody else's notes, of which nothing is read
		from.unread = src[at:after]
	}
	res, err := from.result(name, orig, was.bytes)
	res.Reasons, res.Secret = reasons(problems), orig.redacted || was.redacted
	res.Notes = append(listNotes(problems), lackedNotes(name, res.Bytes, res.lacked)...)
	return res, err
}

// Salvage reads what can be read, for acts that only read. It never fails: a
// sound file gives its document, a damaged one the document that Recover would
// give.
func Salvage(name string, src []byte, opt Options) memfile.Document {
	if f, _ := memfile.Parse(name, src); f != nil {
		return f.Document()
	}
	src = src[:min(len(src), memfile.MaxFileBytes)]
	return readFile(name, withoutNotes(src), opt).doc
}

// ownNotes is the range of a notes section that recovery wrote. One that others
// wrote under that heading, with no original in it, is part of the file as it
// was: it goes into the new notes whole, where its fences say nothing.
func ownNotes(src []byte) (start, end int) {
	start, end = memfile.SplitNotes(src)
	if !bytes.Contains(src[start:end], []byte("\n"+noteStart+noteOn)) {
		return len(src), len(src)
	}
	return start, end
}

// withoutNotes blanks our own notes out: nothing in them is read as memory, and
// what agents appended below them keeps its line numbers.
func withoutNotes(src []byte) []byte {
	start, end := memfile.SplitNotes(src)
	if end == len(src) {
		return src[:start]
	}
	blank := bytes.Repeat([]byte("\n"), bytes.Count(src[start:end], []byte("\n")))
	return slices.Concat(src[:start], blank, src[end:])
}

// listNotes names a list below the block, of which recovery makes no memory.
func listNotes(problems []memfile.Problem) (notes []fault.Note) {
	for _, p := range problems {
		if p.Rule == "list-below" {
			notes = append(notes, fault.NewNote("list-below", fmt.Sprintf("line %d: %s; %s", p.Line, p.Message, p.Hint)))
		}
	}
	return notes
}

// reasons lists why recovery is needed: each rule once, where it was first
// broken and how often besides.
func reasons(problems []memfile.Problem) []string {
	var rules []string
	where, more := map[string]int{}, map[string]int{}
	for _, p := range problems {
		if !p.Damage {
			continue
		}
		if _, ok := where[p.Rule]; ok {
			more[p.Rule]++
			continue
		}
		rules, where[p.Rule] = append(rules, p.Rule), p.Line
	}
	for i, r := range rules {
		rules[i] = fmt.Sprintf("%s (line %d)", r, where[r])
		if more[r] > 0 {
			rules[i] = fmt.Sprintf("%s (line %d and %d more)", r, where[r], more[r])
		}
	}
	return rules
}

// recovered is what could be read of a file, before it is written.
type recovered struct {
	*collector
	base *memfile.File // the first block without the lines that damage it; nil if that is not sound
}

// readFile reads everything that can be read.
func readFile(name string, body []byte, opt Options) *recovered {
	opt.Today = cmp.Or(opt.Today, memfile.NeverUpdated)
	s := &recovered{collector: newCollector(opt)}
	rd := &reader{name: name, today: opt.Today, budget: readBudget}
	h := header{on: map[string]bool{}}
	var records []*record
	s.lines = splitLines(body, nil)
	for _, side := range sides(splitLines(body, memfile.OutsideBlock(body))) {
		regions := findFencedAndLoose(side)
		s.notWithin(side, regions)
		for _, reg := range regions {
			records = append(records, s.region(rd, body, reg, &h)...)
		}
	}
	s.doc.Version, s.doc.Updated = max(1, h.version), opt.Today
	s.setHead(h)
	s.collect(records)
	return s
}

// region reads a part of the file.
func (s *recovered) region(rd *reader, body []byte, reg region, h *header) []*record {
	found := scan(reg, h)
	bad := map[int]bool{}
	for _, n := range found.unreadable {
		s.outside[n] = true
		if bad[n] = true; !bad[n-1] {
			s.setAside(n, whyUnreadable)
		}
	}
	for _, n := range found.noBool {
		s.setAside(n, whySetting)
	}
	var all []*record
	for _, e := range found.entries {
		r, lines := rd.read(e), e.lines
		s.extent[lines[0].n] = lines
		if r == nil || r.grade == salvaged {
			for _, l := range lines {
				bad[l.n] = true
			}
		}
		if r == nil {
			s.setAside(lines[0].n, whyUnreadable)
			continue
		}
		for _, l := range lines {
			s.bound[l.n] = r.tomb != nil
		}
		all = append(all, r)
	}
	if !reg.later && s.base == nil {
		s.base = rd.withoutLines(body, reg, bad, all)
	}
	return all
}

// withoutLines is the block without the lines that damage it, where it is sound
// without them and has the records that were read from it one by one: these then
// take their places in it, so that their comments and their layout stay.
func (r *reader) withoutLines(body []byte, reg region, bad map[int]bool, records []*record) *memfile.File {
	var b bytes.Buffer
	for _, l := range reg.lines {
		switch {
		case bad[l.n]:
		case l.mended:
			b.WriteString(strings.Repeat(" ", l.indent) + l.body + string(body[l.end:l.next]))
		default:
			b.Write(body[l.at:l.next])
		}
	}
	if n := b.Len(); n > 0 && b.Bytes()[n-1] != '\n' {
		b.WriteByte('\n')
	}
	mark := fenceFor(b.Bytes())
	src := []byte(mark + "yaml\n" + strings.ToValidUTF8(b.String(), "\ufffd") + mark + "\n")
	if r.budget -= len(src); r.budget < 0 {
		return nil
	}
	f, _ := memfile.Parse(r.name, src)
	if f == nil {
		return nil
	}
	doc := f.Document()
	var items, tombs []*record
	for _, rec := range records {
		switch {
		case rec.tomb != nil:
			tombs = append(tombs, rec)
		case rec.grade == sound:
			items = append(items, rec)
		}
	}
	if len(items) != len(doc.Items) || len(tombs) != len(doc.Deletions) {
		return nil
	}
	for i, it := range doc.Items {
		items[i].item.Line, items[i].item.Column, items[i].item.Allow = it.Line, it.Column, it.Allow
	}
	for i, t := range doc.Deletions {
		tombs[i].tomb.Line, tombs[i].tomb.Column = t.Line, t.Column
	}
	return f
}

// setHead sets the switches: as the file has them, else as the earlier version had them, else on.
func (s *recovered) setHead(h header) {
	earlier := memfile.AllOn
	if s.opt.Base != nil {
		earlier, s.doc.Version = s.opt.Base.Settings, max(s.doc.Version, s.opt.Base.Version)
	}
	was := earlier.Switches()
	for i, sw := range s.doc.Settings.Switches() {
		on, found := h.on[sw.Name]
		if *sw.At = on; !found {
			*sw.At = *was[i].At
		}
		if !found && !*sw.At {
			s.lacked = append(s.lacked, sw.Name)
		}
	}
}

// result writes the file and checks it. Where the block cannot be rewritten it is a new one,
// and if need be with those records alone that can be printed by themselves, for
// everything is in the notes.
func (s *recovered) result(name string, orig original, old []byte) (Result, error) {
	var last error
	for i, print := range []func() ([]byte, error){s.rewriteBase, s.printed, s.proven} {
		block, err := print()
		if err == nil && orig.redacted && holdsSecret(block) {
			err = fmt.Errorf("%q: a secret would stay in the block", name)
		}
		if err != nil {
			last = err
			continue
		}
		if i == 2 { // which may lack an item
			orig.command = ""
		}
		if orig.command != "" {
			orig.bytes = newOriginal(append([]byte(orig.command+"\n"), s.unsaved(block)...)).bytes
		}
		var b bytes.Buffer
		b.Write(block)
		writeNotes(&b, orig, old, s.opt.Today)
		if b.Len() > memfile.MaxFileBytes {
			return Result{}, tooLarge(name, b.Len())
		}
		f, problems := memfile.Parse(name, b.Bytes())
		if f == nil {
			last = fmt.Errorf("%q: recovered file is not sound: %v", name, reasons(problems))
			continue
		}
		return Result{Needed: true, Document: f.Document(), Bytes: b.Bytes(), Kept: s.kept, Salvaged: s.salvaged, SetAside: s.listAside(), Original: orig.command, lacked: s.lacked}, nil
	}
	return Result{}, last
}

func (s *recovered) rewriteBase() ([]byte, error) {
	if s.base == nil {
		return nil, fmt.Errorf("no sound block")
	}
	s.doc.Unknown = s.base.Document().Unknown
	f, err := patch.Rewritten(s.base, s.doc)
	if err != nil {
		return nil, err
	}
	return f.Bytes(), nil
}

func (s *recovered) printed() ([]byte, error) { return memfile.New(s.doc) }

// proven prints only the items and tombstones that can each be printed and read back alone, and
// that contain no secret.
func (s *recovered) proven() ([]byte, error) {
	out := memfile.Document{Version: 1, Updated: s.doc.Updated, Settings: s.doc.Settings}
	sound := func(one memfile.Document) bool {
		b, err := memfile.New(one)
		return err == nil && !holdsSecret(b)
	}
	for _, it := range s.doc.Items {
		if sound(memfile.Document{Items: []memfile.Item{it}}) {
			out.Items = append(out.Items, it)
		}
	}
	for _, t := range s.doc.Deletions {
		if sound(memfile.Document{Deletions: []memfile.Tombstone{t}}) {
			out.Deletions = append(out.Deletions, t)
		}
	}
	s.kept, s.salvaged = 0, len(out.Items)
	return memfile.New(out)
}
