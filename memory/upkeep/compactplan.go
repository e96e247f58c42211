package upkeep

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/settings"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/policy"
)

// The kinds of what compacting does.
const (
	kindDuplicate = "duplicate"
	kindFaded     = "faded"
	kindNote      = "note"
	kindTurn      = "turn"
	KindMerge     = "merge" // by a model: one text takes the place of several facts
)

// CompactKinds lists the kinds of changes that compacting proposes.
func CompactKinds() []string {
	return []string{kindDuplicate, KindMerge, kindFaded, kindNote, kindTurn}
}

const (
	// fadedBelow is the standing under which a fact that nobody uses may go.
	fadedBelow = 0.1
	// noteAge is how old a note must be to be folded into its month's summary.
	noteAge = 30 * 24 * time.Hour
	// A conversation over turnsFull of its limit is cut to turnsKept of it.
	turnsFull = 0.8
	turnsKept = 0.6
	// maxFolded bounds the text of a month's summary, below what the policy takes.
	maxFolded = 15 << 10
)

// planned is one entry as a plan looks at it.
type planned struct {
	view.LiveEntry
	fixed bool // pinned, locked, anchored, a decision or a rule: never touched
	stays bool // another one gives way to it
	kind  string
	into  string // id of what takes its place
	gist  string // its text, of a fact
	tags  []string
	topic []string
}

func (p *planned) isRemoved() bool { return p.kind != "" }

// compactPlan is what compacting one store would do.
type compactPlan struct {
	st     *store.Store
	now    time.Time
	only   []string
	all    []*planned
	folds  map[string]*txn.Record // the months' summaries, by path
	merges []*merge
	notes  []fault.Note
	agreed bool // a person sees the plan, or agreed to it
	stated bool // a merge of stated facts was left out
}

// wants reports whether a kind was asked for.
func (p *compactPlan) wants(kind string) bool {
	return len(p.only) == 0 || slices.Contains(p.only, kind)
}

// planCompact reads the store and finds what can go. What is withheld from
// agents, or cannot be read, is left alone: a person looks at it first.
func planCompact(ctx context.Context, ss *store.Stores, st *store.Store, only []string, agreed bool, judge func([]string) (Judgement, error)) (*compactPlan, error) {
	p := &compactPlan{st: st, now: ss.Now(), only: only, agreed: agreed, folds: map[string]*txn.Record{}}
	read, err := contents.ReadAllEntries(ctx, st)
	if err != nil {
		return nil, err
	}
	list := slices.DeleteFunc(read.List, func(e contents.Entry) bool {
		return e.Deleted || e.Expired(ss.Today()) || e.Hidden()
	})
	live, err := view.WithUses(st, list, p.now)
	if err != nil {
		return nil, err
	}
	var facts []*planned
	for _, e := range live {
		fixed := e.Pinned || e.Locked || slices.ContainsFunc(e.Anchors, func(a entry.Anchor) bool { return a.Hash != "" }) || e.Category == "decision" || e.Category == "rule"
		p.all = append(p.all, &planned{LiveEntry: e, fixed: fixed})
		if e.Tier() == entry.Fact {
			facts = append(facts, p.all[len(p.all)-1])
		}
	}
	if p.wants(kindDuplicate) {
		p.exactDuplicates(facts)
	}
	if err := p.byModel(ctx, facts, judge); err != nil {
		return nil, err
	}
	if p.wants(kindFaded) {
		err = p.findUnused(ctx, facts)
	}
	if err == nil && p.wants(kindNote) {
		err = p.foldNotes()
	}
	if err != nil {
		return nil, err
	}
	limit, err := turnsLimit(ctx, ss)
	if err == nil && p.wants(kindTurn) && st.Scope != store.Project {
		p.cutTurns(limit)
	}
	return p, err
}

// replace lets one fact give way to another, which gets its tags and topics.
func (p *compactPlan) replace(old, stays *planned, kind string) {
	old.kind, old.into, old.gist, stays.stays = kind, stays.ID, stays.Text, true
	if !stays.fixed {
		stays.tags, stays.topic = memory.Union(stays.tags, memory.Union(old.Tags, old.tags)), memory.Union(stays.topic, memory.Union(old.Topics, old.topic))
	}
}

