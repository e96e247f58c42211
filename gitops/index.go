package gitops

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/memctl/memctl/internal/safefile"
)

// maxIndex bounds an index that is read here, in bytes; git reads larger ones.
const maxIndex = 256 << 20

// IndexBytes reads the index, nil where there is none, and tells how long an id is in
// it. ok is false where only git can tell.
func (r *Repo) IndexBytes() (data []byte, idLen int, ok bool) {
	if r.IndexElsewhere() {
		return nil, 0, false
	}
	data, err := safefile.ReadRegularFile(filepath.Join(r.GitDir, "index"), maxIndex)
	if errors.Is(err, os.ErrNotExist) {
		return nil, 0, true
	}
	if err != nil || len(data) == 0 {
		return nil, 0, false
	}
	switch r.FileConfig()["extensions.objectformat"] {
	case "", "sha1":
		return data, 20, true
	case "sha256":
		return data, 32, true
	}
	return nil, 0, false
}
