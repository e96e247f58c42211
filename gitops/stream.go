package gitops

import (
	"context"
	"fmt"
	"io"
)

// stream runs a git that only reads, and lets read take what it prints as it comes. Git
// is ended where read has an error, or wants no more. Errors: read's; *BlockedError; *Error.
func (r *Repo) stream(ctx context.Context, c call, read func(io.Reader) (enough bool, err error)) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd, err := command(ctx, r.Root, append(r.environment(), c.env...), c)
	if err != nil {
		return err
	}
	errs := newStderr()
	cmd.Stderr = errs
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("git %s: %w", c.args[0], err)
	}
	enough, err := read(out)
	if enough || err != nil {
		stop()
		_ = cmd.Wait() // killed by us
		return err
	}
	if err := cmd.Wait(); err != nil {
		return publicError(failure(ctx, c.args, err, errs.String()))
	}
	return nil
}
