package setup

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// projectsPrefix begins the items that describe a project of the person.
const projectsPrefix = "projects."

// Projects lists what is known of projects: that of this folder, from the items
// project.* of its memory, and those that were set, from the items projects.*.
func Projects(ctx context.Context, ss *store.Stores) (ProjectsResult, error) {
	res := ProjectsResult{Schema: memory.SchemaNumber, Projects: []ProjectView{}}
	memories, _, err := view.ReadShown(ctx, ss, "", contents.Person)
	if err != nil {
		return res, err
	}
	rows := map[string]int{} // of the projects that were set, by key
	var here *ProjectView
	var folder string
	if ss.Root() != "" && !ss.Alone() {
		name, _ := ss.ProjectName(ctx, "", nil)
		folder = projectKey(name)
		here = &ProjectView{Name: name, Path: ss.Root(), Technologies: []string{}, Here: true}
	}
	for _, m := range memories {
		for _, it := range m.Items {
			if it.Out()&contents.ForPerson != 0 {
				continue
			}
			name, set := strings.CutPrefix(it.Key, projectsPrefix)
			switch {
			case set:
				res.set(rows, projectOf(name, it))
			case here != nil && m.Store.Scope != store.User:
				here.take(it.Key, it.Value)
				here.Last = max(here.Last, it.Day())
			}
		}
	}
	slices.SortStableFunc(res.Projects, func(a, b ProjectView) int {
		return cmp.Or(-cmp.Compare(a.Last, b.Last), cmp.Compare(a.Name, b.Name))
	})
	if here == nil {
		return res, nil
	}
	return res, res.withHere(ctx, ss, here, folder)
}

// set adds what one item says of a project, to the project's row where there is one: several
// items and several scopes may describe one project.
func (r *ProjectsResult) set(rows map[string]int, p ProjectView) {
	key := projectKey(p.Name)
	i, known := rows[key]
	if !known {
		rows[key] = len(r.Projects)
		r.Projects = append(r.Projects, p)
		return
	}
	row := &r.Projects[i]
	row.Path = cmp.Or(row.Path, p.Path)
	row.add(p)
}

// add takes over what another description of the project says, and this one does not.
func (p *ProjectView) add(more ProjectView) {
	p.Description, p.Status = cmp.Or(p.Description, more.Description), cmp.Or(p.Status, more.Status)
	p.Technologies, p.Last = memory.Union(p.Technologies, more.Technologies), max(p.Last, more.Last)
}

// projectKey is the key of the item that describes a project of that name.
func projectKey(name string) string {
	key, best := memfile.NormalKey(projectsPrefix + name)
	if !memfile.KeyForm(key) {
		return best
	}
	return key
}

// withHere puts the project of this folder first, with what was set about its folder or,
// without a folder, about its name. named is the key of the name that the folder gives it.
func (r *ProjectsResult) withHere(ctx context.Context, ss *store.Stores, here *ProjectView, named string) error {
	list, err := view.Entries(ctx, ss, "")
	for _, e := range list {
		if e.Scope != store.User {
			here.Last = max(here.Last, memory.DayOf(e.Time()))
		}
	}
	r.Projects = slices.DeleteFunc(r.Projects, func(p ProjectView) bool {
		switch key := projectKey(p.Name); {
		case p.Path != "" && filepath.Clean(p.Path) == filepath.Clean(here.Path):
			here.Name = p.Name
		case p.Path != "" || key != named && key != projectKey(here.Name):
			return false
		}
		here.add(p)
		return true
	})
	r.Projects = append([]ProjectView{*here}, r.Projects...)
	return err
}

// take reads one item of the project's own memory.
func (p *ProjectView) take(key string, v memfile.Value) {
	switch key {
	case "project.name":
		p.Name = v.Plain()
	case "project.description", "project.purpose":
		p.Description = cmp.Or(p.Description, v.Plain())
	case "project.status":
		p.Status = v.Plain()
	case "project.technologies", "project.languages", "project.stack":
		for _, s := range plainValues(v) {
			p.Technologies = memory.Union(p.Technologies, splitList(s))
		}
	}
}

func splitList(s string) []string {
	var list []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// projectOf reads an item projects.NAME, a small map or a description, or projects.NAME.FIELD.
func projectOf(name string, it contents.Item) ProjectView {
	p := ProjectView{Name: name, Technologies: []string{}, Last: max(it.Day(), it.Seen)}
	if it.Value.Kind == memfile.Map {
		for _, f := range it.Value.Map {
			p.field(f.Name, f.Value)
		}
		return p
	}
	if i := strings.LastIndex(name, "."); i > 0 && p.field(name[i+1:], it.Value) {
		if p.Name == name {
			p.Name = name[:i]
		}
		return p
	}
	p.Description = it.Value.Plain()
	return p
}

// field reads one field of a project's description. ok is false for an unknown field.
func (p *ProjectView) field(name string, v memfile.Value) (ok bool) {
	switch name {
	case "name":
		p.Name = v.Plain()
	case "path":
		p.Path = v.Plain()
	case "description":
		p.Description = v.Plain()
	case "status":
		p.Status = v.Plain()
	case "technologies":
		p.Technologies = []string{}
		for _, s := range plainValues(v) {
			p.Technologies = memory.Union(p.Technologies, splitList(s))
		}
	default:
		return false
	}
	return true
}

// ProjectRequest sets what is known of one project; "" leaves a part as it is.
type ProjectRequest struct {
	memory.Options
	Name, Path, Description, Technologies, Status string
}

// SetProject sets what is known of one project, in the item projects.NAME of the
// user's memory, where all projects of a person stand together.
func SetProject(ctx context.Context, ss *store.Stores, req ProjectRequest) (memory.Write, error) {
	add, err := req.Add(ctx, ss)
	if err != nil {
		return req.Answer("projects", cmp.Or(add.Key, req.Name), add.Scope).Refused(err)
	}
	return edit.Add(ctx, ss, add)
}

// Add is the add that SetProject makes. Errors: *memory.Refusal for a name that is no key; a store that
// cannot be read.
func (req ProjectRequest) Add(ctx context.Context, ss *store.Stores) (edit.Request, error) {
	if req.Scope == "" && !ss.Alone() {
		req.Scope = store.User
	}
	key := projectKey(req.Name)
	add := edit.Request{Options: req.Options, Key: key}
	if !memfile.KeyForm(key) {
		return add, memory.Refuse(memory.RuleKeyForm, "a project's name can have only letters, digits and hyphens")
	}
	st, err := memory.Target(ctx, ss, key, "", req.Options)
	if err != nil {
		return add, err
	}
	m, err := contents.Read(ctx, st)
	if err != nil {
		return add, err
	}
	was := ProjectView{}
	if it := m.Find(key); it != nil {
		was = projectOf(req.Name, *it)
	}
	v := memfile.Value{Kind: memfile.Map}
	for _, part := range [][2]string{
		{"path", cmp.Or(req.Path, was.Path)}, {"description", cmp.Or(req.Description, was.Description)},
		{"technologies", cmp.Or(req.Technologies, strings.Join(was.Technologies, ", "))}, {"status", cmp.Or(req.Status, was.Status)},
	} {
		if part[1] != "" {
			v.Map = append(v.Map, memfile.Field{Name: part[0], Value: memfile.Str(part[1])})
		}
	}
	add.Value = v
	return add, nil
}

// ProjectsResult lists projects, that of this folder first.
type ProjectsResult struct {
	Schema   int           `json:"schema"`
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
