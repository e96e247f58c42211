package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestQuoteForWindows(t *testing.T) {
	for text, want := range map[string]string{
		"":              `""`,
		"a b":           `"a b"`,
		`C:\my files\a`: `"C:\my files\a"`,
		`say "no"`:      `"say ""no"""`,
		"it's":          `"it's"`,
		"$(rm x) `id`":  "\"`$(rm x) ``id``\"",
		"one\r\ntwo":    `"one two"`,
	} {
		if got := quoteForWindows(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestPasteOnWindows(t *testing.T) {
	for command, want := range map[string]string{
		`mkdir -p "C:\a b"`:                    `mkdir "C:\a b"`,
		`rm "a b"`:                             `del "a b"`,
		`tail -n 3 HEAD`:                       `more HEAD`,
		`rm -r data`:                           `cmd /c rmdir /s data`,
		`mv a a.damaged`:                       `move a a.damaged`,
		`GIT_EDITOR=notepad memctl edit`:       `cmd /c "set GIT_EDITOR=notepad&& memctl edit"`,
		`GOBIN="C:\a b" go install x`:          `cmd /c "set GOBIN=C:\a b&& go install x"`,
		`memctl add key=value "a b"`:           `memctl add key=value "a b"`,
		`git config memctl.privateId "a b"`:    `git config memctl.privateId "a b"`,
		`memctl`:                               `memctl`,
		`cmd /c "set GOBIN=C:\a&& go install"`: `cmd /c "set GOBIN=C:\a&& go install"`,
	} {
		if got := pasteOnWindows(command); got != want || pasteOnWindows(got) != got {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}

func TestWindowsWords(t *testing.T) {
	for line, want := range map[string][]string{
		``:                                 nil,
		`notepad`:                          {"notepad"},
		`code  --wait `:                    {"code", "--wait"},
		`"C:\Program Files\e.exe" -n "" x`: {`C:\Program Files\e.exe`, "-n", "", "x"},
		`a "b c`:                           {"a", "b c "},
	} {
		if got := WindowsWords(line); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestBesideGit(t *testing.T) {
	for git, want := range map[string]string{"Git/cmd/git.exe": "Git/bin/sh.exe", "Git/mingw64/bin/git.exe": "Git/usr/bin/sh.exe", "Git/bin/git.exe": "Git/bin/sh.exe"} {
		if list := BesideGit(filepath.FromSlash(git)); !slices.Contains(list, filepath.FromSlash(want)) {
			t.Errorf("%s: %q has no %s", git, list, want)
		}
	}
}

// TestArgumentsOnWindows asks cmd and PowerShell what they read. The test's own program prints its last argument.
func TestArgumentsOnWindows(t *testing.T) {
	if len(os.Args) > 2 && os.Args[len(os.Args)-2] == "echo" {
		_, _ = os.Stdout.WriteString("<" + os.Args[len(os.Args)-1] + ">")
		return
	}
	if runtime.GOOS != "windows" {
		t.Skip("no cmd")
	}
	for _, text := range []string{"", "a", "a b", `C:\my files`, "it's", "a & b | c; d > e", "größe"} {
		for program, args := range map[string][]string{"cmd": {"/D", "/S", "/C"}, "powershell": {"-NoProfile", "-Command"}} {
			if _, err := exec.LookPath(program); err != nil || program == "powershell" && os.Getenv("MEMCTL_SHELLS") == "" {
				continue // wine has a powershell that does nothing
			}
			line := os.Args[0] + " -test.run=TestArgumentsOnWindows echo " + quoteForWindows(text)
			out, err := runLine(program, args, line).Output()
			if got, _, _ := strings.Cut(string(out), ">PASS"); err != nil || got != "<"+text {
				t.Errorf("%s reads %s as %q (%v)", program, line, out, err)
			}
		}
	}
}
