package skill

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/skills"
	"github.com/memctl/memctl/internal/skills/format"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// ruleChecked is the rule of skills that check refuses.
const ruleChecked = "skill-check"

// AddRequest is one `skills add`.
type AddRequest struct {
	memory.Options
	Source  string   // a folder, or a repository with @REVISION
	Names   []string // the skills to take; none for all
	Accept  bool     // although check refuses them
	Network remotes.Network
	// Confirm is shown what would be added, and decides; nil decides yes.
	Confirm func(Offer) bool
}

// Offer is what a person is asked about before skills are added.
type Offer struct {
	Skills  []string // their names
	Scripts []string // the files that an agent may run, as NAME/FILE
	Replace []string // the names of installed skills that would be replaced
	Into    string   // the folders that they are written to, as text
}

// Add copies skills from a folder or a repository into the user store, or into the project's
// .agents/skills, in one commit. Errors: a *memory.Refusal; those of reading the source.
func Add(ctx context.Context, ss *store.Stores, req AddRequest) (memory.Write, error) {
	w := req.Answer("skills", "", req.Scope)
	if err := req.Permit("skills add", memory.StateAbsent, "memctl skills add "+policy.Inert(req.Source)); err != nil {
		return w.Refused(err)
	}
	if len(req.Names) == 0 {
		req.Names = nil
	}
	a := &adding{AddRequest: req, ctx: ctx, ss: ss}
	if err := a.target(); err != nil {
		return w.Refused(err)
	}
	w.Scope = a.st.Scope
	if err := a.read(); err != nil {
		return w.Refused(err)
	}
	if err := a.check(); err != nil {
		return w.Refused(err)
	}
	if a.Confirm != nil && !a.Confirm(a.offer()) {
		w.Why = "not confirmed"
		return w, nil
	}
	out, err := a.write()
	return w.After(out, err, "added "+a.said()+" to "+filepath.ToSlash(strings.Join(a.folders(""), ", ")))
}

// adding is one add under way.
type adding struct {
	AddRequest
	ctx    context.Context
	ss     *store.Stores
	st     *store.Store
	found  []skills.Found
	source string // as the commit records it
}

// target chooses the store.
func (a *adding) target() (err error) {
	scope := a.Scope
	switch {
	case a.ss.IsSingleStore():
		scope = store.Only
	case scope == "":
		scope = store.User
	}
	if scope == store.Private {
		return memory.Refuse(memory.RuleScope, "skills are added to the user store or the project", "memctl skills add "+policy.Inert(a.Source)+" --scope project")
	}
	a.st, err = a.ss.Get(a.ctx, scope)
	return err
}

// folder is the folder of skills that has the skill, or that a new one is written to: of the project's it is the first
// that has the skill, else .agents/skills.
func (a *adding) folder(name string) string {
	if a.st.Scope != store.Project {
		return skills.InProject
	}
	if s, err := installed(a.ctx, a.ss, name, store.Project); err == nil {
		own, err := os.Lstat(s.Folder)
		all, failed := os.Lstat(filepath.Dir(s.Folder))
		if err == nil && failed == nil && own.IsDir() && all.IsDir() { // nothing is written through a link
			return path.Dir(path.Dir(s.Path))
		}
	}
	return skills.InAgents
}

// folders are the folders that the skills are written to, below dir.
func (a *adding) folders(dir string) (list []string) {
	for _, s := range a.found {
		if at := filepath.Join(dir, filepath.FromSlash(a.folder(s.Name))); !slices.Contains(list, at) {
			list = append(list, at)
		}
	}
	return list
}

