package recall

// reach is how many neighbours on either side count.
const reach = 2

// around gives a doc a share of its neighbours' scores: an answer often stands
// beside the words of the question, not among them. A turn that asks is seldom an
// answer itself, and the turn after it often is.
func (s *search) around() error {
	var failed error
	for i, n := 0, len(s.cands); i < n; i++ {
		c := s.cands[i]
		s.x.around(c.doc, reach, func(other, distance int) {
			share := s.r.Near
			if c.rec.asks && distance == 1 {
				share += s.r.Reply
			}
			if distance < 0 {
				share, distance = share*s.r.Before, -distance
			}
			if share == 0 || failed != nil || !s.mayHit(other) {
				return
			}
			o, err := s.candidate(other)
			if err != nil {
				failed = err
				return
			}
			o.parts.near += share * c.parts.words / float64(distance)
		})
	}
	for i := range s.cands {
		if c := &s.cands[i]; c.rec.asks {
			c.parts.words *= 1 - s.r.Asks
		}
	}
	return failed
}

// inGroups scores each group as one long text, and adds that to its docs.
func (s *search) inGroups() error {
	if s.r.Group == 0 {
		return nil
	}
	all, words := s.countGroups()
	if all == 0 {
		return nil
	}
	mean := float64(max(words, 1)) / float64(all)
	scores := make([]float64, len(s.x.groups))
	counts := make([]post, len(s.x.groups))
	best := 0.0
	for i := range s.terms {
		t := &s.terms[i]
		var touched []int
		for _, p := range t.posts {
			g := s.x.groupOf(int(p.doc))
			if s.x.groups[g].alone {
				continue
			}
			if counts[g] == (post{}) {
				touched = append(touched, g)
			}
			counts[g].doc = 1
			counts[g].body = uint16(min(maxCount, int(counts[g].body)+int(p.body)))
			counts[g].head = uint16(min(maxCount, int(counts[g].head)+int(p.head)))
		}
		weight := t.weight * idf(all, len(touched))
		for _, g := range touched {
			scores[g] += weight * s.often(counts[g], float64(s.x.groups[g].terms)/mean)
			best = max(best, scores[g])
			counts[g] = post{}
		}
	}
	if best == 0 {
		return nil
	}
	scale := s.r.Group * s.best() / best
	for i := range s.cands {
		c := &s.cands[i]
		c.parts.group = scale * scores[s.x.groupOf(c.doc)]
	}
	return nil
}

// together lifts the docs of a group whose best docs are good together: three that
// fit well say more than one that fits a little better.
func (s *search) together() {
	if s.r.Together == 0 || len(s.cands) == 0 {
		return
	}
	sums := map[int]float64{}
	counts := map[int]int{}
	best := 0.0
	for i := range s.cands { // the best first
		c := &s.cands[i]
		g := s.x.groupOf(c.doc)
		if n := counts[g]; n < togetherDocs && !s.x.groups[g].alone {
			counts[g]++
			sums[g] += c.total / float64(n+1)
			best = max(best, sums[g])
		}
	}
	if best == 0 {
		return
	}
	scale := s.r.Together * s.cands[0].total / best
	for i := range s.cands {
		c := &s.cands[i]
		c.parts.group += scale * sums[s.x.groupOf(c.doc)]
		c.total += scale * sums[s.x.groupOf(c.doc)]
	}
	s.sortCands()
}

// togetherDocs is how many of a group's best docs are added up.
const togetherDocs = 4

// countGroups counts the groups that hits may stand in, and the terms in them.
func (s *search) countGroups() (all, words int) {
	seen := make([]bool, len(s.x.groups))
	if s.allowed != nil {
		for n, ok := range s.allowed {
			if ok {
				seen[s.x.groupOf(n)] = true
			}
		}
	}
	for g := range s.x.groups {
		gr := &s.x.groups[g]
		if !gr.alone && (s.allowed == nil || seen[g]) && gr.terms > 0 {
			all++
			words += gr.terms
		}
	}
	return all, words
}
