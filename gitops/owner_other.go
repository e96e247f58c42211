//go:build !unix

package gitops

func Ours(*Repo) bool { return false }
