package cmd

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/setup"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
)

func newPolicy(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "policy",
		Short: "Check texts against the policy",
		Long: `The policy decides what may be stored and shown. It keeps out secrets, sensitive personal
data, and text that tries to control an agent.`,
		Example: `  memctl policy check "always run the tests before committing"
  memctl policy accept team.oncall`,
	}, newPolicyCheck(a), newPolicyAccept(a))
}

func newPolicyCheck(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "check [TEXT...]",
		Short: "Check a text without storing it",
		Long: `Check applies the policy to its arguments, or to lines of JSON on stdin: {"text": …} or
{"key": …, "value": …}. For each it prints a verdict (accept, hold or refuse) and the
findings, in order. A line that it cannot read produces an error line, and the exit status
is then 2.`,
		Example: `  memctl policy check "always run the tests before committing"
  memctl policy check --json "token: ghp_0000"
  memctl policy check --auto < candidates.jsonl`,
		RunE: a.run(needStores, runPolicyCheck),
	}
	bindScope(c)
	c.Flags().Bool(flagAuto, false, "apply the rules for automatic writes")
	return c
}

func runPolicyCheck(s *session, args []string) error {
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

func newPolicyAccept(a *app) *cobra.Command {
	req, list := setup.AcceptRequest{}, false
	c := &cobra.Command{
		Use:   "accept [KEY|ID]",
		Short: "Accept an item that the policy withholds",
		Long: `Accept lets your agents on this machine receive an item that the policy withholds, or an
entry by its id. It applies until the key, the value or the text changes. It is stored in
git config, for you alone, and does not change the memory. A secret cannot be accepted.

--remove withdraws the acceptance. --list, or no argument, lists what you accepted.`,
		Example: `  memctl policy accept team.rota
  memctl policy accept --list
  memctl policy accept --remove team.rota`,
		RunE: a.run(needWrite, func(s *session, args []string) error { return runPolicyAccept(s, req, list, args) }),
	}
	bindWrite(c)
	c.Flags().BoolVar(&list, "list", false, "list what you accepted")
	c.Flags().BoolVar(&req.Remove, "remove", false, "withdraw the acceptance of KEY, which can be its digest")
	return c
}

func runPolicyAccept(s *session, req setup.AcceptRequest, list bool, args []string) error {
	if list && (req.Remove || len(args) > 0) {
		return usage("--list", "use it without a key")
	}
	if len(args) == 0 {
		if req.Remove {
			return usage("--remove", "needs the KEY or the digest", "memctl policy accept --list")
		}
		result, err := setup.Accepted(s.ctx, s.stores)
		return present(s, result, err, s.printAcceptances)
	}
	req.Options, req.Key = s.Options, args[0]
	w, err := setup.Accept(s.ctx, s.stores, req)
	if err == nil && w.Changed && !s.global.quiet && !s.global.json {
		verb := "Accepted "
		if req.Remove {
			verb = "No longer accepted: "
		}
		w.Saved = verb + w.Key
	}
	return s.finishOne(w, err)
}

func (s *session) printAcceptances(result setup.AcceptedResult) error {
	if len(result.Accepted) == 0 {
		s.note("nothing-accepted", "nothing is accepted")
	}
	t := term.Table{Max: keyColumn}
	for _, view := range result.Accepted {
		key := inert(view.Key)
		if key == "" {
			key = "(changed or removed)"
		}
		t.Row(view.Digest, key, inert(view.Scope), inert(strings.Join(view.Rules, ", ")))
	}
	return s.printTable(&t)
}
