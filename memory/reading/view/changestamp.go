package view

import (
	"context"
	"os"
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
)

// Stamp is a text that changes when memory changes: the memory files, the queue of pending
// writes, the person's switch, their trust. It costs a few looks at the disk and reads no
// memory, so that it can be taken every second.
func Stamp(ctx context.Context, ss *store.Stores) string {
	var b strings.Builder
	for _, scope := range ss.Scopes() {
		st, err := ss.Get(ctx, scope)
		if err != nil {
			continue
		}
		b.WriteString(scope + " " + st.Dir)
		if info, err := os.Lstat(st.Path()); err == nil && st.Dir != "" {
			b.WriteString(" " + strconv.FormatInt(info.Size(), 10) + " " + strconv.FormatInt(info.ModTime().UnixNano(), 10))
		}
		if info, err := os.Lstat(st.SharedState().Path(ledger.QueueFile)); err == nil {
			b.WriteString(" queue " + strconv.FormatInt(info.ModTime().UnixNano(), 10))
		}
		b.WriteString(contents.EntriesStamp(st))
		b.WriteByte('\n')
	}
	if on, err := ss.Setting(ctx, store.Enabled); err == nil {
		b.WriteString(on.Text)
	}
	return b.String() + " " + ss.TrustLevel(ctx)
}
