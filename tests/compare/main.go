// Command compare measures memctl beside other memories, each with the person's own copy of it: a folder with its
// source, which is built here, or a program on the PATH. A tool that is not there is skipped with a sentence. All
// tools get the same texts and take turns, in scratch folders of their own.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

func main() {
	var o options
	flag.StringVar(&o.memctl, "memctl", "", "the `PROGRAM` memctl")
	flag.StringVar(&o.deja, "deja", "", "a `FOLDER` with the source of deja-vu")
	flag.StringVar(&o.engram, "engram", "", "a `FOLDER` with the source of engram")
	flag.StringVar(&o.data, "data", "", "the `FOLDER` of labelled texts, as of make quality")
	flag.IntVar(&o.facts, "facts", 10000, "how many facts are searched")
	flag.IntVar(&o.rounds, "rounds", 30, "runs of each command that count")
	flag.Parse()
	if err := compare(o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

type options struct {
	memctl, deja, engram, data string
	facts, rounds              int
}

func compare(o options, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "memctl-compare-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var all []*measured
	for _, t := range tools(o) {
		m := &measured{tool: t, dir: filepath.Join(dir, strings.Fields(t.name)[0])}
		if err := m.prepare(); err != nil {
			fmt.Fprintf(os.Stderr, "compare: %s is skipped: %v\n", t.name, err)
			continue
		}
		defer m.stop()
		all = append(all, m)
	}
	texts, asked, err := questions(o.data)
	if err != nil {
		return err
	}
	if err := measureAll(all, o); err != nil {
		return err
	}
	for _, m := range all {
		if err := errors.Join(m.ask(texts, asked), m.remove()); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	fmt.Fprintf(out, "%s, %s/%s, %d CPUs, median CPU of %d runs.\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), o.rounds)
	table(all, o, len(asked), out)
	return nil
}

// table prints a column for each tool.
func table(all []*measured, o options, asked int, out io.Writer) {
	row := func(name string, cell func(m *measured) string) {
		fmt.Fprintf(out, "| %s |", name)
		for _, m := range all {
			fmt.Fprintf(out, " %s |", cell(m))
		}
		fmt.Fprintln(out)
	}
	row("", func(m *measured) string { return m.name })
	row("---", func(*measured) string { return "---" })
	row("version", func(m *measured) string { return m.version })
	row("size of the program, MB", func(m *measured) string { return m.size })
	row("a start with 40 memories: CPU, ms", func(m *measured) string { return m.times["start"] })
	row("… bytes into the context", func(m *measured) string { return m.context })
	row("storing one memory: CPU, ms", func(m *measured) string { return m.times["store"] })
	row(fmt.Sprintf("searching %d facts: CPU, ms", o.facts), func(m *measured) string { return m.times["search"] })
	if asked > 0 {
		row(fmt.Sprintf("%d questions: right fact in the first five", asked), func(m *measured) string { return m.found[0] })
		row("… the same questions without their short words", func(m *measured) string { return m.found[1] })
	}
	row("one memory in the repository, for a reviewer", func(m *measured) string { return m.left })
	row("a deleted memory is found by a search", func(m *measured) string { return m.again })
	row("… its bytes are still in", func(m *measured) string { return m.bytes })
}

// question is one question and the number of the text that answers it.
type question struct {
	Question string
	Evidence []int
}

// questions are the texts of paraphrase/ in the folder, and what is asked about them; none without a folder.
func questions(data string) (texts []string, asked []question, err error) {
	if data == "" {
		fmt.Fprintln(os.Stderr, "compare: no questions are asked without DATA=FOLDER")
		return nil, nil, nil
	}
	type text struct {
		ID   int
		Text string
	}
	list, err := rows[text](filepath.Join(data, "paraphrase", "facts.jsonl"))
	for i, l := range list {
		if l.ID != i+1 {
			return nil, nil, fmt.Errorf("fact %d has the id %d", i+1, l.ID)
		}
		texts = append(texts, l.Text)
	}
	asked, more := rows[question](filepath.Join(data, "paraphrase", "questions.jsonl"))
	return texts, asked, errors.Join(err, more)
}

// rows reads JSON Lines.
func rows[T any](file string) (list []T, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var row T
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		list = append(list, row)
	}
	return list, lines.Err()
}
