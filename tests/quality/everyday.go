package main

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/recall/index"
)

// everydayFiles are 70 memories of an invented project and 50 questions, by somebody who had seen neither memctl's code nor its
// ranking. Nothing was chosen with them. Those of chosen are of another project: Ranking.Support was chosen with them.
//
//go:embed everyday
var everydayFiles embed.FS

type everydayMemory struct{ ID, Key, Category, Text string }

type everydayQuestion struct {
	Q    string
	Want []string
}

// printEveryday prints the figures of everyday questions.
func printEveryday(out io.Writer) error {
	return errors.Join(askEveryday(out, "everyday questions", "everyday"), askEveryday(out, "the questions that weak hits were chosen with", "everyday/chosen"))
}

// askEveryday asks memctl recall, and SQLite's FTS5 where it is installed, and prints how often the memory that answers stands
// first or in the first five, and how often there is no hit or weak ones alone: for questions without an answer, and although the
// first hit answers.
func askEveryday(out io.Writer, title, folder string) error {
	memories, err := everydayRows[everydayMemory](folder + "/memories.jsonl")
	questions, err2 := everydayRows[everydayQuestion](folder + "/questions.jsonl")
	s, err3 := newSessions()
	if err := errors.Join(err, err2, err3); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(s.dir) }()
	var docs []index.Doc
	for _, m := range memories {
		args := []string{"add", "-q", m.Key, m.Text}
		if m.Key == "" {
			args = []string{"remember", "-q", "[" + m.Category + "] " + m.Text}
		}
		if _, err := s.run("", args...); err != nil {
			return err
		}
		docs = append(docs, index.Doc{ID: m.ID, Text: strings.ReplaceAll(m.Key, ".", " ") + " " + m.Text})
	}
	x, err := open(docs, func(*index.Doc) bool { return true })
	if err != nil {
		return err
	}
	ways := map[string]func(string) ([]string, bool, error){"memctl recall": func(q string) ([]string, bool, error) { return s.recall(q, memories) }}
	if f := openFTS(); f != nil {
		ways["SQLite's FTS5"] = func(q string) (ids []string, none bool, err error) {
			hits, err := f.search(x, q, 5)
			for _, h := range hits {
				ids = append(ids, h.ID)
			}
			return ids, len(ids) == 0, err
		}
	}
	fmt.Fprintf(out, "\n%s, over %d memories\n", title, len(memories))
	for _, name := range []string{"memctl recall", "SQLite's FTS5"} {
		ask := ways[name]
		if ask == nil {
			continue
		}
		var first, wrongly, five, with, none, without int
		for _, q := range questions {
			ids, empty, err := ask(q.Q)
			if err != nil {
				return err
			}
			if len(q.Want) == 0 {
				without++
				none += int(one(empty))
				continue
			}
			with++
			at := slices.IndexFunc(ids, func(id string) bool { return slices.Contains(q.Want, id) })
			first, five = first+int(one(at == 0)), five+int(one(at >= 0 && at < 5))
			wrongly += int(one(at == 0 && empty))
		}
		fmt.Fprintf(out, "%-34s first %s, of these weak %d; in five %s; without an answer, empty or weak %d of %d\n", name, share(first, with), wrongly, share(five, with), none, without)
	}
	return nil
}

// recall returns the ids of the memories that memctl recall finds, and whether all hits are weak.
func (s *agentSessions) recall(question string, memories []everydayMemory) (ids []string, weak bool, err error) {
	said, err := s.run("", "recall", "--json", question)
	var answer struct {
		Hits []struct {
			Text string
			Weak bool
		}
	}
	err = errors.Join(err, json.Unmarshal([]byte(said), &answer))
	weak = true
	for _, h := range answer.Hits {
		i := slices.IndexFunc(memories, func(m everydayMemory) bool { return m.Text == h.Text })
		ids, weak = append(ids, memories[max(i, 0)].ID), weak && h.Weak
	}
	return ids, weak, err
}

// everydayRows reads a file of everydayFiles.
func everydayRows[T any](name string) (list []T, err error) {
	data, err := everydayFiles.ReadFile(name)
	for line := range strings.Lines(string(data)) {
		var one T
		err = errors.Join(err, json.Unmarshal([]byte(line), &one))
		list = append(list, one)
	}
	return list, err
}
