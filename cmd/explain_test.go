package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/patch"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	recovery "github.com/memctl/memctl/recover"
	"github.com/memctl/memctl/settings"
	"github.com/memctl/memctl/store"
)

func TestExplain(t *testing.T) {
	tests := map[string]struct {
		err    error
		code   string
		status int
		retry  bool
	}{
		"an act's own error stands":       {&memory.Error{Code: "ambiguous", Status: 1}, "ambiguous", 1, false},
		"a lock that is held":             {&safefile.HeldError{Path: "lock"}, "lock-held", 2, true},
		"a lock waited for too long":      {&safefile.HeldError{Path: "lock", Cause: context.DeadlineExceeded}, "lock-held", 2, true},
		"no regular file":                 {&safefile.NotAFileError{Name: "memories.md", Mode: fs.ModeSymlink}, "not-a-file", 2, false},
		"a file too large to read":        {&safefile.TooLargeError{Name: "memories.md"}, "too-large", 2, false},
		"a file that changed meanwhile":   {&safefile.ChangedError{Name: "memories.md"}, "changed-on-disk", 2, true},
		"damage that is a person's":       {&store.DamagedError{Name: "memories.md", Problem: memfile.Problem{Line: 3}}, "damaged", 1, false},
		"damage without a conflict":       {&store.NoConflictError{Name: "memories.md", Problem: memfile.Problem{Line: 3}}, "damaged", 1, false},
		"a later format in a merge":       {patch.ErrNewer, "newer-version", 1, false},
		"somebody's page":                 {&store.ForeignError{Name: "memories.md"}, "not-a-memory-file", 1, false},
		"a later format":                  {&store.NewerVersionError{Name: "memories.md", Version: 2}, "newer-version", 1, false},
		"no memory file":                  {&store.MissingError{Scope: "project", Name: "memories.md"}, "no-memory-file", 1, false},
		"a secret in a person's edit":     {&store.SecretError{Name: "memories.md", Finding: policy.Finding{Line: 3, Kind: "token"}}, "secret", 1, false},
		"a scope that there is not":       {&store.ScopeError{Scope: "project", Why: "none here"}, "scope", 1, false},
		"a store that there is not yet":   {&store.NoFolderError{Dir: "/nowhere"}, "not-found", 1, false},
		"no history":                      {&store.NoHistoryError{Dir: "plain"}, "not-a-repository", 1, false},
		"a write that is put off":         {&store.DeferredError{Why: "merge in progress"}, "deferred", 1, false},
		"a full queue":                    {&store.QueueFullError{Path: "queue.json"}, "queue-full", 2, false},
		"an act too large for one":        {&store.TooMuchError{Path: "memories", Max: 1 << 20}, "too-large", 2, false},
		"a folder where a lock belongs":   {fmt.Errorf("%q: %w", "lock", syscall.EISDIR), "file", 2, false},
		"local state that cannot be read": {&store.StateError{Path: "queue.json", Err: fs.ErrInvalid}, "local-state", 2, false},
		"a recovery that grows too large": {&recovery.TooLargeError{}, "too-large", 1, false},
		"a setting with a wrong value":    {&settings.ValueError{Name: "memctl.commit", Text: "maybe"}, "setting", 2, false},
		"no repository":                   {fmt.Errorf("here: %w", gitops.ErrNotARepository), "not-a-repository", 1, false},
		"a commit that is not possible":   {&gitops.BlockedError{Why: gitops.WhyNoIdentity}, "blocked", 2, true},
		"an unknown revision":             {&gitops.UnknownRevisionError{Rev: "nowhere"}, "unknown-revision", 1, false},
		"a bare repository":               {&gitops.BareError{GitDir: "x.git"}, "bare-repository", 1, false},
		"a git that failed":               {&gitops.Error{Args: []string{"commit"}, Status: 128}, "git-failed", 2, false},
		"a run that was interrupted":      {fmt.Errorf("git: %w", context.Canceled), "interrupted", 2, true},
		"a run out of time":               {context.DeadlineExceeded, "timeout", 2, true},
		"a file that is not there":        {&fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}, "not-found", 1, false},
		"a file that may not be read":     {&fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission}, "file", 2, false},
		"a full disk":                     {&fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, "disk-full", 2, true},
		"a quota that is used up":         {fmt.Errorf("%q: %w", "x", syscall.EDQUOT), "disk-full", 2, true},
		"state on a full disk":            {&store.StateError{Path: "x", Err: syscall.ENOSPC}, "disk-full", 2, true},
		"a disk that is read-only":        {&fs.PathError{Op: "open", Path: "x", Err: syscall.EROFS}, "read-only", 2, false},
		"a disk that fails":               {&os.LinkError{Op: "rename", Old: "y", New: "x", Err: syscall.EIO}, "disk-error", 2, true},
		"a git folder closed to writing":  {&store.UnwritableError{Path: ".git", Git: true, Err: fs.ErrPermission}, "git-folder-not-writable", 2, false},
		"a state folder closed to it":     {&store.UnwritableError{Path: "state", Err: syscall.EROFS}, "folder-not-writable", 2, false},
		"wrong use":                       {&usageError{thing: "x", cause: "no"}, "usage", 2, false},
		"a panic":                         {&bugError{cause: "index out of range"}, "internal", 2, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, err := range []error{test.err, fmt.Errorf("adding: %w", test.err)} {
				got := explain(err)
				if got.Code != test.code || got.Status != test.status || got.Retry != test.retry {
					t.Errorf("got %s, status %d, retry %v; want %s, %d, %v", got.Code, got.Status, got.Retry, test.code, test.status, test.retry)
				}
				if strings.HasSuffix(got.Message, ".") || strings.Contains(got.Message, "\n") {
					t.Errorf("not a message of one line without a full stop: %q", got.Message)
				}
			}
		})
	}
}

// failingWriter panics, as a fault in our own code would.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { panic("out of order") }

func TestPanicIsReportedAsABug(t *testing.T) {
	var talk bytes.Buffer
	status := Main([]string{"version"}, term.Streams{In: strings.NewReader(""), Out: failingWriter{}, Err: &talk})
	if status != statusFault || !strings.HasPrefix(talk.String(), "memctl: error: out of order; this is a bug in memctl") {
		t.Errorf("status %d, stderr %q", status, talk.String())
	}
	if !strings.Contains(talk.String(), "explain_test.go") {
		t.Error("the stack is missing, which a report needs")
	}
}