// read reads the skills of the source.
func (a *adding) read() error {
	dir := a.ss.Abs(a.Source)
	if info, err := os.Stat(dir); err == nil && info.IsDir() && !isRepository(dir) {
		found, err := skills.InFolder(dir, a.Names)
		a.found, a.source = found, ""
		return errors.Join(err, a.choose())
	}
	remote, revision, err := splitSource(a.ss, a.Source)
	if err != nil {
		return err
	}
	err = remotes.Borrow(a.ctx, a.Network, remote, revision, func(r *gitops.Repo, commit string) error {
		name := strings.TrimSuffix(path.Base(filepath.ToSlash(remote)), ".git")
		found, err := skills.InCommit(a.ctx, r, commit, name, a.Names, nil)
		a.found, a.source = found, remotes.WithoutCredentials(remote)+"@"+commit
		return err
	})
	return errors.Join(err, a.choose())
}

// choose keeps the wanted skills, and refuses what is not there.
func (a *adding) choose() error {
	all := []string{}
	for _, s := range a.found {
		all = append(all, s.Name)
	}
	if len(all) == 0 {
		return memory.Refuse(memory.RuleNotFound, "the source has no folder with a SKILL.md")
	}
	for _, name := range a.Names {
		if !slices.Contains(all, name) {
			return memory.Refuse(memory.RuleNotFound, memory.Quoted(name)+": the source has no skill of this name; it has "+offered(all))
		}
	}
	if a.Names != nil {
		a.found = slices.DeleteFunc(a.found, func(s skills.Found) bool { return !slices.Contains(a.Names, s.Name) })
	}
	slices.Sort(all)
	for i := range all[1:] {
		if all[i] == all[i+1] && (a.Names == nil || slices.Contains(a.Names, all[i])) {
			return memory.Refuse(memory.RuleAmbiguous, "the source has several skills with the name "+memory.Quoted(all[i])+"; add the one from its own folder")
		}
	}
	return nil
}

// offered names some of the skills that a source has.
func offered(all []string) string {
	const most = 10
	slices.Sort(all)
	text := policy.Inert(strings.Join(all[:min(len(all), most)], ", "))
	if len(all) > most {
		text += fmt.Sprintf(" and %d more", len(all)-most)
	}
	return text
}

// isRepository reports whether a folder is the top of a repository, with a worktree or bare.
func isRepository(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
		return true
	}
	_, head := os.Stat(filepath.Join(dir, "HEAD"))
	_, objects := os.Stat(filepath.Join(dir, "objects"))
	return head == nil && objects == nil
}

// splitSource takes the revision off a repository's address, and refuses other transports than
// https, ssh and a local path.
func splitSource(ss *store.Stores, source string) (remote, revision string, err error) {
	remote = source
	if i := strings.LastIndex(source, "@"); i > max(strings.LastIndexAny(source, "/:"), 0) {
		remote, revision = source[:i], source[i+1:]
	}
	scheme, _, isURL := strings.Cut(remote, "://")
	switch {
	case isURL && (scheme == "https" || scheme == "ssh"):
		return remote, revision, nil
	case isURL || strings.Contains(remote, "::"):
		return "", "", memory.Refuse("source", "skills come over https or ssh, or from a local path")
	case strings.Contains(remote, ":") && !filepath.IsAbs(remote) && !strings.HasPrefix(remote, "."): // git@host:path
		return remote, revision, nil
	}
	if dir := ss.Abs(remote); isRepository(dir) {
		return dir, revision, nil
	}
	return "", "", &fault.Error{Code: memory.RuleNotFound, Status: 1, Cause: memory.Quoted(source) + ": no such folder or repository", Hints: []string{"memctl skills list"}}
}

