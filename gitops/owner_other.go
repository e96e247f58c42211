//go:build !unix

package gitops

func ours(*Repo) bool { return false }
