package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memctl/memctl/tests/program"
)

// TestCompare measures the tools of this machine, with few facts and one question.
func TestCompare(t *testing.T) {
	if testing.Short() {
		t.Skip("builds memctl")
	}
	program, err := program.Memctl()
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	folder := filepath.Join(data, "paraphrase")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"facts.jsonl":     `{"id":1,"text":"retries live in the file client.go"}` + "\n" + `{"id":2,"text":"the tests need Docker running"}` + "\n",
		"questions.jsonl": `{"question":"Which tests need Docker?","evidence":[2]}` + "\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := compare(options{memctl: program, data: data, facts: 50, rounds: 1}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| memctl | CLAUDE.md, git and grep |", "right fact in the first five | 100% | 100% |", "| a deleted memory is found by a search | no | no |", "| … its bytes are still in | git's history | git's history |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestWithin(t *testing.T) {
	texts := []string{"retries live in client.go", `use the "fast" lane`, "the tests need Docker"}
	answer := `{"text":"use the \"fast\" lane"} then retries live in client.go`
	for n, want := range []bool{false, true, false} {
		if got := within(answer, texts, n, 1); got != want {
			t.Errorf("text %d among the first 1: %v", n, got)
		}
	}
	if !within(answer, texts, 0, 2) {
		t.Error("the second is not among the first 2")
	}
}
