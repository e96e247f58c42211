package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/capture"
)

// signalWords are the five that the first of the project's documents names.
var signalWords = []string{"always", "never", "i prefer", "from now on", "remember"}

// wilson is the 95% interval of hits among n, in percent.
func wilson(hits, n int) (low, high float64) {
	if n == 0 {
		return 0, 100
	}
	const z = 1.96
	p, m := float64(hits)/float64(n), float64(n)
	mid := p + z*z/(2*m)
	half := z * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return 100 * (mid - half) / (1 + z*z/m), 100 * (mid + half) / (1 + z*z/m)
}

func share(hits, n int) string {
	low, high := wilson(hits, n)
	return fmt.Sprintf("%.1f%% (%d of %d, %.0f to %.0f)", 100*float64(hits)/float64(max(n, 1)), hits, n, low, high)
}

// saying is a message and what it states.
type saying struct {
	text, previous string
	group          string // its repository or conversation
	label, kind    string
	topic          string // in a repository the same for the same thing
	language       string
	stratum        string // "natural" where rates are counted
	from, to       int    // the labelled words
	beam           bool
	real           bool // somebody typed it at work
	found          capture.Found
}

func (s *saying) states() bool {
	return s.label == "remember" || s.label == "lesson" || s.label == "instruction" || s.label == "preference"
}

// unsure are rows that count neither way.
func (s *saying) unsure() bool {
	switch s.label {
	case "maybe", "update", "contradiction", "introduction":
		return true
	}
	return false
}

