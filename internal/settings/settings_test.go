package settings

import (
	"testing"

	"github.com/memctl/memctl/internal/fault"
)

type fixed map[string][]ConfigEntry

func (f fixed) Entries(name string) []ConfigEntry { return f[name] }

func TestResolve(t *testing.T) {
	flag := Setting{Name: "memctl.enabled", Env: "MEMCTL_ENABLED", Default: "true", Values: BoolValues()}
	share := Setting{Name: "memctl.recall.b", Env: "MEMCTL_RECALL_B", Default: "0.3", Number: &Range{Most: 1}}
	count := Setting{Name: "memctl.recall.count", Env: "MEMCTL_RECALL_COUNT", Default: "5", Number: &Range{Least: 1, Most: 1000, Whole: true}}
	url := Setting{Name: "memctl.llm.url", Env: "MEMCTL_LLM_URL", Personal: true}
	tests := map[string]struct {
		row          Setting
		env          string
		entries      []ConfigEntry
		text, origin string
		bad          bool
	}{
		"nothing set gives the default":            {row: flag, text: "true", origin: "default"},
		"git's spelling of a boolean is read":      {row: flag, entries: []ConfigEntry{{"off", "global", "/g"}}, text: "false", origin: "git config (global, /g)"},
		"the last level wins":                      {row: flag, entries: []ConfigEntry{{"false", "global", ""}, {"true", "local", ""}}, text: "true", origin: "git config (local)"},
		"the environment wins over git config":     {row: flag, env: "0", entries: []ConfigEntry{{"true", "local", ""}}, text: "false", origin: "environment variable MEMCTL_ENABLED"},
		"a value out of range keeps the default":   {row: flag, env: "maybe", text: "true", origin: "default", bad: true},
		"a number is read":                         {row: share, env: " 0.75 ", text: "0.75", origin: "environment variable MEMCTL_RECALL_B"},
		"the ends of a range are in it":            {row: share, env: "1", text: "1", origin: "environment variable MEMCTL_RECALL_B"},
		"a number over its range is an error":      {row: share, env: "1.01", text: "0.3", origin: "default", bad: true},
		"a number under its range is an error":     {row: share, env: "-0.1", text: "0.3", origin: "default", bad: true},
		"no number is an error":                    {row: share, env: "NaN", text: "0.3", origin: "default", bad: true},
		"a number in other digits is an error":     {row: share, env: "0x1p-2", text: "0.3", origin: "default", bad: true},
		"a word is no number":                      {row: share, env: "half", text: "0.3", origin: "default", bad: true},
		"a whole number is read":                   {row: count, env: "12", text: "12", origin: "environment variable MEMCTL_RECALL_COUNT"},
		"a fraction is no whole number":            {row: count, env: "2.5", text: "5", origin: "default", bad: true},
		"a personal one is not read from the repo": {row: url, entries: []ConfigEntry{{"http://mine", "global", ""}, {"http://theirs", "local", ""}}, text: "http://mine", origin: "git config (global)"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			getenv := func(string) string { return tt.env }
			v, err := Resolve(tt.row, getenv, fixed{tt.row.Name: tt.entries})
			if v.Text != tt.text || v.Origin != tt.origin {
				t.Errorf("got %q from %q, want %q from %q", v.Text, v.Origin, tt.text, tt.origin)
			}
			if fault.Is(err, fault.Setting) != tt.bad {
				t.Errorf("error %v, want the fault of a setting: %v", err, tt.bad)
			}
		})
	}
}
