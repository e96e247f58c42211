package recovery

import (
	"errors"
	"fmt"

	"github.com/memctl/memctl/memfile"
)

// ErrSecretSide says that a side of a merge is damaged and holds a secret, so
// that recovering it would take the secret from where its owner can see it.
var ErrSecretSide = errors.New("one side is damaged, and holds a secret")

// Merge is memfile.Merge for sides that may be damaged: those are recovered
// first. A base that cannot be is none. Errors: those of memfile.Merge,
// *TooLargeError, ErrSecretSide.
func Merge(name string, base, ours, theirs []byte, opt Options) (memfile.Merged, error) {
	ours, err := soundSide(name, ours, opt)
	if err != nil {
		return memfile.Merged{}, err
	}
	if theirs, err = soundSide(name, theirs, opt); err != nil {
		return memfile.Merged{}, err
	}
	if base != nil {
		if sound := memfile.SoundBase(name, base); sound != nil {
			base = sound
		} else if base, err = soundSide(name, base, opt); err != nil {
			base = nil
		}
	}
	return memfile.Merge(base, ours, theirs, memfile.MergeOptions{Name: name})
}

func soundSide(name string, src []byte, opt Options) ([]byte, error) {
	if !memfile.Traces(src) {
		return nil, fmt.Errorf("%q: one side is not a memory file", name)
	}
	res, err := Recover(name, src, opt)
	if err == nil && res.Secret {
		err = ErrSecretSide
	}
	return res.Bytes, err
}

// Resolve makes one sound file of one with conflict markers, or with several
// items of one key. stages are git's versions of the file (base, ours, theirs)
// where the index has it unmerged; each nil where there is none. hunks counts
// the conflicts between markers. Errors: those of Merge; memfile.ErrMarkers
// where the markers are not whole.
func Resolve(name string, src []byte, stages [3][]byte, opt Options) (m memfile.Merged, hunks int, err error) {
	sides, err := memfile.Sides(src)
	if err != nil {
		return memfile.Merged{}, 0, err
	}
	if sides.Hunks == 0 {
		m, err = memfile.Settled(name, src)
		return m, 0, err
	}
	base := stages[0]
	if base == nil {
		base = sides.Base
	}
	base = memfile.SoundBase(name, base)
	for i, side := range []*[]byte{&sides.Ours, &sides.Theirs} {
		// What git holds is surer than what stands between broken markers.
		if f, _ := memfile.Parse(name, *side); f == nil && stages[i+1] != nil {
			*side = stages[i+1]
		}
	}
	m, err = Merge(name, base, sides.Ours, sides.Theirs, opt)
	return m, sides.Hunks, err
}
