package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write puts one file of labelled texts into a part of the folder.
func write(t *testing.T, data, name, text string) {
	t.Helper()
	path := filepath.Join(data, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestRowsAreSplitIntoHalvesByTheirText(t *testing.T) {
	building := 0
	for i := range 1000 {
		r := row{Text: fmt.Sprint("text ", i)}
		if r.building() != (row{Text: r.Text, Label: "clean", Weak: true}).building() {
			t.Fatalf("%q changes its half with its label", r.Text)
		}
		if r.building() {
			building++
		}
	}
	if building < 400 || building > 600 {
		t.Errorf("%d of 1000 rows are in the building half", building)
	}
}

func TestLinesAreReadInBothForms(t *testing.T) {
	data := t.TempDir()
	plain, coded := `{"text":"one","label":"clean"}`, base64.StdEncoding.EncodeToString([]byte(`{"text":"two","label":"secret","credential":true}`))
	write(t, data, "a.jsonl", plain+"\n\n")
	write(t, data, "b.b64l", coded+"\n")
	write(t, data, "notes.txt", "not for us")
	rows, err := load(data, "")
	if err != nil {
		t.Fatal(err)
	}
	want := []row{{Text: "one", Label: "clean"}, {Text: "two", Label: "secret", Credential: true}}
	if fmt.Sprint(rows) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", rows, want)
	}
	if rows, err := load(data, "b"); err != nil || len(rows) != 1 {
		t.Errorf("with a prefix: %v, %v", rows, err)
	}
}

func TestABrokenLineIsNamed(t *testing.T) {
	for name, text := range map[string]string{"a.jsonl": "{}\n{", "a.b64l": "e30=\n***\n"} {
		data := t.TempDir()
		write(t, data, name, text)
		if _, err := load(data, ""); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%s: got error %v", name, err)
		}
	}
}

func TestAFolderWithoutRowsIsAnError(t *testing.T) {
	for name, data := range map[string]string{"empty": t.TempDir(), "not there": filepath.Join(t.TempDir(), "none")} {
		if err := run(data, "", io.Discard); err == nil || !strings.Contains(err.Error(), "holds no labelled texts") {
			t.Errorf("%s: got error %v", name, err)
		}
	}
}

func TestTheTableCountsEachHalf(t *testing.T) {
	data := t.TempDir()
	var rows strings.Builder
	building := 0
	for i := range 8 {
		text := fmt.Sprintf("keep answers under %d lines", 10+i)
		if (row{Text: text}).building() {
			building++
		}
		fmt.Fprintf(&rows, "{\"text\":%q,\"label\":\"preference\"}\n", text)
	}
	if building == 0 || building == 8 {
		t.Fatalf("%d of 8 rows are in the building half: choose other texts", building)
	}
	write(t, data, "prefs/prefs.jsonl", rows.String())
	var out strings.Builder
	if err := run(data, "", &out); err != nil {
		t.Fatal(err)
	}
	checking := 8 - building
	want := fmt.Sprintf("| stated preferences accepted | ≥ 95%% | 100.0%% (%d of %d) | %d / 0 / 0 | 100.0%% (%d of %d) |\n", checking, checking, checking, building, building)
	if !strings.Contains(out.String(), want) {
		t.Errorf("the table has no line %q:\n%s", want, out.String())
	}
	if strings.Contains(out.String(), "credentials") {
		t.Errorf("the table has a line without rows:\n%s", out.String())
	}
}
