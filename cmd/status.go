package cmd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/briefing"
	"github.com/memctl/memctl/memory/view"
	briefs "github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
)

// statusJSON is the object that status prints.
type statusJSON struct {
	Schema     int                    `json:"schema"`
	Remembered []remembered           `json:"remembered"`
	Waiting    waitingCounts          `json:"waiting"`
	Session    sessionSize            `json:"session"`
	Context    []briefing.ContextSize `json:"context"`
	Checks     []check                `json:"checks"`
}

// remembered counts what a scope has.
type remembered struct {
	Scope string `json:"scope"`
	Items int    `json:"item_count"`
	Facts int    `json:"fact_count"`
	Notes int    `json:"note_count"`
}

// waitingCounts count what is not settled yet.
type waitingCounts struct {
	Review int           `json:"review_count"` // decisions that a person has to make, without Queued
	Queued int           `json:"queue_count"`  // writes in the queue
	Edited []view.Edited `json:"edited"`
}

// sessionSize says what the next session receives.
type sessionSize struct {
	Mode       string         `json:"mode"`
	Items      int            `json:"item_count"`
	LeftOut    map[string]int `json:"left_out"` // by reason
	Bytes      int            `json:"bytes"`    // of the whole briefing
	Tokens     int            `json:"tokens"`
	Budget     int            `json:"budget"` // tokens
	Profile    int            `json:"profile_bytes"`
	MaxProfile int            `json:"max_profile_bytes"`
	leftOut    string
	off        string // why agents receive nothing, where the person switched memory off
	turnOn     string // the command that switches it on
}

func newStatus(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show what is remembered, what waits and what works",
		Long: `Status shows in about ten lines what is remembered in each scope, what waits for you,
what the next session receives and what it does not, and whether hooks, MCP, merging and
sync work. A line about a problem is followed by the command that solves it. Status
changes nothing and uses no network. "memctl doctor" checks more.`,
		Example: `  memctl status
  memctl status --json`,
		RunE: a.run(needStores, func(s *session, _ []string) error { return runStatus(s) }),
	}
}

func runStatus(s *session) error {
	out := statusJSON{Schema: memory.SchemaNumber, Remembered: []remembered{}}
	stats, err := view.Stats(s.ctx, s.stores, s.Reader(), "")
	if err != nil {
		return err
	}
	for _, v := range stats.Scopes {
		out.Remembered = append(out.Remembered, remembered{v.Scope, v.Items, v.Facts, v.Notes})
	}
	if out.Waiting, err = s.countWaiting(); err != nil {
		return err
	}
	if out.Waiting.Edited, err = view.EditedFiles(s.ctx, s.stores); err != nil {
		return err
	}
	if out.Session, out.Context, err = s.sizeSession(); err != nil {
		return err
	}
	quiet := s.global.quiet
	s.global.quiet = true // what the checks open and read, they report themselves
	d := &doctor{session: s}
	d.checkRepository()
	d.checkFiles()
	d.checkOutside()
	d.checkForgotten()
	d.checkAgents()
	d.checkHookCalls()
	d.checkExports()
	out.Checks, s.global.quiet = d.checks, quiet
	if err := s.ctx.Err(); err != nil {
		return err
	}
	return present(s, out, nil, func(out statusJSON) error { return s.print(statusText(out, s.streams.OutColour)) })
}

func (s *session) countWaiting() (waitingCounts, error) {
	review, err := view.Review(s.ctx, s.stores, s.Reader(), "")
	if err != nil {
		return waitingCounts{}, err
	}
	w := waitingCounts{}
	for _, one := range review.Waiting {
		if one.ID != "" {
			w.Queued++
		} else {
			w.Review++
		}
	}
	return w, nil
}

