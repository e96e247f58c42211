// Package project tests the project as a whole: the rules of the house, the docs and their examples, the GitHub action
// and the release.
package project

import (
	"fmt"
	"os"
	"testing"

	"github.com/memctl/memctl/tests/program"
)

var programs string // the folder of memctl and memctl-full

// TestMain runs the tests in the top folder of the module, because they name the project's files as people do.
func TestMain(m *testing.M) {
	root, err := program.Root()
	if err == nil {
		err = os.Chdir(root)
	}
	if err == nil {
		programs, err = program.Dir()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
