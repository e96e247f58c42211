package memory

// Error is a fault or a refusal that is not about one key's write. Status is 1 (refused, ambiguous, not found) or 2.
type Error struct {
	Code    string // stable: not-a-repository, not-found, no-memory-file, damaged, not-a-memory-file, newer-version, locked-out, …
	Status  int
	Message string   // lower case, the thing first and quoted
	Hints   []string // commands to paste
	Retry   bool     // the same call may work later
}

func (e *Error) Error() string { return e.Message }
