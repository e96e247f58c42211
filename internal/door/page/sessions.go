package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/door"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/briefing"
)

// sessionPage is the data of the view: what the next session of one agent receives.
type sessionPage struct {
	Agents   []door.Agent
	Agent    door.Agent
	Gauges   []gauge
	Briefing briefing.BootstrapResult
	LeftOut  []leftOut
}

// gauge is an amount with its cap.
type gauge struct {
	Name    string
	Now     int
	Most    int
	Unit    string
	Percent int  // at most 100
	Over    bool // something stays out for lack of room
}

func newGauge(name string, now, most int, unit string) gauge {
	g := gauge{Name: name, Now: now, Most: most, Unit: unit}
	if most > 0 {
		g.Percent = min(100, now*100/most)
	}
	return g
}

// leftOut is what a session does not receive, for one reason.
type leftOut struct {
	Why   string
	Says  string
	Count int
	Keys  []string
	Parts []string // of the briefing
}

func showSessions(r *request) (any, error) {
	agent, b, err := r.nextSession(r.URL.Query().Get("agent"))
	p := sessionPage{Agents: r.page.env.Agents(r.ss), Agent: agent, Briefing: b, LeftOut: leftOuts(b)}
	p.Briefing.Warnings = clean(slices.Compact(b.Warnings))
	out := func(why string) bool {
		return slices.ContainsFunc(p.LeftOut, func(l leftOut) bool { return l.Why == why })
	}
	list := newGauge("Your items", b.Profile.Bytes, session.Lower(session.MaxBytes, memory.HandedOut(r.Context(), r.ss, true).MaxBytes), "bytes")
	p.Gauges = []gauge{list, newGauge("Everything", b.Tokens, b.Budget, "tokens")}
	limit := 0
	if client := session.ClientOf(agent.Name); client.Limit > 0 {
		g := newGauge("Limit of "+agent.Title, client.Unit.Size(b.Text), client.Limit, strings.Replace(client.Unit.String(), "UTF-16 units", "characters", 1))
		limit = g.Percent
		g.Over = out(session.WhyLimit) || out(session.WhyCap) && list.Percent < limit
		p.Gauges = append(p.Gauges, g)
	}
	p.Gauges[0].Over = out(session.WhyCap) && list.Percent >= limit // else the agent's limit leaves the list no room
	return p, err
}

// nextSession is what the next session of an agent receives; "" is the first agent that is connected.
func (r *request) nextSession(name string) (agent door.Agent, b briefing.BootstrapResult, err error) {
	agents := r.page.env.Agents(r.ss)
	for _, a := range agents {
		if a.Name == name || name == "" && a.Connected && agent.Name == "" {
			agent = a
		}
	}
	if agent.Name == "" && len(agents) > 0 {
		agent = agents[0]
	}
	b, err = briefing.Bootstrap(r.Context(), r.ss, briefing.BootstrapRequest{Agent: agent.Name, Hook: true, Look: true, Tools: agent.Tools, Reader: r.reader()})
	return agent, b, err
}

// leftOuts groups what stays out by its reason, the largest group first. The profile names its
// items, and the briefing counts them once more.
func leftOuts(b briefing.BootstrapResult) []leftOut {
	at := map[string]int{}
	var list []leftOut
	of := func(why string) *leftOut {
		i, known := at[why]
		if !known {
			i, at[why] = len(list), len(list)
			list = append(list, leftOut{Why: why, Says: whyOut(why)})
		}
		return &list[i]
	}
	counted, has := map[string]int{}, b.Receives()
	for _, l := range b.Profile.LeftOut {
		counted[l.Why]++
		if has[session.Ref{Scope: l.Scope, Key: l.Key}] { // beside the profile
			continue
		}
		g := of(l.Why)
		g.Count++
		if l.Key != "" {
			g.Keys = append(g.Keys, cleaned(l.Key))
		}
	}
	for _, s := range b.StoodBack {
		if s.Name != "" && s.Name != "items" {
			g := of(s.Why)
			g.Count += max(s.Count, 1)
			g.Parts = append(g.Parts, cleaned(s.Name))
			continue
		}
		if more := max(s.Count, 1) - counted[s.Why]; more > 0 {
			of(s.Why).Count += more
		}
	}
	slices.SortStableFunc(list, func(a, b leftOut) int { return cmp.Compare(b.Count, a.Count) })
	return list
}

// whyOut says in a sentence why something is left out of a session.
func whyOut(why string) string {
	says := map[string]string{
		session.WhyDisabled:    "Memory is switched off.",
		session.WhyWithheld:    "A rule withholds it from agents. Health names the rule.",
		session.WhyExpired:     "Its day of expiry has passed.",
		session.WhyLow:         "Its confidence is low. Confirm it to include it.",
		session.WhyUnconfirmed: "Nobody has confirmed it yet. Confirm it to include it.",
		session.WhyLesson:      "Lessons are found by search, when they are needed.",
		session.WhyPaths:       "It is for other files, and comes when an agent edits them.",
		session.WhyShadowed:    "A nearer scope has the same key.",
		session.WhyOutranked:   "Your own value in another scope wins.",
		session.WhyCap:         "There is no room in the profile. Pin what matters most, or move details to facts.",
		session.WhyListed:      "The agent reads it in its own instruction file.",
		session.WhyLimit:       "There is no room below the agent's limit.",
		session.WhyUntrusted:   "You have not trusted this repository. Run memctl trust.",
		session.WhyUnreviewed:  "You trust only reviewed memory, and nobody has reviewed this.",
		session.WhyUnreadable:  "It cannot be read. Health says why.",
		session.WhyBehind:      "The search index is behind. Any memctl recall brings it up to date.",
	}
	if text := says[why]; text != "" {
		return text
	}
	return fmt.Sprintf("Left out: %s.", why)
}
