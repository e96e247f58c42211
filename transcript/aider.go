package transcript

import (
	"strings"
	"time"
)

// aider reads Aider's chat history. A line of the person begins with #### and ends with the
// two spaces of a Markdown line break; a heading that the model wrote has no such end. What
// Aider says itself is quoted.
//
// In architect mode Aider gives one model's answer to another one, and logs it as the
// person's words. So an answer waits for the message after it.
type aider struct {
	markdown
	answer []Turn
	blank  bool // the line before was empty
}

func (a *aider) waiting() int64 {
	if len(a.answer) > 0 {
		return a.answer[0].Start
	}
	return a.markdown.waiting()
}

func (a *aider) finish() {
	a.endMessage()
	a.queue = append(a.queue, a.answer...)
	a.answer = nil
}

func (a *aider) decode(line []byte) bool {
	s := string(line)
	said, heading := strings.CutPrefix(s, "#### ")
	start, session := strings.CutPrefix(s, "# aider chat started at ")
	blank := a.blank
	a.blank = strings.TrimSpace(s) == ""
	switch {
	case session:
		a.finish()
		a.session.Start, _ = time.Parse("2006-01-02 15:04:05", strings.TrimSpace(start))
		a.session.ID = strings.TrimSpace(start)
	case heading && strings.HasSuffix(said, "  "):
		if a.now == nil || a.now.by != Person || blank {
			a.endMessage()
			a.begin(Person, time.Time{})
		}
		a.add([]byte(strings.TrimRight(said, " ")))
	case a.blank:
		a.add(nil)
	default:
		if a.now == nil || a.now.by == Person {
			a.endMessage()
			a.begin(Assistant, time.Time{})
		}
		if own, quoted := strings.CutPrefix(s, "> "); quoted {
			a.note(strings.TrimSpace(own))
			line = nil
		}
		a.add(line)
	}
	return true
}

// endMessage ends the message that is being read.
func (a *aider) endMessage() {
	turns := a.turns()
	if len(turns) == 0 {
		return
	}
	first := &turns[0]
	if first.By == Person && len(a.answer) > 0 && repeats(a.answer[0].Text, first.Text) {
		first.By = Harness
		turns = append(a.answer, turns...)
		for i := range turns { // one record: reading cannot go on between them
			turns[i].Start, turns[i].End = a.answer[0].Start, turns[len(turns)-1].End
		}
		a.answer = nil
	}
	a.queue = append(a.queue, a.answer...)
	a.answer = nil
	switch first.By {
	case Assistant:
		a.answer = turns
		return
	case Person:
		if command, words, _ := strings.Cut(first.Text, " "); strings.HasPrefix(command, "/") {
			first.By = Harness
			if command == "/ask" || command == "/code" || command == "/architect" {
				first.By, first.Text = Person, words
			}
		}
	}
	a.queue = append(a.queue, turns...)
}

// repeats reports whether a message is the answer before it, or a long part of it.
func repeats(answer, message string) bool {
	answer, message = strings.Join(strings.Fields(answer), " "), strings.Join(strings.Fields(message), " ")
	return answer == message || len(message) >= 80 && strings.Contains(answer, message)
}

// note reads a line of Aider's own: the files that it changed, and its commits.
func (a *aider) note(s string) {
	call := &Call{Tool: "aider", Status: Passed, Exit: -1}
	file, edited := strings.CutPrefix(s, "Applied edit to ")
	commit, committed := strings.CutPrefix(s, "Commit ")
	switch {
	case edited:
		call.Files = []string{file}
	case committed:
		_, subject, _ := strings.Cut(commit, " ")
		call.Command = "git commit -m '" + subject + "'"
	default:
		return
	}
	a.now.calls = append(a.now.calls, call)
}
