package skills

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/memctl/memctl/skills/format"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/pulled"
)

// Stamp changes whenever a skill of this session is added, removed or edited. It reads no file.
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
			if info, err := os.Stat(filepath.Join(f.Dir, name, format.FileName)); err == nil {
				fmt.Fprintf(sum, "%s/%s %d %d\n", f.Dir, name, info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}