// readSayings reads dev/capture, dev/beam and prompts.jsonl.
func readSayings(data string) ([]*saying, error) {
	rows, err := readJSON[struct{ Repo, Message, Previous, Label, Kind, Language, Stratum, Span, Key string }](filepath.Join(data, "capture", "messages.jsonl"))
	if err != nil {
		return nil, err
	}
	var out []*saying
	for _, r := range rows {
		s := &saying{real: true, text: r.Message, previous: r.Previous, group: r.Repo, label: r.Label, kind: r.Kind, language: r.Language, stratum: r.Stratum, topic: r.Key}
		if i := strings.Index(s.text, r.Span); r.Span != "" && i >= 0 {
			s.from, s.to = i, i+len(r.Span)
		}
		out = append(out, s)
	}
	beam, err := readJSON[struct{ Chat, Text, Label string }](filepath.Join(data, "beam", "messages.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, r := range beam {
		out = append(out, &saying{text: r.Text, group: r.Chat, label: r.Label, language: "en", beam: true})
	}
	written, err := readWritten("tests/quality/prompts.jsonl")
	return append(out, written...), err
}

// readWritten reads prompts that were written to choose the points, or to measure them.
func readWritten(name string) (out []*saying, err error) {
	rows, err := readJSON[struct{ Text, Label string }](name)
	for _, r := range rows {
		out = append(out, &saying{text: r.Text, label: r.Label, language: "en", stratum: "written"})
	}
	return out, err
}

// asking are words with which people ask to remember something.
var asking = []string{"remember", "from now on", "keep in mind", "keep that in mind", "bear in mind", "going forward", "don't forget", "make it a rule", "for future"}

// printCapture prints how often the rules of capture are right. Their points were chosen with prompts.jsonl and these real
// messages in sight; prompts_held.jsonl was not.
func printCapture(data string, out io.Writer) error {
	rows, err := readSayings(data)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	held, err := readWritten("tests/quality/prompts_held.jsonl")
	if err != nil {
		return err
	}
	for _, r := range slices.Concat(rows, held) {
		r.found = capture.Find(r.text, r.previous)
	}
	fmt.Fprintf(out, "\ncapture: %d messages\n", len(rows))
	natural := func(r *saying) bool { return r.real && r.stratum == "natural" }
	proposed := func(r *saying) bool { return len(r.found.Statements) > 0 }
	asked := func(r *saying) bool { return proposed(r) || r.found.Suspected != "" }
	explicit := func(r *saying) bool {
		return slices.ContainsFunc(r.found.Statements, func(s capture.Statement) bool { return s.Explicit })
	}
	asks := func(r *saying) bool {
		lower := strings.ToLower(r.text)
		return slices.ContainsFunc(asking, func(w string) bool { return strings.Contains(lower, w) })
	}
	signalled := func(r *saying) bool {
		lower := strings.ToLower(r.text)
		return slices.ContainsFunc(signalWords, func(w string) bool { return strings.Contains(lower, w) })
	}
	line := func(name string, in, hit func(*saying) bool) { printLine(name, rows, in, hit, out) }
	line("real, proposed", natural, proposed)
	line("real, signal words", natural, signalled)
	line("real, proposed or asked", natural, asked)
	line("all real, proposed", func(r *saying) bool { return r.real }, proposed)
	printLine("asks to remember, held out", held, asks, explicit, out)
	line("asks to remember, pooled", func(r *saying) bool { return !r.beam && asks(r) }, explicit)
	line("explicit, pooled", func(r *saying) bool { return true }, explicit)
	line("explicit, real", func(r *saying) bool { return r.real }, explicit)
	for _, kind := range []string{"convention", "environment", "workflow", "correction", "preference", "profile", "lesson"} {
		line("real, "+kind, func(r *saying) bool { return r.real && r.kind == kind }, proposed)
	}
	for _, lang := range []string{"en", "es", "zh", "fr", "cs"} {
		line("real, "+lang, func(r *saying) bool { return r.real && r.language == lang }, proposed)
	}
	for _, label := range []string{"instruction", "preference", "other"} {
		line("BEAM, "+label, func(r *saying) bool { return r.beam && r.label == label }, proposed)
	}
	line("written, proposed", func(r *saying) bool { return r.stratum == "written" }, proposed)
	all := func(*saying) bool { return true }
	printLine("written, held out, proposed", held, all, proposed, out)
	printLine("written, held out, or asked", held, all, asked, out)
	rows = slices.DeleteFunc(rows, func(r *saying) bool { return r.stratum == "written" })
	covers(rows, out)
	return sessions(data, out)
}

// printLine prints how many rows a test hits, rightly and wrongly.
func printLine(name string, rows []*saying, in, hit func(*saying) bool, out io.Writer) {
	right, wrong, all, ordinary := 0, 0, 0, 0
	for _, r := range rows {
		if !in(r) || r.unsure() {
			continue
		}
		if r.states() {
			all++
		} else {
			ordinary++
		}
		switch {
		case hit(r) && r.states():
			right++
		case hit(r):
			wrong++
		}
	}
	fmt.Fprintf(out, "%-34s right %s; found %s; ordinary %s\n", name, share(right, right+wrong), share(right, all), share(wrong, ordinary))
}

// covers prints how often the part that is shown covers 80% of the labelled words.
func covers(rows []*saying, out io.Writer) {
	covered, n := 0, 0
	for _, r := range rows {
		if r.to == r.from || !r.states() {
			continue
		}
		for _, s := range r.found.Statements {
			if both := min(s.To, r.to) - max(s.From, r.from); both > 0 {
				n++
				if 5*both >= 4*(r.to-r.from) {
					covered++
				}
				break
			}
		}
	}
	fmt.Fprintf(out, "%-34s %s\n", "shown covers the labelled words", share(covered, n))
}

// sessions prints what the product's own weights make of whole stretches of sessions.
func sessions(data string, out io.Writer) error {
	type turn struct{ Role, Text string }
	type expected struct {
		SaidAt     []int `json:"said_at"`
		Superseded bool
	}
	rows, err := readJSON[struct {
		Turns    []turn
		Expected []expected
	}](filepath.Join(data, "capture", "sessions.jsonl"))
	if err != nil {
		return err
	}
	quiet, silent, memories, noticed := 0, 0, 0, 0
	for _, r := range rows {
		hits := map[int]bool{}
		proposals, previous := 0, ""
		for i, t := range r.Turns {
			if t.Role == "user" {
				f := capture.Find(t.Text, previous)
				hits[i] = len(f.Statements) > 0 || f.Suspected != ""
				proposals += len(f.Statements)
			} else {
				previous = t.Text
			}
		}
		if len(r.Expected) == 0 {
			quiet++
			if proposals == 0 {
				silent++
			}
		}
		for _, e := range r.Expected {
			if e.Superseded {
				continue
			}
			memories++
			if slices.ContainsFunc(e.SaidAt, func(i int) bool { return hits[i] }) {
				noticed++
			}
		}
	}
	fmt.Fprintf(out, "%-34s %s\n%-34s %s\n", "stretches with nothing, no proposal", share(silent, quiet), "memories proposed or asked about", share(noticed, memories))
	return nil
}

// readJSON reads a file of JSON Lines.
func readJSON[T any](name string) ([]T, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var one T
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, one)
	}
	return out, lines.Err()
}
