package main

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memctl/memctl/internal/recall"
	"github.com/memctl/memctl/internal/recall/index"
)

// The figures of recall, in the order of the table.
const (
	sessionFirst = iota
	sessionIn5
	evidenceIn5
	evidenceIn10
	factsIn5
	factsIn10
	daysIn5 // observations of which only the day is known, not the session
	daysIn10
	jointFirst
	jointIn5
	topicIn5
	chatIn5 // conversations with an assistant, both roles
	chatIn10
	ownIn5 // the person's messages alone
	ownIn10
	paraphraseFirst // a question in other words than its fact
	paraphraseIn5
	paraphraseIn10
	sameHits       // answers for 1, 5 and 10 hits that begin the answer for more
	emptyElsewhere // a question asked of another conversation
	emptyRenamed   // the same, with the speakers' names put in
	emptyTopic     // a question asked of preferences without its topic
	emptyWrongly   // answerable questions that get an empty answer
	figures
)

// score is a sum of shares, and over how many questions.
type score struct {
	sum float64
	n   int
}

func (s score) share() float64 { return 100 * s.sum / float64(max(s.n, 1)) }

func (s *score) add(share float64) { s.sum += share; s.n++ }

func (s *score) merge(o score) { s.sum += o.sum; s.n += o.n }

// result holds, for each unit that may be held out (a conversation or a topic),
// the figures.
type result map[string]*[figures]score

func (r result) at(unit string) *[figures]score {
	if r[unit] == nil {
		r[unit] = &[figures]score{}
	}
	return r[unit]
}

// total adds up the units that keep lets through.
func (r result) total(keep func(unit string) bool) (sum [figures]score) {
	for unit, scores := range r {
		if keep(unit) {
			for i := range scores {
				sum[i].merge(scores[i])
			}
		}
	}
	return sum
}

// stores are the indexes that questions are asked of.
type stores struct {
	rows         *recallRows
	turns        map[string]*index.Index // by conversation
	observations map[string]*index.Index
	days         map[string]*index.Index // observations without their sessions
	joint        *index.Index
	preferences  *index.Index
	reworded     *index.Index
	without      map[string]*index.Index // preferences without a topic
	speakers     map[string][]string
	chats, own   map[string]*index.Index // by conversation: both roles, the person's messages
	now          time.Time               // the last turn's, which recency is measured from
	quick        bool                    // leave out the joint store, the empty answers and other numbers of hits
	all          []*index.Index
	// near, if set, returns the docs that an embedder finds near a text.
	near func(x *index.Index, text string, k int) ([]recall.Similar, error)
	// other, if set, answers in recall's place.
	other func(x *index.Index, text string, k int) ([]recall.Hit, error)
}

func openStores(rows *recallRows) (*stores, error) {
	s := &stores{rows: rows, turns: map[string]*index.Index{}, observations: map[string]*index.Index{}, days: map[string]*index.Index{}, without: map[string]*index.Index{}, chats: map[string]*index.Index{}, own: map[string]*index.Index{}, speakers: map[string][]string{}}
	var err error
	add := func(into *map[string]*index.Index, name string, docs []index.Doc, keep func(*index.Doc) bool) {
		x, e := open(docs, keep)
		if (*into)[name] = x; e != nil {
			err = e
		}
		s.all = append(s.all, x)
	}
	days := slices.Clone(rows.observations)
	for i := range days {
		days[i].Session = ""
	}
	for _, conv := range rows.convs {
		of := func(d *index.Doc) bool { return d.Conversation == conv }
		add(&s.turns, conv, rows.turns, of)
		add(&s.observations, conv, rows.observations, of)
		add(&s.days, conv, days, of)
	}
	for _, chat := range rows.chats {
		add(&s.chats, chat, rows.said, func(d *index.Doc) bool { return d.Conversation == chat })
		add(&s.own, chat, rows.said, func(d *index.Doc) bool { return d.Conversation == chat && d.Speaker == "user" })
	}
	for _, topic := range rows.topics {
		add(&s.without, topic, rows.preferences, func(d *index.Doc) bool { return topicOf(d.ID) != topic })
	}
	for _, d := range rows.turns {
		if d.Time.After(s.now) {
			s.now = d.Time
		}
		if !slices.Contains(s.speakers[d.Conversation], d.Speaker) {
			s.speakers[d.Conversation] = append(s.speakers[d.Conversation], d.Speaker)
		}
	}
	all := map[string]*index.Index{}
	add(&all, "turns", rows.turns, func(*index.Doc) bool { return true })
	add(&all, "preferences", rows.preferences, func(*index.Doc) bool { return true })
	add(&all, "reworded", rows.reworded, func(*index.Doc) bool { return true })
	s.joint, s.preferences, s.reworded = all["turns"], all["preferences"], all["reworded"]
	return s, err
}

