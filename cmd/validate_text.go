package cmd

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
)

// runValidateText asks the policy about the arguments as one text, or about lines of JSON on stdin.
func runValidateText(s *session, args []string) error {
	if len(args) == 0 {
		return s.answerLines(s.streams.Reader(s.ctx), func(line checkLine) (any, error) {
			c, err := s.parseLine(line)
			if err != nil {
				return nil, err
			}
			return s.rule(c), nil
		})
	}
	r := s.rule(s.candidate("", memfile.Str(strings.Join(args, " "))))
	return present(s, r, nil, func(r ruling) error {
		text := r.Verdict + "\n"
		for _, f := range r.Findings {
			where := ""
			if f.Where != "" {
				where = f.Where + ": "
			}
			text += "  " + inert(where+f.Message+ruleMark(f.Rule)) + "\n"
		}
		return s.print(text)
	})
}

// candidate is what the policy is asked about. Without a scope it is the
// strictest: project.
func (s *session) candidate(key string, value memfile.Value) policy.Candidate {
	return policy.Candidate{Key: key, Value: value, Scope: cmp.Or(s.Scope, store.Project), Automatic: s.flag(flagAuto) == "true"}
}

// ruling is the policy's answer as it is printed.
type ruling struct {
	Schema   int              `json:"schema"`
	Verdict  string           `json:"verdict"`
	Findings []memory.Finding `json:"findings"`
}

// rule asks the policy, with what the team of this folder has added to it.
func (s *session) rule(c policy.Candidate) ruling {
	// A text on its own has no key whose form could be judged.
	c.Raw = c.Key == ""
	r := s.stores.Rule(c)
	out := ruling{memory.SchemaNumber, r.Verdict.String(), []memory.Finding{}}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, memory.Finding{Rule: f.Rule, Where: f.Where, Message: f.Message})
	}
	return out
}

// maxCheckLine caps one line of stdin, in bytes.
const maxCheckLine = memfile.MaxBlockBytes

// answerLines answers each line before it reads the next one. A line that gets an error is answered
// with it, and makes the exit status 2.
func (s *session) answerLines(input io.Reader, answer func(checkLine) (any, error)) error {
	in := bufio.NewReader(input)
	bad := false
	for n := 1; ; n++ {
		line, err := readCheckLine(in)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(line.text)) == 0 && !line.tooLong {
			continue
		}
		said, err := answer(line)
		if err != nil {
			bad, said = true, lineErrorJSON{memory.SchemaNumber, n, errorBody{Code: "bad-line", Message: err.Error(), Hints: []string{}}}
		}
		if err := s.printJSON(said); err != nil {
			return err
		}
	}
	if bad {
		return statusError(statusFault)
	}
	return nil
}

// lineErrorJSON stands in the place of a ruling on a line that cannot be read.
type lineErrorJSON struct {
	Schema int       `json:"schema"`
	Line   int       `json:"line"`
	Error  errorBody `json:"error"`
}

// parseLine reads one line: a text, or a key with a value.
func (s *session) parseLine(line checkLine) (policy.Candidate, error) {
	if line.tooLong {
		return policy.Candidate{}, errors.New("longer than 1 MB")
	}
	var in struct {
		Text  *string        `json:"text"`
		Key   string         `json:"key"`
		Value *memfile.Value `json:"value"`
	}
	if err := json.Unmarshal(line.text, &in); err != nil {
		// The decoder's own message may repeat the text.
		return policy.Candidate{}, errors.New("not a JSON object with text, or with key and value")
	}
	switch {
	case in.Text != nil && in.Value == nil && in.Key == "":
		return s.candidate("", memfile.Str(*in.Text)), nil
	case in.Text == nil && in.Value != nil && in.Key != "":
		return s.candidate(in.Key, *in.Value), nil
	}
	return policy.Candidate{}, errors.New("not an object with text alone, or with key and value")
}

// checkLine is one line of stdin. Of one that is too long there is no text.
type checkLine struct {
	text    []byte
	tooLong bool
}

// readCheckLine reads one line of at most maxCheckLine bytes, and past a longer
// one. Errors: io.EOF at the end.
func readCheckLine(r *bufio.Reader) (checkLine, error) {
	var line checkLine
	for {
		part, err := r.ReadSlice('\n')
		if !line.tooLong {
			line.text = append(line.text, part...)
			if len(line.text) > maxCheckLine {
				line = checkLine{tooLong: true}
			}
		}
		switch {
		case err == nil:
			return line, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case err == io.EOF && (len(line.text) > 0 || line.tooLong):
			return line, nil
		default:
			return checkLine{}, err
		}
	}
}
