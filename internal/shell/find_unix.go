//go:build unix

package shell

// Find returns the name of a POSIX shell.
func Find() string { return "sh" }
