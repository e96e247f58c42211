package cmd

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// eachCommand calls visit for every command of the tree, the root among them.
func eachCommand(t *testing.T, visit func(c *cobra.Command)) {
	t.Helper()
	a, _, _ := testApp(nil)
	seen := 0
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		seen++
		visit(c)
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(a.root(commands()))
	if seen < 50 {
		t.Fatalf("only %d commands were seen", seen)
	}
}

func TestHelpStartsWithTwelveCommands(t *testing.T) {
	var shown, groups []string
	for _, c := range commands() {
		if c.shown == everyday {
			shown, groups = append(shown, c.name), append(groups, c.group)
		}
	}
	if len(shown) != 12 {
		t.Errorf("help shows %d everyday commands: %v", len(shown), shown)
	}
	if got := slices.Compact(groups); !slices.Equal(got, []string{groupRemember, groupLook, groupDecide, groupShare, groupCheck, groupConnect, groupRepair}) {
		t.Errorf("they are in the groups %v", got)
	}
}

// TestCommonFlagsMeanTheSame holds that a letter has one meaning in all commands, and that
// each of the common flags has its letter wherever it is.
func TestCommonFlagsMeanTheSame(t *testing.T) {
	long := map[string]string{"n": "dry-run", "y": "yes", "c": "category", "m": "message", "s": "scope", "t": "tag", "a": "all"}
	short := map[string]string{}
	for letter, name := range long {
		if letter != "a" { // most flags called --all are too strong for one letter
			short[name] = letter
		}
	}
	same := map[string]bool{"max count": true, "count max": true} // both: at most so many
	eachCommand(t, func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if want := short[f.Name]; want != "" && f.Shorthand != want {
				t.Errorf("%s --%s: the short form is %q, want -%s", c.CommandPath(), f.Name, f.Shorthand, want)
			}
			if f.Shorthand == "" {
				return
			}
			if was := long[f.Shorthand]; was != "" && was != f.Name && !same[was+" "+f.Name] {
				t.Errorf("%s: -%s is --%s here, and --%s elsewhere", c.CommandPath(), f.Shorthand, f.Name, was)
			}
			long[f.Shorthand] = f.Name
		})
	})
}

// TestEachFixedValueIsCompleted holds that a flag completes its values, unless the name of its
// value says that it can be any text or a file.
func TestEachFixedValueIsCompleted(t *testing.T) {
	anything := []string{"TEXT", "WORDS", "NAME", "NAMES", "DAY", "ID", "N", "NUMBER", "TAG", "TOPIC", "KEY", "URL", "TIME", "REV", "BRANCH", "GLOB", "PATH", "FILE", "FOLDER", "ADDRESS", "CHARACTERS"}
	offered := 0
	eachCommand(t, func(c *cobra.Command) {
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() == "bool" {
				return
			}
			name, _ := pflag.UnquoteUsage(f)
			if f.Annotations[offeredValues] != nil {
				offered++
			} else if !slices.Contains(anything, name) {
				t.Errorf("%s --%s %s: no completion", c.CommandPath(), f.Name, name)
			}
		})
	})
	if offered < 40 {
		t.Errorf("only %d flags have a completion", offered)
	}
}

func TestFlagsThatExcludeEachOtherAreWrongUse(t *testing.T) {
	want := "memctl: error: --no-mcp and --yes cannot be used together\nmemctl: hint: memctl help hooks install\n"
	if status, out, talk := call(t, "", "hooks", "install", "--yes", "--no-mcp"); status != statusFault || out != "" || talk != want {
		t.Errorf("status %d, stdout %q, stderr %q", status, out, talk)
	}
}
