package cmd

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/fault"
)

// The groups of commands, in the order in which help shows them.
const (
	groupUse     = "Remember and forget"
	groupFind    = "Facts, notes and what follows from them"
	groupJudge   = "Judge what is remembered"
	groupSwitch  = "Switches and settings"
	groupHistory = "Look back and take back"
	groupCheck   = "Check and repair"
	groupPlumb   = "For shells and programs"
)

// listed is one command of the tree.
type listed struct {
	name  string
	group string // "" keeps it out of help
	build func(*app) *cobra.Command
}

// commands is the one list of commands, in help order.
func commands() []listed {
	return []listed{
		{"init", groupUse, newInit},
		{"show", groupUse, newShow},
		{"profile", groupUse, newProfile},
		{"bootstrap", groupUse, newBootstrap},
		{"add", groupUse, newAdd},
		{"remember", groupUse, newRemember},
		{"note", groupUse, newNote},
		{"edit", groupUse, newEdit},
		{"list", groupUse, newList},
		{"forget", groupUse, newForget},
		{"move", groupUse, newMove},
		{"rename", groupUse, newRename},
		{"capture", groupUse, newCapture},
		{"import", groupUse, newImport},
		{"export", groupUse, newExport},
		{"sync", groupUse, newSync},
		{"recall", groupFind, newRecall},
		{"facts", groupFind, newFacts},
		{"notes", groupFind, newNotes},
		{"summary", groupFind, newSummary},
		{"topics", groupFind, newTopics},
		{"projects", groupFind, newProjects},
		{"user", groupFind, newUser},
		{"stats", groupFind, newStats},
		{"stale", groupFind, newStale},
		{"verify", groupFind, newVerify},
		{"compact", groupFind, newCompact},
		{"confirm", groupJudge, newConfirm},
		{"doubt", groupJudge, newDoubt},
		{"review", groupJudge, newReview},
		{"lock", groupJudge, newLock},
		{"unlock", groupJudge, newUnlock},
		{"enable", groupSwitch, newEnable},
		{"disable", groupSwitch, newDisable},
		{"announce", groupSwitch, newAnnounce},
		{"trust", groupSwitch, newTrust},
		{"hooks", groupSwitch, newHooks},
		{"config", groupSwitch, newConfig},
		{"log", groupHistory, newLog},
		{"diff", groupHistory, newDiff},
		{"why", groupHistory, newWhy},
		{"undo", groupHistory, newUndo},
		{"redo", groupHistory, newRedo},
		{"restore", groupHistory, newRestore},
		{"purge", groupHistory, newPurge},
		{"validate", groupCheck, newValidate},
		{"recover", groupCheck, newRecover},
		{"resolve", groupCheck, newResolve},
		{"policy", groupCheck, newPolicy},
		{"doctor", groupCheck, newDoctor},
		{"mcp", groupPlumb, newMCP},
		{"hook", groupPlumb, newHook},
		{"merge-driver", groupPlumb, newMergeDriver},
		{"schema", groupPlumb, newSchema},
		{"version", groupPlumb, newVersion},
		{"completion", groupPlumb, newCompletion},
		{"man", "", newMan},
	}
}

// execute runs one command line.
func (a *app) execute(ctx context.Context, args []string) error {
	wanted, err := a.pick(args)
	if err != nil {
		return err
	}
	a.line = args
	root := a.root(wanted)
	root.SetArgs(append([]string{}, args...))
	err = root.ExecuteContext(ctx)
	if fault.Is(err, codeUsage) {
		a.spot(args)
	}
	return err
}

// spot finds the flags that say how an error is printed, where the command
// line could not be read as far as them.
func (a *app) spot(args []string) {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	a.global.json = a.global.json || slices.Contains(args, "--json")
	a.global.quiet = a.global.quiet || slices.Contains(args, "--quiet") || slices.Contains(args, "-q")
}

// pick chooses what to build for the command line: the one command that it
// names, for a start is felt in every hook; all of them for help and completion.
func (a *app) pick(args []string) ([]listed, error) {
	all := commands()
	word := firstWord(args)
	if word == "" || word == "help" || strings.HasPrefix(word, "__complete") {
		return all, nil
	}
	names := make([]string, 0, len(all))
	for i, c := range all {
		if c.name == word {
			return all[i : i+1], nil
		}
		if c.group != "" {
			names = append(names, c.name)
		}
	}
	a.spot(args)
	hints := prefixed("memctl ", meant(word, names))
	if len(hints) == 0 {
		hints = []string{"memctl help"}
	}
	return nil, usage(word, "no such command", hints...)
}

// root builds the tree over the given commands.
func (a *app) root(entries []listed) *cobra.Command {
	version := false
	root := &cobra.Command{
		Use:           "memctl",
		Short:         "A memory for coding agents that people can read, review and trust",
		Long:          rootLong,
		Example:       rootExample,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          takes(0, 0),
		RunE: func(c *cobra.Command, args []string) error {
			if version {
				return newVersion(a).RunE(c, args)
			}
			return c.Help()
		},
	}
	// It is what people try first; help shows the command alone.
	root.Flags().BoolVar(&version, "version", false, "the same as memctl version")
	_ = root.Flags().MarkHidden("version")
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetOut(a.streams.Out)
	root.SetErr(a.streams.Err)
	root.SetHelpFunc(a.help)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return flagError(c, err, a.line) })
	root.SetHelpCommand(newHelp(a))
	flags := root.PersistentFlags()
	flags.BoolVar(&a.global.json, "json", false, "print the answer as JSON, one object a line")
	flags.BoolVarP(&a.global.quiet, "quiet", "q", false, "print answers and errors only")
	flags.StringVar(&a.global.store, "store", "", "use `FOLDER` as the only store (or set "+envStore+")")
	flags.StringVarP(&a.global.dir, "directory", "C", "", "run as if started in `FOLDER`")
	_ = root.MarkPersistentFlagDirname("store")
	_ = root.MarkPersistentFlagDirname("directory")
	for _, e := range entries {
		root.AddCommand(e.build(a))
	}
	return root
}

// firstWord is the first argument that is neither a flag nor a global flag's value.
func firstWord(args []string) string {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--" || arg == "":
			return ""
		case arg == "--store" || arg == "--directory":
			i++
		case strings.HasPrefix(arg, "--"):
		case len(arg) > 1 && arg[0] == '-':
			if strings.HasSuffix(arg, "C") {
				i++
			}
		default:
			return arg
		}
	}
	return ""
}

func prefixed(prefix string, words []string) []string {
	out := make([]string, len(words))
	for i, word := range words {
		out[i] = prefix + word
	}
	return out
}

const rootLong = `memctl keeps what coding agents should remember in a file in git: memories.md,
which people read, review and correct like any other file.`

const rootExample = `  memctl init
  memctl add writing.tone "concise, no filler"
  memctl profile
  memctl forget writing.tone`