// evaluate asks all questions with one ranking.
func (s *stores) evaluate(r *recall.Ranking) (result, error) {
	out := result{}
	var mu sync.Mutex
	var failed error
	work := make(chan func() (string, [figures]score, error))
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for f := range work {
				unit, scores, err := f()
				mu.Lock()
				if err != nil {
					failed = err
				}
				into := out.at(unit)
				for i := range scores {
					into[i].merge(scores[i])
				}
				mu.Unlock()
			}
		})
	}
	for _, q := range s.rows.questions {
		work <- func() (string, [figures]score, error) { sc, err := s.ask(q, r); return q.conv, sc, err }
	}
	for _, q := range s.rows.asked {
		work <- func() (string, [figures]score, error) { sc, err := s.askPreference(q, r); return q.conv, sc, err }
	}
	for _, q := range s.rows.askedReworded {
		work <- func() (string, [figures]score, error) { sc, err := s.askReworded(q, r); return q.conv, sc, err }
	}
	for _, q := range s.rows.chatsAsked {
		work <- func() (string, [figures]score, error) { sc, err := s.askChat(q, r); return q.conv, sc, err }
	}
	close(work)
	group.Wait()
	return out, failed
}

// deep is how many hits are looked through for the first sessions.
const deep = 50

// search asks one index, with an embedder's channel if there is one.
func (s *stores) search(x *index.Index, q recall.Query) (hits []recall.Hit, err error) {
	if s.other != nil {
		return s.other(x, q.Text, q.MaxHits)
	}
	if s.near != nil {
		if q.Similar, err = s.near(x, q.Text, q.MaxHits); err != nil {
			return nil, err
		}
	}
	return recall.Search(x, q)
}

// ask asks one question of every store it belongs to, and of one it does not.
func (s *stores) ask(q question, r *recall.Ranking) (f [figures]score, err error) {
	search := func(x *index.Index, text string, k int) []recall.Hit {
		hits, e := s.search(x, recall.Query{Distinct: true, Text: text, MaxHits: k, Ranking: r, Now: s.now})
		if e != nil {
			err = e
		}
		return hits
	}
	hits := search(s.turns[q.conv], q.text, deep)
	found := sessionsOf(hits)
	f[sessionFirst].add(anyIn(found, q.sessions, 1))
	f[sessionIn5].add(anyIn(found, q.sessions, 5))
	f[evidenceIn5].add(covered(hits, q.evidence, 5, nil))
	f[evidenceIn10].add(covered(hits, q.evidence, 10, nil))
	f[emptyWrongly].add(one(weak(hits)))

	facts := search(s.observations[q.conv], q.text, 10)
	f[factsIn5].add(covered(facts, q.evidence, 5, s.rows.covers))
	f[factsIn10].add(covered(facts, q.evidence, 10, s.rows.covers))

	facts = search(s.days[q.conv], q.text, 10)
	f[daysIn5].add(covered(facts, q.evidence, 5, s.rows.covers))
	f[daysIn10].add(covered(facts, q.evidence, 10, s.rows.covers))

	if s.quick {
		return f, err
	}
	same := true
	for _, k := range []int{1, 5, 10} {
		fewer := search(s.turns[q.conv], q.text, k)
		same = same && slices.EqualFunc(fewer, hits[:min(k, len(hits))], func(a, b recall.Hit) bool { return a.ID == b.ID })
	}
	f[sameHits].add(one(same))

	found = sessionsOf(search(s.joint, q.text, deep))
	f[jointFirst].add(anyIn(found, q.sessions, 1))
	f[jointIn5].add(anyIn(found, q.sessions, 5))

	other := s.rows.convs[(slices.Index(s.rows.convs, q.conv)+1)%len(s.rows.convs)]
	f[emptyElsewhere].add(one(weak(search(s.turns[other], q.text, 1))))
	f[emptyRenamed].add(one(weak(search(s.turns[other], s.rename(q, other), 1))))
	return f, err
}

