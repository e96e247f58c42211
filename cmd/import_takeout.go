package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/capture"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/briefing"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/memory/transfer"
	"github.com/memctl/memctl/store"
)

// offerTakeOut names the lines of the imported files that a session now receives from memctl too, and those that contradict
// memory. If the person wants that, it removes them from the files. A dry run counts what the import would bring in.
func (s *session) offerTakeOut(o *importOptions, name string, files []capture.File, made edit.ImportResult, asks bool) error {
	if !aboutProject(made.Format) || name == "-" || !s.Explicit() || s.stores.Alone() {
		return nil
	}
	if info, err := os.Lstat(name); err == nil && info.IsDir() {
		for i := range files {
			files[i].Name = filepath.Join(name, files[i].Name)
		}
	}
	for i, f := range files {
		if full, err := filepath.Abs(f.Name); err == nil {
			if rel, err := filepath.Rel(s.stores.Root(), full); err == nil {
				files[i].Name = filepath.ToSlash(rel)
			}
		}
	}
	list, err := transfer.FindRepeated(s.ctx, s.stores, files, made.Entries, s.dryRun() && o.takeOut)
	if err != nil {
		return err
	}
	var open []transfer.Repeated
	for _, r := range list {
		if r.Why != "" {
			s.note("file-unchanged", repeatedText(r)+"; memctl leaves the file unchanged, because "+r.Why)
			continue
		}
		s.note("lines-repeated", repeatedText(r)+"; without them, agents and colleagues without memctl find these rules in "+memfile.FileName+" only")
		open = append(open, r)
	}
	if len(open) > 0 && !s.dryRun() {
		if now, err := briefing.Bootstrap(s.ctx, s.stores, briefing.BootstrapRequest{}); err == nil {
			s.note("briefing-size", "each session starts with "+count(now.Bytes, "byte")+" of memory, which `memctl bootstrap` prints")
		}
	}
	switch none := len(open) == 0; {
	case none && o.takeOut && len(list) > 0:
		return statusError(statusRefused)
	case none && o.takeOut:
		s.note("no-line-repeats", "no line repeats what a session receives from memctl, so none is taken out")
	case none:
	case o.takeOut || asks && s.askTakeOut(open):
		return s.finishOne(transfer.TakeOut(s.ctx, s.stores, s.Options, open))
	case !asks:
		s.hint("memctl import " + shell.Quote(name) + " --take-out")
	}
	return nil
}

// askTakeOut shows the beginnings of the lines, and asks whether they shall go.
func (s *session) askTakeOut(list []transfer.Repeated) bool {
	const most = 20
	var lines []string
	for _, r := range list {
		for _, c := range r.Cut {
			text := fmt.Sprintf("  line %-4d %s", c.Line, memory.Beginning(memory.Redacted(c.Text)))
			if c.Key != "" {
				text += " (" + inert(c.Key) + " has changed since)"
			}
			lines = append(lines, text)
		}
	}
	if n := len(lines) - most; n > 0 {
		lines = append(lines[:most], fmt.Sprintf("  and %d more", n))
	}
	s.print(strings.Join(lines, "\n") + "\n")
	return s.ask("Remove these lines from the file, with a commit?")
}

// repeatedText names the lines that a session reads twice, and those that contradict memory.
func repeatedText(r transfer.Repeated) string {
	stale := inert(r.Path + " contradicts memory, which has changed since: " + r.Stale)
	if r.Rules == 0 {
		return stale
	}
	text := "each session receives " + count(r.Rules, "rule") + " of " + inert(r.Path) + " from memctl too, and reads " + count(r.Bytes, "byte") + " twice"
	if r.Stale != "" {
		text += "; " + stale
	}
	return text
}

// checkInstructions warns of lines of instruction files that memory repeats, and of exports that are out of date.
func (d *doctor) checkInstructions() {
	if d.stores == nil || d.stores.Root() == "" || d.stores.Alone() {
		return
	}
	root, err := os.OpenRoot(d.stores.Root())
	if err != nil {
		return // another check says why
	}
	defer root.Close()
	d.checkExports()
	var files []capture.File
	for _, name := range importNames() {
		if !store.IsInstructions(name) {
			continue
		}
		if data, _, err := safefile.Read(root, name, capture.MaxInput); err == nil {
			files = append(files, capture.File{Name: name, Data: data})
		}
	}
	list, err := transfer.FindRepeated(d.ctx, d.stores, files, transfer.TryImport(d.ctx, d.stores, files), false)
	if err != nil {
		d.warn("instructions", explain(err).Error(), "")
		return
	}
	for _, r := range list {
		d.warn("instructions", repeatedText(r), "memctl import "+r.Path+" --take-out")
	}
}
