package merge

import (
	"strings"
	"testing"

	"github.com/memctl/memctl/memfile"
)

// TestAnOlderTextMergesToItsHash: an earlier version left the text in a tombstone, and this one hashes of it.
func TestAnOlderTextMergesToItsHash(t *testing.T) {
	const salt, text = "0a1b2c3d4e5f", "the zanzibar machine is red"
	value := memfile.Str(text)
	other := memfile.Str("the madagascar machine is blue")
	older := func(key string) memfile.Tombstone {
		return memfile.Tombstone{Key: key, Value: &value, Removed: "2026-11-20", Reason: "older"}
	}
	newer := func(key string) memfile.Tombstone {
		return memfile.Tombstone{Key: key, Hashes: memfile.TextHashes(salt, text), Removed: "2026-11-21", Reason: "newer"}
	}
	entry := memfile.EntryTombstone + "aaaaaaaaaaaa"
	for why, c := range map[string]struct {
		base, one, two []memfile.Tombstone
		want           string
	}{
		"of a key, without a base":        {nil, []memfile.Tombstone{older("build.host")}, []memfile.Tombstone{newer("build.host")}, "build.host"},
		"of an entry":                     {nil, []memfile.Tombstone{older("")}, []memfile.Tombstone{newer(entry)}, entry},
		"of an entry that was there":      {[]memfile.Tombstone{older("")}, []memfile.Tombstone{older("")}, []memfile.Tombstone{newer(entry)}, entry},
		"beside one that a side took out": {[]memfile.Tombstone{older("build.host")}, []memfile.Tombstone{older("build.host"), newer("build.box")}, nil, "build.box"},
		"of another text": {nil, []memfile.Tombstone{older("build.host"), {Key: "build.box", Value: &other, Removed: "2026-11-20", Reason: "older"}},
			[]memfile.Tombstone{newer("build.host")}, "build.box build.host"},
	} {
		docs := []memfile.Document{{Version: 1, Deletions: c.one}, {Version: 1, Deletions: c.two}}
		for i := range docs {
			var base *memfile.Document
			if c.base != nil {
				base = &memfile.Document{Version: 1, Deletions: c.base}
			}
			got := mergeDocuments(base, docs[i], docs[1-i]).out.Deletions
			var keys []string
			for _, tomb := range got {
				keys = append(keys, tomb.Key)
				if tomb.Value != nil || tomb.Salt() != salt {
					t.Errorf("%s: %+v", why, tomb)
				}
			}
			if strings.Join(keys, " ") != c.want {
				t.Errorf("%s: %q, want %q", why, keys, c.want)
			}
		}
	}
	both := mergeDocuments(nil, memfile.Document{Version: 1, Deletions: []memfile.Tombstone{older("build.host")}}, memfile.Document{Version: 1}).out.Deletions
	if len(both) != 1 || both[0].Value == nil {
		t.Errorf("without hashes on either side the text stays as it is: %+v", both)
	}
}
