package skills

import (
	"strings"
	"unicode/utf8"

	"github.com/memctl/memctl/policy"
)

// What a list of skills in a prompt may have: more is searched for.
const (
	maxListed       = 20
	maxListedTokens = 3500
)

// Fits reports whether the skills are few and short enough to be listed in a prompt.
func Fits(list []Skill) bool {
	chars := 0
	for _, s := range list {
		chars += utf8.RuneCountInString(s.Name) + utf8.RuneCountInString(s.Description)
	}
	return len(list) <= maxListed && chars/4 <= maxListedTokens
}

// Available renders the skills for a prompt: an <available_skills> element, or the line that
// names the search where Fits says no. With skills that are not checked yet it is both. It is ""
// where there are none.
func Available(lib Library, tools bool) string {
	list := lib.Skills
	if len(list) == 0 && !lib.Unchecked {
		return ""
	}
	if len(list) == 0 || !Fits(list) {
		return SearchLine(tools)
	}
	reading := "`memctl skills show NAME`"
	if tools {
		reading = "the tool `skill_search` and its exact name"
	}
	var t strings.Builder
	t.WriteString("Instructions for kinds of tasks, from folders that the person trusts. Before a task that one fits, read it (at its location, or with " + reading + ").\n<available_skills>\n")
	for _, s := range list {
		t.WriteString("<skill>\n<name>" + escaped(s.Name) + "</name>\n<description>" + escaped(s.Description) + "</description>\n")
		if s.Path != "" && s.OnDisk() { // the file on disk is another version than a pinned one
			t.WriteString("<location>" + escaped(s.Path) + "</location>\n")
		}
		t.WriteString("</skill>\n")
	}
	t.WriteString("</available_skills>\n")
	if lib.Unchecked {
		t.WriteString("There are more skills. Search them with " + searching(tools) + ".\n")
	}
	return t.String()
}

// searching names the ways to search skills.
func searching(tools bool) string {
	if tools {
		return "the tool `skill_search`"
	}
	return "`memctl skills search QUERY`"
}

// SearchLine tells an agent how to find skills that are not listed.
func SearchLine(tools bool) string {
	read := ", and read one with `memctl skills show NAME`"
	if tools {
		read = ""
	}
	return "There are skills, instructions for kinds of tasks: before a task, search them with " + searching(tools) + read + ".\n"
}

// escaped is a text as one line inside an element.
func escaped(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(policy.Inert(text))
}
