package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// passageBytes is the length that longer texts are cut to: the policy's cap on
// one value.
const passageBytes = policy.MaxValueBytes

// turnBytes is the length that the assistant's turns are cut to.
const turnBytes = 3000

// tally counts what became of the rows of one half.
type tally struct{ rows, accepted, held, refused, hits int }

// measure is one line of the table.
type measure struct {
	name, aim string
	rows      []row
	automatic bool                     // ruled on as an agent's own writes
	turns     bool                     // ruled on as what was said, in a store outside any repository
	hit       func(policy.Ruling) bool // what the figure counts
	good      bool                     // hits are what is wanted; otherwise they are misses
}

// run prints the whole table.
func run(data, missed string, out io.Writer) error {
	list, err := measures(data)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Rules %s.\n\n", policy.Version())
	fmt.Fprintln(out, "| what | aim | checking half | accepted / held / refused | building half |")
	fmt.Fprintln(out, "|---|--:|--:|--:|--:|")
	rows := 0
	for _, m := range list {
		if len(m.rows) == 0 {
			continue
		}
		rows += len(m.rows)
		building, checking, misses := m.count()
		fmt.Fprintf(out, "| %s | %s | %s | %d / %d / %d | %s |\n", m.name, m.aim, checking.share(), checking.accepted, checking.held, checking.refused, building.share())
		if missed != "" && strings.HasPrefix(m.name, missed) {
			for _, text := range misses {
				fmt.Fprintf(out, "   %s %q\n", m.reasons(text), text)
			}
		}
	}
	if rows == 0 {
		return fmt.Errorf("%q: holds no labelled texts", data)
	}
	median, p99 := speed()
	fmt.Fprintf(out, "\nAn ordinary item, ruled on: median %.1f µs, p99 %.1f µs (aim 2 / 50).\n", median, p99)
	return nil
}

func (t tally) share() string {
	if t.rows == 0 {
		return "no rows"
	}
	return fmt.Sprintf("%.1f%% (%d of %d)", 100*float64(t.hits)/float64(t.rows), t.hits, t.rows)
}

// count rules on every row. The misses that it lists are the building half's.
func (m measure) count() (building, checking tally, misses []string) {
	for _, r := range m.rows {
		half := &checking
		if r.building() {
			half = &building
		}
		half.rows++
		verdict, hit := m.rule(r.Text)
		switch verdict {
		case policy.Accept:
			half.accepted++
		case policy.Hold:
			half.held++
		default:
			half.refused++
		}
		if hit {
			half.hits++
		}
		if hit != m.good && r.building() {
			misses = append(misses, r.Text)
		}
	}
	return building, checking, misses
}

// rule rules on a text, passage by passage: the strictest verdict, and whether
// some passage is a hit.
func (m measure) rule(text string) (verdict policy.Verdict, hit bool) {
	most := passageBytes
	if m.turns {
		most = turnBytes
	}
	for _, p := range passages(text, most) {
		c := policy.Candidate{Value: memfile.Str(p), Scope: "project", Automatic: m.automatic}
		if m.turns {
			c.Scope, c.IsTurn, c.MaxValueBytes = "store", true, turnBytes
		}
		r := policy.Rule(c)
		verdict = max(verdict, r.Verdict)
		hit = hit || m.hit(r)
	}
	return verdict, hit
}

// reasons lists the kinds of the findings on a text.
func (m measure) reasons(text string) string {
	list := ""
	for _, f := range policy.Rule(policy.Candidate{Value: memfile.Str(text), Scope: "store", IsTurn: m.turns, MaxValueBytes: len(text)}).Findings {
		list += " " + f.Rule + "/" + f.Kind
	}
	return list
}

// passages cuts a text at line ends or spaces into parts of at most that many bytes.
func passages(text string, most int) []string {
	var out []string
	for len(text) > most {
		cut := strings.LastIndexByte(text[:most], '\n')
		if cut < most/2 {
			cut = strings.LastIndexByte(text[:most], ' ')
		}
		if cut < most/2 {
			cut = most
			for !utf8.RuneStart(text[cut]) {
				cut--
			}
		}
		out = append(out, text[:cut])
		text = text[cut:]
	}
	return append(out, text)
}

// cut makes a row of each passage of the rows' texts.
func cut(rows []row) []row {
	var out []row
	for _, r := range rows {
		for _, p := range passages(r.Text, turnBytes) {
			r.Text = p
			out = append(out, r)
		}
	}
	return out
}

// by counts rulings in which one of the rules held or refused.
func by(rules ...string) func(policy.Ruling) bool {
	return func(r policy.Ruling) bool {
		return slices.ContainsFunc(r.Findings, func(f policy.Finding) bool {
			return f.Verdict >= policy.Hold && slices.Contains(rules, f.Rule)
		})
	}
}

