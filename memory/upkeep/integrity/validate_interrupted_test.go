package integrity_test

import (
	"context"
	"errors"
	"github.com/memctl/memctl/tests/memorytest"
	"testing"

	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory/upkeep/integrity"
)

// TestValidateThatIsInterrupted: it ends between two files, and tells of no result.
func TestValidateThatIsInterrupted(t *testing.T) {
	b := memorytest.Repository(t, memfile.Template)
	ctx, interrupt := context.WithCancel(t.Context())
	if res, err := integrity.Validate(ctx, b.Open(), contents.Person, integrity.ValidateRequest{}); err != nil || res.FileCount != 1 {
		t.Errorf("%d files, %v", res.FileCount, err)
	}
	ss := b.Open()
	interrupt()
	if _, err := integrity.Validate(ctx, ss, contents.Person, integrity.ValidateRequest{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
