package agents_test

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// throughShells is the line in the shells that TESTS_SHELLS names, by default in cmd alone: wine has a powershell that does
// nothing.
func throughShells(t *testing.T, line string) map[string]*exec.Cmd {
	list := map[string]*exec.Cmd{}
	names := os.Getenv("TESTS_SHELLS")
	if names == "" {
		names = "cmd"
	}
	for _, name := range strings.Fields(names) {
		switch name {
		case "cmd":
			c := exec.Command("cmd")
			c.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /C "` + line + `"`}
			list[name] = c
		case "bash": // of Git for Windows: the one in System32 starts WSL
			list[name] = exec.Command(`C:\Program Files\Git\bin\bash.exe`, "-c", line)
		default:
			list[name] = exec.Command(name, "-NoProfile", "-Command", line)
		}
	}
	if len(list) == 0 {
		t.Fatal("no shell")
	}
	return list
}
