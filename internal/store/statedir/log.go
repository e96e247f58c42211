package statedir

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
)

// Log is a file of records, the oldest first: a JSON object in each line if its name ends in .jsonl, else one JSON list. What is
// added or changed survives the end of the process, not a power cut.
type Log[T any] struct {
	In   Dir
	Name string
	Keep int   // how many of the newest records stay after a change; 0 for all
	Max  int64 // bytes from which Add keeps the newest half, and of the others those that are not spent
	// Spent reports whether a record may go then; nil: all may.
	Spent func(T) bool
	// Counts reports whether a record is still valid; nil: all are.
	Counts func(T) bool
}

// Read returns the records that count and whose lines contain the mark. It passes over a torn line. Errors: those of Dir.Read;
// fault.LocalState for what is no list.
func (l Log[T]) Read(mark string) ([]T, error) {
	data, err := l.In.Read(l.Name)
	if err != nil {
		return nil, err
	}
	return l.decode(data, mark)
}

func (l Log[T]) decode(data []byte, mark string) (list []T, err error) {
	if l.lines() {
		for line := range bytes.Lines(data) {
			if one, ok := Record[T](line, mark); ok {
				list = append(list, one)
			}
		}
	} else if list, err = (File[[]T]{In: l.In, Name: l.Name, Quick: true}).decode(data); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(one T) bool { return l.Counts != nil && !l.Counts(one) }), nil
}

func (l Log[T]) lines() bool { return strings.HasSuffix(l.Name, ".jsonl") }

// Record is the record in a line; ok is false without the mark or for a torn line.
func Record[T any](line []byte, mark string) (one T, ok bool) {
	// Most lines are not sought, and decoding one takes a while.
	return one, bytes.Contains(line, []byte(mark)) && json.Unmarshal(line, &one) == nil
}

// recentBytes is how much of a log's end Newest reads first.
const recentBytes = 64 << 10

// Newest yields the lines of a log, the newest first. It reads all of it only if the end was not enough, and if not only the
// recent ones are asked for. err is why it could not be read.
func (l Log[T]) Newest(recent bool) (lines iter.Seq[[]byte], err error) {
	end, err := l.In.TailBytes(l.Name, recentBytes)
	part := len(end) == recentBytes
	if part {
		end = end[bytes.IndexByte(end, '\n')+1:]
	}
	return func(yield func([]byte) bool) {
		if backward(end, yield) && part && !recent {
			if all, err := l.In.Read(l.Name); err == nil {
				backward(all[:max(0, len(all)-len(end))], yield)
			}
		}
	}, err
}

// backward yields the lines of data, the last first, and reports whether all were wanted.
func backward(data []byte, yield func([]byte) bool) bool {
	for len(data) > 0 {
		at := bytes.LastIndexByte(data[:len(data)-1], '\n') + 1
		if !yield(data[at:]) {
			return false
		}
		data = data[:at]
	}
	return true
}

// Add adds a record. Where skip is given and holds, which is asked under the lock, nothing is added. Errors: those of Lock; the
// system's cause.
func (l Log[T]) Add(one T, skip func() bool) error {
	line, err := json.Marshal(one)
	if err != nil {
		return err
	}
	return l.In.appendLine(l.Name, line, l.Max, func() bool { return skip != nil && skip() }, func(data []byte) ([]byte, error) {
		if l.Spent == nil {
			return newestHalf(data)
		}
		list, err := l.decode(data, "")
		older := len(list) / 2
		next, failed := l.encode(append(slices.DeleteFunc(slices.Clone(list[:older]), l.Spent), list[older:]...))
		return next, errors.Join(err, failed)
	})
}

// Change replaces the records that count while no other process can. Errors: the file cannot be read or written, or is held.
func (l Log[T]) Change(change func([]T) []T) error {
	return l.In.change(l.Name, true, func(data []byte) ([]byte, error) {
		list, err := l.decode(data, "")
		if err != nil {
			return nil, err
		}
		if list = change(list); l.Keep > 0 {
			list = list[max(0, len(list)-l.Keep):]
		}
		return l.encode(list)
	})
}

func (l Log[T]) encode(list []T) ([]byte, error) {
	if !l.lines() {
		return json.Marshal(list)
	}
	var b bytes.Buffer
	for _, one := range list {
		line, err := json.Marshal(one)
		if err != nil {
			return nil, err
		}
		b.Write(append(line, '\n'))
	}
	return b.Bytes(), nil
}

// Drop removes records, and reports whether there were any. Errors: those of Change.
func (l Log[T]) Drop(unwanted func(T) bool) (dropped bool, err error) {
	list, err := l.Read("")
	if err != nil || !slices.ContainsFunc(list, unwanted) {
		return false, err
	}
	return true, l.Change(func(list []T) []T { return slices.DeleteFunc(list, unwanted) })
}
