package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPicture plays the story again: docs/recording.svg shows what memctl answers today.
func TestPicture(t *testing.T) {
	got, err := picture()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("..", "..", "docs", "recording.svg")
	want, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what memctl answers today (%v); make recording draws it anew", file, err)
	}
	dec := xml.NewDecoder(bytes.NewReader(got))
	for err = nil; err == nil; {
		_, err = dec.Token()
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("no XML: %v", err)
	}
	for _, text := range []string{"memories", "+ ", "git.push: never force-push", "stored as git.push", "Undone"} {
		if !strings.Contains(string(got), text) {
			t.Errorf("the picture does not show %q", text)
		}
	}
}

func TestWrap(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "",
		"short":            "short",
		"one two three":    "one two|three",
		"a incomparable b": "a|incomparable|b",
	} {
		if got := strings.Join(wrap(text, 9), "|"); got != want {
			t.Errorf("wrap(%q) = %q, want %q", text, got, want)
		}
	}
}
