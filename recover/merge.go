package recovery

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/policy"
)

// ErrSecretSide says that a side of a merge is damaged and contains a secret, so
// that recovering it would take the secret from where its owner can see it.
var ErrSecretSide = errors.New("one side is damaged, and contains a secret")

// ErrPageSide says that a side of a merge is somebody's page.
var ErrPageSide = errors.New("one side is not a memory file")

// Merged is what a merge made of two versions of a file.
type Merged struct {
	Bytes []byte
	Notes []fault.Note // what the two versions could not both have
}

// MergeFile merges two versions of a memory file or an entry by meaning; a nil base is none. The path
// says which it is. git's merge driver, sync and resolve all merge here. A damaged version of a memory
// file is recovered first, and what it lacks stays as the base has it, for nobody removed it. A base that
// cannot be recovered is none. Errors: those of merge.Files and entry.Merge, fault.TooLarge,
// ErrSecretSide, ErrPageSide.
func MergeFile(name string, base, ours, theirs []byte, opt Options) (Merged, error) {
	if !isMemory(name) {
		out, said, err := entry.Merge(entry.PathFromStore(name), base, ours, theirs)
		m := Merged{Bytes: out}
		for _, text := range said {
			m.Notes = append(m.Notes, fault.NewNote("entry-merged", strings.TrimSpace(text)))
		}
		return m, err
	}
	if base != nil {
		sound, _ := soundSide(name, base, opt)
		base = sound.Bytes
	}
	if f, _ := memfile.Parse(name, base); f != nil {
		doc := f.Document()
		opt.Base = &doc
	}
	one, err := soundSide(name, ours, opt)
	if err != nil {
		return Merged{}, err
	}
	other, err := soundSide(name, theirs, opt)
	if err != nil {
		return Merged{}, err
	}
	m, err := merge.Files(name, base, one.Bytes, other.Bytes)
	notes := asideNotes(m.Aside)
	for i, side := range []Result{one, other} {
		if side.Needed && (i == 0 || !bytes.Equal(ours, theirs)) {
			notes = append(notes, fault.NewNote("side-recovered", fmt.Sprintf("one side was damaged, %s, and is recovered: %d kept, %d reconstructed, %d set aside; %s",
				strings.Join(side.Reasons, ", "), side.Kept, side.Salvaged, len(side.SetAside), side.Where())))
		}
	}
	return Merged{m.Bytes, append(notes, lackedNotes(name, m.Bytes, append(one.lacked, other.lacked...))...)}, err
}

func isMemory(name string) bool { return path.Base(name) == memfile.FileName }

// soundSide is a side as it is or recovered.
func soundSide(name string, src []byte, opt Options) (Result, error) {
	if f, _ := memfile.Parse(name, src); f == nil && memfile.IsPage(src) { // an empty one lacks everything
		return Result{}, fmt.Errorf("%q: %w", name, ErrPageSide)
	}
	res, err := Recover(name, src, opt)
	if err == nil && res.Secret {
		err = ErrSecretSide
	}
	return res, err
}

// asideNotes says what two versions could not both have, a line for each reason, with the keys
// made harmless: they may be anybody's text.
func asideNotes(list []merge.Aside) (notes []fault.Note) {
	addNote := func(why, code, text string) {
		var keys []string
		for _, a := range list {
			if a.Why == why {
				keys = append(keys, cmp.Or(policy.Inert(string(policy.Redact([]byte(a.Key)))), "a text that was forgotten"))
			}
		}
		if len(keys) == 1 {
			text = strings.Replace(text, "restore KEY", "restore "+keys[0], 1)
		}
		if len(keys) > 0 {
			notes = append(notes, fault.NewNote(code, strings.Replace(text, "KEYS", strings.Join(keys, ", "), 1)))
		}
	}
	addNote(merge.AsideConflict, "both-kept", "changed on both sides; both values kept: KEYS; memctl review lists them")
	addNote(merge.AsideForgotten, "forgotten-one-side", "forgotten on one side and changed on the other; forgotten now: KEYS; the tombstone keeps a value that a person set, and memctl restore KEY restores it")
	addNote(merge.AsideKept, "kept-one-side", "removed on one side and changed on the other; kept: KEYS")
	addNote(merge.AsideField, "unknown-field", "unknown fields, changed on both sides; one value kept: KEYS; git has the other")
	addNote(asideLacking, "missing-kept", "missing from the damaged file, and kept: KEYS")
	return notes
}

