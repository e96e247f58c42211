package txn

import (
	"errors"
	"testing"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/storetest"
)

func TestADraftKnowsTheFilesOfItsParts(t *testing.T) {
	d := &Draft{Document: &memfile.Document{}, Store: storetest.Git(t, storetest.WithItem("a.b", "one")).Project()}
	write := func(text string) func(*Draft) error {
		return func(part *Draft) error { return part.WriteFile("memories/lamp.md", []byte(text)) }
	}
	if changed, err := d.Try(write("red")); err != nil || !changed {
		t.Fatal(changed, err)
	}
	if data, err := d.File("memories/lamp.md"); err != nil || string(data) != "red" {
		t.Errorf("the draft has %q, %v", data, err)
	}
	if _, err := d.Try(write("blue")); !errors.Is(err, ErrTwice) {
		t.Errorf("a second part changes the file: %v", err)
	}
	if err := d.WriteFile("memories/lamp.md", []byte("green")); err != nil || len(d.files) != 1 || string(d.files[0].After) != "green" {
		t.Errorf("%v, %v", d.files, err)
	}
}
