package memory

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/store"
)

// The fields of `user`: those with one value, and those that gather several.
func userFields() (single, several []string) {
	return []string{"name", "role", "expertise", "language", "style", "company", "location"}, []string{"skills", "certifications", "goals"}
}

// UserFields lists the names of the fields, in the order of printing.
func UserFields() []string {
	single, several := userFields()
	return append(single, several...)
}

// User is what is known about the person: the items user.*, of every scope that
// has any. What is withheld from agents is left out.
func User(ctx context.Context, ss *store.Stores) (UserResult, error) {
	res := UserResult{Schema: SchemaNumber, Fields: []UserField{}}
	memories, err := read(ctx, ss, "")
	if err != nil {
		return res, err
	}
	for _, m := range memories {
		for _, it := range m.Items {
			name, ok := strings.CutPrefix(it.Key, userPrefix)
			if ok && len(it.Withheld) == 0 && !slices.ContainsFunc(res.Fields, func(f UserField) bool { return f.Name == name }) {
				res.Fields = append(res.Fields, UserField{Name: name, Values: plainValues(it.Value), Confidence: it.Confidence, Key: it.Key})
			}
		}
	}
	order := UserFields()
	place := func(name string) int {
		if i := slices.Index(order, name); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(res.Fields, func(a, b UserField) int {
		return cmp.Or(place(a.Name)-place(b.Name), strings.Compare(a.Name, b.Name))
	})
	return res, nil
}

// plainValues are a value's parts, each as one text.
func plainValues(v memfile.Value) []string {
	if v.Kind != memfile.List {
		return []string{v.Plain()}
	}
	list := []string{}
	for _, part := range v.List {
		list = append(list, part.Plain())
	}
	return list
}

// SetUser sets one field of `user`, through the same rules as add. Skills,
// certifications and goals gather: a value, or several with commas, comes to
// those that are there, each once.
func SetUser(ctx context.Context, ss *store.Stores, o Options, name, value string) (Write, error) {
	single, several := userFields()
	name = strings.ToLower(strings.TrimSpace(name))
	w := o.answer("user", userPrefix+name, o.Scope)
	if !slices.Contains(single, name) && !slices.Contains(several, name) {
		return w.refused(refuse(ruleKeyForm, "there is no such field: "+strings.Join(append(single, several...), ", ")))
	}
	v := memfile.Str(strings.TrimSpace(value))
	if slices.Contains(several, name) {
		known, err := userValues(ctx, ss, o, userPrefix+name)
		if err != nil {
			return w.refused(err)
		}
		v = gathered(known, value)
	}
	return Add(ctx, ss, AddRequest{Options: o, Key: userPrefix + name, Value: v})
}

func userValues(ctx context.Context, ss *store.Stores, o Options, key string) ([]string, error) {
	st, err := target(ctx, ss, key, o)
	if err != nil {
		return nil, err
	}
	m, err := st.Read(ctx)
	if err != nil {
		return nil, err
	}
	if it := m.Find(key); it != nil {
		return plainValues(it.Value), nil
	}
	return nil, nil
}

// gathered is the list of what is known and what comes to it.
func gathered(known []string, value string) memfile.Value {
	v := memfile.Value{Kind: memfile.List}
	seen := map[string]bool{}
	for _, s := range append(known, strings.Split(value, ",")...) {
		s = strings.TrimSpace(s)
		if normal := memfile.NormalText(s); s != "" && !seen[normal] {
			seen[normal] = true
			v.List = append(v.List, memfile.Str(s))
		}
	}
	return v
}

// projectsPrefix begins the items that describe a project of the person.
const projectsPrefix = "projects."

// Projects lists what is known of projects: that of this folder, from the items
// project.* of its memory, and those that were set, from the items projects.*.
func Projects(ctx context.Context, ss *store.Stores) (ProjectsResult, error) {
	res := ProjectsResult{Schema: SchemaNumber, Projects: []ProjectView{}}
	memories, err := read(ctx, ss, "")
	if err != nil {
		return res, err
	}
	var here *ProjectView
	if ss.Root() != "" && !ss.Alone() {
		name, _ := ss.ProjectName(ctx, "", nil)
		here = &ProjectView{Name: name, Path: ss.Root(), Technologies: []string{}, Here: true}
	}
	for _, m := range memories {
		for _, it := range m.Items {
			if len(it.Withheld) > 0 {
				continue
			}
			name, set := strings.CutPrefix(it.Key, projectsPrefix)
			switch {
			case set:
				res.Projects = append(res.Projects, projectOf(name, it))
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
	return res, res.withHere(ctx, ss, here)
}

// withHere puts the project of this folder first, with what was set about it.
func (r *ProjectsResult) withHere(ctx context.Context, ss *store.Stores, here *ProjectView) error {
	list, err := Entries(ctx, ss, "")
	for _, e := range list {
		if e.Scope != store.User {
			here.Last = max(here.Last, dayOf(e.Time()))
		}
	}
	r.Projects = slices.DeleteFunc(r.Projects, func(p ProjectView) bool {
		if p.Path == "" || filepath.Clean(p.Path) != filepath.Clean(here.Path) {
			return false
		}
		here.Name, here.Description, here.Status = p.Name, cmp.Or(here.Description, p.Description), cmp.Or(here.Status, p.Status)
		here.Technologies, here.Last = joined(here.Technologies, p.Technologies), max(here.Last, p.Last)
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
			p.Technologies = joined(p.Technologies, splitList(s))
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

// projectOf reads an item projects.*, a small map.
func projectOf(name string, it store.Item) ProjectView {
	p := ProjectView{Name: name, Technologies: []string{}, Last: max(it.Day(), it.Seen)}
	if it.Value.Kind != memfile.Map {
		p.Description = it.Value.Plain()
		return p
	}
	for _, f := range it.Value.Map {
		switch f.Name {
		case "name":
			p.Name = f.Value.Plain()
		case "path":
			p.Path = f.Value.Plain()
		case "description":
			p.Description = f.Value.Plain()
		case "status":
			p.Status = f.Value.Plain()
		case "technologies":
			p.Technologies = splitList(f.Value.Plain())
		}
	}
	return p
}

// ProjectRequest sets what is known of one project; "" leaves a part as it is.
type ProjectRequest struct {
	Options
	Name, Path, Description, Technologies, Status string
}

// SetProject sets what is known of one project, in the item projects.NAME of the
// user's memory, where all projects of a person stand together.
func SetProject(ctx context.Context, ss *store.Stores, req ProjectRequest) (Write, error) {
	if req.Scope == "" && !ss.Alone() {
		req.Scope = store.User
	}
	key, best := memfile.NormalKey(projectsPrefix + req.Name)
	if !memfile.KeyForm(key) {
		key = best
	}
	w := req.answer("projects", cmp.Or(key, req.Name), req.Scope)
	if !memfile.KeyForm(key) {
		return w.refused(refuse(ruleKeyForm, "a project's name has letters, digits and hyphens"))
	}
	st, err := target(ctx, ss, key, req.Options)
	if err != nil {
		return w.refused(err)
	}
	m, err := st.Read(ctx)
	if err != nil {
		return w, err
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
	return Add(ctx, ss, AddRequest{Options: req.Options, Key: key, Value: v})
}
