package memory

import (
	"path"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
)

// Committed is what an act with one write says of its commit.
type Committed struct {
	Commit *string `json:"commit"` // null: not committed; Why says why
	Why    string  `json:"why"`
	Diff   string  `json:"diff,omitempty"` // in a dry run
	fault.Noted
}

// Take fills in what became of the write.
func (c *Committed) Take(out txn.Outcome) {
	c.Why, c.Diff, c.Notes = out.Why, out.Diff, append(c.Notes, out.Notes...)
	if out.Commit != "" {
		c.Commit = &out.Commit
	} else if out.Changed {
		c.Notes = append(c.Notes, CommitsLater(out)...)
	}
}

// CommitsLater says what will commit a write that stands uncommitted.
func CommitsLater(out txn.Outcome) []fault.Note {
	why := out.Why
	switch why {
	case "", txn.WhyDryRun, txn.WhyNoRepository, txn.WhyUnchanged:
		return nil
	}
	later := "the next memctl write commits it once the repository is in a normal state"
	switch why {
	case txn.WhyCommitOff, txn.WhyStageOnly, txn.WhyProtected, gitops.WhyUnmerged:
		later = "add it to your next commit: git add -- " + pathspecs(out.Waits)
	case gitops.WhyMerge, gitops.WhyRebase, gitops.WhyCherryPick, gitops.WhyRevert, gitops.WhyAm:
		if len(out.Waits) > 0 { // else it has ended meanwhile
			later = "the next memctl write after that commits it; to add it to the commit in progress: git add -- " + pathspecs(out.Waits)
		}
	case gitops.WhyNoIdentity:
		later = "the next memctl write commits it, once git knows your name: " + gitops.IdentityHint
	}
	return []fault.Note{fault.NewNote("not-committed", "written, not committed ("+why+"): "+later)}
}

// pathspecs names files for git, from whatever folder: many by the folders that hold them.
func pathspecs(files []string) string {
	const most = 4
	var list []string
	for _, f := range files {
		if len(files) > most && path.Base(f) != memfile.FileName {
			f = path.Dir(f)
		}
		text := shell.Quote(":/" + f)
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return strings.Join(list, " ")
}
