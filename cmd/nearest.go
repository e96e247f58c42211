package cmd

import (
	"strings"

	"github.com/memctl/memctl/internal/spelling"
)

// meant returns the commands that an unknown word may mean: what other tools
// call them first, else those that are spelled nearly so.
func meant(word string, names []string) []string {
	switch word {
	case "ls", "get":
		return []string{"show", "list"}
	case "search", "find", "query", "ask":
		return []string{"recall"}
	case "rm", "delete", "remove":
		return []string{"forget"}
	case "set", "store":
		return []string{"add"}
	case "install", "connect":
		return []string{"hooks install"}
	case "journal":
		return []string{"list --tier note", "log --all"}
	case "pin":
		return []string{"add --pin"}
	case "facts": // this one and the others below were commands
		return []string{"list --tier fact"}
	case "notes":
		return []string{"list --tier note"}
	case "topics":
		return []string{"list --topics"}
	case "stale":
		return []string{"verify"}
	case "announce":
		return []string{"config announce_writes"}
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
		if d := spelling.Distance(typed, word); d <= limit {
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
