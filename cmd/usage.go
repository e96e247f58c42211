package cmd

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/memctl/memctl/internal/spelling"
)

// flagError turns what pflag says of the command line into wrong use, with the nearest flag.
func flagError(c *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	thing, cause, hints := "", err.Error(), []string{helpCommandFor(c)}
	var missing *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &missing):
		thing, cause = "--"+missing.GetSpecifiedName(), "no such flag"
		if missing.GetSpecifiedShortnames() != "" {
			thing = "-" + missing.GetSpecifiedName()[:1]
		}
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if missing.GetSpecifiedName() == "version" {
			hints = []string{"memctl version"}
		} else if near := nearest(missing.GetSpecifiedName(), names); len(near) > 0 && strings.HasPrefix(thing, "--") {
			hints = prefixed(c.CommandPath()+" --", near)
		} else if takesText(c) {
			cause += "; a value that begins with - goes after --"
		}
	case errors.As(err, &bare):
		thing, cause = "--"+bare.GetFlag().Name, "this flag needs a value"
	case errors.As(err, &invalid):
		thing, cause = "--"+invalid.GetFlag().Name+" "+invalid.GetValue(), "not a value for this flag"
	}
	return usage(thing, cause, hints...)
}

// checkFlagGroups returns usage errors for flags that exclude each other and for missing ones,
// which cobra would report in its own form. It also checks the values of flags.
func checkFlagGroups(c *cobra.Command, _ []string) error {
	err := errors.Join(c.ValidateRequiredFlags(), c.ValidateFlagGroups())
	if err == nil {
		return checkAllowed(c)
	}
	cause := err.Error()
	if set, ok := strings.CutSuffix(cause, "] were all set"); ok {
		names := strings.Fields(set[strings.LastIndex(set, "[")+1:])
		cause = strings.Join(prefixed("--", names), " and ") + " cannot be used together"
	}
	return usage("", cause, helpCommandFor(c))
}

// argumentCount checks the number of arguments: at least low, at most high (-1: any
// number).
func argumentCount(low, high int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < low:
			return usage("", "too few arguments: "+strings.TrimSuffix(c.UseLine(), " [flags]"), helpCommandFor(c))
		case high == 0 && len(args) > 0 && c.HasSubCommands():
			return unknownCommand(c, args)
		case high >= 0 && len(args) > high:
			return usage(args[high], "one argument too many: "+c.UseLine(), helpCommandFor(c))
		}
		return nil
	}
}

// group makes a command of others: alone it prints its help.
func group(c *cobra.Command, below ...*cobra.Command) *cobra.Command {
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	c.AddCommand(below...)
	return c
}

// unknownCommand is the error of a mistyped subcommand, with those that may be meant.
func unknownCommand(c *cobra.Command, args []string) error {
	var names []string
	for _, sub := range c.Commands() {
		names = append(names, sub.Name())
	}
	hints := prefixed(c.CommandPath()+" ", nearest(args[0], names))
	if len(hints) == 0 {
		hints = []string{helpCommandFor(c)}
	}
	return usage(args[0], "no such command", hints...)
}

func helpCommandFor(c *cobra.Command) string {
	if c.Name() == "help" {
		return "memctl help all"
	}
	return "memctl help" + strings.TrimPrefix(c.CommandPath(), "memctl")
}

// commandsMeant returns the commands that an unknown word may mean: what other tools
// call them first, else those that are spelled nearly so.
func commandsMeant(word string, names []string) []string {
	others := map[string]string{
		"ls": "show|list", "get": "show|list", "search": "recall", "find": "recall", "query": "recall", "ask": "recall",
		"rm": "forget", "delete": "forget", "remove": "forget", "set": "add", "store": "add", "update": "add", "change": "add",
		"history": "log", "blame": "log", "install": "hooks install", "connect": "hooks install", "pin": "add --pin", "redo": "undo --redo",
	}
	if meant := others[word]; meant != "" {
		return strings.Split(meant, "|")
	}
	return nearest(word, names)
}

// nearest returns the words that are close enough to what was typed to be meant,
// the closest first, at most three. A word that begins what was typed up to a hyphen
// ("claude-code"), or the other way round, is meant too.
func nearest(typed string, words []string) []string {
	limit := max(1, len([]rune(typed))/3)
	var found [][]string
	for range limit + 1 {
		found = append(found, nil)
	}
	for _, word := range words {
		if d := spelling.Distance(typed, word); d <= limit {
			found[d] = append(found[d], word)
		} else if strings.HasPrefix(typed, word+"-") || strings.HasPrefix(word, typed+"-") {
			found[limit] = append(found[limit], word)
		}
	}
	var best []string
	for _, group := range found {
		best = append(best, group...)
	}
	return best[:min(len(best), 3)]
}

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
