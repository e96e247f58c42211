package remotes

import (
	"os"
	"testing"

	"github.com/memctl/memctl/tests/gittest"
)

// TestMain gives git a home of its own.
func TestMain(m *testing.M) { os.Exit(gittest.RunTests(m)) }
