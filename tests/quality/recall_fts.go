package main

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"unicode"

	"github.com/memctl/memctl/internal/recall"
	"github.com/memctl/memctl/internal/recall/index"
)

// fts is SQLite's full-text search with its Porter stemmer, which anybody would take who has no memctl. The shell sqlite3
// keeps a table in memory for each index.
type fts struct {
	mu      sync.Mutex
	shell   *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	tables  map[*index.Index]int
	docs    map[*index.Index][]index.Doc
	answers int
}

// openFTS starts the shell; nil where it is not installed or has no full-text search.
func openFTS() *fts {
	f := &fts{shell: exec.Command("sqlite3", "-batch", ":memory:"), tables: map[*index.Index]int{}, docs: map[*index.Index][]index.Doc{}}
	var err error
	if f.in, err = f.shell.StdinPipe(); err != nil {
		return nil
	}
	out, err := f.shell.StdoutPipe()
	if err != nil || f.shell.Start() != nil {
		return nil
	}
	f.out = bufio.NewScanner(out)
	if _, err := f.ask("CREATE VIRTUAL TABLE probe USING fts5(text); SELECT 1;"); err != nil {
		_ = f.close()
		return nil
	}
	return f
}

func (f *fts) close() error {
	_ = f.in.Close()
	return f.shell.Wait()
}

// ask runs statements and returns the lines of their answer. Errors: there is no line.
func (f *fts) ask(statements string) (lines []string, err error) {
	f.answers++
	end := fmt.Sprintf("end of answer %d", f.answers)
	if _, err := io.WriteString(f.in, statements+"\nSELECT '"+end+"';\n"); err != nil {
		return nil, err
	}
	for f.out.Scan() {
		if f.out.Text() == end {
			return lines, nil
		}
		lines = append(lines, f.out.Text())
	}
	return nil, fmt.Errorf("sqlite3 has ended: %w", f.out.Err())
}

// table makes the table of an index's docs.
func (f *fts) table(x *index.Index) (int, error) {
	if n, ok := f.tables[x]; ok {
		return n, nil
	}
	n := len(f.tables)
	f.tables[x] = n
	var made strings.Builder
	fmt.Fprintf(&made, "BEGIN; CREATE VIRTUAL TABLE t%d USING fts5(text, tokenize = 'porter');\n", n)
	for d, err := range x.Docs() {
		if err != nil {
			return 0, err
		}
		f.docs[x] = append(f.docs[x], d)
		fmt.Fprintf(&made, "INSERT INTO t%d(rowid, text) VALUES (%d, '%s');\n", n, len(f.docs[x]), strings.ReplaceAll(d.Text, "'", "''"))
	}
	made.WriteString("COMMIT;")
	_, err := f.ask(made.String())
	return n, err
}

// search gives the best k docs by FTS5's own rank.
func (f *fts) search(x *index.Index, text string, k int) (hits []recall.Hit, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.table(x)
	words := strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r) }) // any of them may match
	if err != nil || len(words) == 0 {
		return nil, err
	}
	lines, err := f.ask(fmt.Sprintf(`SELECT rowid FROM t%d WHERE t%[1]d MATCH '"%s"' ORDER BY rank LIMIT %d;`, n, strings.Join(words, `" OR "`), k))
	for _, line := range lines {
		var row int
		if _, e := fmt.Sscan(line, &row); e != nil {
			return nil, fmt.Errorf("sqlite3 answers %q", line)
		}
		hits = append(hits, recall.Hit{Doc: f.docs[x][row-1]})
	}
	return hits, err
}
