package term

import (
	"errors"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	xterm "golang.org/x/term"
)

// ErrInterrupted says that the person pressed Ctrl-C where a key was asked.
var ErrInterrupted = errors.New("interrupted")

// maxLine caps one line of input, in bytes: nobody types more.
const maxLine = 1 << 16

const (
	ctrlC = 0x03
	ctrlD = 0x04
)

// ReadKey waits for one key and returns it, without waiting for Enter where In
// is a terminal; elsewhere it reads a line and returns its first character ('\n'
// for an empty one). Errors: io.EOF at the end or on Ctrl-D, ErrInterrupted.
func (s Streams) ReadKey() (rune, error) {
	file, ok := s.In.(*os.File)
	if !ok || !s.InTerminal {
		return s.lineKey()
	}
	before, err := xterm.MakeRaw(int(file.Fd()))
	if err != nil {
		return s.lineKey()
	}
	key, err := readRune(file)
	if restoreErr := xterm.Restore(int(file.Fd()), before); err == nil {
		err = restoreErr
	}
	switch {
	case err != nil:
		return 0, err
	case key == ctrlC:
		return 0, ErrInterrupted
	case key == ctrlD:
		return 0, io.EOF
	}
	return key, nil
}

func (s Streams) lineKey() (rune, error) {
	line, err := s.ReadLine()
	if err != nil {
		return 0, err
	}
	if line == "" {
		return '\n', nil
	}
	key, _ := utf8.DecodeRuneInString(line)
	return key, nil
}

// ReadLine reads one line without its end, at most 64 KB of it. It takes byte
// after byte, so that what follows is still there for the next read. Errors:
// io.EOF where nothing is left.
func (s Streams) ReadLine() (string, error) {
	var line strings.Builder
	var one [1]byte
	for line.Len() < maxLine {
		n, err := s.In.Read(one[:])
		if n == 1 {
			if one[0] == '\n' {
				return strings.TrimSuffix(line.String(), "\r"), nil
			}
			line.WriteByte(one[0])
		}
		if err == io.EOF && line.Len() > 0 {
			return line.String(), nil
		}
		if err != nil {
			return "", err
		}
	}
	return line.String(), nil
}

// readRune reads one character, byte after byte.
func readRune(r io.Reader) (rune, error) {
	var buf [utf8.UTFMax]byte
	for n := 0; n < len(buf); n++ {
		if _, err := io.ReadFull(r, buf[n:n+1]); err != nil {
			return 0, err
		}
		if utf8.FullRune(buf[:n+1]) {
			key, _ := utf8.DecodeRune(buf[:n+1])
			return key, nil
		}
	}
	return utf8.RuneError, nil
}
