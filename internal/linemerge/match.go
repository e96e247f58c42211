package linemerge

import "slices"

// MatchLines pairs lines of a with equal lines of b, in order: for each of a
// the index in b, or -1. It is patience diff, which takes time in proportion
// to n log n, whatever the texts are.
func MatchLines(a, b []string) []int {
	match := make([]int, len(a))
	for i := range match {
		match[i] = -1
	}
	pairLines(a, b, 0, 0, match)
	return match
}

func pairLines(a, b []string, fromA, fromB int, match []int) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		match[fromA] = fromB
		a, b, fromA, fromB = a[1:], b[1:], fromA+1, fromB+1
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		match[fromA+len(a)-1] = fromB + len(b) - 1
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) == 0 || len(b) == 0 {
		return
	}
	anchors := matchUniqueLines(a, b)
	if len(anchors) == 0 {
		return
	}
	anchors = append(anchors, [2]int{len(a), len(b)})
	i, j := 0, 0
	for _, p := range anchors {
		pairLines(a[i:p[0]], b[j:p[1]], fromA+i, fromB+j, match)
		if p[0] < len(a) {
			match[fromA+p[0]] = fromB + p[1]
		}
		i, j = p[0]+1, p[1]+1
	}
}

// matchUniqueLines returns the longest list of pairs, in order on both sides, of lines that each side has once.
func matchUniqueLines(a, b []string) [][2]int {
	type seen struct{ a, b, countA, countB int }
	lines := map[string]*seen{}
	for i, line := range a {
		s := lines[line]
		if s == nil {
			s = &seen{}
			lines[line] = s
		}
		s.a, s.countA = i, s.countA+1
	}
	for j, line := range b {
		if s := lines[line]; s != nil {
			s.b, s.countB = j, s.countB+1
		}
	}
	var tops, pairs []*seen // tops[n] ends the run of length n+1 with the least b
	back := map[*seen]*seen{}
	for i, line := range a {
		if s := lines[line]; s.countA == 1 && s.countB == 1 && s.a == i {
			pairs = append(pairs, s)
		}
	}
	for _, s := range pairs {
		n, _ := slices.BinarySearchFunc(tops, s.b, func(t *seen, b int) int { return t.b - b })
		if n > 0 {
			back[s] = tops[n-1]
		}
		if n == len(tops) {
			tops = append(tops, s)
		} else {
			tops[n] = s
		}
	}
	if len(tops) == 0 {
		return nil
	}
	run := make([][2]int, len(tops))
	for n, s := len(tops)-1, tops[len(tops)-1]; n >= 0; n-- {
		run[n] = [2]int{s.a, s.b}
		s = back[s]
	}
	return run
}
