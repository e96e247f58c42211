// Package briefing holds what reaches an agent: recall, and what a session, a prompt and a
// tool call are given.
package briefing

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/session/contextfile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
)

// The events at which an agent is handed something.
const (
	EventSessionStart  = localstate.EventSessionStart
	EventSubagentStart = "SubagentStart"
	EventPrompt        = "UserPromptSubmit"
	EventPreTool       = "PreToolUse"
	EventToolFailed    = "PostToolUseFailure"
)

// The briefing's modes.
const (
	ModeIndex = session.ModeIndex
	ModeFull  = session.ModeFull
	ModeOff   = session.ModeOff
)

// Bootstrap is the briefing of a session in this folder. What cannot be read
// is left out and named in Warnings, so that one broken scope takes nothing
// from the others. Errors: a mode that is none.
func Bootstrap(ctx context.Context, ss *store.Stores, req BootstrapRequest) (BootstrapResult, error) {
	b := &briefer{ctx: ctx, ss: ss, req: req}
	b.res = BootstrapResult{
		Pinned: []session.Bullet{}, Recalled: []session.Bullet{}, Entries: []session.Bullet{}, Sections: []SectionCount{}, Context: []ContextSize{}, StoodBack: []session.Stood{}, Budget: session.BudgetTokens, Warnings: []string{},
		Profile: view.ProfileResult{Schema: memory.SchemaNumber, Preamble: session.Preamble, Bullets: []session.Bullet{}, LeftOut: []session.LeftOut{}},
	}
	if err := b.mode(); err != nil {
		return b.res, err
	}
	if _, err := time.Parse(time.DateOnly, req.Notes); req.Notes != "" && err != nil {
		return b.res, &fault.Error{Code: "day", Status: 2, Cause: memory.Quoted(req.Notes) + ": unknown day (use a date such as 2026-11-21)"}
	}
	b.res.Trusted = ss.Trusted(ctx)
	if req.Event != EventPrompt { // a prompt's answer does not name the project
		b.res.Project.Name, b.res.Project.Source = ss.ProjectName(ctx, req.Project, memory.VouchedFiles(ctx, ss, req.Hook))
	}
	b.read()
	if b.reader.Off {
		b.stand("memory", session.WhyDisabled, 0)
		return b.res, nil
	}
	defer b.close()
	switch req.Event {
	case "", EventSessionStart, EventSubagentStart:
		b.start()
		if req.Hook && req.Event == EventSessionStart {
			b.tellPerson()
			if req.Source == sourceResume {
				b.resume()
			}
		}
	case EventPrompt:
		b.prompt()
	}
	return b.res, nil
}

// briefer is one Bootstrap under way.
type briefer struct {
	ctx      context.Context
	ss       *store.Stores
	req      BootstrapRequest
	res      BootstrapResult
	memories []*contents.Memory
	reader   *contents.View
	on       session.Conditions
	chosen   *session.Choice // see choice
	opened   bool            // the index was asked for
	recaller *Recaller       // nil where there is none
	files    []session.ContextFile
	// what the index gave, until it is known how much of it is handed out
	fromIndex   []session.Entry
	headed      []headline
	newer       time.Time // headlines are of what is newer than that
	unread      bool      // a part of memory is withheld whole, or cannot be read
	unconfirmed int       // facts that wait for confirmation
	keptBack    string    // how many items an untrusted project has, such as " (2 items)"
}

// hidesProjectFiles reports whether the project's own files may not reach the agent.
func (b *briefer) hidesProjectFiles() bool { return b.req.Hook && !b.ss.Trusted(b.ctx) }

func (b *briefer) warn(err error) {
	if err != nil {
		b.res.Warnings = append(b.res.Warnings, err.Error())
	}
}

func (b *briefer) stand(name, why string, count int) {
	b.res.StoodBack = append(b.res.StoodBack, session.Stood{Name: name, Why: why, Count: count, Named: count == 0})
}

// mode takes the request's mode, else the setting's as far as it fits the agent.
func (b *briefer) mode() error {
	switch b.req.Mode {
	case ModeIndex, ModeFull, ModeOff:
		b.res.Mode = b.req.Mode
		return nil
	case "":
		v, err := b.ss.Setting(b.ctx, store.Mode)
		b.warn(err)
		b.res.Mode = v.Text
		return nil
	}
	return &fault.Error{Code: "mode", Status: 2, Cause: memory.Quoted(b.req.Mode) + ": unknown mode (use index, full or off)"}
}

// read begins to read memory as the agent may have it.
func (b *briefer) read() {
	b.reader = contents.NewView(b.ctx, b.ss, contents.Agent.OrHook(b.req.Hook))
	b.reader.Agent = b.req.As
}

