package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/capture/rules"
	"github.com/memctl/memctl/similar"
)

// A mind is one message of a BEAM conversation that takes an earlier statement back.
type mind struct {
	chat    string
	kind    string // update or contradiction
	says    string // the later statement in short
	at      int
	earlier []int // the person's messages that state what changed
}

// changes prints how often a change of mind is recognised beside the earlier statement: BEAM's
// questions name both messages. The words of similar.Rule.TakesBack were written with all of them in sight,
// so the row says what the rules can do, and the two after it how often they see a change where
// none is labelled.
func changes(data string, rows []*saying, out io.Writer) error {
	minds, users, err := readMinds(data)
	if err != nil {
		return err
	}
	hits, all := map[string]int{}, map[string]int{}
	wrong, others := 0, 0
	for _, m := range minds {
		all[m.kind]++
		if slices.ContainsFunc(m.earlier, func(id int) bool { return takenBack(users[m.chat][id], m.says) }) {
			hits[m.kind]++
		}
		for id, text := range users[m.chat] {
			if id >= m.at || slices.Contains(m.earlier, id) {
				continue
			}
			others++
			if takenBack(text, m.says) {
				wrong++
			}
		}
	}
	for _, kind := range []string{"update", "contradiction"} {
		fmt.Fprintf(out, "%-34s %s\n", "change of mind, "+kind, share(hits[kind], all[kind]))
	}
	fmt.Fprintf(out, "%-34s %s\n", "change of mind, both", share(hits["update"]+hits["contradiction"], len(minds)))
	fmt.Fprintf(out, "%-34s %s\n", "change seen in another message", share(wrong, others))
	for _, beam := range []bool{true, false} {
		pairs, opposed := 0, 0
		for i, later := range rows {
			for _, first := range rows[:i] {
				if later.beam != beam || first.beam != beam || later.group != first.group || !first.states() || !later.states() {
					continue
				}
				pairs++
				if similar.NewRule(rules.KeyOf(later.stating()), later.stating()).TakesBack(rules.KeyOf(first.stating()), first.stating()) {
					opposed++
				}
			}
		}
		name := map[bool]string{true: "BEAM", false: "real"}[beam]
		fmt.Fprintf(out, "%-34s %s\n", "change seen in another wish, "+name, share(opposed, pairs))
	}
	return nil
}

// stating is the statement in short where it is labelled, else the labelled words.
func (s *saying) stating() string {
	if s.beam {
		return s.says
	}
	return s.text[s.from:s.to]
}

// takenBack reports whether the later statement takes back a sentence of the message.
func takenBack(message, later string) bool {
	rule := similar.NewRule(rules.KeyOf(later), later)
	return slices.ContainsFunc(sentencesOf(message), func(s string) bool { return rule.TakesBack(rules.KeyOf(s), s) })
}

// sentencesOf are the sentences of a message before its code.
func sentencesOf(message string) []string {
	message, _, _ = strings.Cut(message, "```")
	return strings.FieldsFunc(strings.NewReplacer(". ", "\n", "? ", "\n", "; ", "\n").Replace(message), func(r rune) bool { return r == '\n' })
}

// readMinds reads the questions about changes, and the person's messages of each conversation.
func readMinds(data string) (minds []mind, users map[string]map[int]string, err error) {
	turns, err := readJSON[struct {
		Chat string
		ID   int
		Role string
		Text string
	}](filepath.Join(data, "beam", "turns.jsonl"))
	if err != nil {
		return nil, nil, err
	}
	users = map[string]map[int]string{}
	for _, t := range turns {
		if t.Role == "user" {
			if users[t.Chat] == nil {
				users[t.Chat] = map[int]string{}
			}
			users[t.Chat][t.ID] = t.Text
		}
	}
	type message struct {
		Chat, Label, Says string
		ID                int
	}
	messages, err := readJSON[message](filepath.Join(data, "beam", "messages.jsonl"))
	if err != nil {
		return nil, nil, err
	}
	questions, err := readJSON[struct {
		Chat, Category string
		Evidence       []int
	}](filepath.Join(data, "beam", "questions.jsonl"))
	if err != nil {
		return nil, nil, err
	}
	kinds := map[string]string{"knowledge_update": "update", "contradiction_resolution": "contradiction"}
	for _, q := range questions {
		i := slices.IndexFunc(messages, func(m message) bool {
			return kinds[q.Category] == m.Label && m.Chat == q.Chat && slices.Contains(q.Evidence, m.ID)
		})
		if i < 0 {
			continue
		}
		m := mind{chat: q.Chat, kind: messages[i].Label, says: messages[i].Says, at: messages[i].ID}
		for _, id := range q.Evidence {
			if _, said := users[q.Chat][id]; said && id < m.at {
				m.earlier = append(m.earlier, id)
			}
		}
		if len(m.earlier) > 0 {
			minds = append(minds, m)
		}
	}
	return minds, users, nil
}
