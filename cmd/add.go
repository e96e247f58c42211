package cmd

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
)

type addOptions struct {
	edit.Request
	yaml   bool
	lesson lesson
}

// lesson is what went wrong once: the three parts of a lessons.* value.
type lesson struct{ issue, outcome, fix string }

func (l lesson) any() bool { return l.issue != "" || l.outcome != "" || l.fix != "" }

// lessonPrefix begins the key of every lesson.
const lessonPrefix = "lessons."

func newAdd(a *app) *cobra.Command {
	o := &addOptions{}
	c := &cobra.Command{
		Use:   "add KEY VALUE",
		Short: "Remember a value under a key",
		Long: `Add stores VALUE under KEY. A KEY that exists gets the new value.

A KEY has two or more parts separated by dots, such as writing.tone or
style.max-line-length. The first part is the area. A part contains letters of any language
and digits, with - or _ inside. memctl changes capital letters to lower case and spaces to -.

VALUE is text. With --yaml memctl reads it as YAML: a number, a boolean, a list or a
small map. If VALUE is -, it is read from stdin. With --issue, --outcome and --fix, add
stores a lesson: KEY must begin with "lessons.", as in lessons.flaky-ci.`,
		Example: `  memctl add writing.tone "concise, no filler"
  memctl add tooling.versions --yaml '{go: 1.26, node: 22}'
  memctl add style.imports "standard library first" --tag go --path 'cmd/**'
  memctl add git.push "ask before pushing" --command 'git push*' --ask
  memctl add lessons.flaky-ci --issue "tests hung" --outcome "an hour lost" --fix "set -timeout"
  git log -1 --format=%s | memctl add project.last-release - --expires 2027-01-31`,
		Args: func(c *cobra.Command, args []string) error { return o.check(c, args) },
		RunE: a.runner(needWrite, func(s *session, args []string) error { return runAdd(s, o, args) }),
	}
	bindLabels(c, &o.Request)
	bindLasting(c, &o.Request)
	f := c.Flags()
	f.BoolVar(&o.yaml, "yaml", false, "read VALUE as YAML")
	f.StringVar(&o.lesson.issue, "issue", "", "store a lesson: `TEXT` says what went wrong")
	f.StringVar(&o.lesson.outcome, "outcome", "", "store a lesson: `TEXT` says what it led to")
	f.StringVar(&o.lesson.fix, "fix", "", "store a lesson: `TEXT` says what to do instead")
	f.BoolVar(&o.Pinned, "pin", false, "give it to agents at prompts too, not only at the start")
	f.StringArrayVar(&o.Paths, "path", nil, "apply it only in paths that match `GLOB` (may be repeated; '' removes all)")
	f.BoolVar(&o.Ask, "ask", false, "make the agent ask you before a command that matches --command, or a change of a file that matches --path; --ask=false stops that")
	return c
}

// bindLabels adds the flags of every command that keeps a memory.
func bindLabels(c *cobra.Command, req *edit.Request) {
	bindWrite(c)
	f := c.Flags()
	f.Bool(flagAuto, false, "mark the write as automatic: no person asked for it")
	f.IntVar(&req.Prompt, "prompt", 0, "for agents: the `NUMBER` of the prompt in which the person said this")
	f.StringArrayVarP(&req.Tags, "tag", "t", nil, "add `TAG`, or several separated by commas (may be repeated)")
	f.StringVar(&req.Source, "source", "", "store `TEXT` as the source")
}

// bindLasting adds the flags that items and facts share.
func bindLasting(c *cobra.Command, req *edit.Request) {
	f := c.Flags()
	f.StringVar(&req.Expires, "expires", "", "let it expire on `DAY`, as in 2027-01-31")
	f.StringVar(&req.Confidence, "confidence", "", "set the confidence to `LEVEL` (low, medium or high); agents cannot choose high")
	f.StringArrayVar(&req.Commands, "command", nil, "give it to an agent that is about to run a shell command that matches `GLOB`, as in 'git push*' (may be repeated; '' removes all)")
	bindWhen(c, &req.When)
	allow(c, "confidence", memfile.Low, memfile.Medium, memfile.High)
}

// bindWhen adds the flag for the words of when.
func bindWhen(c *cobra.Command, when *[]string) {
	c.Flags().StringArrayVar(when, "when", nil, "give it to an agent whose request, file or error has these `WORDS`, several separated by commas ('' removes all)")
}

// check looks at the arguments with the flags: a lesson has no VALUE.
func (o *addOptions) check(c *cobra.Command, args []string) error {
	switch {
	case o.lesson.any():
		if err := argumentCount(1, 1)(c, args); err != nil {
			return err
		}
		if key := strings.ToLower(strings.TrimSpace(args[0])); !strings.HasPrefix(key, lessonPrefix) {
			return usage(args[0], "the key of a lesson begins with "+lessonPrefix, "memctl add "+lessonPrefix+strings.TrimPrefix(key, "lesson.")+o.lesson.flags())
		}
		if o.yaml {
			return usage("--yaml", "a lesson has no VALUE to read")
		}
	case len(args) > 2:
		return usage(args[2], "one argument too many: quote a value of several words", "memctl add "+shell.Quote(args[0])+" "+shell.Quote(strings.Join(args[1:], " ")))
	case len(args) < 2:
		return argumentCount(2, 2)(c, args)
	}
	return checkAsk(c, &o.Request)
}

