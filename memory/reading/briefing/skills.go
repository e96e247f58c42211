package briefing

import (
	"context"

	"github.com/memctl/memctl/internal/recall/cache"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/skills"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memory"
)

// SkillHit is a skill that a search found.
type SkillHit struct {
	memory.SkillView
	Score float64 `json:"score"`
}

// SkillsFound is the answer of a search for skills.
type SkillsFound struct {
	Skills   []SkillHit `json:"skills"` // the best first
	Count    int        `json:"count"`  // how many skills were searched
	Warnings []string   `json:"warnings"`
}

// SearchSkills finds the skills that fit a task, by words and, where there is an embedder, by
// meaning. client and as are who asks, as for memory.SkillReader.
func SearchSkills(ctx context.Context, ss *store.Stores, query, client, as string) (SkillsFound, error) {
	res := SkillsFound{Skills: []SkillHit{}, Warnings: []string{}}
	r, err := memory.SkillReader(ctx, ss, client, as)
	if err != nil {
		return res, err
	}
	list := skills.Load(ctx, ss, r).Skills
	res.Count = len(list)
	similar, err := similarSkills(ctx, ss, query, list)
	if err != nil {
		res.Warnings = append(res.Warnings, "the embedder failed, so skills were searched by words only: "+err.Error())
	}
	passes := func(s skills.Skill) bool { return s.RefusedBy(ctx, ss) == "" }
	for _, h := range skills.Search(list, query, similar, passes) {
		res.Skills = append(res.Skills, SkillHit{memory.NewSkillView(h.Skill), h.Score})
	}
	return res, nil
}

// similarSkills are the cosines of the skills to the query; nil where there is no embedder.
func similarSkills(ctx context.Context, ss *store.Stores, query string, list []skills.Skill) ([]float64, error) {
	m, err := openModels(ctx, ss, false)
	if err != nil || m.embed == nil || len(list) == 0 {
		return nil, err
	}
	vectors, err := m.embed(ctx, []string{query})
	if err != nil || len(vectors) != 1 || vectors[0] == nil {
		return nil, err
	}
	scope := store.User
	if ss.IsSingleStore() {
		scope = store.Only
	}
	st, err := ss.Get(ctx, scope)
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = s.Text()
	}
	return cache.SimilarTo(st, m.name, func(texts []string) ([][]float32, error) { return m.embed(ctx, texts) }, vectors[0], texts)
}

// skillsPart offers skills: those that the agent does not load by itself. Where they do not
// fit, one line names the search.
func (b *briefer) skillsPart(client session.Client) session.Part {
	p := session.Part{Name: session.PartSkills, Heading: "Skills"}
	if b.res.Mode == ModeOff || b.req.NoSkills {
		return p
	}
	r, err := memory.SkillReader(b.ctx, b.ss, b.req.Agent, b.req.As)
	if err != nil {
		b.warn(err)
		return p
	}
	r.Loads, r.Enough, r.NoBuiltIn, r.Checked = client.Skills, true, true, true
	if text := skills.Available(skills.Load(b.ctx, b.ss, r), b.req.Tools); text != "" {
		p.Units, p.Short = []string{text}, skills.SearchLine(b.req.Tools)
	}
	return p
}

// HasSkills reports whether there is a skill that a search could find.
func HasSkills(ctx context.Context, ss *store.Stores) bool {
	r, err := memory.SkillReader(ctx, ss, "", "")
	if err != nil {
		return false
	}
	r.Enough, r.NoBuiltIn, r.Checked = true, true, true
	lib := skills.Load(ctx, ss, r)
	return len(lib.Skills) > 0 || lib.Unchecked
}
