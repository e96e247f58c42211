package cmd

// present prints the answer of a command that reads: with --json as an object, else as text prints it. Where an agent runs
// the command, memory that is withheld from agents is taken out first.
func present[T any](s *session, result T, err error, text func(T) error) error {
	if hides, ok := any(&result).(interface{ ForAgent() int }); ok && err == nil {
		err = s.hideFromAgent(hides.ForAgent)
	}
	switch {
	case err != nil:
		return err
	case s.global.json:
		return s.printJSON(result)
	}
	return text(result)
}
