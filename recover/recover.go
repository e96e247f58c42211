package recovery

import (
	"bytes"
	"fmt"

	"github.com/memctl/memctl/memfile"
)

// neverUpdated is the template's day: that of a file with nothing in it.
const neverUpdated = "1970-01-01"

// maxReasons bounds Result.Reasons.
const maxReasons = 20

// Recover returns the sound file. The original stands byte for byte under the
// notes heading (redacted where it holds a secret). Recovering the result
// changes nothing. Errors: *TooLargeError where the result would pass
// memfile.MaxFileBytes.
func Recover(name string, src []byte, opt Options) (Result, error) {
	f, problems := memfile.Parse(name, src)
	if f != nil {
		doc := f.Document()
		return Result{Document: doc, Bytes: src, Kept: len(doc.Items)}, nil
	}
	if len(src) > memfile.MaxFileBytes {
		return Result{}, &TooLargeError{Name: name, Size: len(src), Max: memfile.MaxFileBytes}
	}
	opt = withDay(opt)
	split := memfile.SplitNotes(src)
	body, old := src[:split], src[split:]
	s := salvage(name, body, opt)
	orig := newOriginal(body)
	res, err := s.result(name, orig, old)
	if err != nil {
		// The old notes are not ours any more: somebody changed them so that
		// the file is not sound with them. They become part of the original.
		orig = newOriginal(src)
		res, err = s.result(name, orig, nil)
	}
	res.Reasons, res.Secret = reasons(problems), orig.redacted
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
	return salvage(name, src[:memfile.SplitNotes(src)], withDay(opt)).document()
}

// withDay fills in the template's day where the caller names none.
func withDay(opt Options) Options {
	if opt.Today == "" {
		opt.Today = neverUpdated
	}
	return opt
}

// reasons lists why recovery is needed, each once.
func reasons(problems []memfile.Problem) []string {
	var out []string
	seen := map[string]bool{}
	for _, p := range problems {
		text := fmt.Sprintf("%s (line %d)", p.Rule, p.Line)
		if !p.Damage || seen[text] || len(out) == maxReasons {
			continue
		}
		seen[text] = true
		out = append(out, text)
	}
	return out
}

// salvaged is what could be saved of a file, before it is written.
type salvaged struct {
	opt      Options
	base     *memfile.File // the first block, where it is sound on its own
	settings memfile.Settings
	version  int
	updated  string
	*collector
}

// salvage reads everything that can be read.
func salvage(name string, body []byte, opt Options) *salvaged {
	s := &salvaged{opt: opt, collector: newCollector(opt)}
	lines := splitLines(body)
	markStrays(lines, memfile.Strays(body))
	all := sides(lines)
	rd := &reader{name: name, today: opt.Today, budget: readBudget}
	var set switches
	var items []candidate
	var graves []grave
	for _, lines := range all {
		for _, reg := range findRegions(lines) {
			if reg.place == first && s.soundBlock(name, body, reg, len(all) == 1, &set, &items, &graves) {
				continue
			}
			f := scan(reg)
			set.and(f.switches)
			for _, n := range f.unreadable {
				s.setAside(n, whyUnreadable)
			}
			if opt.NoSalvage {
				f.entries = onlyDeletions(f.entries)
			}
			i, g := rd.read(f.entries)
			items, graves = append(items, i...), append(graves, g...)
		}
	}
	s.settings = memfile.Settings{Enabled: isOn(set.enabled), AnnounceWrites: isOn(set.announce)}
	s.version, s.updated = max(1, set.version), opt.Today
	if len(bytes.TrimSpace(body)) == 0 {
		s.updated = neverUpdated
	}
	s.addGraves(graves)
	s.addItems(items)
	return s
}

func isOn(b *bool) bool { return b == nil || *b }

func onlyDeletions(entries []entry) []entry {
	var out []entry
	for _, e := range entries {
		if kindOf(e) == aTombstone || (e.section == inDeletions && e.level && kindOf(e) == aForeign) {
			out = append(out, e)
		}
	}
	return out
}

// soundBlock takes the first block as a whole where it is sound on its own,
// and damage is elsewhere: then it keeps its comments and its layout too.
func (s *salvaged) soundBlock(name string, body []byte, reg region, single bool, set *switches, items *[]candidate, graves *[]grave) bool {
	raw := printLines(reg.lines)
	if single {
		raw = rawLines(body, reg.lines)
	}
	mark := fenceFor(raw)
	src := append([]byte(mark+"yaml\n"), raw...)
	if len(raw) > 0 && raw[len(raw)-1] != '\n' {
		src = append(src, '\n')
	}
	f, _ := memfile.Parse(name, append(src, mark+"\n"...))
	if f == nil {
		return false
	}
	doc := f.Document()
	if single {
		s.base = f
	}
	set.and(switches{&doc.Settings.Enabled, &doc.Settings.AnnounceWrites, doc.Version})
	at := func(n int) int {
		if n < 2 || n-2 >= len(reg.lines) {
			return 1
		}
		return reg.lines[n-2].n
	}
	for _, it := range doc.Items {
		n := at(it.Line)
		if !single {
			it.Line, it.Column = 0, 0
		}
		*items = append(*items, candidate{item: it, line: n, kept: true})
	}
	for _, t := range doc.Deletions {
		n := at(t.Line)
		if !single {
			t.Line, t.Column = 0, 0
		}
		*graves = append(*graves, grave{t, n})
	}
	return true
}

func printLines(lines []line) []byte {
	var b bytes.Buffer
	for _, l := range lines {
		b.Write(bytes.Repeat([]byte(" "), min(l.indent, 200)))
		b.WriteString(l.body)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// document is what the result's block says.
func (s *salvaged) document() memfile.Document {
	return memfile.Document{
		Version:   s.version,
		Updated:   s.updated,
		Settings:  s.settings,
		Items:     s.items,
		Deletions: s.tombs,
	}
}

// result writes the file and checks it. Where the check fails it tries with
// less, down to the settings alone, for everything is in the notes.
func (s *salvaged) result(name string, orig original, old []byte) (Result, error) {
	var last error
	for try := range tries {
		block, err := s.block(try)
		if err != nil {
			last = err
			continue
		}
		var b bytes.Buffer
		b.Write(block)
		writeNotes(&b, orig, old, s.opt.Today)
		if b.Len() > memfile.MaxFileBytes {
			return Result{}, &TooLargeError{Name: name, Size: b.Len(), Max: memfile.MaxFileBytes}
		}
		f, problems := memfile.Parse(name, b.Bytes())
		if f == nil {
			last = fmt.Errorf("%q: recovered file is not sound: %v", name, reasons(problems))
			continue
		}
		res := Result{Needed: true, Document: f.Document(), Bytes: b.Bytes(), SetAside: s.listAside()}
		if try <= newBlock {
			res.Kept, res.Salvaged = s.kept, s.salved
		}
		return res, nil
	}
	return Result{}, last
}

// The ways to write the block, from the best to the surest.
const (
	changedBlock = iota // the first block, changed where it must
	newBlock            // a new block
	emptyBlock          // a new block with the settings and tombstones' keys alone
	plainBlock          // the settings alone
	tries
)

func (s *salvaged) block(try int) ([]byte, error) {
	doc := s.document()
	switch try {
	case changedBlock:
		if s.base == nil {
			return nil, fmt.Errorf("no sound block")
		}
		return s.base.Rewrite(doc)
	case emptyBlock:
		doc.Items = nil
		doc.Version = 1
	case plainBlock:
		return memfile.New(memfile.Document{Version: 1, Updated: s.updated, Settings: s.settings})
	}
	return memfile.New(doc)
}
