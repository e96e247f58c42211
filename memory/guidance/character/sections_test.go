package character

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// whole has content for every section.
func whole() promptInput {
	return promptInput{
		Agent: "reviewer", Description: "reviews Go code", User: "ada", Skills: "<available_skills>\n</available_skills>\n", Memory: "- a\n",
		Tools:  []promptTool{{"recall", "searches memory"}, {"spawn", "starts an agent"}},
		Folder: "/work", Sandbox: true, Date: "Monday", Extra: "more", Files: []string{"<context_file>\n</context_file>\n\n"},
		Delegates: mates(2), Team: &promptTeam{Name: "core", Role: "lead", Mates: mates(1)}, Runtime: "os=x",
	}
}

func mates(n int) (list []promptMate) {
	for i := range n {
		list = append(list, promptMate{Name: fmt.Sprintf("agent%02d", i), Description: "does things"})
	}
	return list
}

func names(list []Section) string {
	var out []string
	for _, s := range list {
		out = append(out, s.Name)
	}
	return strings.Join(out, " ")
}

func TestSectionsAndTheirOrder(t *testing.T) {
	first := func(in promptInput) promptInput { in.InFirstRun = true; return in }
	minimal := func(in promptInput) promptInput { in.Minimal = true; return in }
	for name, tt := range map[string]struct {
		in   promptInput
		want string
	}{
		"the full prompt": {whole(), "identity tooling safety skills memory-recall workspace sandbox user-identity current-time messaging extra-context project-context silent-replies heartbeats sub-agents runtime"},
		"the minimal prompt leaves out skills, memory, user, messaging, silent replies and heartbeats": {minimal(whole()), "identity tooling safety workspace sandbox current-time extra-context project-context sub-agents runtime"},
		"the first run is the second section":         {first(whole()), "identity first-run tooling safety skills memory-recall workspace sandbox user-identity current-time messaging extra-context project-context silent-replies heartbeats sub-agents runtime"},
		"a first run is in the minimal prompt too":    {first(minimal(whole())), "identity first-run tooling safety workspace sandbox current-time extra-context project-context sub-agents runtime"},
		"sections on a condition are left out":        {promptInput{Folder: "/w", Date: "d", Runtime: "r"}, "identity tooling safety workspace current-time messaging silent-replies heartbeats runtime"},
		"an agent without a tool to start others":     {promptInput{Tools: []promptTool{{Name: "recall"}}}, "identity tooling safety messaging silent-replies heartbeats"},
		"an agent with the tool that Claude Code has": {promptInput{Minimal: true, Tools: []promptTool{{Name: "Task"}}}, "identity tooling safety sub-agents"},
	} {
		t.Run(name, func(t *testing.T) {
			got := buildSections(tt.in)
			if names(got) != tt.want {
				t.Errorf("%s\nwant %s", names(got), tt.want)
			}
			text := joinSections(got)
			for _, s := range got {
				if !strings.Contains(text, s.Text) || s.Tokens < 1 || !strings.HasSuffix(s.Text, "\n") {
					t.Errorf("section %s: %d tokens, %q", s.Name, s.Tokens, s.Text)
				}
			}
		})
	}
}

func TestTagsOfTheParts(t *testing.T) {
	sections := map[string]string{}
	stable := map[string]bool{}
	for _, s := range buildSections(whole()) {
		sections[s.Name], stable[s.Name] = s.Text, s.Stable
	}
	for name, words := range map[string][]string{
		"skills":          {"<available_skills>"},
		"extra-context":   {"<extra_context>\nmore\n</extra_context>"},
		"project-context": {"<context_file>", "<system_context name=\"DELEGATION.md\">", "<system_context name=\"TEAM.md\">"},
	} {
		from := 0
		for _, word := range words {
			i := strings.Index(sections[name][from:], word)
			if i < 0 {
				t.Errorf("%s: no %q after %d in\n%s", name, word, from, sections[name])
				continue
			}
			from += i
		}
	}
	for name, is := range stable {
		if want := name != "current-time" && name != "extra-context"; is != want {
			t.Errorf("%s: stable is %t", name, is)
		}
	}
}

func TestVirtualFiles(t *testing.T) {
	with := func(change func(*promptInput)) promptInput { in := whole(); change(&in); return in }
	for name, tt := range map[string]struct {
		in        promptInput
		has, lack []string
	}{
		"15 delegates are listed":          {with(func(in *promptInput) { in.Delegates = mates(15) }), []string{"- agent00: does things", "- agent14: does things"}, []string{"context agents"}},
		"16 are searched":                  {with(func(in *promptInput) { in.Delegates, in.Team = mates(16), nil }), []string{"16 other agents", "memctl context agents"}, []string{"agent00"}},
		"no delegates, no DELEGATION.md":   {with(func(in *promptInput) { in.Delegates = nil }), []string{"TEAM.md"}, []string{"DELEGATION.md"}},
		"no team, no TEAM.md":              {with(func(in *promptInput) { in.Team = nil }), []string{"DELEGATION.md"}, []string{"TEAM.md"}},
		"the lead of a team":               {whole(), []string{"You are the lead of the team \"core\"", "Hand out the tasks", "agent00"}, nil},
		"a member of a team":               {with(func(in *promptInput) { in.Team.Role = "" }), []string{"You are a member of the team", "report the result to the lead"}, nil},
		"the role of a teammate":           {with(func(in *promptInput) { in.Team.Mates[0].Role = "lead" }), []string{"- agent00 (lead): does things"}, nil},
		"a first run has neither":          {with(func(in *promptInput) { in.InFirstRun = true }), []string{"<context_file>"}, []string{"system_context"}},
		"a minimal prompt has them":        {with(func(in *promptInput) { in.Minimal = true }), []string{"DELEGATION.md", "TEAM.md"}, nil},
		"the agent's purpose":              {whole(), []string{"You are reviewer, an assistant.", "Your purpose: reviews Go code."}, nil},
		"tools with their descriptions":    {whole(), []string{"- recall: searches memory\n"}, []string{"no tools"}},
		"the words of replies not sent on": {whole(), []string{silentReply, heartbeatReply}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			text := joinSections(buildSections(tt.in))
			for _, word := range tt.has {
				if !strings.Contains(text, word) {
					t.Errorf("no %q in\n%s", word, text)
				}
			}
			for _, word := range tt.lack {
				if strings.Contains(text, word) {
					t.Errorf("%q in\n%s", word, text)
				}
			}
		})
	}
}

// TestTheSameInputGivesTheSameBytes keeps a model's cache valid.
func TestTheSameInputGivesTheSameBytes(t *testing.T) {
	if a, b := buildSections(whole()), buildSections(whole()); !slices.Equal(a, b) {
		t.Error("two prompts differ")
	}
}
