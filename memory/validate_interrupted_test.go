package memory_test

import (
	"context"
	"errors"
	"testing"

	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory/upkeep/integrity"
)

// TestValidateThatIsInterrupted: it ends between two files, and tells of no result.
func TestValidateThatIsInterrupted(t *testing.T) {
	b := repository(t, memfile.Template)
	ctx, interrupt := context.WithCancel(t.Context())
	if res, err := integrity.Validate(ctx, b.open(), contents.Person, integrity.ValidateRequest{}); err != nil || res.FileCount != 1 {
		t.Errorf("%d files, %v", res.FileCount, err)
	}
	ss := b.open()
	interrupt()
	if _, err := integrity.Validate(ctx, ss, contents.Person, integrity.ValidateRequest{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
