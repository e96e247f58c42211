package txn

import (
	"testing"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/storetest"
)

func TestADraftKnowsTheFilesThatItWrites(t *testing.T) {
	d := &Draft{Document: &memfile.Document{}, Store: storetest.Git(t, storetest.WithItem("a.b", "one")).Project()}
	for _, text := range []string{"red", "green"} {
		if err := d.WriteFile("memories/lamp.md", []byte(text)); err != nil {
			t.Fatal(err)
		}
		if data, err := d.File("memories/lamp.md"); err != nil || string(data) != text || len(d.files) != 1 {
			t.Errorf("the draft has %q in %d files, %v", data, len(d.files), err)
		}
	}
}
