// Package integrity holds the acts on files that may be unsound: validate, recover, resolve,
// repair, and the merge that git calls.
package integrity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// Validate checks memory files: what is wrong with their form, what the policy
// objects to, and with a base what has gone wrong since. Files that are named
// need no repository; with none named it checks the session's own, and finds
// nothing where there is none. A file that is no memory file is read for
// secrets and the markers of merge conflicts. Errors: *fault.Error of code not-found
// for a named file that is not there, shallow-clone for a revision that was not
// fetched, unknown-revision, and not-a-repository where git is needed and is not there.
func Validate(ctx context.Context, ss *store.Stores, who contents.Reader, req ValidateRequest) (ValidateResult, error) {
	v := &validating{ValidateRequest: req, ctx: ctx, ss: ss, teams: map[string]*policy.Team{}}
	res, err := v.run()
	for i := range res.Findings {
		if who != contents.Person && hide(&res.Findings[i]) {
			res.WithheldCount++
		}
	}
	return res, v.explained(err)
}

func (v *validating) run() (ValidateResult, error) {
	res := ValidateResult{Findings: []fault.Finding{}}
	v.chosen = len(v.Files) > 0
	files, err := v.files()
	if err != nil {
		return res, err
	}
	if v.Files = files; !v.chosen {
		memory.WarnMissingFile(v.ctx, v.ss, v.Scope)
	}
	for _, name := range files {
		found, there, err := v.file(name)
		if err != nil {
			return res, err
		}
		if there {
			res.FileCount++
		}
		res.Findings = append(res.Findings, found...)
	}
	return res, nil
}

// file lists the findings of one file. One that is missing, and was not named, has those of what it
// had at the base.
func (v *validating) file(name string) (found []fault.Finding, there bool, err error) {
	if err := v.ctx.Err(); err != nil {
		return nil, false, err
	}
	src, there, err := v.read(name)
	switch f := findingIfUnreadable(name, err); {
	case f != nil:
		return []fault.Finding{*f}, true, nil
	case err != nil:
		return nil, false, err
	case there:
		found, err = v.check(name, src)
		return found, true, err
	}
	if found, err = v.findLost(name); err != nil || len(found) > 0 || !v.chosen {
		return found, len(found) > 0, err
	}
	return nil, false, &fault.Error{Code: memory.RuleNotFound, Status: 1, Cause: memory.Quoted(name) + " is not in " + cmp.Or(policy.Inert(v.Rev), "the index")}
}

// validating is one validate under way.
type validating struct {
	ValidateRequest
	ctx context.Context
	ss  *store.Stores
	// chosen: a person named the files, so they have to be there.
	chosen bool
	teams  map[string]*policy.Team // by the team's file
	// forgotten tells what was forgotten; nil where files were named.
	forgotten *contents.Forgotten
}

// files are those that the request means. It sets the scope that they count as.
func (v *validating) files() ([]string, error) {
	if len(v.Files) > 0 {
		v.Scope = cmp.Or(v.Scope, store.Project)
		return v.Files, v.needGit(v.Files)
	}
	st, err := memory.SessionStore(v.ctx, v.ss, v.Scope)
	if fault.Is(err, fault.Scope) && v.Scope == "" {
		return nil, v.needGit([]string{memfile.FileName})
	}
	if err != nil {
		return nil, err
	}
	if v.ofGit() && st.Repo == nil {
		return nil, fmt.Errorf("%q: %w", cmp.Or(st.Dir, st.Scope), gitops.ErrNotARepository)
	}
	v.Scope = st.Scope
	if st.Dir == "" {
		return nil, nil
	}
	files := []string{v.fromHere(st.Path())}
	if st.Scope == store.Project || st.Scope == store.Only {
		files = append(files, v.fromHere(filepath.Join(st.Dir, store.TeamFile)))
		files = append(files, v.rootContext(st)...)
	}
	return v.withMemory(st, files)
}

