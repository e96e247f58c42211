// Package skills finds, reads and ranks skills: folders with a SKILL.md that tells an agent
// how to do one kind of task, in the format of Agent Skills. It only reads.
//
// Words. A tier is a place where skills lie; where two tiers have a skill of one name, the
// higher tier wins. A library is the skills that one reader may use, and the reasons why
// others are left out.
package skills

import (
	"context"
	"embed"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/skills/format"
	"github.com/memctl/memctl/internal/store"
)

// The tiers, the highest first.
const (
	TierProject  = "project"  // skills/ of the project
	TierAgents   = "agents"   // .agents/skills and .claude/skills of the project
	TierPersonal = "personal" // ~/.agents/skills
	TierUser     = "user"     // skills/ of the user store
	TierShared   = "shared"   // the local copy of the shared index
	TierBuiltIn  = "built in"
)

// Tiers are all of them, the highest first.
var Tiers = []string{TierProject, TierAgents, TierPersonal, TierUser, TierShared, TierBuiltIn}

// Skill is one skill that was found.
type Skill struct {
	format.Head
	Tier   string
	Folder string // the skill's own folder, absolute; "" for one that is built in
	Path   string // of its SKILL.md, as an agent finds it: from the project's root, else absolute; "" without a file
	Commit string // whose version the reader gets; "" for the current one
	// Repository is where a skill of the shared index comes from, as the index calls it; "" for any other skill.
	Repository string
}

// OnDisk reports whether the files in Folder are those of the version that the reader gets.
func (s Skill) OnDisk() bool { return s.Commit == "" || s.Tier == TierShared }

// Folder is one folder of skills.
type Folder struct {
	Tier string
	Dir  string // absolute; "" for the built-in skills
	Name string // as settings and agents name it: skills, .agents/skills
	Root string // no link may lead out of this folder
}

// Project reports whether the folder came with the project.
func (f Folder) Project() bool { return f.Tier == TierProject || f.Tier == TierAgents }

// The folders of skills, from their roots: see store.SkillFolders.
const (
	InProject = "skills"
	InAgents  = ".agents/skills"
	InClaude  = ".claude/skills"
)

// Folders lists the folders of skills of this session, the highest tier first, whether they
// are there or not. TierShared has none: it comes before the built-in skills.
func Folders(ctx context.Context, ss *store.Stores) []Folder {
	var list []Folder
	add := func(tier, root, name string) {
		if root != "" {
			list = append(list, Folder{Tier: tier, Dir: filepath.Join(root, filepath.FromSlash(name)), Name: name, Root: root})
		}
	}
	if ss.IsSingleStore() {
		add(TierUser, ss.Root(), InProject)
		return append(list, Folder{Tier: TierBuiltIn, Name: "built in"})
	}
	for _, name := range store.SkillFolders {
		tier := TierAgents
		if name == InProject {
			tier = TierProject
		}
		add(tier, ss.Root(), name)
	}
	add(TierPersonal, ss.Home(), InAgents)
	if st, err := ss.Get(ctx, store.User); err == nil {
		add(TierUser, st.Dir, InProject)
	}
	return append(list, Folder{Tier: TierBuiltIn, Name: "built in"})
}

//go:embed builtin
var builtin embed.FS

// builtinRoot is where the built-in skills lie in the program.
const builtinRoot = "builtin"

// Names lists the skills' folders in a folder, sorted. A folder that is not there has none.
func (f Folder) Names() []string {
	var names []string
	for _, e := range f.entries() {
		names = append(names, e.Name())
	}
	return names
}

// Skill is the skill of a folder of this name by its place alone.
func (f Folder) Skill(name string) Skill {
	s := Skill{Head: format.Head{Name: name}, Tier: f.Tier}
	if f.Dir == "" {
		return s
	}
	s.Folder = f.Dir + string(filepath.Separator) + name
	if s.Path = filepath.ToSlash(s.Folder) + "/" + format.FileName; f.Project() {
		s.Path = f.Name + "/" + name + "/" + format.FileName
	}
	return s
}

// entries are the folders, and the links to folders, in a folder of skills, by name.
func (f Folder) entries() []os.DirEntry {
	var entries []os.DirEntry
	if f.Dir == "" {
		entries, _ = builtin.ReadDir(builtinRoot)
	} else {
		entries, _ = os.ReadDir(f.Dir)
	}
	return slices.DeleteFunc(entries, func(e os.DirEntry) bool {
		return !e.IsDir() && e.Type()&os.ModeSymlink == 0 || strings.HasPrefix(e.Name(), ".")
	})
}

// builtinFile is a file of the built-in skills.
func builtinFile(name, file string) ([]byte, error) {
	return builtin.ReadFile(path.Join(builtinRoot, name, file))
}
