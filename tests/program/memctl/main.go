// Memctl is memctl as tests run it: it can collect notes, and the hints of commands that fail.
package main

import (
	"os"

	"github.com/memctl/memctl/cmd"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/tests/program"
)

func main() {
	os.Exit(program.Run(os.Args[1:], term.Standard(os.Getenv), cmd.FullParts{}))
}
