package session

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/memfile"
)

// Stood counts the items that are left out of the profile, and names the limit that binds.
func (p Profile) Stood() []Stood {
	stood := countLeftOut(p.LeftOut)
	for i := range stood {
		if stood[i].Why == WhyCap {
			stood[i].Limit = p.Limit
		}
	}
	return stood
}

// countLeftOut sums up the items that are left out, by reason, in the order of the reasons' names.
func countLeftOut(list []LeftOut) []Stood {
	sums := map[string]*Stood{}
	for _, l := range list {
		if sums[l.Why] == nil {
			sums[l.Why] = &Stood{Name: "items", Why: l.Why}
		}
		sums[l.Why].Count++
		if toName(l.Why) && memfile.KeyForm(l.Key) { // of a damaged file anything can be a key
			sums[l.Why].Keys = append(sums[l.Why].Keys, l.Key)
		}
	}
	var stood []Stood
	for _, s := range sums {
		stood = append(stood, *s)
	}
	slices.SortFunc(stood, func(a, b Stood) int { return cmp.Compare(a.Why, b.Why) })
	return stood
}

// toName reports whether the receipt names the items that are left out for this reason:
// an agent or the person may look for them. What has no room is named in the profile, a
// lesson is looked up, and the keys of what is withheld or unreviewed are nobody's to read.
func toName(why string) bool {
	switch why {
	case WhyLow, WhyUnconfirmed, WhyExpired, WhyPaths, WhyShadowed, WhyOutranked:
		return true
	}
	return false
}

// LeftOutText sums up the items that are left out in one line, by reason, and names those
// that somebody may look for.
func LeftOutText(list []LeftOut) string { return stoodText(countLeftOut(list)) }

// maxNamed caps what the receipt names one by one.
const maxNamed = 12

// stoodText sums up what stands back, by reason, in a fixed order.
func stoodText(stood []Stood) string {
	sums, keys, limits := map[string]int{}, map[string][]string{}, map[string]string{}
	var named []string
	left := maxNamed
	for _, s := range stood {
		if s.Named {
			if len(named) < maxNamed {
				named = append(named, s.Name+" ("+s.Why+")")
				continue
			}
			s.Count, s.Why = 1, "more"
		}
		sums[s.Why] += max(s.Count, 1)
		limits[s.Why] = cmp.Or(limits[s.Why], s.Limit)
		n := min(len(s.Keys), left)
		keys[s.Why], left = append(keys[s.Why], s.Keys[:n]...), left-n
	}
	var said []string
	for why, n := range sums {
		text := strconv.Itoa(n) + " " + inWords(why, n)
		if names := keys[why]; len(names) > 0 {
			if len(names) < n {
				names = append(names, "…")
			}
			text += " (" + strings.Join(names, ", ") + ")"
		}
		if limits[why] != "" {
			text += " (" + limits[why] + ")"
		}
		said = append(said, text)
	}
	slices.Sort(said)
	return strings.Join(append(said, named...), ", ")
}

// inWords is a reason as it reads after the number n; the names themselves are for programs
// and for the tables in the docs.
func inWords(why string, n int) string {
	switch why {
	case WhyLow:
		return "of low confidence"
	case WhyUnconfirmed:
		return "unconfirmed"
	case WhyLesson:
		if n > 1 {
			return "lessons"
		}
	case WhyPaths:
		return "for other folders"
	case WhyOutranked:
		return "overridden by a person's value"
	case WhyShadowed:
		return "overridden by a nearer scope"
	case WhyCap:
		return "without room"
	case WhyListed:
		return "that the agent reads in its own instruction file"
	case WhyLimit:
		return "over the agent's limit"
	case WhyBehind:
		return "not indexed yet"
	}
	return why
}
