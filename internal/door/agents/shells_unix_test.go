//go:build unix

package agents_test

import (
	"os/exec"
	"testing"
)

func throughShells(_ *testing.T, line string) map[string]*exec.Cmd {
	return map[string]*exec.Cmd{"sh": exec.Command("sh", "-c", line)}
}