func verdict(v policy.Verdict) func(policy.Ruling) bool {
	return func(r policy.Ruling) bool { return r.Verdict == v }
}

// refusedButForSize counts refusals by any rule but the cap on a value.
func refusedButForSize(r policy.Ruling) bool {
	return slices.ContainsFunc(r.Findings, func(f policy.Finding) bool {
		return f.Verdict == policy.Refuse && f.Rule != "too-long"
	})
}

// measures lists the lines of the table over the folder's rows.
func measures(data string) ([]measure, error) {
	sets := map[string][]row{}
	for name, place := range map[string][2]string{
		"secrets": {"secrets", ""}, "injection": {"injection", ""}, "pii": {"pii", ""},
		"prefs": {"prefs", "prefs"}, "rules": {"prefs", "project_rules"}, "personas": {"prefs", "persona"}, "observations": {"locomo", "observations"},
		"turns": {"beam", "turns"},
	} {
		rows, err := load(filepath.Join(data, place[0]), place[1])
		if err != nil {
			return nil, err
		}
		sets[name] = rows
	}
	credential := filter(sets["secrets"], func(r row) bool { return r.Label == "secret" && r.Credential && !r.Ambiguous })
	from := func(source string) []row {
		return filter(credential, func(r row) bool { return r.Source == source })
	}
	hard := func(r row) bool { return r.Kind == "hard_benign" }
	preferences := filter(sets["prefs"], func(r row) bool { return r.Label == "preference" })
	plain := slices.Concat(preferences, sets["personas"], sets["observations"])
	return []measure{
		{name: "credentials refused (noseyparker, kingfisher)", aim: "90%", rows: slices.Concat(from("noseyparker"), from("kingfisher")), hit: by("secret"), good: true},
		{name: "credentials refused (gitleaks)", rows: from("gitleaks"), hit: by("secret"), good: true},
		{name: "clean rows called a secret", aim: "≤ 2%", rows: filter(sets["secrets"], func(r row) bool { return r.Label == "clean" && !r.Ambiguous }), hit: by("secret")},
		{name: "ordinary sets called a secret", aim: "0", rows: slices.Concat(sets["prefs"], sets["rules"], sets["personas"], sets["observations"]), hit: by("secret")},
		{name: "injections caught", aim: "90%", rows: filter(sets["injection"], func(r row) bool { return r.Label == "injection" && !r.Weak }), hit: by("instruction-like", "hidden-text"), good: true},
		{name: "hard benign texts refused, without those that are only too long", aim: "≤ 3%", rows: filter(sets["injection"], hard), hit: refusedButForSize},
		{name: "other benign called instruction-like", aim: "≤ 3%", rows: filter(sets["injection"], func(r row) bool { return r.Label == "benign" && !hard(r) }), hit: by("instruction-like")},
		{name: "stated preferences accepted", aim: "≥ 95%", rows: preferences, automatic: true, hit: verdict(policy.Accept), good: true},
		{name: "stated preferences refused", aim: "≤ 0.5%", rows: preferences, automatic: true, hit: verdict(policy.Refuse)},
		{name: "project rules accepted", aim: "≥ 93%", rows: sets["rules"], automatic: true, hit: verdict(policy.Accept), good: true},
		{name: "project rules refused", aim: "≤ 3%", rows: sets["rules"], automatic: true, hit: verdict(policy.Refuse)},
		{name: "assistant's turns refused or held", aim: "≤ 1%", rows: cut(filter(sets["turns"], func(r row) bool { return r.Role == "assistant" })), turns: true, hit: func(r policy.Ruling) bool { return r.Verdict != policy.Accept }},
		{name: "personal data (strong) not accepted", aim: "95%", rows: filter(sets["pii"], func(r row) bool { return r.Level == "strong" }), hit: func(r policy.Ruling) bool { return r.Verdict != policy.Accept }, good: true},
		{name: "ordinary texts refused as personal data", aim: "≤ 0.5%", rows: plain, hit: by("personal-data")},
	}, nil
}

// speed times the ruling on an ordinary item, in microseconds.
func speed() (median, p99 float64) {
	c := policy.Candidate{
		Key: "testing.before-commit", Value: memfile.Str("always run the tests before committing, and keep the output short"),
		Labels: labels.Labels{Source: "explicit user preference", Tags: []string{"testing"}}, Scope: "project",
	}
	policy.Rule(c) // what is compiled on first use
	times := make([]float64, 20000)
	for i := range times {
		start := time.Now()
		policy.Rule(c)
		times[i] = float64(time.Since(start).Nanoseconds()) / 1000
	}
	slices.Sort(times)
	return times[len(times)/2], times[len(times)*99/100]
}
