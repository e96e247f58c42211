package policy

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memctl/memctl/memfile"
)

// specimen is one line of the corpus: a text, what must become of it, and why.
// Texts that other scanners would take for secrets stand in base64.
type specimen struct {
	Text, Base64, Key, Scope string
	Automatic                bool
	Want                     string // accept, lower, hold, refuse, not-accept
	Rule                     string // a rule that must be among the findings
	Why                      string
}

func (s *specimen) candidate() Candidate {
	return Candidate{Key: s.Key, Value: memfile.Str(s.Text), Scope: s.Scope, Automatic: s.Automatic, Raw: true}
}

func corpus(t testing.TB) map[string][]specimen {
	t.Helper()
	names, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(names) == 0 {
		t.Fatalf("no corpus under testdata: %v", err)
	}
	all := make(map[string][]specimen)
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var s specimen
			if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
				t.Fatalf("%q: %v", name, err)
			}
			if s.Base64 != "" {
				raw, err := base64.StdEncoding.DecodeString(s.Base64)
				if err != nil {
					t.Fatalf("%q: %v", name, err)
				}
				s.Text = string(raw)
			}
			if s.Want == "" || s.Why == "" {
				t.Fatalf("%q: a case without verdict or reason: %s", name, lines.Text())
			}
			all[filepath.Base(name)] = append(all[filepath.Base(name)], s)
		}
		if err := lines.Err(); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func TestEachCaseOfTheCorpusGetsItsVerdict(t *testing.T) {
	total := 0
	for name, cases := range corpus(t) {
		for _, s := range cases {
			total++
			got := Rule(s.candidate())
			if !agrees(got, s.Want) || s.Rule != "" && !names(got, s.Rule) || s.Want == "accept" && len(got.Findings) > 0 {
				t.Errorf("%s: %q (%s): verdict %v lower %v findings %s, want %s %s", name, s.Text, s.Why, got.Verdict, got.LowerConfidence, listed(got), s.Want, s.Rule)
			}
		}
	}
	if total < 300 {
		t.Errorf("the corpus has %d cases, want at least 300", total)
	}
}

func agrees(r Ruling, want string) bool {
	switch want {
	case "lower":
		return r.Verdict == Accept && r.LowerConfidence
	case "not-accept":
		return r.Verdict != Accept
	}
	return r.Verdict.String() == want
}

func names(r Ruling, rule string) bool {
	for _, f := range r.Findings {
		if f.Rule == rule {
			return true
		}
	}
	return false
}

func listed(r Ruling) string {
	var b strings.Builder
	for _, f := range r.Findings {
		b.WriteString(" " + f.Rule + "/" + f.Kind + "@" + f.Where)
	}
	return b.String()
}