// gather reads what may reach this reader, scope by scope.
func (b *briefer) gather() {
	b.on = memory.HandedOut(b.ctx, b.ss, b.req.Hook)
	if b.reader.Reviewed != nil && !b.reader.Reviewed.HasDefaultBranch() {
		b.res.Warnings = append(b.res.Warnings, "trust is reviewed, but memctl does not know the remote's default branch: only memory written on this machine is shown (git remote set-head origin --auto)")
	}
	if b.res.Mode == ModeOff {
		return
	}
	if !b.hidesProjectFiles() && !b.req.Look {
		wait := memory.WaitAutomatic
		if b.req.Hook {
			wait = memory.WaitHook
		}
		acted, err := view.Activate(b.ctx, b.ss, wait)
		if err != nil {
			b.warn(fmt.Errorf("memctl.autoInit: %w", err))
		}
		if acted {
			b.read()
		}
	}
	for _, scope := range b.ss.Scopes() {
		m, err := b.reader.Memory(scope)
		switch {
		case err != nil:
			b.warn(err)
			b.stand(scope+" memory", session.WhyUnreadable, 0)
		case m.Closed&contents.Untrusted != 0:
			if m.Store.HasFile() {
				b.stand(scope+" memory", b.notHandedOut(), 0)
				doc, _ := contents.Document(b.ctx, m.Store)
				b.keptBack = " (" + memory.Count(len(doc.Items), "item") + ")"
			}
		case !m.Exists:
			if scope == store.Project {
				b.res.Warnings = append(b.res.Warnings, memory.MissingFileNote(b.ctx, m)...)
			}
		default:
			b.res.Warnings = append(b.res.Warnings, memory.DamagedNote(m)...)
			b.memories = append(b.memories, m)
		}
	}
}

// choice ranks the items that may reach this reader, once.
func (b *briefer) choice() *session.Choice {
	if b.chosen == nil {
		b.chosen = session.Choose(b.memories, b.on)
	}
	return b.chosen
}

// start is the briefing of a session's start.
func (b *briefer) start() {
	b.gather()
	b.unread = len(b.res.Warnings) > 0
	brief := session.Briefing{
		Project: b.res.Project.Name, ProjectSource: b.res.Project.Source, Client: session.ClientOf(b.req.Agent),
		NoMemory: b.res.Mode == ModeOff, Mode: b.res.Mode, Storing: b.storing(),
	}
	one, err := b.ss.Setting(b.ctx, store.OneMemory)
	b.warn(err)
	brief.OneMemory = one.Bool()
	for _, m := range b.memories {
		brief.Scopes = append(brief.Scopes, m.Store.Scope)
	}
	contextPart, filesLeft := b.contextPart(brief.Client)
	// Where is undone already, the same bytes as at the first start let the model's service
	// use its cache.
	if b.req.Source == sourceResume && brief.Client.History != session.HistoryDropped {
		brief.Notices = append(brief.Notices, replacesNotice)
	}
	withheld := slices.Concat(b.untrustedNotice(filesLeft.Untrusted), b.damagedNotices())
	brief.Notices, b.unread = append(brief.Notices, withheld...), b.unread || len(withheld) > 0
	entries, summary := b.entries(false), b.summary()
	b.on.Client, b.on.Room = brief.Client, brief.Room(summary)
	if len(b.memories) > 0 && b.req.Event != EventSubagentStart {
		b.on.Listed = contextfile.FindStated(b.ctx, b.ss, brief.Client.Loads, &brief.Client)
	}
	if b.on.Room > 0 { // items give way one by one, and the profile names them
		b.on.Room = max(b.on.Room-entries.reserve(brief.Client.Limit/4), 1)
	}
	profile := b.choice().Profile(b.on)
	brief.Parts = append([]session.Part{summary, {}}, b.parts(profile, entries)...)
	brief.Parts = append(brief.Parts, contextPart)
	others := append(b.res.StoodBack, filesLeft.Stood()...)
	for ; ; profile = b.choice().Profile(b.on) {
		brief.Parts[1] = profile.Part()
		brief.Stood = append(profile.Stood(), others...)
		r := brief.Render()
		if r.Excess <= 0 || len(profile.Bullets) == 0 {
			b.res.Profile = view.NewProfileResult(b.req.Reader, profile)
			b.hand(r)
			return
		}
		b.on.Room = max(b.on.Room-r.Excess, 1)
	}
}

// parts are the briefing's after the profile, in their order: context files follow.
func (b *briefer) parts(profile session.Profile, entries briefEntries) []session.Part {
	b.res.Profile = view.NewProfileResult(b.req.Reader, profile)
	pinned := session.Bulleted(session.PartPinned, "Pinned", b.pinnedBeside(profile))
	pinned.AddEntries(entries.pinned)
	b.fromIndex = slices.Concat(entries.pinned, entries.tagged, entries.notes)
	parts := append([]session.Part{pinned}, session.TaggedParts(entries.tagged)...)
	parts = append(parts, b.headlines(b.inProfile()))
	if !b.req.NoTools { // counts are for who can ask for more
		parts = append(parts, entries.recorded(session.Recorded(profile)), session.TopicsPart(entries.topics))
	}
	return append(parts, b.skillsPart(session.ClientOf(b.req.Agent)), session.NotesPart(entries.notes), b.recall(b.inProfile()))
}

