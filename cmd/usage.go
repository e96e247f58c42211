package cmd

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError turns what pflag says into wrong use, with the nearest flag.
func flagError(c *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	e := &usageError{cause: err.Error(), hints: []string{helpFor(c)}}
	var missing *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &missing):
		name := missing.GetSpecifiedName()
		if missing.GetSpecifiedShortnames() != "" {
			e.thing, e.cause = "-"+name[:1], "no such flag"
			if takesText(c) {
				e.cause += "; a value that begins with - stands after --"
			}
			break
		}
		e.thing, e.cause = "--"+name, "no such flag"
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if name == "version" {
			e.hints = []string{"memctl version"}
		} else if near := nearest(name, names); len(near) > 0 {
			e.hints = prefixed(c.CommandPath()+" --", near)
		}
	case errors.As(err, &bare):
		e.thing, e.cause = "--"+bare.GetFlag().Name, "this flag needs a value"
	case errors.As(err, &invalid):
		e.thing, e.cause = "--"+invalid.GetFlag().Name+" "+invalid.GetValue(), "not a value for this flag"
	}
	return e
}

// takesText reports whether an argument of the command may be any text.
func takesText(c *cobra.Command) bool {
	return strings.Contains(c.Use, "VALUE") || strings.Contains(c.Use, "TEXT")
}

// takes checks the number of arguments: at least low, at most high (-1: any
// number).
func takes(low, high int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < low:
			return &usageError{thing: c.CommandPath(), cause: "too few arguments: " + c.UseLine(), hints: []string{helpFor(c)}}
		case high >= 0 && len(args) > high:
			return &usageError{thing: args[high], cause: "one argument too many: " + c.UseLine(), hints: []string{helpFor(c)}}
		}
		return nil
	}
}

// oneOf checks a word against the few that are allowed.
func oneOf(flag, word string, allowed ...string) error {
	if word == "" || slices.Contains(allowed, word) {
		return nil
	}
	return &usageError{thing: flag + " " + word, cause: "allowed are " + strings.Join(allowed, ", ")}
}

func helpFor(c *cobra.Command) string {
	return "memctl help" + strings.TrimPrefix(c.CommandPath(), "memctl")
}
