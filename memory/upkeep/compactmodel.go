package upkeep

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/memctl/memctl/capture/extract"
	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/similar"
	"github.com/memctl/memctl/store/contents"
)

const (
	// maxJudged is how many facts of a store a model compares at once.
	maxJudged = 200
	// maxMerged is how many facts one text may replace: a person has to check it against all of them.
	maxMerged = 8
	// sharedByModel is the share of a redundant fact's words that the other fact must have, and
	// sharedByMerge that of all words of each merged fact that the new text must have.
	sharedByModel = 0.5
	sharedByMerge = 0.75
)

// Judgement is what a model finds in a list of facts, which it names by their indexes.
type Judgement struct {
	Redundant [][2]int // a redundant fact, and the one that stays
	Merges    []Merge
}

// Merge is a new text that replaces several facts.
type Merge struct {
	Facts []int
	Text  string
}

// merge is a planned one: a new fact, and the facts that it replaces.
type merge struct {
	entry.Entry
	from []*planned
}

// byModel lets a model name redundant facts and merge facts into one text. A fact gives way only
// to a fact with half of its words, or to a newer one that
// contradicts it.
func (p *compactPlan) byModel(ctx context.Context, facts []*planned, judge func(texts []string) (Judgement, error)) error {
	facts = slices.DeleteFunc(slices.Clone(facts), (*planned).gone)
	slices.SortStableFunc(facts, func(a, b *planned) int { return a.Time().Compare(b.Time()) })
	facts = facts[max(0, len(facts)-maxJudged):]
	if len(facts) < 2 || !p.wants(kindRedundant) && !p.wants(KindMerge) {
		return nil
	}
	texts := make([]string, len(facts))
	for i, f := range facts {
		texts[i] = f.Text
	}
	judged, err := judge(texts)
	if err != nil || len(judged.Redundant)+len(judged.Merges) == 0 {
		return err
	}
	for _, pair := range judged.Redundant {
		if named := pick(facts, pair[:]); named != nil && p.wants(kindRedundant) {
			p.giveWay(named[0], named[1])
		}
	}
	forgotten, err := contents.ReadForgotten(ctx, p.st)
	if err != nil || !p.wants(KindMerge) {
		return err
	}
	for _, m := range judged.Merges {
		if named := pick(facts, m.Facts); named != nil {
			if err := p.mergeInto(entry.CleanText(m.Text), named, forgotten); err != nil {
				return err
			}
		}
	}
	return nil
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

// giveWay replaces a redundant fact by the one that stays, if that has its content.
func (p *compactPlan) giveWay(old, stays *planned) {
	if !stays.gone() && mayGo(old, stays) && hasOf(stays.Text, old.Text, sharedByModel) {
		p.replace(old, stays, kindRedundant)
	}
}

// hasOf reports whether a text has this share of the words of another one.
func hasOf(text, old string, share float64) bool {
	words := uniqueWords(tellingWords(old))
	has := tellingWords(text)
	n := 0
	for _, w := range words {
		if slices.Contains(has, w) {
			n++
		}
	}
	return len(words) >= memory.FewWords && float64(n) >= share*float64(len(words))
}

// mergeInto plans to replace facts by one text. A text that one of them has already makes the others
// redundant instead.
func (p *compactPlan) mergeInto(text string, from []*planned, forgotten *contents.Forgotten) error {
	same := func(f *planned) bool { return entry.NormalText(f.Text) == entry.NormalText(text) }
	if i := slices.IndexFunc(from, same); i >= 0 {
		for _, f := range from {
			if f != from[i] && p.wants(kindRedundant) {
				p.giveWay(f, from[i])
			}
		}
		return nil
	}
	if len(from) > maxMerged || !mayMerge(from) || !saysTheSame(text, from) || slices.ContainsFunc(p.all, same) {
		return nil
	}
	m := &merge{Entry: mergedEntry(text, from), from: from}
	there, err := contents.EntryBytes(p.st, m.Path())
	if err != nil || there != nil || forgotten.Entry(m.Entry) || contents.RuleEntry(p.st, m.Entry, "", true, false).Verdict != policy.Accept {
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
		return f.fixed || f.gone() || f.stays || len(f.Extra) > 0 || f.Conversation != first.Conversation || category(f) != category(first) ||
			f.Expires != first.Expires || f.Stated() != first.Stated() || memory.InDoubt(&f.Entry.Entry) != memory.InDoubt(&first.Entry.Entry)
	})
}

// saysTheSame reports whether a text has nothing that the facts do not have, and what they have: all figures,
// all words that limit or deny, all distinctive words, all names, and three quarters of the other words of each
// fact. Facts of which one denies something are not one text: the denial could change its place.
func saysTheSame(text string, from []*planned) bool {
	var texts, numbers, limits []string
	for _, f := range from {
		if denies(f.Text) != denies(text) || !hasOf(text, f.Text, sharedByMerge) || !tellsAll(text, f.Text) {
			return false
		}
		texts, numbers, limits = append(texts, f.Text), memory.Union(numbers, figures(f.Text)), memory.Union(limits, limitsOf(f.Text))
	}
	return len(text) <= len(strings.Join(texts, " ")) && extract.Borne(text, texts...) && equalSets(figures(text), numbers) && equalSets(limitsOf(text), limits)
}

// tellsAll reports whether a text has all distinctive words of another one, and its names: words with a capital
// letter that do not begin a sentence. Some names are no distinctive words, such as Will or IT.
func tellsAll(text, old string) bool {
	words := similar.Distinctive(text)
	if slices.ContainsFunc(similar.Distinctive(old), func(w string) bool { return !slices.Contains(words, w) }) {
		return false
	}
	split := func(text string) []string {
		return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	written, begins := split(text), true
	for field := range strings.FieldsSeq(old) {
		for _, w := range split(field) {
			if r, _ := utf8.DecodeRuneInString(w); !begins && unicode.IsUpper(r) && !slices.Contains(written, w) {
				return false
			}
			begins = false
		}
		begins = strings.ContainsAny(field[len(field)-1:], ".!?:")
	}
	return true
}

// denies reports whether a text has a word that denies.
func denies(text string) bool {
	return slices.ContainsFunc(limitsOf(text), func(w string) bool {
		return slices.Contains(strings.Fields("not no never none nor without cannot don doesn didn isn aren won wasn shouldn mustn avoid nicht kein keine nie pas jamais sans nunca sin non não"), w)
	})
}

func limitsOf(text string) []string {
	limits := limiting()
	return slices.DeleteFunc(memory.Words(text), func(w string) bool { return !slices.Contains(limits, w) })
}

func equalSets(a, b []string) bool { return slices.Equal(uniqueWords(a), uniqueWords(b)) }

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

// withdraw cancels the merges in which a fact stays after all, and, unless agreed, those of facts that a
// person stated. It reports whether there was one of the latter.
func (p *compactPlan) withdraw(agreed bool) (stated bool) {
	p.merges = slices.DeleteFunc(p.merges, func(m *merge) bool {
		whole := !slices.ContainsFunc(m.from, func(f *planned) bool { return f.kind != KindMerge })
		if whole && (agreed || !m.Stated()) {
			return false
		}
		stated = stated || whole
		for _, f := range m.from {
			if f.kind == KindMerge {
				f.kind = ""
			}
		}
		return true
	})
	return stated
}
