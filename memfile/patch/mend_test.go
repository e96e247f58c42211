package patch

import (
	"strings"
	"testing"

	"github.com/memctl/memctl/memfile"
)

func TestMendedWritesAnewOnlyWhatIsWrong(t *testing.T) {
	src := strings.NewReplacer("enabled: true", "enabled: ye # why", "version: 1", "version: one", "deletions: []",
		"deletions:\n  - {key: x.y, removed: [a], reason: gone}",
		"items: []", "items:\n    # about it\n    - key: a.b\n      value: 'one\ttab' # \tas it is\n\t\n      confidence: sure\n      by: me\n      locked: si\n      tags: [a, [b]]\n      source: a\tb\n      conflict:\n        - value: c\n          confidence: none").Replace(memfile.Template)
	f, problems := memfile.Parse("m", []byte(src))
	if f == nil || Unambiguous(f, problems) {
		t.Fatalf("%v, %+v", f != nil, problems)
	}
	g, found, err := Mend(f)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("enabled: true", "enabled: false # why", "deletions: []",
		"deletions:\n  - {key: x.y, reason: gone}",
		"items: []", "items:\n    # about it\n    - key: a.b\n      value: 'one\ttab' # \tas it is\n\n      confidence: low\n      by: automatic\n      tags: [a]\n      source: \"a\\tb\"\n      conflict:\n        - value: c\n          confidence: low").Replace(memfile.Template)
	if got := string(g.Bytes()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(found) != 10 {
		t.Errorf("%d found: %+v", len(found), found)
	}
	_, problems = memfile.Parse("m", g.Bytes())
	if !Unambiguous(g, problems) {
		t.Errorf("not clear: %+v", problems)
	}
	if again, found, err := Mend(g); again != g || found != nil || err != nil {
		t.Errorf("mended twice: %+v, %v", found, err)
	}
}

func TestMendWritesSettingsThatAreNoMap(t *testing.T) {
	settings := "  settings:\n    enabled: true\n    announce_writes: true\n"
	f, _ := memfile.Parse("m", []byte(strings.Replace(memfile.Template, settings, "  settings: [enabled]\n", 1)))
	g, found, err := Mend(f)
	if err != nil || len(found) != 1 || found[0].Rule != "setting-type" {
		t.Fatalf("found %+v, %v", found, err)
	}
	if want := strings.ReplaceAll(memfile.Template, ": true", ": false"); string(g.Bytes()) != want {
		t.Errorf("got\n%s\nwant\n%s", g.Bytes(), want)
	}
}
