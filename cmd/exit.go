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
		{statusDone, "success; also when a write waits for review, or only warnings were found"},
		{statusRefused, "refused, ambiguous or not found; or validate found errors"},
		{statusFault, "wrong use, a failure, or a lock that another process held too long"},
	}
}

// statusError ends a command that has already said what there was to say.
type statusError int

func (statusError) Error() string { return "already reported" }
