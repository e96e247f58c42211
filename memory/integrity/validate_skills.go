package integrity

import (
	"path/filepath"
	"slices"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/skills"
	"github.com/memctl/memctl/skills/check"
	"github.com/memctl/memctl/store"
)

// SkillFindings are the findings of a check of one skill, whose folder is named as it is
// printed.
func SkillFindings(folder string, list []check.Finding) []Validation {
	var found []Validation
	for _, f := range list {
		found = append(found, Validation{
			Rule: f.Rule, Severity: f.Severity, File: shownName(filepath.Join(folder, filepath.FromSlash(f.File))),
			Line: f.Line, Column: f.Column, Message: f.Message, Hint: f.Hint,
		})
	}
	return found
}

// skillFiles takes the files that belong to skills out of those that were named, and gives the
// folders of the skills.
func (v *validating) skillFiles(files []string) (rest, folders []string) {
	if !v.chosen || v.ss.Root() == "" {
		return files, nil
	}
	for _, name := range files {
		dir, ok := skills.FolderOf(v.ss.Root(), v.ss.Abs(name))
		switch {
		case !ok:
			rest = append(rest, name)
		case !slices.Contains(folders, dir):
			folders = append(folders, dir)
		}
	}
	return rest, folders
}

// skills adds the findings of the project's skills, or of those in the folders, on disk, in the
// index or in the revision. Each skill counts as one file.
func (v *validating) skills(folders []string, res *ValidateResult) error {
	if v.Scope != store.Project && v.Scope != store.Only || v.ss.Root() == "" || v.chosen && len(folders) == 0 {
		return nil
	}
	if v.Rev == "" && !v.Staged {
		v.skillsOnDisk(folders, res)
		return nil
	}
	found, top, err := v.findSkills()
	if err != nil {
		return err
	}
	for _, s := range found {
		at := filepath.Join(top, filepath.FromSlash(s.Path))
		if len(folders) > 0 && !slices.Contains(folders, at) {
			continue
		}
		res.FileCount++
		res.Findings = append(res.Findings, SkillFindings(v.fromHere(at), check.Skill(s.Name, s.Files))...)
	}
	return nil
}

// skillsOnDisk is skills for the project's worktree.
func (v *validating) skillsOnDisk(folders []string, res *ValidateResult) {
	for _, name := range store.SkillFolders {
		dir := filepath.Join(v.ss.Root(), filepath.FromSlash(name))
		found, err := skills.FoldersIn(dir)
		if err != nil {
			continue // there is none
		}
		for _, at := range found {
			folder := filepath.Join(dir, filepath.FromSlash(at))
			if at == "." || len(folders) > 0 && !slices.Contains(folders, folder) {
				continue
			}
			res.FileCount++
			list, _ := skills.Findings(folder)
			res.Findings = append(res.Findings, SkillFindings(v.fromHere(folder), list)...)
		}
	}
}

// findSkills reads the project's skills from the index or a revision; their paths are from top.
func (v *validating) findSkills() (found []skills.Found, top string, err error) {
	repo := v.ss.Repo()
	if repo == nil {
		return nil, "", gitops.ErrNotARepository
	}
	if v.Staged {
		found, err = skills.InIndex(v.ctx, repo, store.SkillFolders)
		return found, repo.Root, err
	}
	commit, err := object.Resolve(v.ctx, repo, v.Rev)
	if err == nil {
		found, err = skills.InCommit(v.ctx, repo, commit, "", nil, store.SkillFolders)
	}
	if fault.Is(err, fault.UnknownRevision) {
		return nil, repo.Root, nil // the files say so
	}
	return found, repo.Root, err
}
