package localstate

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/statedir"
)

// file is a file of local state with records, the oldest first: a JSON object in each line if its name ends in .jsonl, else
// one JSON list. It survives the end of the process, not a power cut.
type file[T any] struct {
	name   string
	folder func(ss *store.Stores) statedir.Dir
	keep   int                                   // how many of the newest records stay; 0 for all
	counts func(ss *store.Stores, record T) bool // the others are over; nil: all count
}

// read returns the records that count. A torn line is passed over. Errors: the file cannot be read.
func (f file[T]) read(ss *store.Stores) ([]T, error) {
	data, err := f.folder(ss).Read(f.name)
	if err != nil {
		return nil, err
	}
	return f.decode(ss, data)
}

func (f file[T]) decode(ss *store.Stores, data []byte) (list []T, err error) {
	if f.lines() {
		for line := range bytes.Lines(data) {
			var one T
			if json.Unmarshal(line, &one) == nil {
				list = append(list, one)
			}
		}
	} else if len(data) > 0 && json.Unmarshal(data, &list) != nil {
		return nil, statedir.Damaged(f.folder(ss).Path(f.name), json.Unmarshal(data, &list))
	}
	return slices.DeleteFunc(list, func(one T) bool { return f.counts != nil && !f.counts(ss, one) }), nil
}

func (f file[T]) lines() bool { return strings.HasSuffix(f.name, ".jsonl") }

// change replaces the records while no other process can. Errors: the file cannot be read or written, or is held.
func (f file[T]) change(ss *store.Stores, change func([]T) []T) error {
	return f.folder(ss).ChangeQuick(f.name, func(data []byte) ([]byte, error) {
		list, err := f.decode(ss, data)
		if err != nil {
			return nil, err
		}
		list = change(list)
		if f.keep > 0 {
			list = list[max(0, len(list)-f.keep):]
		}
		if !f.lines() {
			return json.Marshal(list)
		}
		return statedir.JSONLines(list)
	})
}

// drop removes records, and reports whether there were any. Errors: those of change.
func (f file[T]) drop(ss *store.Stores, unwanted func(T) bool) (dropped bool, err error) {
	list, err := f.read(ss)
	if err != nil || !slices.ContainsFunc(list, unwanted) {
		return false, err
	}
	return true, f.change(ss, func(list []T) []T { return slices.DeleteFunc(list, unwanted) })
}

// changeValue replaces a file of local state that is one JSON value, the zero value if there is none, while no other process
// can. An error of change leaves the file as it is. Errors: those of change; the file cannot be read or written, or is held.
func changeValue[T any](state statedir.Dir, name string, change func(*T) error) error {
	return state.ChangeQuick(name, func(data []byte) ([]byte, error) {
		var v T
		if len(data) > 0 {
			if err := json.Unmarshal(data, &v); err != nil {
				return nil, statedir.Damaged(state.Path(name), err)
			}
		}
		if err := change(&v); err != nil {
			return nil, err
		}
		return json.Marshal(v)
	})
}
