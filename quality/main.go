// Command quality measures the policy on labelled texts and prints a table:
//
//	make quality DATA=FOLDER
//
// The folder is laid out like this (any part may be missing): secrets/,
// injection/, pii/, prefs/ and locomo/ with JSON Lines of {"text","label",…},
// or *.b64l with each line in base64. No data is part of this project.
//
// Every row belongs to one of two halves by a hash of its text: the building
// half may be looked at while rules are written, the checking half only
// counted. The figures that are quoted are the checking half's.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	data := flag.String("data", "", "folder with the labelled texts")
	missed := flag.String("missed", "", "also list the building half's misses of the rows whose name begins with this")
	flag.Parse()
	if *data == "" {
		fmt.Fprintln(os.Stderr, "quality: name the folder with the labelled texts: make quality DATA=FOLDER")
		os.Exit(2)
	}
	if err := run(*data, *missed, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "quality:", err)
		os.Exit(1)
	}
}
