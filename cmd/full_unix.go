//go:build unix

package cmd

import (
	"os"
	"syscall"
)

// replace replaces this process by a program. It returns only where that fails.
func replace(program string, args []string) error {
	return syscall.Exec(program, append([]string{program}, args...), os.Environ())
}
