package remotes

import (
	"strings"
	"testing"
)

// TestDriverHasSlashes: git hands the driver to sh, and its config reads a backslash as an escape.
func TestDriverHasSlashes(t *testing.T) {
	if line := driverWith(`C:\Program Files\memctl.exe`); !strings.Contains(line, `'C:/Program Files/memctl.exe'`) || !isDriver(line) {
		t.Error(line)
	}
}
