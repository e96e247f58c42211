package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// argument is one word of a usage line after the command's name.
type argument struct {
	names    []string // its placeholders, such as KEY or ID
	optional bool
	many     bool
}

// hasName reports whether the argument can be a KEY, an ID and so on.
func (a argument) hasName(name string) bool { return slices.Contains(a.names, name) }

// argumentsOf reads the arguments out of a usage line such as "show [KEY|ID...] --flag". They end where flags begin.
func argumentsOf(use string) (list []argument) {
	for _, word := range strings.Fields(use)[1:] {
		name := strings.Trim(word, "[]")
		if strings.HasPrefix(name, "--") || strings.HasPrefix(name, "(") {
			break
		}
		name, many := strings.CutSuffix(name, "...")
		list = append(list, argument{strings.Split(name, "|"), strings.HasPrefix(word, "["), many})
	}
	return list
}

// takesText reports whether an argument of the command may be any text.
func takesText(c *cobra.Command) bool {
	return slices.ContainsFunc(argumentsOf(c.Use), func(a argument) bool { return a.hasName("VALUE") || a.hasName("TEXT") })
}

// bounds are how many arguments a usage line allows; high is -1 for any number.
func bounds(use string) (low, high int) {
	for _, a := range argumentsOf(use) {
		if high++; !a.optional {
			low++
		}
		if a.many {
			return low, -1
		}
	}
	return low, high
}

// checkArguments gives a command a check of the number of arguments, from the usage line, and of
// the words where there are only a few. A command with a check of its own keeps that.
func checkArguments(c *cobra.Command) {
	if c.Args != nil {
		return
	}
	low, high := bounds(c.Use)
	c.Args = func(c *cobra.Command, args []string) error {
		if err := argumentCount(low, high)(c, args); err != nil || len(args) == 0 || c.ValidArgs == nil {
			return err
		}
		return oneOf(c.Name(), args[0], c.CommandPath(), c.ValidArgs...)
	}
}

// walk calls f with a command and all commands below it.
func walk(c *cobra.Command, f func(*cobra.Command)) {
	f(c)
	for _, sub := range c.Commands() {
		walk(sub, f)
	}
}
