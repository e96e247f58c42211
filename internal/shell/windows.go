package shell

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// posix reports whether commands to paste are for a POSIX shell: on Windows in Git Bash alone, which sets MSYSTEM.
func posix() bool { return runtime.GOOS != "windows" || os.Getenv("MSYSTEM") != "" }

// quoteForWindows returns the text as one word for cmd and PowerShell, in double quotes. PowerShell expands nothing in it. cmd,
// which has no escape, sees the backticks that prevent that.
func quoteForWindows(text string) string {
	return `"` + strings.NewReplacer(`"`, `""`, "`", "``", "$", "`$", "\r", "", "\n", " ").Replace(text) + `"`
}

// Paste returns a command line for a POSIX shell, whose words Quote has quoted, for the shell in which the person pastes it.
func Paste(command string) string {
	if posix() {
		return command
	}
	return pasteOnWindows(command)
}

// pasteOnWindows writes programs that only a POSIX shell has as others that cmd and PowerShell share.
func pasteOnWindows(command string) string {
	for _, c := range [][2]string{{"mkdir -p ", "mkdir "}, {"rm -r ", "cmd /c rmdir /s "}, {"rm ", "del "}, {"mv ", "move "}, {"tail -n 3 ", "more "}} {
		if rest, ok := strings.CutPrefix(command, c[0]); ok {
			return c[1] + rest
		}
	}
	words := WindowsWords(command)
	if len(words) < 2 {
		return command
	}
	name, value, assigns := strings.Cut(words[0], "=")
	quoted := name + "=" + quoteForWindows(value) + " "
	for _, first := range []string{words[0] + " ", quoted} {
		if rest, ok := strings.CutPrefix(command, first); ok && assigns && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == "" {
			return `cmd /c "set ` + words[0] + "&& " + rest + `"`
		}
	}
	return command
}

// WindowsWords splits a command line at spaces, except in double quotes, which it takes off.
func WindowsWords(line string) (words []string) {
	var word strings.Builder
	quoted, begun := false, false
	for _, r := range line + " " {
		switch {
		case r == '"':
			quoted, begun = !quoted, true
		case r == ' ' && !quoted:
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if begun { // a quote without an end
		words = append(words, word.String())
	}
	return words
}

// BesideGit lists where Git for Windows has its sh, from the path of its git.exe.
func BesideGit(git string) (list []string) {
	dir := filepath.Dir(git)
	for range 2 { // cmd\git.exe or mingw64\bin\git.exe
		dir = filepath.Dir(dir)
		list = append(list, filepath.Join(dir, "bin", "sh.exe"), filepath.Join(dir, "usr", "bin", "sh.exe"))
	}
	return list
}
