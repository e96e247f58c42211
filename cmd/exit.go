package cmd

// The exit statuses.
const (
	statusDone    = 0
	statusRefused = 1
	statusFault   = 2
)

// Status is one exit status and what it means.
type Status struct {
	Number  int
	Meaning string
}

// Statuses is the one table of exit statuses, for help, the manual and the
// README.
func Statuses() []Status {
	return []Status{
		{statusDone, "done, held for review, nothing to show, or warnings only"},
		{statusRefused, "refused, ambiguous, not found, or findings of severity error"},
		{statusFault, "wrong use, a fault, or a lock that was not got in time"},
	}
}

// statusError ends a command that has already said what there was to say.
type statusError int

func (statusError) Error() string { return "already reported" }
