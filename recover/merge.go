package recovery

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
)

// ErrSecretSide says that a side of a merge is damaged and contains a secret, so
// that recovering it would take the secret from where its owner can see it.
var ErrSecretSide = errors.New("one side is damaged, and contains a secret")

// ErrPageSide says that a side of a merge is somebody's page.
var ErrPageSide = errors.New("one side is not a memory file")

// Merge is merge.Files for sides that may be damaged: those are recovered
// first, and what they merely lack stands as the base has it, for nobody took
// it out. A base that cannot be recovered is none. Errors: those of
// merge.Files, fault.TooLarge, ErrSecretSide, ErrPageSide.
func Merge(name string, base, ours, theirs []byte, opt Options) (merge.Result, error) {
	if base != nil {
		base, _, _ = soundSide(name, base, opt)
	}
	if f, _ := memfile.Parse(name, base); f != nil {
		doc := f.Document()
		opt.Base = &doc
	}
	ours, lacked, err := soundSide(name, ours, opt)
	if err != nil {
		return merge.Result{}, err
	}
	theirs, more, err := soundSide(name, theirs, opt)
	if err != nil {
		return merge.Result{}, err
	}
	m, err := merge.Files(name, base, ours, theirs)
	m.Aside = append(m.Aside, AsideLacking(name, m.Bytes, append(lacked, more...))...)
	return m, err
}

// AsideLacking says which of the things that damaged sides lacked stand in what
// was merged.
func AsideLacking(name string, merged []byte, lacked []string) []merge.Aside {
	if len(lacked) == 0 {
		return nil
	}
	f, _ := memfile.Parse(name, merged)
	if f == nil {
		return nil
	}
	doc := f.Document()
	has := map[string]bool{}
	for _, sw := range doc.Settings.Switches() {
		has[sw.Name] = !*sw.At
	}
	for _, it := range doc.Items {
		has[it.Key] = true
	}
	for _, t := range doc.Deletions {
		has[t.Key] = true
	}
	var list []merge.Aside
	for _, key := range lacked {
		if a := (merge.Aside{Why: merge.AsideLacking, Key: key}); has[key] && !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return list
}

// soundSide is a side as it is or recovered, and what it lacked of the base.
func soundSide(name string, src []byte, opt Options) (sound []byte, lacked []string, err error) {
	if f, _ := memfile.Parse(name, src); f == nil && memfile.Page(src) { // an empty one lacks everything
		return nil, nil, fmt.Errorf("%q: %w", name, ErrPageSide)
	}
	res, err := Recover(name, src, opt)
	if err == nil && res.Secret {
		err = ErrSecretSide
	}
	if err != nil {
		return nil, nil, err
	}
	return res.Bytes, res.Lacked, nil
}

// Resolve makes one sound file of one with conflict markers, or with several
// items of one key. stages are git's versions of the file (base, ours, theirs)
// where the index has it unmerged; each nil where there is none. hunks counts
// the conflicts between markers. Errors: those of Merge; merge.ErrMarkers
// where the markers are not whole.
func Resolve(name string, src []byte, stages [3][]byte, opt Options) (m merge.Result, hunks int, err error) {
	sides, err := conflictOf(name, src, stages)
	if err != nil {
		return merge.Result{}, 0, err
	}
	if sides.Hunks == 0 {
		m, err = merge.DuplicateKeys(name, src)
		return m, 0, err
	}
	base := stages[0]
	if base == nil {
		base = sides.Base
	}
	for i, side := range []*[]byte{&sides.Ours, &sides.Theirs} {
		// What git holds is surer than what stands between broken markers.
		if f, _ := memfile.Parse(name, *side); f == nil && stages[i+1] != nil {
			*side = stages[i+1]
		}
	}
	m, err = Merge(name, base, sides.Ours, sides.Theirs, opt)
	if IsSide(src, stages) && bytes.Equal(m.Bytes, src) {
		sides.Hunks = 0 // the side that git left has all of the other one
	}
	return m, sides.Hunks, err
}

// IsSide reports whether a file is one of git's versions of it, ours or theirs, line
// ends aside: git leaves one there where it could not merge the file as text.
func IsSide(src []byte, stages [3][]byte) bool {
	text := func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) }
	return slices.ContainsFunc(stages[1:], func(stage []byte) bool {
		return stage != nil && bytes.Equal(text(stage), text(src))
	})
}

// conflictOf takes a file apart at its markers. Where git has it in no conflict,
// the markers of a sound file are samples in its text. Git's versions are the
// sides where they have markers themselves, and while nobody has edited the file. They are as
// well where it is one of them, as git leaves what it cannot merge as text. What
// recovery put under the notes is a copy, whose markers say nothing.
func conflictOf(name string, src []byte, stages [3][]byte) (merge.Conflict, error) {
	if stages[1] == nil || stages[2] == nil {
		if f, _ := memfile.Parse(name, src); f != nil {
			return merge.Conflict{}, nil
		}
		if start, end := ownNotes(src); start < end && end == len(src) {
			if c, err := merge.Sides(src[:start]); err == nil && c.Hunks > 0 {
				for _, side := range []*[]byte{&c.Base, &c.Ours, &c.Theirs} {
					if *side != nil {
						*side = slices.Concat(*side, src[start:])
					}
				}
				return c, nil
			}
		}
		return merge.Sides(src)
	}
	c, err := merge.Sides(src)
	if err == nil && c.Hunks == 0 {
		if !IsSide(src, stages) {
			return c, nil // settled by a person
		}
		stages = endingAs(src, stages)
		return merge.Conflict{Base: stages[0], Ours: stages[1], Theirs: stages[2], Hunks: 1}, nil
	}
	for _, stage := range stages[1:] {
		if s, sampled := merge.Sides(stage); sampled != nil || s.Hunks > 0 {
			return merge.Conflict{Base: stages[0], Ours: stages[1], Theirs: stages[2], Hunks: 1}, nil
		}
	}
	if err == nil && c.Untouched(stages) {
		stages = endingAs(src, stages)
		c.Base, c.Ours, c.Theirs = stages[0], stages[1], stages[2]
	}
	return c, err
}

// endingAs gives git's versions the line ends of the file on disk, where all of
// them have the others: git may keep another form than it writes out.
func endingAs(src []byte, stages [3][]byte) [3][]byte {
	crlf := merge.MostlyCRLF(src)
	for _, stage := range stages {
		if stage != nil && merge.MostlyCRLF(stage) == crlf {
			return stages
		}
	}
	for i, stage := range stages {
		if stage == nil {
			continue
		}
		stages[i] = bytes.ReplaceAll(stage, []byte("\r\n"), []byte("\n"))
		if crlf {
			stages[i] = bytes.ReplaceAll(stages[i], []byte("\n"), []byte("\r\n"))
		}
	}
	return stages
}
