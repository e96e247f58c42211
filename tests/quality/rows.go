package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// row is one labelled text.
type row struct {
	Text       string `json:"text"`
	Label      string `json:"label"` // secret, clean, injection, benign, preference, none, …
	Kind       string `json:"kind"`
	Level      string `json:"level"`
	Source     string `json:"source"`
	Role       string `json:"role"` // who said it: user, assistant
	Credential bool   `json:"credential"`
	Ambiguous  bool   `json:"ambiguous"`
	Weak       bool   `json:"weak"`
}

// building reports whether the row is in the half that rules may be built on.
func (r row) building() bool { return sha256.Sum256([]byte(r.Text))[9]&1 == 1 }

// load reads all rows of a folder's files whose names begin with prefix; none
// where there are none.
func load(folder, prefix string) ([]row, error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || !strings.HasPrefix(name, prefix) || !strings.HasSuffix(name, ".jsonl") && !strings.HasSuffix(name, ".b64l") {
			continue
		}
		more, err := loadFile(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

func loadFile(path string) ([]row, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var rows []row
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if strings.HasSuffix(path, ".b64l") {
			if line, err = base64.StdEncoding.DecodeString(string(line)); err != nil {
				return nil, fmt.Errorf("%q: line %d: %w", path, n, err)
			}
		}
		var r row
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("%q: line %d: %w", path, n, err)
		}
		rows = append(rows, r)
	}
	return rows, lines.Err()
}

func filter(rows []row, keep func(row) bool) []row {
	var out []row
	for _, r := range rows {
		if keep(r) {
			out = append(out, r)
		}
	}
	return out
}
