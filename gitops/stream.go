package gitops

import (
	"context"
	"fmt"
	"io"
)

// Stream runs a git that only reads, and lets read take what it prints as it comes. Git
// is ended where read has an error, or wants no more. Errors: read's; *BlockedError; *Error.
func (r *Repo) Stream(ctx context.Context, c Call, read func(io.Reader) (enough bool, err error)) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd, err := Command(ctx, r.Root, append(r.Environment(), c.Env...), c)
	if err != nil {
		return err
	}
	errs := NewStderr()
	cmd.Stderr = errs
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("git %s: %w", c.Args[0], err)
	}
	enough, err := read(out)
	if enough || err != nil {
		stop()
		_ = cmd.Wait() // killed by us
		return err
	}
	if err := cmd.Wait(); err != nil {
		return PublicError(Failure(ctx, c.Args, err, errs.String()))
	}
	return nil
}
