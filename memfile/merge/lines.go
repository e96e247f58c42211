package merge

import (
	"slices"
	"sort"
	"strings"
)

// How two different insertions at one place are merged.
func keepBoth(ours, theirs []string) []string { return slices.Concat(ours, theirs) }

// keepOne keeps our lines, and of theirs the comments: where both files say the
// same, the rest is another way to write it.
func keepOne(ours, theirs []string) []string {
	out := []string{}
	for _, line := range theirs {
		if strings.HasPrefix(strings.TrimSpace(line), "#") && !slices.Contains(ours, line) {
			out = append(out, line)
		}
	}
	return append(out, ours...)
}

// mergeText merges lines three-way by applying both sides' edits: a line of the
// base stays where both sides keep it, and what they put between lines is put
// there. Where both put something different at one place, both decides; what
// these two share at either end stands once. Without a base, what both texts
// share is the base.
func mergeText(hasBase bool, base, ours, theirs string, both func(ours, theirs []string) []string) string {
	o, t := splitLines(ours), splitLines(theirs)
	b := splitLines(base)
	if !hasBase {
		b = nil
		for i, at := range matchLines(o, t) {
			if at >= 0 {
				b = append(b, o[i])
			}
		}
	}
	mo, mt := matchLines(b, o), matchLines(b, t)
	var out []string
	i, j := 0, 0
	for p := 0; p <= len(b); p++ {
		one, two := gap(mo, o, p, &i), gap(mt, t, p, &j)
		out = append(out, mergeGap(one, two, both)...)
		if p < len(b) && mo[p] >= 0 && mt[p] >= 0 {
			out = append(out, b[p])
		}
	}
	return strings.Join(out, "")
}

func splitLines(s string) []string {
	return slices.Collect(strings.Lines(s))
}

// gap is what a side put before line p of the base, given at the first such
// line after one that it kept; at is where the side's text was read up to.
func gap(match []int, side []string, p int, at *int) []string {
	if p > 0 && match[p-1] < 0 {
		return nil
	}
	next := len(side)
	if i := slices.IndexFunc(match[p:], func(m int) bool { return m >= 0 }); i >= 0 {
		next = match[p+i]
	}
	lines := side[min(*at, next):next]
	*at = next + 1
	return lines
}

func mergeGap(ours, theirs []string, both func(ours, theirs []string) []string) []string {
	switch {
	case len(theirs) == 0 || slices.Equal(ours, theirs):
		return ours
	case len(ours) == 0:
		return theirs
	}
	head := 0
	for head < min(len(ours), len(theirs)) && ours[head] == theirs[head] {
		head++
	}
	tail := 0
	for tail < min(len(ours), len(theirs))-head && ours[len(ours)-1-tail] == theirs[len(theirs)-1-tail] {
		tail++
	}
	middle := both(ours[head:len(ours)-tail], theirs[head:len(theirs)-tail])
	return slices.Concat(ours[:head], middle, ours[len(ours)-tail:])
}

// matchLines pairs the lines of a with equal ones of b, in order: for each line
// of a its index in b, or -1. Lines that stand once in both are paired first
// (patience), the rest between them by the longest common subsequence.
func matchLines(a, b []string) []int {
	match := make([]int, len(a))
	for i := range match {
		match[i] = -1
	}
	m := matcher{a: a, b: b, match: match}
	m.run(0, len(a), 0, len(b))
	return match
}

type matcher struct {
	a, b  []string
	match []int
}

func (m *matcher) run(a0, a1, b0, b1 int) {
	for a0 < a1 && b0 < b1 && m.a[a0] == m.b[b0] {
		m.match[a0] = b0
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && m.a[a1-1] == m.b[b1-1] {
		a1, b1 = a1-1, b1-1
		m.match[a1] = b1
	}
	if a0 == a1 || b0 == b1 {
		return
	}
	anchors := m.anchors(a0, a1, b0, b1)
	if len(anchors) == 0 {
		m.longest(a0, a1, b0, b1)
		return
	}
	for _, x := range anchors {
		m.run(a0, x[0], b0, x[1])
		m.match[x[0]] = x[1]
		a0, b0 = x[0]+1, x[1]+1
	}
	m.run(a0, a1, b0, b1)
}

// anchors are the longest rising run of lines that stand once on each side.
func (m *matcher) anchors(a0, a1, b0, b1 int) [][2]int {
	count := map[string][2]int{}
	at := map[string]int{}
	for i := a0; i < a1; i++ {
		c := count[m.a[i]]
		c[0]++
		count[m.a[i]] = c
	}
	for j := b0; j < b1; j++ {
		c := count[m.b[j]]
		c[1]++
		count[m.b[j]], at[m.b[j]] = c, j
	}
	var pairs [][2]int
	for i := a0; i < a1; i++ {
		if count[m.a[i]] == [2]int{1, 1} {
			pairs = append(pairs, [2]int{i, at[m.a[i]]})
		}
	}
	return rising(pairs)
}

// rising is the longest subsequence whose second numbers rise.
func rising(pairs [][2]int) [][2]int {
	var tails []int // index of the smallest end of a run of each length
	before := make([]int, len(pairs))
	for i, p := range pairs {
		n := sort.Search(len(tails), func(k int) bool { return pairs[tails[k]][1] >= p[1] })
		before[i] = -1
		if n > 0 {
			before[i] = tails[n-1]
		}
		tails = append(tails[:n], append([]int{i}, tails[min(n+1, len(tails)):]...)...)
	}
	out := make([][2]int, len(tails))
	if len(tails) > 0 {
		for i, k := tails[len(tails)-1], len(tails)-1; k >= 0; i, k = before[i], k-1 {
			out[k] = pairs[i]
		}
	}
	return out
}

// maxTable is how many pairs of lines are compared where no line stands once.
const maxTable = 1 << 21

// longest pairs by the longest common subsequence; texts of more pairs than
// maxTable are left unpaired.
func (m *matcher) longest(a0, a1, b0, b1 int) {
	n, k := a1-a0, b1-b0
	if n > maxTable/k {
		return
	}
	table := make([]int32, (n+1)*(k+1))
	for i := n - 1; i >= 0; i-- {
		for j := k - 1; j >= 0; j-- {
			at := i*(k+1) + j
			if m.a[a0+i] == m.b[b0+j] {
				table[at] = table[at+k+2] + 1
			} else {
				table[at] = max(table[at+k+1], table[at+1])
			}
		}
	}
	for i, j := 0, 0; i < n && j < k; {
		at := i*(k+1) + j
		switch {
		case m.a[a0+i] == m.b[b0+j]:
			m.match[a0+i] = b0 + j
			i, j = i+1, j+1
		case table[at+k+1] >= table[at+1]:
			i++
		default:
			j++
		}
	}
}