// findUnused marks facts that nobody has used for long. It marks none if other machines read the
// store, and none that was last used before this one began to count.
func (p *compactPlan) findUnused(ctx context.Context, facts []*planned) error {
	if len(facts) == 0 || localstate.Shared(ctx, p.st) {
		return nil
	}
	since, err := localstate.UsesSince(p.st)
	if err != nil || since.IsZero() {
		return err
	}
	uses, err := localstate.Uses(p.st)
	if err != nil {
		return err
	}
	for _, f := range facts {
		last := f.Time()
		if u := uses[f.ID]; u.Last.After(last) {
			last = u.Last
		}
		if !f.fixed && !f.isRemoved() && !f.stays && f.Standing < fadedBelow && !last.Before(since) {
			f.kind = kindFaded
		}
	}
	return nil
}

// cutTurns takes the oldest turns, and facts that nobody but memctl or an agent thought worth
// keeping, out of conversations that are nearly full.
func (p *compactPlan) cutTurns(limit int) {
	byConversation := map[string][]*planned{}
	for _, e := range p.all {
		if e.Tier() == entry.Turn || e.Tier() == entry.Fact && e.By == memfile.ByAutomatic && memory.InDoubt(&e.Entry.Entry) && !e.isRemoved() {
			byConversation[e.Conversation] = append(byConversation[e.Conversation], e)
		}
	}
	for _, turns := range byConversation {
		if limit <= 0 || float64(len(turns)) <= turnsFull*float64(limit) {
			continue
		}
		slices.SortStableFunc(turns, func(a, b *planned) int { return cmp.Compare(a.Created, b.Created) })
		over := len(turns) - int(turnsKept*float64(limit))
		for _, e := range turns {
			if over > 0 && !e.fixed {
				e.kind = kindTurn
				over--
			}
		}
	}
}

// foldNotes puts old notes into their month's summary, the oldest first, as far
// as there is room.
func (p *compactPlan) foldNotes() error {
	var old []*planned
	for _, e := range p.all {
		if made := e.Time(); e.Tier() == entry.Note && !e.fixed && !made.IsZero() && p.now.Sub(made) > noteAge {
			old = append(old, e)
		}
	}
	slices.SortStableFunc(old, func(a, b *planned) int { return cmp.Or(a.Time().Compare(b.Time()), cmp.Compare(a.Path, b.Path)) })
	full := map[string]bool{}
	for _, e := range old {
		sum, err := p.month(e.Conversation, e.Time())
		if err != nil {
			return err
		}
		name := sum.Path()
		next := *sum
		next.Text = foldedText(sum.Text, e.Entry.Entry)
		next.Created = max(sum.Created, entry.FormatTime(e.Time()))
		next.Tags, next.Topics = memory.Union(sum.Tags, e.Tags), memory.Union(sum.Topics, e.Topics)
		if full[name] || sum.Locked || len(next.Text) > maxFolded || contents.RuleEntry(p.st, next, "", false, false).Verdict != policy.Accept {
			if !full[name] {
				p.notes = append(p.notes, fault.NewNote("summary-full", "the summary of "+sum.SummaryKind+" is full, so the rest of its notes stay as they are"))
			}
			full[name] = true
			continue
		}
		*sum = next
		e.kind, e.into = kindNote, sum.ID
	}
	return nil
}

// month is the summary of a conversation's notes of one month, as it stands or
// as it begins.
func (p *compactPlan) month(conversation string, made time.Time) (*entry.Entry, error) {
	if conversation == "" {
		conversation = entry.ProjectConversation
	}
	kind := entry.NotesKind(made)
	sum := entry.Entry{ID: entry.SummaryID(kind, conversation), Role: entry.RoleSummary, Conversation: conversation, SummaryKind: kind, Labels: labels.Labels{Source: "compact"}}
	name := sum.Path()
	if p.folds[name] == nil {
		there, err := txn.ReadRecord(p.st, name)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", name, err)
		}
		p.folds[name] = cmp.Or(there, txn.EntryRecord(sum))
	}
	return p.folds[name].Entry, nil
}

