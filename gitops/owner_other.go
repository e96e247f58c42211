//go:build !unix

package gitops

func (r *Repo) ours() bool { return false }
