package cmd

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/fault"
)

// The groups of commands, in the order in which help shows them: what a person wants.
const (
	groupRemember = "Remember"
	groupLook     = "Look"
	groupDecide   = "Decide"
	groupShare    = "Share"
	groupCheck    = "Check"
	groupConnect  = "Connect"
	groupRepair   = "Repair"
	groupPrograms = "For shells and programs"
)

// listed is one command of the tree.
type listed struct {
	name  string
	group string
	shown helpLevel
	build func(*app) *cobra.Command
}

// helpLevel says on which help page a command is.
type helpLevel bool

const (
	everyday helpLevel = true  // `memctl help` and `memctl help all`
	special  helpLevel = false // `memctl help all` alone
)

// commands is the one list of commands, in help order.
func commands() []listed {
	return []listed{
		{"add", groupRemember, everyday, newAdd},
		{"remember", groupRemember, everyday, newRemember},
		{"note", groupRemember, special, newNote},
		{"edit", groupRemember, special, newEdit},
		{"forget", groupRemember, everyday, newForget},
		{"move", groupRemember, special, newMove},
		{"capture", groupRemember, special, newCapture},
		{"import", groupRemember, special, newImport},
		{"show", groupLook, everyday, newShow},
		{"list", groupLook, special, newList},
		{"recall", groupLook, everyday, newRecall},
		{"profile", groupLook, special, newProfile},
		{"bootstrap", groupLook, special, newBootstrap},
		{"summary", groupLook, special, newSummary},
		{"skills", groupLook, special, newSkills},
		{"context", groupLook, special, newContext},
		{"prompt", groupLook, special, newPrompt},
		{"log", groupLook, special, newLog},
		{"why", groupLook, special, newWhy},
		{"ui", groupLook, special, newUI},
		{"review", groupDecide, everyday, newReview},
		{"confirm", groupDecide, special, newConfirm},
		{"lock", groupDecide, special, newLock},
		{"verify", groupDecide, special, newVerify},
		{"compact", groupDecide, special, newCompact},
		{"sync", groupShare, everyday, newSync},
		{"export", groupShare, special, newExport},
		{"index", groupShare, special, newIndex},
		{"status", groupCheck, everyday, newStatus},
		{"validate", groupCheck, special, newValidate},
		{"setup", groupConnect, everyday, newSetup},
		{"init", groupConnect, special, newInit},
		{"hooks", groupConnect, everyday, newHooks},
		{"trust", groupConnect, special, newTrust},
		{"mcp", groupConnect, special, newMCP},
		{"proxy", groupConnect, special, newProxy},
		{"config", groupConnect, special, newConfig},
		{"leave", groupConnect, special, newLeave},
		{"doctor", groupRepair, everyday, newDoctor},
		{"undo", groupRepair, everyday, newUndo},
		{"restore", groupRepair, special, newRestore},
		{"recover", groupRepair, special, newRecover},
		{"resolve", groupRepair, special, newResolve},
		{"purge", groupRepair, special, newPurge},
		{"hook", groupPrograms, special, newHook},
		{"merge-driver", groupPrograms, special, newMergeDriver},
		{"version", groupPrograms, special, newVersion},
		{"completion", groupPrograms, special, newCompletion},
	}
}

// commandNames are the names of all commands, in help order.
func commandNames() (names []string) {
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// execute runs one command line.
func (a *app) execute(ctx context.Context, args []string) error {
	wanted, err := a.commandsToBuild(args)
	if err != nil {
		return err
	}
	a.line = args
	root := a.root(wanted)
	root.SetArgs(append([]string{}, args...))
	err = root.ExecuteContext(ctx)
	if fault.Is(err, codeUsage) {
		a.findOutputFlags(args)
	}
	return err
}

// findOutputFlags finds the flags that say how an error is printed, where the command
// line could not be read as far as them.
func (a *app) findOutputFlags(args []string) {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	a.global.json = a.global.json || slices.Contains(args, "--json")
	a.global.quiet = a.global.quiet || slices.Contains(args, "--quiet") || slices.Contains(args, "-q")
}

// commandsToBuild chooses what to build for the command line: the one command that it
// names, for a start is felt in every hook; all of them for help and completion.
func (a *app) commandsToBuild(args []string) ([]listed, error) {
	all := commands()
	word := firstWord(args)
	if word == "" || word == "help" || strings.HasPrefix(word, "__complete") {
		return all, nil
	}
	if i := slices.IndexFunc(all, func(c listed) bool { return c.name == word }); i >= 0 {
		return all[i : i+1], nil
	}
	a.findOutputFlags(args)
	hints := prefixed("memctl ", commandsMeant(word, commandNames()))
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
		Short:         "Give coding agents a memory that people can read, review and trust",
		Long:          rootLong,
		Example:       rootExample,
		SilenceErrors: true,
		SilenceUsage:  true,

		PersistentPreRunE: checkFlagGroups,
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
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp(a))
	flags := root.PersistentFlags()
	flags.BoolVar(&a.global.json, "json", false, "print JSON, one object per line")
	flags.BoolVarP(&a.global.quiet, "quiet", "q", false, "print only results and errors")
	flags.StringVar(&a.global.store, "store", "", "use `FOLDER` as the only store (like "+envStore+")")
	flags.StringVarP(&a.global.dir, "directory", "C", "", "run as if started in `FOLDER`")
	_ = root.MarkPersistentFlagDirname("store")
	_ = root.MarkPersistentFlagDirname("directory")
	for _, e := range entries {
		root.AddCommand(e.build(a))
	}
	walk(root, checkArguments)
	if len(a.line) > 0 && strings.HasPrefix(a.line[0], "__complete") {
		walk(root, a.offerValues)
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

const rootLong = `memctl gives coding agents a memory: a file in git, memories.md, that people read,
review and correct like any other file.`

const rootExample = `  memctl init
  memctl add writing.tone "concise, no filler"
  memctl recall "how do we write docs"
  memctl forget writing.tone`
