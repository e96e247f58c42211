// Command atlas plays the portable specifications of the agent-memory atlas with the real memctl, in scratch
// repositories, and prints a table of the verdicts. The specifications' names are read from the folder of the atlas,
// so that a new one is in the table as not played. None of their sentences is here.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"github.com/memctl/memctl/tests/program"
)

func main() {
	atlas := flag.String("atlas", "", "the `FOLDER` of the agent-memory atlas")
	trace := flag.Bool("trace", false, "also print each command and its answer")
	flag.Parse()
	if err := run(*atlas, *trace, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "atlas:", err)
		os.Exit(1)
	}
}

func run(atlas string, trace bool, out io.Writer) error {
	names, err := specifications(atlas)
	if err != nil {
		return err
	}
	results, err := playAll(trace)
	if err != nil {
		return err
	}
	counts := printSpecifications(out, names, results)
	fmt.Fprintf(out, "\n%d specifications: %d passed, %d failed, %d do not apply, %d not played.\n", len(names), counts[passed], counts[failed], counts[notApplicable], counts[notPlayed])
	steps, err := playDeletion(trace)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "\n| step of the deletion sequence | played | verdict |\n|--:|---|---|")
	for i, s := range steps {
		fmt.Fprintf(out, "| %d | %s | %s |\n", i+1, s.played, s.text())
	}
	return nil
}

// printSpecifications prints a row for each of the names, and counts the verdicts.
func printSpecifications(out io.Writer, names []string, results map[string]result) map[string]int {
	fmt.Fprintln(out, "| specification | played | verdict |\n|---|---|---|")
	counts := map[string]int{}
	for _, name := range names {
		r, ok := results[name]
		if !ok {
			r = result{verdict: notPlayed}
		}
		counts[r.verdict]++
		fmt.Fprintf(out, "| `%s` | %s | %s |\n", name, r.played, r.text())
	}
	return counts
}

// specifications returns the names in the atlas's list, in its order. That file is not quite YAML, so its lines are read.
func specifications(atlas string) ([]string, error) {
	file := filepath.Join(atlas, ".agents", "protocol", "tests.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^ *- id: *([\w.-]+)`).FindAllStringSubmatch(string(text), -1) {
		names = append(names, m[1])
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s names no specification", file)
	}
	return names, nil
}

// The verdicts.
const (
	passed        = "passed"
	failed        = "failed"
	notApplicable = "does not apply"
	notPlayed     = "not played"
)

// result is what one specification or step came to.
type result struct {
	played  string // in a few words
	verdict string
	reason  string // why not passed, or what the verdict leaves open
}

func (r result) text() string {
	switch {
	case r.reason == "":
		return r.verdict
	case r.verdict == passed:
		return r.verdict + "; left open: " + r.reason
	}
	return r.verdict + ": " + r.reason
}

// play is one specification as acts.
type play struct {
	played string
	open   string // what a pass leaves open
	not    string // why it does not apply
	run    func(w *world)
}

// playAll plays everything, each in a world of its own.
func playAll(trace bool) (map[string]result, error) {
	memctl, err := program.Memctl()
	if err != nil {
		return nil, err
	}
	results := map[string]result{}
	for name, p := range plays() {
		if p.not != "" {
			results[name] = result{p.played, notApplicable, p.not}
			continue
		}
		w, err := newWorld(memctl, trace)
		if err != nil {
			return nil, err
		}
		w.say("== " + name)
		p.run(w)
		if err := w.close(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		results[name] = w.result(p.played, p.open)
	}
	return results, nil
}
