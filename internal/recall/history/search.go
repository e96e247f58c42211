package history

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/memctl/memctl/internal/recall"
	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/transcript"
)

// Hit is a turn that was found.
type Hit struct {
	ID      string
	Agent   transcript.Format
	Session string
	Folder  string // in which the session began
	Time    time.Time
	Person  bool // else an assistant said it
	Score   float64

	session *session
	turn    turn
}

// Text reads what was said from the transcript, at most MaxText bytes of it; "" where the
// transcript does not have it any more.
func (h Hit) Text() string { return h.session.again(h.turn) }

// Turn is the turn with the ID of a hit.
func (l *Library) Turn(id string) (Hit, bool) {
	for _, s := range l.sessions {
		for _, t := range s.turns {
			if s.id(t) == id {
				return s.hit(t, 1), true
			}
		}
	}
	return Hit{}, false
}

func (s *session) hit(t turn, score float64) Hit {
	h := Hit{ID: s.id(t), Agent: s.About.Format, Session: s.About.ID, Folder: s.Folder, Person: t.person, Score: score, session: s, turn: t}
	if t.at != 0 {
		h.Time = time.Unix(t.at, 0).UTC()
	}
	return h
}

// weak is the share of the best score below which a turn is no hit.
const weak = 0.1

// Search returns the turns since a time that fit the query, the best first: BM25, with a share of
// the turns before and after, and less for what an assistant said. A score of 1 is that of a best
// turn that has every word of the query with its neighbours. Without a query, it returns what the person said, the newest first.
func (l *Library) Search(query string, since time.Time) []Hit {
	if query == "" {
		return l.said()
	}
	r := recall.DefaultRanking()
	wanted := map[uint32]int{}
	for _, word := range index.Terms(query) {
		if h := hash(word); wanted[h] == 0 {
			wanted[h] = len(wanted) + 1
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	found := l.match(wanted)
	weights, total := found.weights()
	var hits []Hit
	best, share := 0.0, 0.0
	for i, s := range l.sessions {
		scores := make([]float64, len(s.turns))
		for _, m := range found.of[i] {
			scores[m.turn] = m.score(s.turns[m.turn], weights, found.mean, r)
		}
		for _, m := range found.of[i] {
			t := s.turns[m.turn]
			if t.at < since.Unix() && !since.IsZero() {
				continue
			}
			score := scores[m.turn]
			for _, n := range []struct {
				at   int
				part float64
			}{{-1, 1}, {1, 1}, {-2, 0.5}, {2, 0.5}} {
				if at := m.turn + n.at; at >= 0 && at < len(scores) {
					score += r.Near * n.part * scores[at]
				}
			}
			if hits = append(hits, s.hit(t, score)); score > best {
				best, share = score, found.share(i, m.turn, weights)/total
			}
		}
	}
	hits = slices.DeleteFunc(hits, func(h Hit) bool { return h.Score < best*weak })
	for i := range hits {
		hits[i].Score *= share / best
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Time.Compare(a.Time))
	})
	return hits
}

// said are the turns of the person, the newest first.
func (l *Library) said() (hits []Hit) {
	for _, s := range l.sessions {
		for _, t := range s.turns {
			if h := s.hit(t, 0); h.Person {
				hits = append(hits, h)
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return b.Time.Compare(a.Time) })
	return hits
}

// matches are the turns that have a word of the query.
type matches struct {
	of    [][]match // by session, in the order of the turns
	in    []int     // by word: how many turns have it
	turns int
	mean  float64 // length of a turn
}

// match is a turn with how often it has each word of the query.
type match struct {
	turn   int
	counts []int
}

func (l *Library) match(wanted map[uint32]int) matches {
	found := matches{of: make([][]match, len(l.sessions)), in: make([]int, len(wanted))}
	length := 0
	for i, s := range l.sessions {
		for n, t := range s.turns {
			found.turns++
			length += t.length
			var counts []int
			for _, w := range t.terms {
				if at := wanted[w.hash]; at > 0 {
					if counts == nil {
						counts = make([]int, len(wanted))
					}
					counts[at-1] = w.count
					found.in[at-1]++
				}
			}
			if counts != nil {
				found.of[i] = append(found.of[i], match{n, counts})
			}
		}
	}
	found.mean = float64(length) / float64(max(found.turns, 1))
	return found
}

// weights are what the words of the query count: the rarer, the more.
func (m matches) weights() (list []float64, total float64) {
	for _, n := range m.in {
		w := math.Log(1 + (float64(m.turns-n)+0.5)/(float64(n)+0.5))
		list, total = append(list, w), total+w
	}
	return list, total
}

// share is the weight of the words that a turn and its neighbours have.
func (m matches) share(session, turn int, weights []float64) (sum float64) {
	has := make([]bool, len(weights))
	for _, other := range m.of[session] {
		if other.turn < turn-2 || other.turn > turn+2 {
			continue
		}
		for i, n := range other.counts {
			if n > 0 && !has[i] {
				has[i] = true
				sum += weights[i]
			}
		}
	}
	return sum
}

// score is BM25.
func (m match) score(t turn, weights []float64, mean float64, r recall.Ranking) (sum float64) {
	norm := r.K1 * (1 - r.B + r.B*float64(t.length)/max(mean, 1))
	for i, n := range m.counts {
		sum += weights[i] * float64(n) * (r.K1 + 1) / (float64(n) + norm)
	}
	if !t.person {
		sum *= 1 - r.Agent
	}
	return sum
}
