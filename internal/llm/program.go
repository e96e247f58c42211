package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/fault"
)

// TemporaryFolder begins the name of the folder that a program runs in. Sessions that an agent
// records there are memctl's own.
const TemporaryFolder = "memctl-model-"

// run gives the prompt to a program and returns what it prints. Errors repeat nothing that the
// program printed where it could be the prompt.
func (p Provider) run(ctx context.Context, r Request) (string, Usage, error) {
	input := prompt(r)
	used := Usage{Input: estimate(len(input)), Estimated: true}
	limit := int(float64(r.MaxTokens) * bytesPerToken)
	out, err := shellOut(ctx, p.Command, input, limit)
	used.Output = min(estimate(len(out)), r.MaxTokens)
	if errors.Is(err, exec.ErrNotFound) {
		used = Usage{}
	}
	if err == nil && strings.TrimSpace(out) == "" {
		err = errors.New("printed no answer")
	}
	if err != nil {
		err = &fault.Error{Code: fault.ModelAnswer, Thing: programOf(p.Command), Cause: err.Error(), Err: err}
	}
	return out, used, err
}

// programOf is the first word of a command line: its other words may contain a key.
func programOf(command string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	return first
}

// maxKeyBytes is the longest key that a command may print.
const maxKeyBytes = 16 << 10

// key returns the provider's key. Errors: fault.ModelAddress.
func (p Provider) key(ctx context.Context) (string, error) {
	if p.Key != "" || p.KeyCommand == "" {
		return p.Key, nil
	}
	out, err := shellOut(ctx, p.KeyCommand, "", maxKeyBytes)
	if err == nil && strings.TrimSpace(out) == "" {
		err = errors.New("printed no key")
	}
	if err != nil {
		return "", fault.New(fault.ModelAddress, programOf(p.KeyCommand), "the key's command "+err.Error())
	}
	return strings.TrimSpace(out), nil
}

// shellOut runs a command line in an empty temporary folder with memctl switched off, and returns
// what it prints on stdout. With more than limit bytes it fails.
func shellOut(ctx context.Context, command, input string, limit int) (string, error) {
	dir, err := os.MkdirTemp("", TemporaryFolder)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	cmd := shellCommand(ctx, command)
	out := &capped{limit: limit}
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, programEnvironment(), strings.NewReader(input), out, io.Discard
	cmd.WaitDelay = time.Second
	err = runAlone(cmd)
	var exit *exec.ExitError
	switch {
	case out.full:
		return out.text.String(), errors.New("printed more than its limit")
	case ctx.Err() != nil:
		return out.text.String(), ctx.Err()
	case errors.As(err, &exit):
		const notFound = 127 // of a shell
		if exit.ExitCode() == notFound {
			return "", fmt.Errorf("was not found (%w)", exec.ErrNotFound)
		}
		return out.text.String(), fmt.Errorf("failed with status %d", exit.ExitCode())
	case errors.Is(err, exec.ErrWaitDelay):
		err = nil // a program that it started still held stdout
	}
	return out.text.String(), err
}

// programEnvironment is this process's environment, without what tells an agent that it runs
// within another one, and without the repository that memctl works on.
func programEnvironment() []string {
	outer := []string{"AGENT", "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_SSE_PORT", "CLAUDE_PROJECT_DIR", "CODEX_SANDBOX", "CODEX_THREAD_ID", "COPILOT_CLI", "CURSOR_AGENT", "GEMINI_CLI", "OPENCODE", "PWD"}
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(outer, name) || strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "MEMCTL_")
	})
	return append(env, "MEMCTL_ENABLED=false")
}

// capped keeps the first bytes that are written to it, and fails after them.
type capped struct {
	text  bytes.Buffer
	limit int
	full  bool
}

func (c *capped) Write(data []byte) (int, error) {
	if c.text.Len()+len(data) > c.limit {
		c.text.Write(data[:c.limit-c.text.Len()])
		c.full = true
		return 0, errors.New("full")
	}
	return c.text.Write(data)
}

// refusedConnection reports whether no connection was made.
func refusedConnection(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}
