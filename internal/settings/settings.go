// Package settings says what a setting's value is and where it came from.
//
// A setting is a row of a table; packages declare their rows as values and
// hand them in. A value comes from the row's environment variable, else from
// git's configuration (whose levels and includes git itself resolves), else it
// is the row's default.
package settings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/shell"
)

// Setting is one setting: its name, its values and where they may come from.
type Setting struct {
	Name    string // as in git config: "memctl.autoScope"
	Env     string // the environment variable that wins over git config
	Default string
	Help    string // one sentence: what it does, and its values
	// Values lists what is allowed; empty allows any text, and {"true", "false"}
	// makes a boolean that reads git's spellings (yes, on, 1, …).
	Values []string
	// Number makes the setting a number, and says which are allowed; nil for text.
	Number *Range
	// Personal settings (URLs, keys, commands) are never read from a repository's
	// own configuration, which can come with a folder from somebody else.
	Personal bool
	// Secret values print as "set".
	Secret bool
	// Advanced settings tune something, or another command keeps them: a list for people leaves
	// them out where they have their default.
	Advanced bool
}

// IsNamed reports whether a person means this setting: in any case, with or without "memctl.".
func (r Setting) IsNamed(name string) bool {
	const section = "memctl."
	return strings.TrimPrefix(strings.ToLower(name), section) == strings.TrimPrefix(strings.ToLower(r.Name), section)
}

// JoinWithOr lists words, with "or" before the last.
func JoinWithOr(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// AllowedInWords says in words which values the setting takes.
func (r Setting) AllowedInWords() string {
	switch {
	case r.Number != nil:
		return "give " + r.Number.String()
	case len(r.Values) > 0:
		return "use " + JoinWithOr(slices.DeleteFunc(slices.Clone(r.Values), func(v string) bool { return v == "" }))
	}
	return "any text"
}

// Range is what a number may be, both ends included.
type Range struct {
	Least, Most float64
	Whole       bool // no fractions
}

// String says it in words: "a number from 0 to 1".
func (r *Range) String() string {
	kind := "a number"
	if r.Whole {
		kind = "a whole number"
	}
	return fmt.Sprintf("%s from %s to %s", kind, formatNumber(r.Least), formatNumber(r.Most))
}

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// allows reports whether a text is such a number, in decimal.
func (r *Range) allows(text string) bool {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.ContainsAny(text, "xXpP_") || !(v >= r.Least && v <= r.Most) { // NaN is neither
		return false
	}
	return !r.Whole || v == float64(int64(v)) && !strings.ContainsAny(text, ".eE")
}

// BoolValues lists the values of a boolean row.
func BoolValues() []string { return []string{"true", "false"} }

// ConfigEntry is a configured value and its place, as the source of settings gives it.
type ConfigEntry struct {
	Value string
	Level string // system, global, local, worktree, command
	File  string // "" where the level has none
}

// Source looks up configured entries by name, lowest level first.
type Source interface {
	Entries(name string) []ConfigEntry
}

// OriginDefault is the origin of a value that nobody set.
const OriginDefault = "default"

// Value is a setting's effective value.
type Value struct {
	Setting
	Text   string
	Origin string // "default", "environment variable X", "git config (global, FILE)"
	level  string // of git config; "" for the two others
}

// Level is the level of git config that the value comes from; "" where it does not come from
// git config.
func (v Value) Level() string { return v.level }

// ChangeCommand is the command that gives the setting another value where it has this one; "" where
// none does, as for git's -c.
func (v Value) ChangeCommand(text string) string {
	switch v.level {
	case "":
		return "unset " + v.Env
	case "system", "global", "local", "worktree":
		return "git config --" + v.level + " " + v.Name + " " + text
	}
	return ""
}

// Bool reports a boolean setting's value.
func (v Value) Bool() bool { return v.Text == "true" }

// Float is a number setting's value; 0 for a text.
func (v Value) Float() float64 {
	f, _ := strconv.ParseFloat(v.Text, 64)
	return f
}

// Resolve finds the row's value. A value that is not allowed is an error, and
// the default stands in for it, so that a reader may go on.
func Resolve(row Setting, getenv func(string) string, src Source) (Value, error) {
	v := Value{Setting: row, Text: row.Default, Origin: OriginDefault}
	if text := getenv(row.Env); row.Env != "" && text != "" {
		return v.checkedValue(text, "environment variable "+row.Env)
	}
	if src == nil {
		return v, nil
	}
	entries := src.Entries(row.Name)
	for i := len(entries) - 1; i >= 0; i-- {
		e := entries[i]
		if row.Personal && (e.Level == "local" || e.Level == "worktree") {
			continue
		}
		origin := "git config (" + e.Level
		if e.File != "" {
			origin += ", " + e.File
		}
		v, err := v.checkedValue(e.Value, origin+")")
		v.level = e.Level
		return v, err
	}
	return v, nil
}

func (v Value) checkedValue(text, origin string) (Value, error) {
	if v.Number != nil {
		if text = strings.TrimSpace(text); !v.Number.allows(text) {
			return v, v.notAllowedError(text, origin, v.Number.String())
		}
	}
	if len(v.Values) == 0 {
		v.Text, v.Origin = text, origin
		return v, nil
	}
	canonical := text
	if len(v.Values) == 2 && v.Values[0] == "true" {
		canonical = NormalGitBool(text)
	}
	for _, allowed := range v.Values {
		if strings.EqualFold(canonical, allowed) {
			v.Text, v.Origin = allowed, origin
			return v, nil
		}
	}
	return v, v.notAllowedError(text, origin, "one of "+strings.Join(v.Values, ", "))
}

// notAllowedError is the error of a value, with the command that replaces it.
func (v Value) notAllowedError(text, origin, allowed string) error {
	e := fault.New(fault.Setting, v.Name, fmt.Sprintf("%q (from %s) is not %s", text, origin, allowed))
	switch {
	case origin == "environment variable "+v.Env:
		e.Hints = []string{"unset " + v.Env}
	case v.Default != "":
		e.Hints = []string{"memctl config " + v.Name + " " + shell.Quote(v.Default)}
	case len(v.Values) > 1:
		e.Hints = []string{"memctl config " + v.Name + " " + v.Values[1]}
	}
	return e
}

// NormalGitBool maps git's spellings of a boolean to "true" and "false", and returns another text as it is.
func NormalGitBool(text string) string {
	switch strings.ToLower(text) {
	case "true", "yes", "on", "1":
		return "true"
	case "false", "no", "off", "0", "":
		return "false"
	}
	return text
}
