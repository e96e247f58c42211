package setup

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/reading/view"
)

// projectPrefix begins the items about the project of a folder, and projectsPrefix those that each describe a project.
const projectPrefix, projectsPrefix = "project.", "projects."

// Projects lists what is known of projects: first that of this folder, by the items project.* of its memory, then those that
// were set, by the items projects.*.
func Projects(ctx context.Context, ss *store.Stores) (ProjectsResult, error) {
	res := ProjectsResult{Projects: []ProjectView{}}
	memories, _, err := view.ReadShown(ctx, ss, "", contents.Person)
	if err != nil {
		return res, err
	}
	here := ProjectView{Path: ss.Root(), Technologies: []string{}, Here: true}
	if here.Path != "" {
		here.Name, _ = ss.ProjectName(ctx, "", nil)
	}
	folder := projectKey(here.Name)
	for _, m := range memories {
		for _, it := range m.Items {
			switch name, set := strings.CutPrefix(it.Key, projectsPrefix); {
			case it.Reasons()&contents.ForPerson != 0:
			case set && !slices.ContainsFunc(res.Projects, func(p ProjectView) bool { return projectKey(p.Name) == projectKey(name) }):
				res.Projects = append(res.Projects, projectOf(name, it))
			case !set && m.Store.Scope != store.User:
				if name, ok := strings.CutPrefix(it.Key, projectPrefix); ok {
					here.field(name, it.Value)
				}
				here.Last = max(here.Last, it.Day())
			}
		}
	}
	slices.SortStableFunc(res.Projects, func(a, b ProjectView) int {
		return cmp.Or(-cmp.Compare(a.Last, b.Last), cmp.Compare(a.Name, b.Name))
	})
	if here.Path == "" || ss.IsSingleStore() {
		return res, nil
	}
	list, err := view.Entries(ctx, ss, "")
	for _, e := range list {
		if e.Scope != store.User {
			here.Last = max(here.Last, memory.UTCDay(e.Time()))
		}
	}
	if i := slices.IndexFunc(res.Projects, func(p ProjectView) bool {
		return p.Path != "" && filepath.Clean(p.Path) == filepath.Clean(here.Path) || p.Path == "" && projectKey(p.Name) == folder
	}); i >= 0 {
		set := res.Projects[i]
		here.Name, here.Description, here.Status = set.Name, cmp.Or(here.Description, set.Description), cmp.Or(here.Status, set.Status)
		here.Technologies, here.Last = memory.Union(here.Technologies, set.Technologies), max(here.Last, set.Last)
		res.Projects = slices.Delete(res.Projects, i, i+1)
	}
	res.Projects = slices.Insert(res.Projects, 0, here)
	return res, err
}

// projectKey is the key of the item that describes a project of that name.
func projectKey(name string) string {
	key, best := memfile.NormalKey(projectsPrefix + name)
	if !memfile.KeyForm(key) {
		return best
	}
	return key
}

// projectOf reads an item projects.NAME: a small map, or a description.
func projectOf(name string, it contents.Item) ProjectView {
	p := ProjectView{Name: name, Technologies: []string{}, Last: max(it.Day(), it.Seen)}
	for _, f := range it.Value.Map {
		p.field(f.Name, f.Value)
	}
	if it.Value.Kind != memfile.Map {
		p.Description = it.Value.Plain()
	}
	return p
}

// field reads one field of a project's description.
func (p *ProjectView) field(name string, v memfile.Value) {
	switch name {
	case "name":
		p.Name = v.Plain()
	case "path":
		p.Path = v.Plain()
	case "description", "purpose":
		p.Description = cmp.Or(p.Description, v.Plain())
	case "status":
		p.Status = v.Plain()
	case "technologies", "languages", "stack":
		for _, s := range gathered(nil, strings.Join(plainValues(v), ",")).List {
			p.Technologies = memory.Union(p.Technologies, []string{s.Text})
		}
	}
}

// ProjectRequest says what is known of one project.
type ProjectRequest struct {
	memory.Options
	Name, Description string
	Technologies      []string
}

// Add is the add of the item projects.NAME of the user's memory, with what it has already. Errors: *memory.Refusal for a name
// that is no key; a store that cannot be read.
func (req ProjectRequest) Add(ctx context.Context, ss *store.Stores) (edit.Request, error) {
	if req.Scope == "" && !ss.IsSingleStore() {
		req.Scope = store.User
	}
	add := edit.Request{Options: req.Options, Key: projectKey(req.Name), Value: memfile.Value{Kind: memfile.Map}}
	if !memfile.KeyForm(add.Key) {
		return add, memory.Refuse(memory.RuleKeyForm, "a project's name can have only letters, digits and hyphens")
	}
	it, err := known(ctx, ss, req.Options, add.Key)
	was := ProjectView{}
	if it != nil {
		was = projectOf(req.Name, *it)
	}
	technologies := req.Technologies
	if len(technologies) == 0 {
		technologies = was.Technologies
	}
	for _, part := range [][2]string{
		{"path", was.Path}, {"description", cmp.Or(req.Description, was.Description)}, {"technologies", strings.Join(technologies, ", ")}, {"status", was.Status},
	} {
		if part[1] != "" {
			add.Value.Map = append(add.Value.Map, memfile.Field{Name: part[0], Value: memfile.Str(part[1])})
		}
	}
	return add, err
}

// known is the item of the key in the store to which a write of it goes; nil for none.
func known(ctx context.Context, ss *store.Stores, o memory.Options, key string) (*contents.Item, error) {
	st, err := memory.Target(ctx, ss, key, "", o)
	if err != nil {
		return nil, err
	}
	m, err := contents.Read(ctx, st)
	if err != nil {
		return nil, err
	}
	return m.Find(key), nil
}

// ProjectsResult lists projects, that of this folder first.
type ProjectsResult struct {
	Projects []ProjectView `json:"projects"`
}

// ProjectView is what is known of one project.
type ProjectView struct {
	Name         string   `json:"name"`
	Path         string   `json:"path,omitempty"`
	Description  string   `json:"description,omitempty"`
	Technologies []string `json:"technologies"`
	Status       string   `json:"status,omitempty"`
	Last         string   `json:"last,omitempty"` // day of the last activity
	Here         bool     `json:"here"`
}
