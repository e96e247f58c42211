package cmd

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/memctl/memctl/memory/integrity"
	"github.com/memctl/memctl/policy"
)

var someFindings = []integrity.Validation{
	{Rule: "secret", Severity: "error", File: "memories.md", Line: 3, Column: 9, UTF16Column: 7, Key: "a.b", Message: "50% sure, or\nmore: yes", Hint: "a way out"},
	{Rule: "made-up", Severity: "warning", File: "a,b:c.md", Line: 1, Column: 1, UTF16Column: 1, Message: "say \x1b[31mred\u202e"},
}

func same(path string) string { return path }

func TestAnnotationsAreEscaped(t *testing.T) {
	want := "::error file=memories.md,line=3,col=7,title=memctl secret::a.b: 50%25 sure, or%0Amore: yes%0Aa way out\n" +
		"::warning file=a%2Cb%3Ac.md,line=1,col=1,title=memctl made-up::" + policy.Inert("say \x1b[31mred\u202e") + "\n"
	if got := annotations(someFindings, same); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := commandProperty("a%0A:b,c\r\n"); got != "a%250A%3Ab%2Cc%0D%0A" {
		t.Errorf("property: %q", got)
	}
}

// readSARIF is a log as another program reads it.
type readSARIF struct {
	Schema  string `json:"$schema"`
	Version string
	Runs    []struct {
		ColumnKind string
		Tool       struct {
			Driver struct {
				Name  string
				Rules []struct {
					ID                     string
					ShortDescription, Help struct{ Text string }
					HelpURI                string
					DefaultConfiguration   struct{ Level string }
				}
			}
		}
		Results []struct {
			RuleID    string
			RuleIndex int
			Level     string
			Message   struct{ Text string }
			Locations []struct {
				PhysicalLocation struct {
					ArtifactLocation struct{ URI, URIBaseID string }
					Region           struct{ StartLine, StartColumn int }
				}
			}
		}
	}
}

// The parts of SARIF's schema that concern what is written here, checked by
// hand: the whole schema needs a validator that Go does not bring.
func TestSARIFHasTheSchemasForm(t *testing.T) {
	raw, err := json.Marshal(sarif(someFindings, same))
	if err != nil {
		t.Fatal(err)
	}
	var log readSARIF
	if err := json.Unmarshal(raw, &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || log.Runs[0].ColumnKind != "utf16CodeUnits" || log.Runs[0].Tool.Driver.Name == "" {
		t.Fatalf("head: %s", raw)
	}
	run := log.Runs[0]
	seen := map[string]bool{}
	for _, r := range run.Tool.Driver.Rules {
		if seen[r.ID] || r.ShortDescription.Text == "" || r.Help.Text == "" || !strings.HasPrefix(r.HelpURI, "https://") || !isLevel(r.DefaultConfiguration.Level) {
			t.Errorf("rule %q: %+v", r.ID, r)
		}
		seen[r.ID] = true
	}
	if len(run.Results) != len(someFindings) {
		t.Fatalf("%d results", len(run.Results))
	}
	for i, r := range run.Results {
		at := r.Locations[0].PhysicalLocation
		if r.RuleIndex < 0 || r.RuleIndex >= len(run.Tool.Driver.Rules) || run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || !isLevel(r.Level) || r.Message.Text == "" {
			t.Errorf("result %d: %+v", i, r)
		}
		if at.Region.StartLine < 1 || at.Region.StartColumn < 1 || at.ArtifactLocation.URIBaseID != "%SRCROOT%" {
			t.Errorf("place of result %d: %+v", i, at)
		}
	}
	if uri := run.Results[1].Locations[0].PhysicalLocation.ArtifactLocation.URI; uri != "./a,b:c.md" {
		t.Errorf("uri %q", uri)
	}
}

func isLevel(s string) bool { return s == "error" || s == "warning" || s == "note" || s == "none" }

func TestSARIFWithoutFindingsHasAnEmptyList(t *testing.T) {
	raw, err := json.Marshal(sarif(nil, same))
	if err != nil || !strings.Contains(string(raw), `"results":[]`) {
		t.Errorf("%v %s", err, raw)
	}
}

func TestAFileElsewhereKeepsItsWholePath(t *testing.T) {
	for path, want := range map[string]string{
		"/tmp/a b#c.md": "file:///tmp/a%20b%23c.md",
		"sub/é.md":      "sub/%C3%A9.md",
		"a: b.md":       "./a:%20b.md",
	} {
		if got := artifact(path)["uri"]; got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestATableCellIsNoMarkup(t *testing.T) {
	got := cell("a|b `c` <img src=x> [x](http://y) @team #1 **b** $x$ &lt;")
	for _, bad := range []string{"|", "`", "<", ">", "[", "](", "@", "**", "$"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q stands in %s", bad, got)
		}
	}
	if cell("") != "" || cell("plain words") != "plain words" {
		t.Error("plain words changed")
	}
	if long := cell(strings.Repeat("é", maxCell+5)); long != strings.Repeat("é", maxCell)+"…" {
		t.Errorf("a long text: %s", long)
	}
}
