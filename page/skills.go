package page

import (
	"cmp"
	"fmt"
	"html/template"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/briefing"
	"github.com/memctl/memctl/memory/skill"
	"github.com/memctl/memctl/page/pageenv"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/skills"
	"github.com/memctl/memctl/skills/check"
	"github.com/memctl/memctl/skills/format"
)

// anAgent is who asks where an agent started the page; which one is not known.
const anAgent = "agent"

func skillsView() tabView {
	return tabView{name: "skills", title: "Skills", show: showSkills, acts: map[string]act{"accept": onSkill(acceptSkill), "grant": onSkill(grantSkill)}}
}

// skillList is the data of the view.
type skillList struct {
	Query     string
	Tiers     []skillTier // one without a title holds the hits of a search, the best first
	Count     int
	Total     int
	Agents    []pageenv.Agent
	Untrusted bool // skills of the project are left out until the person trusts it
	Unlisted  bool // shared skills are left out until the person lists their repositories
	Warnings  []string
}

// skillTier is the skills of one place.
type skillTier struct {
	Title, Where string
	Skills       []skillRow
}

// skillRow is one skill of the list.
type skillRow struct {
	DOM, Name, Description, Tier, Path string
	Visibility, Owner                  string
	Grants                             []string
	Why                                string // why no agent is offered it
	Verdict, Level                     string // what check says: good, warn or bad
	CanAccept, CanGrant                bool
	Base                               string
	Open                               bool
	Toggle                             template.URL // the query that opens or closes it
	Findings                           []skillFinding
	Files                              []skillFile
	Text                               []string
}

type skillFinding struct{ Rule, Severity, At, Message, Hint string }

type skillFile struct{ Path, Size string }

// tiers are the places of skills, the highest first.
func tiers() []skillTier {
	return []skillTier{
		{Title: skills.TierProject, Where: "skills/"}, {Title: skills.TierAgents, Where: ".agents/skills/, .claude/skills/"},
		{Title: skills.TierPersonal, Where: "~/.agents/skills/"}, {Title: skills.TierUser, Where: "skills/ of your user store"},
		{Title: skills.TierShared, Where: "the shared index"}, {Title: skills.TierBuiltIn},
	}
}

func showSkills(r *request) (any, error) {
	q := r.URL.Query()
	l := skillList{Query: strings.TrimSpace(q.Get("q")), Agents: r.page.env.Agents(r.ss)}
	list, err := r.inspected()
	if err != nil {
		return nil, err
	}
	rows := make([]skillRow, len(list))
	for i, in := range list {
		rows[i] = r.skillRow(in, q.Get("show"))
		toggle := withoutNotice(r.URL.Query())
		if toggle.Set("show", rows[i].DOM); rows[i].Open {
			toggle.Del("show")
		}
		rows[i].Toggle = template.URL(toggle.Encode())
		l.Untrusted = l.Untrusted || in.Why == skills.WhyUntrusted && in.Repository == ""
		l.Unlisted = l.Unlisted || in.Why == skills.WhyUntrusted && in.Repository != ""
	}
	if l.Total = len(rows); l.Query != "" {
		if rows, l.Warnings, err = r.searchSkills(l.Query, rows); err != nil {
			return nil, err
		}
		l.Count, l.Tiers = len(rows), []skillTier{{Skills: rows}}
		return l, nil
	}
	for _, t := range tiers() {
		for _, row := range rows {
			if row.Tier == t.Title {
				t.Skills = append(t.Skills, row)
			}
		}
		if len(t.Skills) > 0 {
			l.Tiers = append(l.Tiers, t)
		}
	}
	return l, nil
}

// inspected are the skills that whoever started the page may see.
func (r *request) inspected() ([]skill.Inspection, error) {
	req := skill.ListRequest{}
	if r.page.env.ReadOnly {
		req.Caller = anAgent
	}
	list, err := skill.Inspect(r.Context(), r.ss, req)
	if r.page.env.ReadOnly {
		list = slices.DeleteFunc(list, func(in skill.Inspection) bool { return in.Refused && !in.Accepted })
	}
	return list, err
}

// searchSkills are the rows that fit, the best first. Those that contain the text follow, so that a word that
// is not yet whole finds something.
func (r *request) searchSkills(query string, rows []skillRow) (found []skillRow, warnings []string, err error) {
	agent := ""
	if r.page.env.ReadOnly {
		agent = anAgent
	}
	res, err := briefing.SearchSkills(r.Context(), r.ss, query, agent, "")
	if err != nil {
		return nil, nil, err
	}
	taken := map[string]bool{}
	add := func(fits func(skillRow) bool) {
		for _, row := range rows {
			if !taken[row.DOM] && fits(row) {
				taken[row.DOM] = true
				found = append(found, row)
			}
		}
	}
	for _, h := range res.Skills {
		add(func(row skillRow) bool { return row.Name == h.Name && row.Tier == h.Tier && row.Path == h.Path })
	}
	part := strings.ToLower(query)
	add(func(row skillRow) bool { return strings.Contains(strings.ToLower(row.Name+" "+row.Description), part) })
	return found, clean(res.Warnings), nil
}

