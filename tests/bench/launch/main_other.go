//go:build !unix

package main

import "os"

// main fails: this system does not tell a child's peak memory.
func main() { os.Exit(2) }
