package cmd

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/upkeep/integrity"
	"github.com/memctl/memctl/policy"
)

func newValidate(a *app) *cobra.Command {
	req, format := integrity.ValidateRequest{}, ""
	text, schema := false, false
	c := &cobra.Command{
		Use:   "validate [FILE...]",
		Short: "Check memory files for errors, or a text against the policy",
		Long: `Validate checks the memory file of this project, of another scope, or the named files. It
prints one line for each finding: FILE:LINE:COLUMN, severity, message and rule. It changes
nothing, and exits with 1 if a finding is an error.

For git hooks and CI it can check the index (--staged) or a commit (--rev). With --base it
also reports what became worse since that revision, such as items that disappeared
without a tombstone. The team's rules are those of the checked version, or of the base.

A file that is not a memory file is checked only for secrets and conflict markers, and
.memctl.yaml for errors in the team's rules.

With --text it checks its arguments, or stdin, against the policy without storing them, and
prints a verdict (accept, hold or refuse) and the findings. With --schema it prints a JSON
Schema of the YAML block in memories.md.`,
		Example: `  memctl validate
  memctl validate memories.md --json
  memctl validate --staged
  memctl validate --rev HEAD --base origin/main --strict
  memctl validate --text "always run the tests before committing"
  memctl validate --text --auto < notes.txt`,
		RunE: a.runner(needStores, func(s *session, args []string) error {
			switch {
			case schema:
				return s.print(string(memfile.Schema()))
			case text:
				return runValidateText(s, args)
			}
			if req.Strict && req.Base == "" {
				return usage("--strict", "use it with --base", "memctl validate --base HEAD --strict")
			}
			req.Files, req.Scope = args, s.Scope
			result, err := integrity.Validate(s.ctx, s.stores, s.Reader(), req)
			if err != nil {
				return err
			}
			s.tellWithheld(result.WithheldCount)
			return s.printFindings(format, result, count(result.FileCount, "file"), result.Findings)
		}),
	}
	bindScope(c)
	f := c.Flags()
	f.BoolVar(&req.Staged, "staged", false, "check the files in the index")
	f.StringVar(&req.Rev, "rev", "", "check the files of the revision `REV`")
	f.StringVar(&req.Base, "base", "", "also report what became worse since `REV`")
	f.BoolVar(&req.Strict, "strict", false, "report what became worse since --base as an error")
	f.StringVar(&format, "format", formatText, "print `FORMAT`: text or github (annotations)")
	allow(c, "format", validateFormats()...)
	f.BoolVar(&text, "text", false, "check the arguments, or stdin, as a text")
	f.Bool(flagAuto, false, "with --text: apply the rules for automatic writes")
	f.BoolVar(&schema, "schema", false, "print the JSON Schema of the memory file")
	c.MarkFlagsMutuallyExclusive("staged", "rev", "text", "schema")
	return c
}

// The formats of validate.
const (
	formatText   = "text"
	formatGitHub = "github"
)

func validateFormats() []string { return []string{formatText, formatGitHub} }

// printFindings prints findings in a format, and ends with status 1 if one is an error. result is the whole answer, and looked
// counts what was checked.
func (s *session) printFindings(format string, result any, looked string, findings []fault.Finding) error {
	switch {
	case s.global.json:
		s.printJSON(result)
	case format == formatGitHub:
		s.print(annotations(findings, s.fromRoot))
	default:
		s.talk(looked + ", " + count(len(findings), "finding"))
		s.print(findingsText(findings, s.streams.OutColour, s.global.quiet))
	}
	if fault.HasErrors(findings) {
		return statusError(statusRefused)
	}
	return nil
}

// fromRoot is a file's path from the project's root, with slashes, as hosting
// sites want it; what lies elsewhere keeps its whole path.
func (s *session) fromRoot(name string) string {
	path := s.stores.Abs(name)
	root, err := filepath.EvalSymlinks(s.stores.Root())
	if err != nil {
		return filepath.ToSlash(name)
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}

// findingsText prints each finding in the form that editors jump from, with
// its hint indented below; a terse one leaves those of warnings out.
func findingsText(findings []fault.Finding, colour, terse bool) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s:%d:%d: %s: %s [%s]\n", inert(f.File), f.Line, f.Column, severityStyles()[f.Severity].Paint(colour, f.Severity), inert(f.Message), f.Rule)
		if f.Hint != "" && (!terse || f.Severity == fault.SeverityError) {
			b.WriteString("    " + inert(f.Hint) + "\n")
		}
	}
	return b.String()
}

// ruling is the policy's answer as it is printed.
type ruling struct {
	Verdict  string          `json:"verdict"`
	Findings []fault.Finding `json:"findings"`
}

// runValidateText asks the policy about the arguments as one text, or about the text on stdin. The rules of this folder's team
// count too. The default scope is project, which is the strictest.
func runValidateText(s *session, args []string) error {
	text := strings.Join(args, " ")
	if len(args) == 0 {
		var err error
		if text, err = s.readAll(); err != nil {
			return err
		}
	}
	r := s.stores.Rule(policy.Candidate{
		Value: memfile.Str(strings.TrimRight(text, "\r\n")), Scope: cmp.Or(s.Scope, store.Project), Automatic: s.flag(flagAuto) == "true",
	})
	return present(s, ruling{r.Verdict.String(), memory.Findings(r.Findings)}, nil, func(r ruling) error {
		text := r.Verdict + "\n"
		for _, f := range r.Findings {
			where := ""
			if f.Where != "" {
				where = f.Where + ": "
			}
			text += "  " + inert(where+f.Message+ruleMark(f.Rule)) + "\n"
		}
		return s.print(text)
	})
}

// annotations are findings as workflow commands, which GitHub Actions shows
// beside the lines of a pull request.
func annotations(findings []fault.Finding, path func(string) string) string {
	var b strings.Builder
	escape := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	for _, f := range findings {
		message := f.Message
		if f.Key != "" {
			message = f.Key + ": " + message
		}
		if f.Hint != "" {
			message += "\n" + f.Hint
		}
		fmt.Fprintf(&b, "::%s file=%s,line=%d,title=%s::%s\n", f.Severity,
			commandProperty(inert(path(f.File))), f.Line, commandProperty("memctl "+f.Rule), escape.Replace(lines(message)))
	}
	return b.String()
}

// lines makes every line of a text inert on its own.
func lines(text string) string {
	list := strings.Split(text, "\n")
	for i := range list {
		list[i] = inert(list[i])
	}
	return strings.Join(list, "\n")
}

// commandProperty escapes a property, where colon and comma end the value too.
func commandProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
