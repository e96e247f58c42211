package remotes

import (
	"context"
	"strconv"
	"strings"

	"github.com/memctl/memctl/gitops"
)

// Ahead counts the commits that only the tip's history has, and the other commit's has not; "" has
// no history. Errors: fault.Blocked, *Error.
func Ahead(ctx context.Context, r *gitops.Repo, tip, other string) (int, error) {
	if tip == "" {
		return 0, nil
	}
	args := []string{"rev-list", "--count", tip}
	if other != "" {
		args = append(args, "^"+other)
	}
	out, err := r.Git(ctx, gitops.Call{Args: append(args, "--")})
	if err != nil {
		return 0, gitops.PublicError(err)
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}

// CommitMessage is a commit with its whole message.
type CommitMessage struct{ Commit, Message string }

// NewMessages returns for each of two commits those that only its history has, with their messages; "" has no history.
// Errors: fault.Blocked, *Error.
func NewMessages(ctx context.Context, r *gitops.Repo, ours, theirs string) (ofOurs, ofTheirs []CommitMessage, err error) {
	if ours == theirs {
		return nil, nil, nil
	}
	args := []string{"rev-list", "--left-right", "--format=%m%B%x00"}
	switch {
	case ours == "":
		args = append(args, theirs)
	case theirs == "":
		args = append(args, ours)
	default:
		args = append(args, ours+"..."+theirs)
	}
	out, err := r.Git(ctx, gitops.Call{Args: append(args, "--")})
	if err != nil {
		return nil, nil, gitops.PublicError(err)
	}
	for record := range strings.SplitSeq(string(out), "\x00") {
		head, message, ok := strings.Cut(strings.TrimLeft(record, "\n"), "\n") // commit, mark and id; mark and message
		commit, is := strings.CutPrefix(head, "commit ")
		if !ok || !is {
			continue
		}
		m := CommitMessage{strings.TrimLeft(commit, "<>"), message[min(len(message), 1):]}
		if strings.HasPrefix(message, "<") || theirs == "" {
			ofOurs = append(ofOurs, m)
		} else {
			ofTheirs = append(ofTheirs, m)
		}
	}
	return ofOurs, ofTheirs, nil
}