// fromHere is a path as it is named in the session's folder. It resolves links
// in both folders, because ".." starts from a link's target.
func (v *validating) fromHere(path string) string {
	here, err := filepath.EvalSymlinks(v.ss.Abs("."))
	if err != nil {
		return path
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(here, filepath.Join(dir, filepath.Base(path)))
	if err != nil || strings.Count(rel, "..") > 3 {
		return path // far away: the whole path says more
	}
	return rel
}

// read gives the file's bytes from the disk, the index or the revision.
func (v *validating) read(name string) (src []byte, ok bool, err error) {
	switch {
	case v.Rev != "":
		return v.fileAt(v.Rev, name)
	case v.Staged:
		repo, path, err := v.ss.InRepository(name)
		if err != nil {
			return nil, false, err
		}
		return contents.AsStaged(v.ctx, repo, path)
	}
	src, err = readNamed(v.ss.Abs(name))
	if errors.Is(err, fs.ErrNotExist) && !v.chosen {
		return nil, false, nil
	}
	return src, err == nil, err
}

// readNamed reads a file that the person named, with the limits of a memory
// file.
func readNamed(path string) ([]byte, error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	src, _, err := safefile.Read(root, filepath.Base(path), memfile.MaxFileBytes)
	return src, err
}

// findingIfUnreadable is the finding for a file that is there and not read; nil for any
// other error. One such file must not hide what is wrong with the rest.
func findingIfUnreadable(name string, err error) *fault.Finding {
	f := &fault.Finding{Severity: fault.SeverityError, File: shownName(name), Line: 1, Column: 1}
	switch {
	case fault.Is(err, fault.NotAFile):
		f.Rule, f.Message = ruleNotAFile, "is not a regular file, so it is not read"
	case fault.Is(err, fault.TooLarge):
		f.Rule, f.Message = ruleTooLarge, "is larger than a memory file may be, so it is not read"
		f.Hint = "move everything that is not memory to another file"
	default:
		return nil
	}
	return f
}

// The rules that are validate's own, beside those of memfile and policy.
const (
	ruleNotAFile  = "not-a-file"
	ruleTooLarge  = "too-large"
	ruleNotMemory = "not-a-memory-file"
	ruleNULs      = "nul-bytes"
	ruleConflict  = "conflict-markers"
	ruleCopy      = "copy"
)

// check lists the findings of one file, in the order of its lines.
func (v *validating) check(name string, src []byte) ([]fault.Finding, error) {
	c := &checking{name: name, src: src, scope: v.Scope, judged: cmp.Or(v.ss.OwnScope(v.ss.Abs(name)), v.Scope)}
	c.secrets()
	if filepath.Base(name) == store.TeamFile {
		_, problems := store.ParseTeam(name, src)
		c.problems(problems, false)
		c.markers(len(src), len(src))
		return c.sorted(), nil
	}
	if isContextFile(name) || v.isRootContext(name) && !memfile.HasTraces(src) {
		return c.contextFile(), nil
	}
	if rel := entry.PathFromStore(filepath.ToSlash(name)); rel != "" {
		return v.entry(c, rel)
	}
	named := filepath.Base(name) == memfile.FileName
	if ours := memfile.HasTraces(src) || named && !memfile.IsPage(src); !ours {
		c.markers(len(src), len(src))
		if named {
			c.add(fault.SeverityWarning, ruleNotMemory, 1, 1, "", "it contains no memory, so only secrets and conflict markers were checked", "memctl recover turns it into a memory file")
		}
		if !named {
			return c.sorted(), nil
		}
		return v.sinceBase(c)
	}
	team, err := v.team(name, c)
	if err != nil {
		return nil, err
	}
	c.team = team
	base, err := v.base(name)
	if err != nil {
		return nil, err
	}
	c.memory(base)
	if base != nil && base.since != nil {
		c.compareWithBase(base, v.Strict)
	}
	return c.sorted(), nil
}

// ValidateRequest names files; none means the session's own memory file.
type ValidateRequest struct {
	Files  []string
	Scope  string
	Staged bool   // read the files as they stand in the index
	Rev    string // read the files as they stand in this revision
	Base   string // also say what has gone wrong since this revision
	Strict bool   // what has gone wrong since is an error, not a warning
}

// ValidateResult is what is wrong.
type ValidateResult struct {
	FileCount int             `json:"file_count"`
	Findings  []fault.Finding `json:"findings"`
	memory.Withheld
}

// hide takes the key and the path to which the policy objects out of a finding, with what is said of them, and reports
// whether it lost something.
func hide(f *fault.Finding) bool {
	path := policy.RulePath(f.File).Verdict != policy.Accept
	if !path && (f.Key == "" || !memory.Objected(f.Key)) {
		return false
	}
	if f.Key, f.Hint, f.Message = "", "", "run this at a terminal to see the reason"; path {
		f.File = ""
	}
	return true
}
