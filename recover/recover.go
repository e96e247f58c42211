package recovery

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/patch"
)

// neverUpdated is the template's day: that of a file with nothing in it.
const neverUpdated = "1970-01-01"

// Recover returns the sound file. The original stands byte for byte under the
// notes heading (redacted where it contains a secret; one in UTF-16 or UTF-32 as UTF-8). Recovering the result
// changes nothing. Errors: fault.TooLarge where the result would pass
// memfile.MaxFileBytes.
func Recover(name string, src []byte, opt Options) (Result, error) {
	f, problems := memfile.Parse(name, src)
	if f != nil {
		doc := f.Document()
		return Result{Document: doc, Bytes: src, Kept: len(doc.Items)}, nil
	}
	if len(src) > memfile.MaxFileBytes {
		return Result{}, tooLarge(name, len(src))
	}
	opt = withDay(opt)
	if text, wide := memfile.FromWide(src); wide {
		src = text
	}
	start, end := ownNotes(src)
	orig, was := newOriginal(slices.Concat(src[:start], src[end:])), newOriginal(src[start:end])
	s := salvage(name, withoutNotes(src), problems, opt)
	res, err := s.result(name, orig, was.bytes)
	res.Reasons, res.Secret = reasons(problems), orig.redacted || was.redacted
	return res, err
}

// Salvage reads what can be read, for acts that only read. It never fails: a
// sound file gives its document, a damaged one the document that Recover would
// give.
func Salvage(name string, src []byte, opt Options) memfile.Document {
	f, problems := memfile.Parse(name, src)
	if f != nil {
		return f.Document()
	}
	src = src[:min(len(src), memfile.MaxFileBytes)]
	if text, wide := memfile.FromWide(src); wide {
		src = text
	}
	return salvage(name, withoutNotes(src), problems, withDay(opt)).document()
}

// ownNotes is the range of a notes section that recovery wrote. One that others
// wrote under that heading, with no original in it, is part of the file as it
// was: it goes into the new notes whole, where its fences say nothing.
func ownNotes(src []byte) (start, end int) {
	if len(Originals(src)) == 0 {
		return len(src), len(src)
	}
	return memfile.SplitNotes(src)
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

// withDay fills in the template's day where the caller names none.
func withDay(opt Options) Options {
	if opt.Today == "" {
		opt.Today = neverUpdated
	}
	return opt
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

// document is what the result's block says.
func (s *salvaged) document() memfile.Document {
	return memfile.Document{
		Version:   s.version,
		Updated:   s.updated,
		Settings:  s.settings,
		Items:     s.done,
		Deletions: s.tombs,
	}
}

// result writes the file and checks it. Where the check fails it tries with
// less, down to the settings alone, for everything is in the notes.
func (s *salvaged) result(name string, orig original, old []byte) (Result, error) {
	var last error
	for try := range tries {
		block, err := s.block(try)
		if err == nil && orig.redacted && holdsSecret(block) {
			err = fmt.Errorf("%q: a secret would stay in the block", name)
		}
		if err != nil {
			last = err
			continue
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
		if try == changedBlock && !patch.Unambiguous(f, problems) {
			last = fmt.Errorf("%q: recovered file is not clear", name)
			continue
		}
		res := Result{Needed: true, Document: f.Document(), Bytes: b.Bytes(), SetAside: s.listAside(), Lacked: s.lacked}
		if try <= newBlock {
			res.Kept, res.Salvaged = s.kept, s.salved
		} else {
			res.Salvaged = len(res.Document.Items)
		}
		return res, nil
	}
	return Result{}, last
}

// The ways to write the block, from the best to the surest.
const (
	changedBlock = iota // the first block, changed where it must
	newBlock            // a new block
	provenBlock         // a new block of what can be printed on its own
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
		return patch.Rewrite(s.base, doc)
	case provenBlock:
		doc = s.proven(doc)
	case plainBlock:
		return memfile.New(memfile.Document{Version: 1, Updated: s.updated, Settings: s.settings})
	}
	return memfile.New(doc)
}

// proven is the document of version 1 with those items and tombstones that
// can be printed and read back, each on its own, and that hold no secret.
func (s *salvaged) proven(doc memfile.Document) memfile.Document {
	out := memfile.Document{Version: 1, Updated: doc.Updated, Settings: doc.Settings}
	sound := func(one memfile.Document) bool {
		one.Version, one.Updated = 1, neverUpdated
		b, err := memfile.New(one)
		if err != nil || holdsSecret(b) {
			return false
		}
		f, _ := memfile.Parse(memfile.FileName, b)
		return f != nil
	}
	for _, it := range doc.Items {
		if sound(memfile.Document{Items: []memfile.Item{it}}) {
			out.Items = append(out.Items, it)
		}
	}
	for _, t := range doc.Deletions {
		if sound(memfile.Document{Deletions: []memfile.Tombstone{t}}) {
			out.Deletions = append(out.Deletions, t)
		}
	}
	return out
}
