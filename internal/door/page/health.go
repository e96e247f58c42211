package page

import (
	"slices"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memory/upkeep/integrity"
)

// healthPage is the data of the view: the checks of memctl doctor and the findings of memctl validate.
type healthPage struct {
	Problems []fault.Finding // errors first, then warnings and notes
	Fine     []fault.Finding
	CanFix   bool // a button mends some of it
	Left     int  // findings beyond those that are shown
}

// findingsShown is how many findings of validate the view shows.
const findingsShown = 100

func showHealth(r *request) (any, error) {
	var p healthPage
	res, err := integrity.Validate(r.Context(), r.ss, r.reader(), integrity.ValidateRequest{})
	p.Left = max(len(res.Findings)-findingsShown, 0)
	for _, f := range slices.Concat(r.page.env.Checks(r.Context()), res.Findings[:len(res.Findings)-p.Left]) {
		if f.Severity == fault.SeverityOK {
			p.Fine = append(p.Fine, f)
		} else {
			p.Problems = append(p.Problems, f)
		}
	}
	p.CanFix = !r.page.env.ReadOnly && slices.ContainsFunc(p.Problems, func(f fault.Finding) bool { return f.Hint == fixCommand })
	order := []string{fault.SeverityError, fault.SeverityWarning, fault.SeverityNote}
	slices.SortStableFunc(p.Problems, func(a, b fault.Finding) int { return slices.Index(order, a.Severity) - slices.Index(order, b.Severity) })
	return p, err
}

// fixCommand mends what needs no decision. The button does the same.
const fixCommand = "memctl doctor --fix"

// fixProblems mends what memctl doctor --fix does.
func fixProblems(r *request) (outcome, error) {
	notes, err := r.page.env.Fix(r.Context())
	n := notice{Text: "Nothing to repair", Notes: clean(fault.Texts(notes))}
	if len(notes) > 0 {
		n.Text = "Repaired"
	}
	return outcome{notice: n}, err
}
