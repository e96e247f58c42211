// Command recording plays a short story with memctl and draws it as an animated picture, docs/recording.svg: a person
// says a rule to one agent, the rule is a line of memories.md, and another agent is told at the moment. No model is
// here, so the program says what the agents say; what memctl answers is real.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/memctl/memctl/tests/program"
)

func main() {
	out := flag.String("o", filepath.Join("docs", "recording.svg"), "the `FILE` to write")
	flag.Parse()
	if err := record(*out); err != nil {
		fmt.Fprintln(os.Stderr, "recording:", err)
		os.Exit(1)
	}
}

func record(file string) error {
	svg, err := picture()
	if err != nil {
		return err
	}
	return os.WriteFile(file, svg, 0o644)
}

// picture plays the story in a folder of its own and draws it.
func picture() ([]byte, error) {
	memctl, err := program.Memctl()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "memctl-recording-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	p := player{memctl: memctl, dir: dir}
	p.story()
	return draw(p.lines), p.err
}
