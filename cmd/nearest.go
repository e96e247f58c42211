package cmd

import "strings"

// meant returns the commands that an unknown word may mean: what other tools
// call them first, else those that are spelled nearly so.
func meant(word string, names []string) []string {
	switch word {
	case "list", "ls", "get":
		return []string{"show", "facts"}
	case "search", "find", "query", "ask":
		return []string{"recall"}
	case "rm", "delete", "remove":
		return []string{"forget"}
	case "set", "store":
		return []string{"add"}
	case "edit":
		return []string{"add", "review"}
	case "status":
		return []string{"doctor"}
	case "install", "connect":
		return []string{"hooks install"}
	case "journal":
		return []string{"notes", "log --all"}
	case "pin":
		return []string{"add --pin"}
	}
	return nearest(word, names)
}

// nearest returns the words that are close enough to what was typed to be meant,
// the closest first, at most three. A word that begins what was typed up to a hyphen
// ("claude-code"), or the other way round, is meant too.
func nearest(typed string, words []string) []string {
	limit := max(1, len([]rune(typed))/3)
	var found [][]string
	for range limit + 1 {
		found = append(found, nil)
	}
	for _, word := range words {
		if d := distance(typed, word); d <= limit {
			found[d] = append(found[d], word)
		} else if strings.HasPrefix(typed, word+"-") || strings.HasPrefix(word, typed+"-") {
			found[limit] = append(found[limit], word)
		}
	}
	var best []string
	for _, group := range found {
		best = append(best, group...)
	}
	return best[:min(len(best), 3)]
}

// distance is the number of single-character edits between two words, where
// two neighbours that changed places count as one.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	var before []int
	last := make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := range s {
		row := make([]int, len(t)+1)
		row[0] = i + 1
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+cost)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(t)]
}