// sizeSession builds the briefing as a hook would hand it out at a start.
func (s *session) sizeSession() (sessionSize, []briefing.ContextSize, error) {
	b, err := briefing.Bootstrap(s.ctx, s.stores, briefing.BootstrapRequest{Agent: s.connectedAgent(), Hook: true, Look: true, Reader: s.Reader()})
	if err != nil {
		return sessionSize{}, nil, err
	}
	on := memory.HandedOut(s.ctx, s.stores, true)
	size := sessionSize{
		Mode: b.Mode, Items: len(b.Profile.Bullets), LeftOut: map[string]int{}, Bytes: b.Bytes, Tokens: b.Tokens, Budget: b.Budget,
		Profile: b.Profile.Bytes, MaxProfile: briefs.Lower(briefs.MaxBytes, on.MaxBytes),
		leftOut: b.Profile.LeftOutText(),
	}
	if mine, err := s.stores.Setting(s.ctx, store.Enabled); err == nil && !mine.On() {
		size.off, size.turnOn = view.SwitchedOff(mine)
	}
	for _, l := range b.Profile.LeftOut {
		size.LeftOut[l.Why]++
	}
	for _, back := range b.StoodBack {
		if back.Why == briefs.WhyUntrusted || back.Why == briefs.WhyNoGit {
			size.LeftOut[back.Why] = 1
			size.leftOut = strings.TrimPrefix(size.leftOut+", "+back.Name+" ("+back.Why+")", ", ")
		}
	}
	if size.Items == 0 {
		size.Profile = 0 // its first line alone, which no session is handed then
	}
	return size, b.Context, nil
}

// statusText is a line for each topic, and one for each problem that has no topic. The
// command that solves a problem is below its line.
func statusText(out statusJSON, colour bool) string {
	lines := []check{rememberedLine(out.Remembered), waitingLine(out.Waiting), editedLine(out), sessionLine(out.Session), sizeLine(out.Session), contextLine(out.Context)}
	for _, about := range []string{aboutHooks, aboutMCP, aboutMerge, aboutSync, aboutShared} {
		lines = append(lines, topicLine(about, out.Checks))
	}
	for _, c := range out.Checks {
		if c.About == "" && (c.Status == checkWarn || c.Status == checkFail) {
			lines = append(lines, c)
		}
	}
	styles := checkStyles()
	t := term.Table{}
	for _, c := range lines {
		if c.Said == "" {
			continue // there are no context files, or no shared index
		}
		style := styles[c.Status]
		if c.Status == checkOK {
			style = ""
		}
		t.Cells(term.Cell{Text: c.Name, Style: term.Strong}, term.Cell{Text: inert(c.Said), Style: style})
		if c.Fix != "" && c.Status != checkOK {
			t.Cells(term.Cell{}, term.Cell{Text: "  " + inert(c.Fix), Style: term.Faint})
		}
	}
	return t.Text(colour)
}

func rememberedLine(scopes []remembered) check {
	var said []string
	for _, r := range scopes {
		counts := joinFacts([]string{countSome(r.Items, "item"), countSome(r.Facts, "fact"), countSome(r.Notes, "note")})
		said = append(said, r.Scope+" "+cmp.Or(counts, "nothing"))
	}
	c := check{Name: "remembered", Status: checkOK, Said: strings.Join(said, "; ")}
	if c.Said == "" {
		c.Status, c.Said, c.Fix = checkNote, "nothing yet", "memctl init"
	}
	return c
}

func waitingLine(w waitingCounts) check {
	if n := w.Review + w.Queued; n > 0 {
		return check{Name: "waiting", Status: checkNote, Said: count(n, "decision") + " for you", Fix: "memctl review"}
	}
	return check{Name: "waiting", Status: checkOK, Said: "nothing"}
}

func editedLine(out statusJSON) check {
	list := out.Waiting.Edited
	if len(list) == 0 {
		return check{Name: "not committed", Status: checkOK, Said: "nothing"}
	}
	var said []string
	for _, e := range list {
		said = append(said, e.Scope+" "+strings.Join(e.Files[:min(len(e.Files), 3)], ", "))
		if more := len(e.Files) - 3; more > 0 {
			said[len(said)-1] += fmt.Sprintf(" and %d more", more)
		}
	}
	c := check{Name: "not committed", Status: checkNote, Said: strings.Join(said, "; "), Fix: "memctl diff" + memory.ScopeFlag(list[0].Scope)}
	blocked := func(c check) bool { return c.Name == checkNameCommit && c.Status != checkOK }
	if !slices.ContainsFunc(out.Checks, blocked) {
		c.Said += " (the next write commits it)"
	}
	return c
}