// storing is how the agent keeps something, if a store takes it.
func (b *briefer) storing() session.Storing {
	disabled := len(b.memories) > 0 && !slices.ContainsFunc(b.memories, func(m *contents.Memory) bool { return m.Closed == 0 })
	switch {
	case b.res.Mode == ModeOff || disabled || b.req.NoTools:
		return session.StoreNot
	case b.req.Tools:
		return session.StoreByTool
	}
	return session.StoreByCommand
}

// notHandedOut is the reason why a hook gets nothing of the project. Outside a repository nobody can trust it: git keeps what
// the person trusts.
func (b *briefer) notHandedOut() string {
	if b.ss.Repo() == nil && b.ss.Unusable() == nil {
		return session.WhyNoGit
	}
	return session.WhyUntrusted
}

// untrustedNotice is the one line that says what trust withholds.
func (b *briefer) untrustedNotice(untrusted bool) []string {
	untrusted = untrusted || b.stoodFor(session.WhyUntrusted)
	if b.stoodFor(session.WhyNoGit) {
		return []string{"This folder's own memory is not shown, because the folder is not in a git repository (`git init`, then `memctl trust`, at a terminal)."}
	}
	unusable := b.ss.Unusable() != nil
	if !untrusted && !(unusable && b.ss.Root() == "") {
		return nil
	}
	if unusable {
		return []string{"This repository's own memory is not shown, because git cannot use the repository and memctl cannot read whether the person trusts it (`memctl doctor`, at a terminal)."}
	}
	if b.ss.TrustUnknown(b.ctx) {
		return []string{"This repository's own memory is not shown, because git did not answer in time and memctl could not read whether the person trusts it (`memctl doctor`, at a terminal)."}
	}
	return []string{"This repository's own memory is not shown" + b.keptBack + ", because the person has not trusted it (`memctl trust`, at a terminal)."}
}

// stoodFor reports whether a part of memory stays out for that reason.
func (b *briefer) stoodFor(why string) bool {
	return slices.ContainsFunc(b.res.StoodBack, func(s session.Stood) bool { return s.Why == why })
}

// damagedNotices are a line for each memory file that is damaged: the agent knows then that
// what is missing may be there, and what to tell the person.
func (b *briefer) damagedNotices() (lines []string) {
	for _, m := range b.memories {
		if m.Salvaged && m.Closed == 0 {
			lines = append(lines, "The memory file of scope "+m.Store.Scope+" "+memory.Damage(m)+" (`"+m.Mend+memory.ScopeFlag(m.Store.Scope)+"`, by the person).")
		}
	}
	return lines
}

// pinnedBeside are the pinned items that the profile does not hold: lessons, and those for which it
// has no room.
func (b *briefer) pinnedBeside(profile session.Profile) []session.Bullet {
	b.res.Pinned = append(b.res.Pinned, b.choice().Pinned()...)
	return slices.DeleteFunc(slices.Clone(b.res.Pinned), func(pin session.Bullet) bool { return slices.Contains(profile.Bullets, pin) })
}

// inProfile are the keys that the profile and the pinned hold.
func (b *briefer) inProfile() map[string]bool {
	keys := map[string]bool{}
	for _, bullet := range slices.Concat(b.res.Profile.Bullets, b.res.Pinned) {
		keys[bullet.Key] = true
	}
	for _, e := range b.fromIndex {
		keys[e.ID] = true
	}
	return keys
}

// hand fills in what is handed out.
func (b *briefer) hand(r session.Rendered) {
	b.res.Text, b.res.Bytes, b.res.Tokens = r.Text, len(r.Text), r.Tokens
	for _, p := range r.Parts {
		size := 0
		for _, u := range p.Units {
			size += len(u)
		}
		b.res.Sections = append(b.res.Sections, SectionCount{Name: p.Name, Count: p.Count(), Bytes: size})
		if p.Name == session.PartContext {
			sizes, warnings := ContextSizes(b.files, p)
			b.res.Context, b.res.Warnings = append(b.res.Context, sizes...), append(b.res.Warnings, warnings...)
		}
	}
	b.handed(r.Parts)
	b.res.StoodBack = append([]session.Stood{}, r.Stood...)
	if r.Over {
		b.res.Warnings = append(b.res.Warnings, fmt.Sprintf("the briefing has %d tokens, over its budget of %d", r.Tokens, session.BudgetTokens))
	}
}

// handed takes out of the answer's lists what the agent's limit kept back, so
// that they say what the session was given.
func (b *briefer) handed(parts []session.Part) {
	count := map[string]int{}
	var units []string
	for _, p := range parts {
		count[p.Name] = len(p.Units)
		units = append(units, p.Units...)
	}
	b.noteHandedOut(b.fromIndex, units)
	for _, h := range b.headed {
		if slices.Contains(units, h.line) {
			b.res.headlines = append(b.res.headlines, h.of)
		}
	}
	b.res.Recalled = b.res.Recalled[:count[session.PartRecalled]]
	beside := 0
	b.res.Pinned = slices.DeleteFunc(b.res.Pinned, func(pin session.Bullet) bool {
		if slices.Contains(b.res.Profile.Bullets, pin) {
			return false
		}
		beside++
		return beside > count[session.PartPinned]
	})
}
