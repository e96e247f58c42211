package store

import (
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// UnifiedDiff shows what changes in a file, "" where nothing does. nil stands
// for no file.
func UnifiedDiff(name string, before, after []byte) string {
	name = strings.TrimPrefix(filepath.ToSlash(name), "/")
	from, to := "a/"+name, "b/"+name
	if before == nil {
		from = "/dev/null"
	}
	if after == nil {
		to = "/dev/null"
	}
	return string(diff.Diff(from, before, to, after))
}