func sessionLine(v sessionSize) check {
	c := check{Name: "next session", Status: checkOK, Said: "receives " + count(v.Items, "item")}
	switch {
	case v.off != "":
		c.Status, c.Said, c.Fix = checkWarn, "receives nothing: "+v.off, v.turnOn
	case v.Mode == briefing.ModeOff:
		c.Status, c.Said, c.Fix = checkNote, "receives no memory: memctl.mode is off", "memctl config mode "+briefing.ModeIndex
	case v.LeftOut[briefs.WhyUntrusted] > 0:
		c.Status, c.Said, c.Fix = checkWarn, c.Said+"; left out: "+v.leftOut, "memctl trust"
	case v.leftOut != "":
		c.Status, c.Said, c.Fix = checkNote, c.Said+"; left out: "+v.leftOut, "memctl profile --all"
	}
	return c
}

// sizeLine says what a session costs, and how full its profile is.
func sizeLine(v sessionSize) check {
	c := check{Name: "size", Status: checkOK}
	c.Said = fmt.Sprintf("a session starts with %d bytes, about %s; profile: %s, %d of %d bytes (%d%%)", v.Bytes, count(v.Tokens, "token"),
		count(v.Items, "item"), v.Profile, v.MaxProfile, (v.Profile*100+v.MaxProfile-1)/max(v.MaxProfile, 1))
	if v.Tokens > v.Budget {
		c.Status, c.Fix = checkWarn, "memctl bootstrap"
		c.Said += fmt.Sprintf("; %d tokens (%d%%) over the budget of %d", v.Tokens-v.Budget, (v.Tokens-v.Budget)*100/v.Budget, v.Budget)
	}
	if cut := v.LeftOut[briefs.WhyCap]; cut > 0 {
		c.Status, c.Fix = checkWarn, "memctl profile --all"
		c.Said += "; no room for " + count(cut, "item")
	}
	return c
}

func contextLine(files []briefing.ContextSize) check {
	c := check{Name: "context files", Status: checkOK}
	var said []string
	for _, f := range files {
		text := fmt.Sprintf("%s %d bytes, about %s", f.Name, f.Bytes, count(f.Tokens, "token"))
		if f.Over > 0 {
			c.Status, c.Fix = checkWarn, "memctl bootstrap --context "+f.Name
			text += fmt.Sprintf(" (%d characters over the limit, left out of its middle)", f.Over)
		}
		said = append(said, text)
	}
	c.Said = strings.Join(said, "; ")
	return c
}

// topicLine sums up the checks about one topic: the worst status, and the first way out.
func topicLine(about string, checks []check) check {
	line := check{Name: about, Status: checkOK}
	var said []string
	for _, c := range checks {
		if c.About != about {
			continue
		}
		if !slices.Contains(said, c.Said) {
			said = append(said, c.Said)
		}
		if order := []string{checkOK, checkNote, checkWarn, checkFail}; slices.Index(order, c.Status) > slices.Index(order, line.Status) {
			line.Status, line.Fix = c.Status, c.Fix
		}
	}
	if line.Status != checkOK { // another scope's merges do not take the problem back
		said = slices.DeleteFunc(said, func(text string) bool { return text == mergesByMeaning })
	}
	line.Said = strings.Join(said, "; ")
	if line.Said == "" {
		line.Said = map[string]string{
			aboutHooks: "no agent was found", aboutMCP: "no agent was found that can use it",
			aboutMerge: "no memory in git yet", aboutSync: "no remote: " + store.Private + " and " + store.User + " memory stays on this machine",
		}[about]
	}
	return line
}
