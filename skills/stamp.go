package skills

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/memctl/memctl/skills/format"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/pulled"
)

// Stamp changes whenever a skill of this session is added, removed or edited, in any of its files. It reads no file.
func Stamp(ctx context.Context, ss *store.Stores) string {
	sum := sha256.New()
	if info, err := os.Stat(pulled.ListFile(ss)); err == nil {
		fmt.Fprintf(sum, "shared %d %d\n", info.Size(), info.ModTime().UnixNano())
	}
	for _, f := range Folders(ctx, ss) {
		if f.Dir == "" {
			continue
		}
		for _, name := range f.Names() {
			folder := filepath.Join(f.Dir, name)
			if _, err := os.Stat(filepath.Join(folder, format.FileName)); err != nil {
				continue // it is no skill
			}
			l, err := listed(folder, time.Time{})
			fmt.Fprintln(sum, folder, l.digest, err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}
