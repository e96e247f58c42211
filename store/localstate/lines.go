package localstate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/statedir"
)

// locked does something while no other process holds the lock, which is waited for as long as wait.
// Errors: there is no folder for local state; the lock is held, or cannot be taken; do's own.
func locked(ctx context.Context, state statedir.Dir, lock, what string, wait time.Duration, do func() error) (err error) {
	if !filepath.IsAbs(state.Folder) {
		return fault.New(fault.Scope, "HOME", statedir.NoDataFolder)
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	unlock, err := state.Lock(waiting, lock, what, store.NothingToMend)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return do()
}

// readLines reads a log with a JSON object in each line. A torn line is passed over, and so is one
// that does not count. Errors: the file cannot be read.
func readLines[T any](state statedir.Dir, name string, counts func(T) bool) (list []T, err error) {
	data, err := state.Read(name)
	return decodeLines(data, counts), err
}

func decodeLines[T any](data []byte, counts func(T) bool) (list []T) {
	for line := range bytes.Lines(data) {
		var one T
		if json.Unmarshal(line, &one) == nil && counts(one) {
			list = append(list, one)
		}
	}
	return list
}

// changeLines replaces the lines of readLines while no other process writes to the log. Errors: the log cannot be read
// or written, or is held.
func changeLines[T any](state statedir.Dir, name string, counts func(T) bool, change func([]T) []T) error {
	return state.Change(name, statedir.MaxStateBytes, func(data []byte) ([]byte, error) {
		var b bytes.Buffer
		for _, one := range change(decodeLines(data, counts)) {
			line, err := json.Marshal(one)
			if err != nil {
				return nil, err
			}
			b.Write(append(line, '\n'))
		}
		return b.Bytes(), nil
	})
}