func (s *stores) askPreference(q question, r *recall.Ranking) (f [figures]score, err error) {
	hits, err := s.search(s.preferences, recall.Query{Distinct: true, Text: q.text, MaxHits: 5, Ranking: r})
	if err != nil {
		return f, err
	}
	right := 0.0
	for _, h := range hits {
		right += one(topicOf(h.ID) == q.topic)
	}
	f[topicIn5].add(right / 5)
	if s.quick {
		return f, err
	}
	hits, err = s.search(s.without[q.topic], recall.Query{Distinct: true, Text: q.text, MaxHits: 1, Ranking: r})
	f[emptyTopic].add(one(weak(hits)))
	return f, err
}

// askChat asks one question of a conversation with an assistant.
func (s *stores) askChat(q question, r *recall.Ranking) (f [figures]score, err error) {
	for _, part := range []struct {
		in       *index.Index
		evidence []string
		at       int
	}{{s.chats[q.conv], q.evidence, chatIn5}, {s.own[q.conv], q.own, ownIn5}} {
		if len(part.evidence) == 0 {
			continue
		}
		hits, err := s.search(part.in, recall.Query{Distinct: true, Text: q.text, MaxHits: 10, Ranking: r})
		if err != nil {
			return f, err
		}
		f[part.at].add(covered(hits, part.evidence, 5, nil))
		f[part.at+1].add(covered(hits, part.evidence, 10, nil))
	}
	return f, nil
}

// rename puts the speakers of another conversation into a question.
func (s *stores) rename(q question, other string) string {
	text := q.text
	for i, name := range s.speakers[q.conv] {
		if i < len(s.speakers[other]) {
			text = replaceWord(text, name, s.speakers[other][i])
		}
	}
	return text
}

// weak reports whether an answer is empty, or is marked as weak.
func weak(hits []recall.Hit) bool { return len(hits) == 0 || hits[0].Weak }

// askReworded asks a question in other words than its fact.
func (s *stores) askReworded(q question, r *recall.Ranking) (f [figures]score, err error) {
	hits, err := s.search(s.reworded, recall.Query{Distinct: true, Text: q.text, MaxHits: 10, Ranking: r})
	f[paraphraseFirst].add(covered(hits, q.evidence, 1, nil))
	f[paraphraseIn5].add(covered(hits, q.evidence, 5, nil))
	f[paraphraseIn10].add(covered(hits, q.evidence, 10, nil))
	return f, err
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// sessionsOf are the sessions of hits, each once, in their order.
func sessionsOf(hits []recall.Hit) []string {
	var list []string
	for _, h := range hits {
		if s := h.Conversation + " " + h.Session; !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

func anyIn(found, wanted []string, k int) float64 {
	return one(slices.ContainsFunc(found[:min(k, len(found))], func(s string) bool { return slices.Contains(wanted, s) }))
}

// covered is the share of the evidence among the first k hits, or among the turns
// that they cover.
func covered(hits []recall.Hit, evidence []string, k int, covers map[string][]string) float64 {
	seen := map[string]bool{}
	for _, h := range hits[:min(k, len(hits))] {
		if covers == nil {
			id, _, _ := strings.Cut(h.ID, "#L")
			seen[id] = true
		}
		for _, turn := range covers[h.ID] {
			seen[turn] = true
		}
	}
	n := 0.0
	for _, e := range evidence {
		n += one(seen[e])
	}
	return n / float64(len(evidence))
}
