package fault

import "slices"

// The severities of a finding. Only SeverityError makes a check fail.
const (
	SeverityOK      = "ok"
	SeverityNote    = "note"
	SeverityWarning = "warning"
	SeverityError   = "error"
)

// Finding is one thing that a check or the policy found, as every door prints it.
type Finding struct {
	Topic    string `json:"topic,omitempty"` // the line of memctl status that it belongs to
	Rule     string `json:"rule"`
	Severity string `json:"severity,omitempty"` // "" in the answer to a write, whose verdict says it
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`   // 1-based
	Column   int    `json:"column,omitempty"` // 1-based, in bytes
	Key      string `json:"key,omitempty"`
	Where    string `json:"where,omitempty"` // the field of the record
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"` // the way out: a command or a sentence
}

// HasErrors reports whether one of the findings is an error.
func HasErrors(list []Finding) bool {
	return slices.ContainsFunc(list, func(f Finding) bool { return f.Severity == SeverityError })
}
