package term

import (
	"errors"
	"os"
	"os/exec"
	"strings"

	"github.com/memctl/memctl/internal/shell"
)

// Overflows reports whether the text is longer than Out's screen; false where Out is no
// terminal, or one whose height is not known.
func (s Streams) Overflows(text string) bool {
	if !s.OutTerminal || s.Rows <= 0 {
		return false
	}
	rows := 0
	for line := range strings.Lines(text) {
		rows += 1 + max(Width(plainText(line))-1, 0)/s.Width()
	}
	return rows >= s.Rows // the shell's prompt needs a row too
}

// plainText is a line without its end and without the escapes of Paint.
func plainText(line string) string {
	line = strings.TrimRight(line, "\n")
	var b strings.Builder
	for {
		before, after, found := strings.Cut(line, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, line, _ = strings.Cut(after, "m")
	}
}

// Page shows the text in a pager, which the shell runs as it does for git, and waits until
// the person closes it. A pager that cannot be started is an error, one that is closed early
// is none.
func Page(s Streams, command, text string) error {
	cmd := exec.Command(shell.Find(), "-c", command)
	if words := shell.WindowsWords(command); shell.Find() == "" && len(words) > 0 {
		cmd = exec.Command(words[0], words[1:]...)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), s.Out, s.Err
	cmd.Env = os.Environ()
	for name, value := range map[string]string{"LESS": "FRX", "LV": "-c"} {
		if _, set := os.LookupEnv(name); !set {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	err := cmd.Run()
	var closed *exec.ExitError
	const notFound = 127
	if errors.As(err, &closed) && closed.ExitCode() != notFound {
		return nil
	}
	return err
}
