package cmd

import (
	"cmp"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// ruling is the policy's answer as it is printed.
type ruling struct {
	Verdict  string          `json:"verdict"`
	Findings []fault.Finding `json:"findings"`
}

// runValidateText asks the policy about the arguments as one text, or about the text on stdin. The rules of this folder's team
// count too. The default scope is project, which is the strictest.
func runValidateText(s *session, args []string) error {
	text := strings.Join(args, " ")
	if len(args) == 0 {
		var err error
		if text, err = s.readAll(); err != nil {
			return err
		}
	}
	r := s.stores.Rule(policy.Candidate{
		Value: memfile.Str(strings.TrimRight(text, "\r\n")), Scope: cmp.Or(s.Scope, store.Project), Automatic: s.flag(flagAuto) == "true",
	})
	return present(s, ruling{r.Verdict.String(), memory.Findings(r.Findings)}, nil, func(r ruling) error {
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