// checkAsk checks that --ask has something to ask about, and reads --ask=false.
func checkAsk(c *cobra.Command, req *edit.Request) error {
	req.NoAsk = c.Flags().Changed("ask") && !req.Ask
	switch {
	case !req.Ask || strings.Join(req.Commands, "")+strings.Join(req.Paths, "") != "":
		return nil
	case c.Flags().Lookup("path") == nil:
		return usage("--ask", "use it with --command GLOB, which chooses when to ask")
	}
	return usage("--ask", "use it with --command GLOB or --path GLOB, which choose when to ask")
}

func runAdd(s *session, o *addOptions, args []string) (err error) {
	if o.Value, err = o.value(s, args); err != nil {
		return err
	}
	if !o.yaml && !s.global.json {
		if meant := looksLike(o.Value); meant != "" {
			s.note("stored-as-text", "stored as one text; for a list or a map: --yaml "+shell.Quote(meant))
		}
	}
	o.Key = args[0]
	return s.keep(o.Request)
}

// keep stores a memory as the flags of add, remember, note or summary describe it.
func (s *session) keep(req edit.Request) error {
	if err := s.checkDay(req.Expires); err != nil {
		return err
	}
	req.Options, req.Tags, req.Topics = s.Options, splitTags(req.Tags), splitTags(req.Topics)
	if req.Temporary() && s.mayAsk() && !s.dryRun() {
		if req.Lasts = s.confirmYes("This sounds temporary. Store it without a day of expiry?"); !req.Lasts {
			s.note("nothing-to-expire", "nothing changed; use --expires DAY to let it expire")
			return nil
		}
	}
	req.Neighbours = !s.global.quiet || s.global.json
	s.commitPending()
	return s.offerMemoryFile(&req.Options, func() (memory.Write, error) { return edit.Add(s.ctx, s.stores, req) })
}

// flags writes the parts of a lesson as the flags that give them.
func (l lesson) flags() (flags string) {
	for _, part := range l.value().Map {
		flags += " --" + part.Name + " " + shell.Quote(part.Value.Text)
	}
	return flags
}

// value makes the value out of the flags and arguments.
func (o *addOptions) value(s *session, args []string) (memfile.Value, error) {
	if o.lesson.any() {
		return o.lesson.value(), nil
	}
	text := args[1]
	if text == "-" {
		var err error
		if text, err = s.readAll(); err != nil {
			return memfile.Value{}, err
		}
		text = strings.TrimRight(text, "\r\n")
	}
	if !o.yaml {
		return memfile.Str(text), nil
	}
	value, err := memfile.ParseValue(text)
	if err != nil {
		err = usage("--yaml", err.Error())
	}
	return value, err
}

// value is the map that a lesson stores: the parts that were given.
func (l lesson) value() memfile.Value {
	v := memfile.Value{Kind: memfile.Map}
	for _, part := range [][2]string{{"issue", l.issue}, {"outcome", l.outcome}, {"fix", l.fix}} {
		if part[1] != "" {
			v.Map = append(v.Map, memfile.Field{Name: part[0], Value: memfile.Str(part[1])})
		}
	}
	return v
}

// readAll reads stdin, up to what a block may hold.
func (s *session) readAll() (string, error) {
	data, err := s.streams.ReadAll(s.ctx, memfile.MaxBlockBytes+1)
	switch {
	case err != nil:
		return "", err
	case len(data) > memfile.MaxBlockBytes:
		return "", refusal("too-large", "stdin: more than 1 MB")
	}
	return string(data), nil
}

// checkDay checks a day of expiry: a date after today.
func (a *app) checkDay(day string) error {
	if day == "" {
		return nil
	}
	const form = "2006-01-02"
	if _, err := time.Parse(form, day); err != nil {
		return usage("--expires "+day, "not a day such as 2027-01-31")
	}
	now, err := a.clock()
	if err != nil {
		return err
	}
	if today := now().UTC().Format(form); day <= today {
		return usage("--expires "+day, "not after today, "+today+": it would never be shown")
	}
	return nil
}

// splitTags takes apart what was given with commas.
func splitTags(given []string) []string {
	var tags []string
	for _, g := range given {
		for tag := range strings.SplitSeq(g, ",") {
			if tag = strings.TrimSpace(tag); tag != "" {
				tags = append(tags, tag)
			}
		}
	}
	return tags
}

// looksLike is the YAML of the list or map that the text seems to mean: JSON as it
// stands, or single words with commas between; "" for any other text.
func looksLike(v memfile.Value) string {
	parts := strings.Split(v.Text, ",")
	switch {
	case v.Kind != memfile.String:
		return ""
	case strings.ContainsAny(v.Text[:min(len(v.Text), 1)], "[{") && json.Valid([]byte(v.Text)):
		return v.Text
	case len(parts) < 2:
		return ""
	}
	list := memfile.Value{Kind: memfile.List}
	for _, p := range parts {
		p = strings.TrimSpace(p)
		if p == "" || strings.ContainsAny(p, " \t\n") {
			return ""
		}
		list.List = append(list.List, memfile.Str(p))
	}
	return list.YAML()
}