// asideLacking is why something is kept that a damaged version lacks.
const asideLacking = "lacking"

// lackedNotes names the things that a damaged version lacked and that the result has.
func lackedNotes(name string, made []byte, lacked []string) []fault.Note {
	f, _ := memfile.Parse(name, made)
	if len(lacked) == 0 || f == nil {
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
		if a := (merge.Aside{Why: asideLacking, Key: key}); has[key] && !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return asideNotes(list)
}

// Resolve makes one sound file of one with conflict markers, or of a memory file with several items of
// one key. stages are git's versions of the file (base, ours, theirs) if the index has it unmerged; each
// nil if there is none. hunks counts the conflicts. Errors: those of MergeFile; merge.ErrMarkers if the
// markers are not whole.
func Resolve(name string, src []byte, stages [3][]byte, opt Options) (m Merged, hunks int, err error) {
	c, err := conflictOf(name, src, stages)
	if err != nil {
		return m, 0, err
	}
	if c.Hunks == 0 && !isMemory(name) {
		return Merged{Bytes: src}, 0, nil
	}
	if c.Hunks == 0 {
		one, err := merge.DuplicateKeys(name, src)
		return Merged{one.Bytes, asideNotes(one.Aside)}, 0, err
	}
	if stages[0] != nil {
		c.Base = stages[0]
	}
	for i, side := range []*[]byte{&c.Ours, &c.Theirs} {
		// What git holds is surer than what is between broken markers.
		if stages[i+1] != nil && !readable(name, *side) {
			*side = stages[i+1]
		}
	}
	m, err = MergeFile(name, c.Base, c.Ours, c.Theirs, opt)
	if isSide(src, stages) && bytes.Equal(m.Bytes, src) {
		c.Hunks = 0 // the side that git left has all of the other one
	}
	return m, c.Hunks, err
}

func readable(name string, src []byte) bool {
	if isMemory(name) {
		f, _ := memfile.Parse(name, src)
		return f != nil
	}
	f, _ := entry.Parse(name, src)
	return f != nil
}

// isSide reports whether a file is one of git's versions of it, ours or theirs, line
// ends aside: git leaves one there where it could not merge the file as text.
func isSide(src []byte, stages [3][]byte) bool {
	return slices.ContainsFunc(stages[1:], func(stage []byte) bool {
		return stage != nil && bytes.Equal(unix(stage), unix(src))
	})
}

func unix(src []byte) []byte { return bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")) }

// conflictOf takes a file apart at its markers. Where git has it in no conflict,
// the markers of a sound file are samples in its text. Git's versions are the
// sides where they have markers themselves, and while nobody has edited the file. They are as
// well where it is one of them, as git leaves what it cannot merge as text. What
// recovery put under the notes is a copy, whose markers say nothing.
func conflictOf(name string, src []byte, stages [3][]byte) (merge.Conflict, error) {
	if stages[1] == nil || stages[2] == nil {
		if readable(name, src) {
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
	git := merge.Conflict{Base: stages[0], Ours: stages[1], Theirs: stages[2], Hunks: 1}
	sampled := slices.ContainsFunc(stages[1:], func(stage []byte) bool {
		s, err := merge.Sides(stage)
		return err != nil || s.Hunks > 0
	})
	c, err := merge.Sides(src)
	switch {
	case err == nil && c.Hunks == 0 && !isSide(src, stages): // a person resolved it
		return c, nil
	case err == nil && (c.Hunks == 0 || !sampled && c.Untouched(stages)):
		git.Hunks = max(c.Hunks, 1)
		git.Base, git.Ours, git.Theirs = endingAs(src, git.Base), endingAs(src, git.Ours), endingAs(src, git.Theirs)
		return git, nil
	case sampled:
		return git, nil
	}
	return c, err
}

// endingAs gives one of git's versions the line ends of the file on disk: git may keep another
// form than it writes out.
func endingAs(src, stage []byte) []byte {
	crlf := merge.MostlyCRLF(src)
	if stage == nil || merge.MostlyCRLF(stage) == crlf {
		return stage
	}
	if stage = unix(stage); crlf {
		stage = bytes.ReplaceAll(stage, []byte("\n"), []byte("\r\n"))
	}
	return stage
}
