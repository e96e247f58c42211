package statedir

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
)

func TestNoLineIsLostWhileTheLogIsReplaced(t *testing.T) {
	top := t.TempDir()
	d := Dir{Folder: top, Top: top}
	var busy sync.WaitGroup
	for who := range 4 {
		busy.Go(func() {
			for i := range 20 {
				if err := d.Append("log", fmt.Appendf(nil, "line %d of %d", i, who), 1<<20); err != nil {
					t.Error(err)
				}
			}
		})
	}
	busy.Go(func() {
		for i := range 20 {
			err := d.Change("log", func(data []byte) ([]byte, error) {
				return append(bytes.Clone(data), fmt.Appendf(nil, "\nline %d of change\n", i)...), nil
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
	busy.Wait()
	data, err := d.Read("log")
	if n := bytes.Count(data, []byte("line ")); err != nil || n != 100 {
		t.Errorf("%d lines of 100, %v", n, err)
	}
}

func TestAFileOfWhichNothingIsLeftIsRemoved(t *testing.T) {
	top := t.TempDir()
	d := Dir{Folder: top, Top: top}
	for _, text := range []string{"one", ""} {
		if err := d.Change("log", func([]byte) ([]byte, error) { return []byte(text), nil }); err != nil {
			t.Fatal(err)
		}
		if data, err := d.Read("log"); err != nil || string(data) != text || (data == nil) != (text == "") {
			t.Errorf("%q, %v, not %q", data, err, text)
		}
	}
}

func TestTheNewestLinesComeFirstAndEachOnce(t *testing.T) {
	type number struct{ N int }
	top := t.TempDir()
	l := Log[number]{In: Dir{Folder: top, Top: top}, Name: "n.jsonl", Max: 1 << 20}
	const all = 20_000 // which recentBytes are not enough for
	if err := l.Change(func(list []number) []number {
		for i := range all {
			list = append(list, number{i})
		}
		return list
	}); err != nil {
		t.Fatal(err)
	}
	lines, err := l.Newest(false)
	next := all
	for line := range lines {
		if one, ok := Record[number](line, `"N"`); ok {
			if next--; one.N != next {
				t.Fatalf("%d in place of %d", one.N, next)
			}
		}
	}
	if err != nil || next != 0 {
		t.Errorf("%d lines are missing, %v", next, err)
	}
	recent, err := l.Newest(true)
	n := 0
	for range recent {
		n++
	}
	if err != nil || n == 0 || n > all/2 {
		t.Errorf("%d recent lines, %v", n, err)
	}
}
