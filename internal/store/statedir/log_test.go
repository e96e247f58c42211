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
			for i := range 50 {
				if _, err := d.AppendLine("log", fmt.Appendf(nil, "line %d of %d", i, who)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	busy.Go(func() {
		for i := range 50 {
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
	if n := bytes.Count(data, []byte("line ")); err != nil || n != 250 {
		t.Errorf("%d lines of 250, %v", n, err)
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
