// Memctl keeps the memory of coding agents in files that people can read,
// review and trust. See `memctl help`.
package main

import (
	"os"

	"github.com/memctl/memctl/cmd"
	"github.com/memctl/memctl/internal/term"
)

func main() {
	os.Exit(cmd.Main(os.Args[1:], term.Standard(os.Getenv), cmd.FullParts{}))
}
