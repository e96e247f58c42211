// Bench measures memctl as whole processes, beside an empty Go program and git
// itself. All commands take turns in one run, so that a busy machine is unfair
// to all of them alike; what to read is the ratios. It prints a table in
// Markdown and writes it between the markers of tests/bench/README.md.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	var o options
	flag.StringVar(&o.memctl, "memctl", "", "the binary to measure; empty builds it")
	flag.IntVar(&o.items, "items", 500, "items in the memory file")
	flag.IntVar(&o.rounds, "rounds", 60, "runs of each command that count")
	rows := flag.String("rows", "start,history,recall,skills,others,crowd,page,proxy,calls", "the kinds of rows to measure; without all of them, no page is written")
	flag.StringVar(&o.doc, "doc", filepath.Join("tests", "bench", "README.md"), "the page to write the table into; empty writes none")
	flag.Parse()
	o.rows = strings.Split(*rows, ",")
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	memctl string
	items  int
	rounds int
	doc    string
	rows   []string // of kinds
}

// The kinds of rows; the first row is always there, to compare with.
const (
	rowsStart   = "start"
	rowsHistory = "history"
	rowsRecall  = "recall"
	rowsSkills  = "skills"
	rowsOthers  = "others"
	rowsCrowd   = "crowd"
	rowsPage    = "page"
	rowsProxy   = "proxy"
	rowsCalls   = "calls"
)

func kinds() []string {
	return []string{rowsStart, rowsHistory, rowsRecall, rowsSkills, rowsOthers, rowsCrowd, rowsPage, rowsProxy, rowsCalls}
}

// has reports whether rows of a kind are wanted.
func (o options) has(kind string) bool { return slices.Contains(o.rows, kind) }

// check refuses kinds that are none. Some of the rows are no page.
func (o *options) check() error {
	for _, kind := range o.rows {
		if !slices.Contains(kinds(), kind) {
			return fmt.Errorf("%q: no kind of rows; %s are", kind, strings.Join(kinds(), ", "))
		}
	}
	if len(o.rows) < len(kinds()) {
		o.doc = ""
	}
	return nil
}

// smallItems is the size at which add is held against git's own commit.
const smallItems = 100

func run(o options) error {
	if err := o.check(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "memctl-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b, err := prepare(dir, o)
	if err != nil {
		return err
	}
	list := b.commands()
	if err := measure(list, o.rounds, b.launch); err != nil {
		return err
	}
	text := table(list, o)
	for _, other := range []struct {
		kind  string
		table func() (string, error)
	}{{rowsCrowd, b.crowdTable}, {rowsPage, b.pageTable}, {rowsProxy, b.proxyTable}, {rowsCalls, b.callsTable}} {
		if !o.has(other.kind) {
			continue
		}
		more, err := other.table()
		if err != nil {
			return err
		}
		text += more
	}
	fmt.Print(text)
	if o.doc == "" {
		return nil
	}
	page, err := os.ReadFile(o.doc)
	if err != nil {
		return err
	}
	page, err = between(page, text)
	if err != nil {
		return fmt.Errorf("%q: %w", o.doc, err)
	}
	return os.WriteFile(o.doc, page, 0o644)
}
