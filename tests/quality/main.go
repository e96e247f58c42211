// Command quality measures the policy on labelled texts, recall on questions whose
// answers are known, and the rules of capture on labelled messages, and prints a table of each:
//
//	make quality DATA=FOLDER
//
// The folder is laid out like this (any part may be missing): secrets/,
// injection/, pii/, prefs/ and locomo/ with JSON Lines of {"text","label",…},
// or *.b64l with each line in base64; for recall locomo/ and prefeval/, see
// recall_rows.go. No data is part of this project.
//
// Every row belongs to one of two halves by a hash of its text: the building
// half may be looked at while rules are written, the checking half only
// counted. The figures that are quoted are the checking half's.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/memctl/memctl/internal/llm"
)

func main() {
	data := flag.String("data", "", "folder with the labelled texts")
	missed := flag.String("missed", "", "also list the building half's misses of the rows whose name begins with this")
	gate := flag.Bool("policy", false, "only the policy")
	parts := flag.Bool("parts", false, "only recall: what each part of the ranking adds")
	held := flag.String("crossvalidate", "", "only recall: choose the numbers of these names, or all, without the rows that they are measured on (minutes)")
	rulesOnly := flag.Bool("capture", false, "only the rules of capture")
	unasked := flag.Bool("unasked", false, "only what sessions get without a question")
	everyday := flag.Bool("everyday", false, "only everyday questions over a small store; needs no data")
	byModel := flag.Bool("model", false, "only what is left of a model's answers after memctl's checks")
	embedURL := flag.String("embed", "", "only recall: with the OpenAI-compatible embedder at this address, at several weights")
	embedModel := flag.String("embed-model", "", "the embedder's model")
	flag.Parse()
	if *everyday {
		if err := printEveryday(os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "quality:", err)
			os.Exit(1)
		}
		return
	}
	if *data == "" {
		fmt.Fprintln(os.Stderr, "quality: name the folder with the labelled texts: make quality DATA=FOLDER")
		os.Exit(2)
	}
	if *byModel {
		if err := printModel(*data, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "quality:", err)
			os.Exit(1)
		}
		return
	}
	if *embedURL != "" {
		if err := printModels(*data, llm.Endpoint{URL: *embedURL, Model: *embedModel}, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "quality:", err)
			os.Exit(1)
		}
		return
	}
	if *unasked {
		if err := printUnasked(*data, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "quality:", err)
			os.Exit(1)
		}
		return
	}
	if *gate {
		if err := run(*data, *missed, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "quality:", err)
			os.Exit(1)
		}
		return
	}
	if err := print(*data, *missed, *held, *parts, *rulesOnly); err != nil {
		fmt.Fprintln(os.Stderr, "quality:", err)
		os.Exit(1)
	}
}

func print(data, missed, held string, parts, rulesOnly bool) error {
	switch {
	case parts:
		return printParts(data, os.Stdout)
	case rulesOnly:
		return printCapture(data, os.Stdout)
	case held != "":
		return crossValidate(data, held, os.Stdout)
	}
	return errors.Join(run(data, missed, os.Stdout), printRecall(data, os.Stdout), printEveryday(os.Stdout), printUnasked(data, os.Stdout), printCapture(data, os.Stdout))
}