// check refuses what memctl never installs, and what check refuses unless the person accepts
// it.
func (a *adding) check() error {
	var bad, refused []fault.Finding
	for _, s := range a.found {
		for _, f := range s.Files {
			switch name := s.Name + "/" + f.Path; {
			case f.Link:
				bad = append(bad, fault.Finding{Rule: ruleChecked, Message: policy.ShownPath(name) + " is a symbolic link, which memctl does not install"})
			case f.Large:
				bad = append(bad, fault.Finding{Rule: ruleChecked, Message: fmt.Sprintf("%s has more than %d bytes", policy.ShownPath(name), format.MaxFile)})
			}
		}
		for _, f := range format.Check(s.Name, s.Files) {
			finding := fault.Finding{Rule: f.Rule, Message: fmt.Sprintf("%s:%d: %s", policy.ShownPath(s.Name+"/"+f.File), f.Line, f.Message)}
			switch {
			case f.Severity != fault.SeverityError || f.Rule == format.RuleLink && slices.ContainsFunc(s.Files, func(l format.File) bool { return l.Link && l.Path == f.File }):
			case f.Rule == format.RuleForm:
				bad = append(bad, finding)
			default:
				refused = append(refused, finding)
			}
		}
	}
	if len(bad) > 0 {
		return &memory.Refusal{Findings: append(bad, refused...)}
	}
	if len(refused) > 0 && !a.Accept {
		return &memory.Refusal{Findings: refused, Notes: []fault.Note{fault.NewNote("accept-skills", "read these lines; --accept adds the skills all the same")}}
	}
	return nil
}

// offer is what the person is asked about.
func (a *adding) offer() Offer {
	o := Offer{Into: strings.Join(a.folders(a.st.Dir), ", ")}
	for _, s := range a.found {
		o.Skills = append(o.Skills, s.Name)
		for _, f := range s.Files {
			if isScript(f) {
				o.Scripts = append(o.Scripts, s.Name+"/"+f.Path)
			}
		}
		if a.st.Dir != "" {
			if _, err := os.Lstat(filepath.Join(a.st.Dir, filepath.FromSlash(a.folder(s.Name)), s.Name)); err == nil {
				o.Replace = append(o.Replace, s.Name)
			}
		}
	}
	return o
}

// isScript reports whether a file is a program that an agent may run.
func isScript(f format.File) bool {
	switch strings.ToLower(path.Ext(f.Path)) {
	case ".sh", ".bash", ".zsh", ".fish", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".ps1", ".bat", ".cmd", ".lua", ".go", ".exe", ".jar":
		return true
	}
	return strings.HasPrefix(string(f.Data[:min(len(f.Data), 2)]), "#!") || strings.HasPrefix(string(f.Data[:min(len(f.Data), 4)]), "\x7fELF")
}

func (a *adding) said() string {
	if len(a.found) == 1 {
		return "the skill " + a.found[0].Name
	}
	return fmt.Sprintf("%d skills", len(a.found))
}

// write writes the files in one commit, whose trailer names the source.
func (a *adding) write() (txn.Outcome, error) {
	const act = "skills add"
	var keys []string
	for _, s := range a.found {
		keys = append(keys, s.Name)
	}
	subject := act + " " + strings.TrimPrefix(a.said(), "the skill ")
	out, err := a.Update(a.ctx, a.st, txn.Write{
		Act: act, Keys: keys, Source: a.source, Subject: subject, Create: memory.CreatesFile(a.st.Scope), Files: true,
		Change: a.draft,
	})
	if err == nil && a.Accept && out.Changed && !a.st.DryRun() {
		for _, s := range a.found {
			if format.Refused(format.Check(s.Name, s.Files)) {
				digest, failed := skills.Digest("", s.Files)
				if failed == nil {
					failed = a.st.Accept(a.ctx, digest)
				}
				err = errors.Join(err, failed)
			}
		}
	}
	return out, err
}

// draft writes the files of the skills. A file that the new version of a skill does not have is removed.
func (a *adding) draft(d *txn.Draft) error {
	for _, s := range a.found {
		prefix := a.folder(s.Name) + "/" + s.Name + "/"
		have := map[string]bool{}
		for _, f := range s.Files {
			have[f.Path] = true
			if err := d.WriteFile(prefix+f.Path, append([]byte{}, f.Data...)); err != nil { // an empty file is not nil
				return err
			}
		}
		old, err := skills.FilesIn(filepath.Join(a.st.Dir, filepath.FromSlash(prefix)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // it is not installed
			return err
		}
		for _, f := range old {
			if have[f.Path] || f.Link || f.Large {
				continue
			}
			if err := d.WriteFile(prefix+f.Path, nil); err != nil {
				return err
			}
		}
	}
	return unlessIgnored(a.ctx, d)
}