// skillRow is the row of a skill; open names the one whose text is shown.
func (r *request) skillRow(in skill.Inspection, open string) skillRow {
	row := skillRow{
		DOM: "s" + digest(in.Tier + "\x00" + in.Name + "\x00" + filepath.ToSlash(in.Skill.Folder))[:12], Name: in.Name, Description: in.Description, Tier: in.Tier, Path: in.Path,
		Visibility: in.Visibility, Owner: in.Owner, Why: in.Why,
	}
	for _, g := range in.Skill.Grants {
		text := cmp.Or(g.Agent, g.User)
		if g.Version != "" {
			text += " at " + memory.ShortID(g.Version)
		}
		row.Grants = append(row.Grants, policy.Inert(text))
	}
	row.Base = digest(strings.Join(append([]string{in.Digest, in.Description, in.Visibility, in.Owner}, row.Grants...), "\x00"))
	row.Verdict, row.Level = verdict(in)
	row.CanAccept = in.Refused && !in.Accepted && (in.Why == "" || in.Why == skills.WhyRefused)
	row.CanGrant = in.Skill.Folder != "" && slices.Contains([]string{skills.TierProject, skills.TierAgents, skills.TierUser}, in.Tier) &&
		!slices.Contains([]string{skills.WhyUntrusted, skills.WhyUnreviewed, skills.WhyShadowed, skills.WhyInvalid}, in.Why)
	if row.Open = row.DOM == open; !row.Open {
		return row
	}
	for _, f := range in.Findings {
		at := f.File
		if f.Line > 0 {
			at = fmt.Sprintf("%s:%d", at, f.Line)
		}
		texts := clean([]string{at, f.Message, f.Hint})
		row.Findings = append(row.Findings, skillFinding{f.Rule, f.Severity, texts[0], texts[1], texts[2]})
	}
	files, _ := in.Skill.Files() // a finding says that they cannot be read
	for _, f := range files {
		row.Files = append(row.Files, skillFile{policy.Inert(f.Path), sizeOf(f)})
		if f.Path == format.FileName && !f.Link {
			row.Text = linesOf(string(f.Data))
		}
	}
	return row
}

// verdict is what check says of a skill.
func verdict(in skill.Inspection) (text, level string) {
	errors := 0
	for _, f := range in.Findings {
		if f.Severity == check.Error {
			errors++
		}
	}
	warnings := len(in.Findings) - errors
	switch {
	case in.Accepted:
		return fmt.Sprintf("accepted by you in spite of %d %s", errors, plural(errors, "error", "errors")), "warn"
	case errors > 0:
		return fmt.Sprintf("kept from agents: %d %s", errors, plural(errors, "error", "errors")), "bad"
	case warnings > 0:
		return fmt.Sprintf("%d %s", warnings, plural(warnings, "warning", "warnings")), "warn"
	}
	return "check passed", "good"
}

func sizeOf(f check.File) string {
	switch n := len(f.Data); {
	case f.Link:
		return "link to " + policy.Inert(string(f.Data))
	case f.Large:
		return "over 1 MB"
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	default:
		return fmt.Sprintf("%.1f KB", float64(n)/1000)
	}
}

// onSkill is an act on one skill. It does nothing where the skill is no longer as the person saw it.
func onSkill(do func(r *request, in skill.Inspection) (memory.Write, error)) act {
	return func(r *request) (outcome, error) {
		list, err := r.inspected()
		if err != nil {
			return outcome{}, err
		}
		for _, in := range list {
			row := r.skillRow(in, "")
			switch {
			case row.DOM != r.Form.Get("row"):
				continue
			case row.Base != r.Form.Get("base"):
				return outcome{notice: notice{Text: "Not done: " + row.Name + " changed meanwhile. Look at it again", Refused: true}}, nil
			}
			return r.toldOne(do(r, in))
		}
		return outcome{notice: notice{Text: "Not done: that skill is not there any more", Refused: true}}, nil
	}
}

// acceptSkill lets the person's agents use a skill although check refuses it, as the person saw it.
func acceptSkill(r *request, in skill.Inspection) (memory.Write, error) {
	return skill.Accept(r.Context(), r.ss, r.options(""), in.Name, in.Digest)
}

// grantSkill grants a skill to an agent of the person, or else to a user; or it revokes a grant by its place in the list.
func grantSkill(r *request, in skill.Inspection) (memory.Write, error) {
	r.bringIn("")
	req := skill.GrantRequest{Options: r.options(""), Name: in.Name, Folder: in.Skill.Folder}
	to := strings.TrimSpace(r.Form.Get("to"))
	if i, err := strconv.Atoi(r.Form.Get("revoke")); err == nil && i >= 0 && i < len(in.Skill.Grants) {
		req.Revoke, req.Grant = true, in.Skill.Grants[i]
	} else if slices.ContainsFunc(r.page.env.Agents(r.ss), func(a pageenv.Agent) bool { return a.Name == to }) {
		req.Grant.Agent = to
	} else if req.Grant.User = to; to == "" {
		return memory.Write{Verdict: policy.Refuse.String(), Findings: []memory.Finding{{Message: "name an agent or a user"}}}, nil
	}
	return skill.SetGrant(r.Context(), r.ss, req)
}
