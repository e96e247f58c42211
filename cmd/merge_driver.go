package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	recovery "github.com/memctl/memctl/recover"
)

// errNotMerged says that the files cannot be merged by meaning, so that git's merge of text has to do.
var errNotMerged = errors.New("cannot be merged item by item")

func newMergeDriver(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "merge-driver BASE OURS THEIRS PATH",
		Short: "Merge memory files for git",
		Long: `Git calls merge-driver to merge memories.md and the files under memories/; "memctl init"
configures it as merge.memctl.driver. It writes the result to OURS and exits with 0. If
the files cannot be merged, it leaves OURS unchanged and exits with 1. docs/merge.md
describes the rules.`,
		Example: `  git config merge.memctl.driver
  memctl merge-driver base.md ours.md theirs.md memories.md`,
		RunE: a.runner(needNothing, func(s *session, args []string) error { return runMergeDriver(s, args) }),
	}
}

func runMergeDriver(s *session, args []string) error {
	now, err := s.clock()
	if err != nil {
		return err
	}
	var sides [3][]byte
	for i := range sides {
		if sides[i], err = readCapped(args[i], memfile.MaxFileBytes); err != nil {
			return err
		}
	}
	if len(sides[0]) == 0 {
		sides[0] = nil // git gives an empty file where there is none
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	opt := recovery.Options{Today: now().UTC().Format("2006-01-02")}
	if repo, err := gitops.Find(dir); err == nil {
		if worktree.Filtered(s.ctx, repo, args[3]) && worktree.WorktreeEncoding(s.ctx, repo, args[3]) == "" {
			return fmt.Errorf("%w: %q: git stores it through a filter; memctl resolve merges it", errNotMerged, args[3])
		}
		opt.Named = contents.Named(s.ctx, repo, args[3], mergedHeads()...)
	}
	merged, err := recovery.MergeFile(args[3], sides[0], sides[1], sides[2], opt)
	if errors.Is(err, entry.ErrDifferentEntries) {
		// What merges the text after us is to see that the two have no base.
		err = errors.Join(err, os.WriteFile(args[0], nil, 0o666))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errNotMerged, err)
	}
	for _, note := range merged.Notes {
		s.note(note.Code, inert(args[3])+": "+note.Text)
	}
	// Git's own temporary file, which nobody else reads: no rename is needed.
	return os.WriteFile(args[1], merged.Bytes, 0o666)
}

// mergedHeads are the commits that the merge's commit will have as parents: git names the others in variables.
func mergedHeads() []string {
	heads := []string{"HEAD"}
	for _, v := range os.Environ() {
		if id, ok := strings.CutPrefix(v, "GITHEAD_"); ok {
			id, _, _ = strings.Cut(id, "=")
			heads = append(heads, id)
		}
	}
	return heads
}

// readCapped reads a file of at most limit bytes.
func readCapped(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(src)) > limit {
		err = refusal("too-large", named(name, "is too large to be merged"))
	}
	return src, err
}
