package gitops

import (
	"bufio"
	"context"
	"fmt"
	"strings"
)

// Unled are those of the objects that no ref leads to: a reflog, an index, or nothing
// does. Nothing is held of what the refs lead to. Errors: *BlockedError; *Error.
func (r *Repo) Unled(ctx context.Context, ids []string) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, scanTime)
	defer cancel()
	args := []string{"rev-list", "--objects", "--missing=allow-any", "--all"}
	cmd, err := command(ctx, r.Root, append(r.environment(), noReplace), call{args: args})
	if err != nil {
		return nil, err
	}
	errs := &capped{max: maxStderr, lenient: true}
	cmd.Stderr = errs
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("git rev-list: %w", err)
	}
	left := map[string]bool{}
	for _, id := range ids {
		left[id] = true
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		id, _, _ := strings.Cut(lines.Text(), " ")
		delete(left, id)
	}
	cut := lines.Err()
	if cut != nil {
		cancel()
	}
	if err := cmd.Wait(); err != nil && cut == nil {
		return nil, publicError(failure(ctx, args, err, errs.String()))
	}
	if cut != nil {
		return nil, fmt.Errorf("git rev-list: %w", cut)
	}
	var list []string
	for _, id := range ids {
		if left[id] {
			list = append(list, id)
		}
	}
	return list, nil
}
