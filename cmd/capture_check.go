package cmd

import (
	"encoding/json"
	"errors"
	"os"
	"unicode/utf8"

	"github.com/memctl/memctl/capture"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// checkedMessage is the answer to one line of `memctl capture --check`.
type checkedMessage struct {
	Proposals []checkedProposal `json:"proposals"`
	Ask       bool              `json:"ask"`
}

type checkedProposal struct {
	Text       string `json:"text"`
	Key        string `json:"key"`
	Confidence string `json:"confidence"`
	Span       [2]int `json:"span"` // of the message, in code points
}

// runCaptureCheck answers each line of the input with a line. It reads a line only after it
// answered the one before, so that another program can talk to it.
func runCaptureCheck(s *session, name string) error {
	input := s.streams.Reader(s.ctx)
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return cannotRead(name, err)
		}
		defer file.Close()
		input = file
	}
	return s.answerLines(input, func(line checkLine) (any, error) { return checkMessage(line) })
}

// checkMessage finds what the message of a line states. Errors: the line is not of the form
// that is wanted; the text never repeats it.
func checkMessage(line checkLine) (checkedMessage, error) {
	var in struct {
		Text     *string `json:"text"`
		Previous string  `json:"previous"`
	}
	switch err := json.Unmarshal(line.text, &in); {
	case line.tooLong:
		return checkedMessage{}, errors.New("longer than 1 MB")
	case err != nil || in.Text == nil:
		return checkedMessage{}, errors.New(`not a JSON object with "text", and "previous" if it is known, both strings`)
	}
	found := capture.Said(*in.Text, in.Previous)
	answer := checkedMessage{Proposals: []checkedProposal{}}
	for _, st := range found.Statements {
		if policy.Rule(policy.Candidate{Key: st.Key, Value: memfile.Str(st.Text), Automatic: true}).Verdict == policy.Refuse {
			continue
		}
		p := checkedProposal{Text: st.Text, Key: st.Key, Confidence: memfile.Low,
			Span: [2]int{utf8.RuneCountInString((*in.Text)[:st.From]), utf8.RuneCountInString((*in.Text)[:st.To])}}
		if st.Explicit && !capture.Long(*in.Text) {
			p.Confidence = memfile.Medium
		}
		answer.Proposals = append(answer.Proposals, p)
	}
	answer.Ask = found.Suspected != "" && len(answer.Proposals) == 0
	return answer, nil
}
