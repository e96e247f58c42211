package cmd

import (
	"bytes"
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/upkeep/integrity"
)

func newEdit(a *app) *cobra.Command {
	var when []string
	c := &cobra.Command{
		Use:   "edit [KEY|ID]",
		Short: "Change a memory in your editor, or the whole memory file",
		Long: `Edit opens your editor on the value of the item KEY, or on the text of the fact ID. When
you save and leave the editor, memctl stores the new text as add and remember do, with the
same checks. A list or a map opens as YAML. With --when, edit changes only the WORDS, and
opens no editor.

Without KEY, edit opens the memory file itself. memctl checks the file when you leave
the editor, and commits it.

If memctl cannot store the text, it prints the path of a file that contains it. The
editor is $GIT_EDITOR, git's core.editor, $VISUAL, $EDITOR or ` + plainEditor + `, in this order.`,
		Example: `  memctl edit writing.tone
  memctl edit 68e2cac8 --when 'double billing,callback handler'
  memctl edit --scope user`,
		RunE: a.runner(needWrite, func(s *session, args []string) error { return runEdit(s, args, when) }),
	}
	bindWhen(c, &when)
	return bindWrite(c)
}

func runEdit(s *session, args, when []string) error {
	if err := onlyPerson(s.Options, "edit", "memctl edit"); err != nil {
		return err
	}
	if len(args) == 0 && when != nil {
		return usage("--when", "name the item or the fact", "memctl edit --help")
	}
	if len(args) == 0 {
		return s.editFile()
	}
	t, err := edit.FindText(s.ctx, s.stores, s.Scope, args[0])
	if err != nil {
		return memory.AsError(args[0], err)
	}
	if when != nil {
		s.Scope, t.When = t.Scope, when
		s.commitPending()
		return s.finishOne(t.Store(s.ctx, s.stores, s.Options, t.Text))
	}
	ext := "md"
	if t.YAML {
		ext = "yaml"
	}
	emptied := refusal(memory.RuleValue, named(t.Name, "the text is empty, so nothing is changed"), "memctl forget "+shell.Quote(t.Name))
	return s.editText(t.Name, t.Text, ext, emptied, func(text string) (memory.Write, error) {
		s.Scope = t.Scope
		s.commitPending()
		return t.Store(s.ctx, s.stores, s.Options, text)
	})
}

// editText opens the editor on a text and stores what the person made of it with keep. Where that is
// refused, the file with the text stays and is named. emptied is the error where the person deleted the
// text; nil lets keep decide.
func (s *session) editText(name, text, ext string, emptied error, keep func(text string) (memory.Write, error)) error {
	dir, err := os.MkdirTemp("", "memctl-edit-")
	if err != nil {
		return err
	}
	file := filepath.Join(dir, strings.ReplaceAll(name, string(filepath.Separator), "-")+"."+ext)
	if err := os.WriteFile(file, []byte(strings.TrimRight(text, "\n")+"\n"), 0o600); err != nil {
		return err
	}
	kept := func(err error) error {
		if err != nil {
			s.note("text-kept", "your text is in "+file)
		} else if gone := os.RemoveAll(dir); gone != nil {
			s.note("temporary-file-left", gone.Error())
		}
		return err
	}
	if err := s.openEditor(file); err != nil {
		return kept(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	next := strings.TrimPrefix(string(data), "\ufeff") // older editors of Windows begin a file with it
	next = strings.TrimRight(strings.ReplaceAll(next, "\r\n", "\n"), "\n")
	if next == strings.TrimRight(text, "\n") {
		s.note("unchanged", named(name, "nothing changed"))
		return kept(nil)
	}
	if strings.TrimSpace(next) == "" && emptied != nil {
		return kept(emptied)
	}
	return kept(s.finishOne(keep(next)))
}

// editFile opens the editor on a memory file and commits what the person made of it. What is
// refused stays in the file.
func (s *session) editFile() error {
	st, err := s.stores.Get(s.ctx, cmp.Or(s.Scope, store.Project))
	if s.stores.IsSingleStore() && s.Scope == "" {
		st, err = s.stores.Get(s.ctx, store.Only)
	}
	if err != nil {
		return err
	}
	before, err := os.ReadFile(st.Path())
	if err != nil {
		return &fault.Error{Code: fault.NoMemoryFile, Thing: st.Path(), Cause: "there is no memory file in scope " + st.Scope}
	}
	if err := s.openEditor(st.Path()); err != nil {
		return err
	}
	if after, err := os.ReadFile(st.Path()); err == nil && bytes.Equal(before, after) {
		s.note("unchanged", named(st.Name(), "nothing changed"))
		return nil
	}
	return s.finishOne(integrity.CommitEdit(s.ctx, st, s.Options))
}

// openEditor runs the person's editor on a file, as git does.
func (s *session) openEditor(file string) error {
	command := s.getenv("GIT_EDITOR")
	if config, err := gitops.GlobalConfig(s.ctx); err == nil && command == "" {
		e, _ := config.Get("core.editor")
		command = e.Value
	}
	command = cmp.Or(command, s.getenv("VISUAL"), s.getenv("EDITOR"), plainEditor)
	// A shell reads the command, because it may have flags and quotes.
	c := exec.CommandContext(s.ctx, shell.Find(), "-c", command+` "$@"`, command, file)
	if words := shell.WindowsWords(command); shell.Find() == "" && len(words) > 0 {
		c = exec.CommandContext(s.ctx, words[0], append(words[1:], file)...)
	}
	c.Stdin, c.Stdout, c.Stderr = s.streams.In, s.streams.Err, s.streams.Err
	if err := c.Run(); err != nil {
		return broken("editor", "the editor "+shell.Quote(command)+" failed: "+err.Error(), "GIT_EDITOR="+easyEditor()+" "+s.commandWith(""))
	}
	return nil
}
