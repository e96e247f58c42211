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

	"github.com/memctl/memctl/capture/rules"
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

// printCapture prints how often the rules of capture are right. The weights of each row's
// score were fitted without its repository or conversation; the phrases were written with half of
// the repositories and of BEAM's conversations in sight.
func printCapture(data string, out io.Writer) error {
	rows, err := readSayings(data)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for fold := range captureFolds {
		var others, these []*saying
		for _, r := range rows {
			if foldOf(r.group, captureFolds) == fold {
				these = append(these, r)
			} else {
				others = append(others, r)
			}
		}
		judge(these, fitWeights(others))
	}
	for _, r := range rows {
		for _, s := range rules.Find(r.text, r.previous).Statements {
			r.explicit = r.explicit || s.Explicit
		}
	}
	fmt.Fprintf(out, "\ncapture: weights without the row's repository; %d messages\n", len(rows))
	natural := func(r *saying) bool { return r.real && r.stratum == "natural" }
	proposed := func(r *saying) bool { return r.score >= rules.Proposed || r.explicit }
	asked := func(r *saying) bool { return proposed(r) || r.score >= rules.Asked }
	signalled := func(r *saying) bool {
		lower := strings.ToLower(r.text)
		return slices.ContainsFunc(signalWords, func(w string) bool { return strings.Contains(lower, w) })
	}
	line := func(name string, in, hit func(*saying) bool) { printLine(name, rows, in, hit, out) }
	line("real, proposed", natural, proposed)
	line("real, signal words", natural, signalled)
	line("real, proposed or asked", natural, asked)
	line("all real, proposed", func(r *saying) bool { return r.real }, proposed)
	line("explicit, pooled", func(r *saying) bool { return true }, func(r *saying) bool { return r.explicit })
	line("explicit, real", func(r *saying) bool { return r.real }, func(r *saying) bool { return r.explicit })
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
	if err := printHeld(out); err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(r *saying) bool { return r.stratum == "written" })
	covers(rows, out)
	meetings(rows, out)
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

// printHeld prints how often the rules are right about prompts that had no part in the fit.
func printHeld(out io.Writer) error {
	rows, err := readWritten("tests/quality/prompts_held.jsonl")
	if err != nil {
		return err
	}
	proposed, asked := map[*saying]bool{}, map[*saying]bool{}
	for _, r := range rows {
		found := rules.Find(r.text, "")
		proposed[r] = len(found.Statements) > 0
		asked[r] = proposed[r] || found.Suspected != ""
	}
	all := func(*saying) bool { return true }
	printLine("written, held out, proposed", rows, all, func(r *saying) bool { return proposed[r] }, out)
	printLine("written, held out, or asked", rows, all, func(r *saying) bool { return asked[r] }, out)
	return nil
}

// covers prints how often the part that is shown covers 80% of the labelled words.
func covers(rows []*saying, out io.Writer) {
	covered, n := 0, 0
	for _, r := range rows {
		if r.to == r.from || !r.states() {
			continue
		}
		for _, s := range rules.Find(r.text, r.previous).Statements {
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

// meetings prints how often the keys of two wordings of one thing meet, and those of two things
// in one repository.
func meetings(rows []*saying, out io.Writer) {
	var same, sameAll, other, otherAll int
	for i, a := range rows {
		for _, b := range rows[:i] {
			if a.to == a.from || b.to == b.from || a.group != b.group || a.text[a.from:a.to] == b.text[b.from:b.to] {
				continue
			}
			meet := 0
			if rules.Meet(rules.KeyOf(a.text[a.from:a.to]), rules.KeyOf(b.text[b.from:b.to])) {
				meet = 1
			}
			if a.topic == b.topic {
				same, sameAll = same+meet, sameAll+1
			} else {
				other, otherAll = other+meet, otherAll+1
			}
		}
	}
	fmt.Fprintf(out, "%-34s %s\n%-34s %s\n", "two wordings of one rule meet", share(same, sameAll), "two rules of one repository meet", share(other, otherAll))
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
				f := rules.Find(t.Text, previous)
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
