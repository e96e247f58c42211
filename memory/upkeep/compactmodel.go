package upkeep

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/capture/extract"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

const (
	// maxJudged is how many facts of a store a model compares at once.
	maxJudged = 200
	// maxMerged is how many facts one text may replace: a person has to check it against all of them.
	maxMerged = 8
)

// Judgement is what a model makes of a list of facts: those that become one.
type Judgement []Merged

// Merged are facts, named by their indexes, and the one text that it makes of them.
type Merged struct {
	Facts []int
	Text  string
}

// Judge asks a model about the texts of facts, once about the same ones, so that compact does what its table shows.
type Judge struct {
	Ask   func(texts []string) (Judgement, error)
	known map[string]Judgement
}

// of is the judgement on the texts; without ask, only one that is known.
func (j *Judge) of(texts []string, ask bool) (judged Judgement, err error) {
	if j == nil {
		return judged, nil
	}
	name := strings.Join(texts, "\x00")
	judged, known := j.known[name]
	if known || !ask {
		return judged, nil
	}
	if j.known == nil {
		j.known = map[string]Judgement{}
	}
	judged, err = j.Ask(texts)
	j.known[name] = judged
	return judged, err
}

// merge is a planned one: a new fact, and the facts that it replaces.
type merge struct {
	entry.Entry
	from []*planned
}

// byModel lets a model name facts that become one, with a text of their words.
func (p *compactPlan) byModel(ctx context.Context, facts []*planned, judge func(texts []string) (Judgement, error)) error {
	facts = slices.DeleteFunc(slices.Clone(facts), (*planned).isRemoved)
	slices.SortStableFunc(facts, func(a, b *planned) int { return a.Time().Compare(b.Time()) })
	facts = facts[max(0, len(facts)-maxJudged):]
	if len(facts) < 2 || !p.wants(KindMerge) {
		return nil
	}
	texts := make([]string, len(facts))
	for i, f := range facts {
		texts[i] = f.Text
	}
	judged, err := judge(texts)
	if err != nil || len(judged) == 0 {
		return err
	}
	forgotten, err := contents.ReadForgotten(ctx, p.st)
	for _, m := range judged {
		if named := pick(facts, m.Facts); named != nil && err == nil {
			err = p.mergeAll(named, entry.CleanText(m.Text), forgotten)
		}
	}
	return err
}

// pick returns the facts of these indexes; nil if there are not several, or an index is unknown or there twice.
func pick(facts []*planned, indexes []int) (list []*planned) {
	for _, i := range indexes {
		if i < 0 || i >= len(facts) || slices.Contains(list, facts[i]) {
			return nil
		}
		list = append(list, facts[i])
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

// mergeAll plans to replace facts by one that quotes them: by one of them, where its text is the quotation.
func (p *compactPlan) mergeAll(from []*planned, text string, forgotten *contents.Forgotten) error {
	var said []string
	for _, f := range from {
		said = append(said, f.Text)
	}
	quoted, all := extract.Quoted(text, said...)
	if len(from) > maxMerged || !all || !mayMerge(from) {
		return nil
	}
	text = strings.Join(quoted, "; ")
	if from[0].IsStated() && !p.agreed {
		p.stated = true
		return nil
	}
	if i := slices.IndexFunc(from, func(f *planned) bool { return entry.NormalizeText(f.Text) == entry.NormalizeText(text) }); i >= 0 {
		for _, f := range slices.Delete(slices.Clone(from), i, i+1) {
			if mayGo(f, from[i]) {
				p.replace(f, from[i], KindMerge)
			}
		}
		return nil
	}
	m := &merge{Entry: mergedEntry(text, from), from: from}
	there, err := contents.EntryBytes(p.st, m.Path())
	if err != nil || there != nil || forgotten.BindsEntry(m.Entry) || contents.RuleEntry(p.st, m.Entry, "", true, false).Verdict != policy.Accept {
		return err
	}
	p.merges = append(p.merges, m)
	for _, f := range from {
		f.kind, f.into, f.gist = KindMerge, m.ID, m.Text
	}
	return nil
}

// mayMerge reports whether facts have the same standing, so that one can replace all of them: their
// conversation, category and day of expiry, and whether a person stated them or has to confirm them.
func mayMerge(from []*planned) bool {
	first := from[0]
	return !slices.ContainsFunc(from, func(f *planned) bool {
		return f.fixed || f.isRemoved() || f.stays || len(f.Extra) > 0 || f.Conversation != first.Conversation || category(f) != category(first) ||
			f.Expires != first.Expires || f.IsStated() != first.IsStated() || memory.InDoubt(&f.Entry.Entry) != memory.InDoubt(&first.Entry.Entry)
	})
}

// mergedEntry is the fact that replaces others, with their metadata: the oldest date, the newest one as the day of
// the last signal, the highest of their confidences and weights, and all of their tags, topics and sources.
func mergedEntry(text string, from []*planned) entry.Entry {
	e := from[0].Entry.Entry
	e.ID, e.Text, e.Source = entry.ContentID(text), text, ""
	newest := e.Seen
	var sources []string
	for _, f := range from {
		if f.Session != e.Session {
			e.Session = ""
		}
		if f.Time().Before(e.Time()) {
			e.Created = f.Created
		}
		if memory.Rank(f.Confidence) > memory.Rank(e.Confidence) {
			e.Confidence = f.Confidence
		}
		if f.By < e.By { // automatic before relayed
			e.By = f.By
		}
		e.Tags, e.Topics, e.Weight = memory.Union(e.Tags, f.Tags), memory.Union(e.Topics, f.Topics), max(e.Weight, f.Weight)
		e.Signals, newest = max(e.Signals, f.Signals), max(newest, f.Seen)
		if !f.Time().IsZero() {
			newest = max(newest, f.Time().Format(time.DateOnly))
		}
		if f.Source != "" {
			sources = memory.Union(sources, []string{f.Source})
		}
	}
	if e.Source = strings.Join(sources, "; "); !strings.HasPrefix(e.Created, newest) {
		e.Seen = newest
	}
	return e
}

// PartsOf returns those of the entries that are deleted facts which compact replaced by the entry with this id, or by
// one of these facts in turn. A fact whose text another entry still has is none of them.
func PartsOf(id string, all []contents.Entry) (parts []contents.Entry) {
	live := map[string]bool{}
	for _, e := range all {
		live[memfile.Gist(e.Text)] = live[memfile.Gist(e.Text)] || !e.Deleted && e.ID != id
	}
	ids := []string{id}
	for i := 0; i < len(ids); i++ {
		for _, e := range all {
			if !e.Deleted || e.ReplacedBy != ids[i] || e.Tier() != entry.Fact || !strings.HasPrefix(e.Reason, compactedReason) || live[memfile.Gist(e.Text)] {
				continue
			}
			if parts = append(parts, e); !slices.Contains(ids, e.ID) {
				ids = append(ids, e.ID)
			}
		}
	}
	return parts
}