// foldedText adds a note to the text of a month: a heading a day, a line a note.
func foldedText(text string, e entry.Entry) string {
	day := "## " + e.Time().Format(time.DateOnly)
	line := "- " + strings.ReplaceAll(e.Text, "\n", "\n  ")
	at := strings.LastIndex("\n"+text, "\n## ")
	switch {
	case text == "":
		return day + "\n\n" + line
	case at >= 0 && strings.HasPrefix(text[at:], day+"\n"):
		return text + "\n" + line
	}
	return text + "\n\n" + day + "\n\n" + line
}

// TurnsLimit is the setting of what was said, word for word.
var TurnsLimit = settings.Setting{Name: "memctl.turns.limit", Env: "MEMCTL_TURNS_LIMIT", Default: "500", Number: &settings.Range{Most: 1e6, Whole: true},
	Help: "How many turns and unconfirmed automatic facts of a conversation a private or user store keeps. The proxy moves the oldest away; 0 is no limit.", Advanced: true}

// turnsLimit is the setting's number.
func turnsLimit(ctx context.Context, ss *store.Stores) (int, error) {
	v, err := ss.Setting(ctx, TurnsLimit)
	return int(v.Float()), err
}

// Evict makes room in a conversation that has more turns and automatic facts than it may: the
// oldest move to deleted, in one commit. Summaries stay. It returns how many moved.
func Evict(ctx context.Context, ss *store.Stores, scope, conversation string) (moved int, err error) {
	limit, err := turnsLimit(ctx, ss)
	if err != nil || limit == 0 {
		return 0, err
	}
	st, err := ss.Get(ctx, scope)
	if err != nil {
		return 0, err
	}
	if n, err := contents.CountFiles(st, conversation, "facts", entry.TurnsFolder+"/"+entry.RoleUser, entry.TurnsFolder+"/"+entry.RoleAssistant); err != nil || n <= limit {
		return 0, err
	}
	c := &compacting{ctx: ctx, ss: ss, st: st, CompactRequest: CompactRequest{
		Options: memory.Options{Origin: memory.Origin{Kind: memory.Automatic}, Scope: scope}, Only: []string{kindTurn}, Apply: true,
	}}
	done, err := c.run()
	return done.Moved, err
}

func category(p *planned) string { return cmp.Or(p.Category, entry.Fact) }

// mayGo reports whether one fact can stand for another: of the same conversation, and not one of an
// agent for one of a person.
func mayGo(old, stays *planned) bool {
	return !old.fixed && !old.isRemoved() && !old.stays && old.Conversation == stays.Conversation && memory.Rank(old.Confidence) <= memory.Rank(stays.Confidence) &&
		(old.By != "" || stays.By == "") && (old.Expires == stays.Expires)
}

// compareFacts is the order in which of two facts that say the same the first stays.
func compareFacts(a, b *planned) int {
	rank := func(p *planned) int {
		n := memory.Rank(p.Confidence) * 2
		if p.fixed {
			n += 100
		}
		if p.By == "" {
			n++
		}
		return n
	}
	return cmp.Or(rank(b)-rank(a), cmp.Compare(b.Standing, a.Standing), cmp.Compare(a.Created, b.Created), cmp.Compare(a.Path, b.Path))
}

// exactDuplicates keeps the best of the facts with one text in one conversation.
func (p *compactPlan) exactDuplicates(facts []*planned) {
	groups, order := map[string][]*planned{}, []string{}
	for _, f := range facts {
		key := f.Conversation + "\x00" + entry.NormalizeText(f.Text)
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], f)
	}
	for _, key := range order {
		group := groups[key]
		slices.SortFunc(group, compareFacts)
		for i, f := range group {
			for _, stays := range group[:i] {
				if !f.isRemoved() && !stays.isRemoved() && mayGo(f, stays) && (category(f) == category(stays) || category(f) == entry.Fact) {
					p.replace(f, stays, kindDuplicate)
				}
			}
		}
	}
}
