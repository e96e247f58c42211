package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// maxOutput bounds what one command may answer, in bytes.
	maxOutput = 64 << 20
	// maxStderr bounds what is kept of its complaints.
	maxStderr = 64 << 10
	// CallTime bounds a command whose caller set no bound.
	CallTime = time.Minute
	// EndDelay is what a git that writes gets to end by itself when memctl is told to
	// stop: it takes milliseconds, and then it is done, and has left no lock.
	EndDelay = 2 * time.Second
	// killDelay is what git gets to take its lock files away after SIGTERM.
	killDelay = 2 * time.Second
	// readDelay is what is left to a command that only reads, once it has ended or
	// was killed with all that it started: the time for its pipes to be read to
	// their end, which on a busy machine takes longer than one thinks.
	readDelay = time.Second
)

// Call is one start of git.
type Call struct {
	Args    []string
	Config  []string // key=value, for this call alone
	Stdin   []byte   // nil: nothing to read
	Env     []string // variables beside those of the repository
	Writes  bool     // may take locks on the index; reading commands must not
	asIs    bool     // no settings of ours: the settings are what is asked for
	Network bool     // may speak to a remote; every other call must not, see noTransport
	said    *bool    // set to whether git complained
}

// RunError carries the whole of stderr beside the public error, for the calls
// that have to find out why.
type RunError struct {
	Public *Error
	Full   string // stderr, capped
	signal bool   // a signal ended it
}

func (e *RunError) Error() string { return e.Public.Error() }
func (e *RunError) Unwrap() error { return e.Public }

// Git runs one command at the root and gives its stdout. Errors: *Error;
// fault.Blocked where git is missing, distrusts the repository or took longer
// than allowed.
func (r *Repo) Git(ctx context.Context, c Call) ([]byte, error) {
	begun := time.Now()
	if who := r.borrowed.Load(); who != nil && c.Writes {
		c.Config = append(slices.Clip(c.Config), *who...)
	}
	said := false
	c.said = &said
	out, err := runGit(ctx, r.Root, append(r.Environment(), c.Env...), c)
	if c.Writes {
		r.ownConfig.forget()
		r.config.Store(nil)
	}
	if c.Writes && (err != nil || said) { // of a lock that it cannot remove git only warns
		r.NoteLockLeft(begun, err)
	}
	return out, err
}

func runGit(ctx context.Context, dir string, env []string, c Call) ([]byte, error) {
	if _, has := ctx.Deadline(); !has {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, CallTime)
		defer cancel()
	}
	if by, ok := ctx.Value(readingKey{}).(time.Time); ok && !c.Writes {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, by)
		defer cancel()
	}
	if c.Writes {
		if ctx.Err() != nil {
			return nil, Failure(ctx, c.Args, ctx.Err(), "")
		}
		var cancel context.CancelFunc
		ctx, cancel = toItsEnd(ctx)
		defer cancel()
	}
	cmd, err := Command(ctx, dir, env, c)
	if err != nil {
		return nil, err
	}
	out := NewStdout()
	errs := NewStderr()
	cmd.Stdout, cmd.Stderr = out, errs
	if c.Stdin != nil {
		cmd.Stdin = bytes.NewReader(c.Stdin)
	}
	run := runInterruptible
	if c.Writes {
		run = (*exec.Cmd).Run
	}
	err = run(cmd)
	if c.said != nil {
		*c.said = errs.Len() > 0
	}
	if err != nil {
		return out.Bytes(), Failure(ctx, c.Args, err, errs.String())
	}
	return out.Bytes(), nil
}

// toItsEnd is the context of a git that writes. If ctx is cancelled, it ends EndDelay later, but
// never after the deadline of ctx.
func toItsEnd(ctx context.Context) (context.Context, context.CancelFunc) {
	by, _ := ctx.Deadline()
	late, cancel := context.WithDeadline(context.WithoutCancel(ctx), by)
	stop := context.AfterFunc(ctx, func() {
		if errors.Is(ctx.Err(), context.Canceled) {
			time.AfterFunc(EndDelay, cancel)
		}
	})
	return late, func() {
		stop()
		cancel()
	}
}

// Command prepares a git that cannot prompt and whose words can be matched.
func Command(ctx context.Context, dir string, env []string, c Call) (*exec.Cmd, error) {
	exe, err := exec.LookPath("git")
	if err != nil {
		return nil, Blocked(WhyGitMissing, err.Error())
	}
	args := []string{"--no-pager", "--literal-pathspecs"}
	var config []string
	if !c.Writes {
		args = append(args, "--no-optional-locks")
		config = append(config, "core.fsmonitor=false")
	}
	if !c.asIs {
		config = append(config, "core.quotePath=false", "color.ui=never")
		for _, kv := range append(config, c.Config...) {
			args = append(args, "-c", kv)
		}
	}
	cmd := exec.CommandContext(ctx, exe, append(args, c.Args...)...)
	if !c.Network {
		env = append(slices.Clip(env), noTransport()...)
	}
	cmd.Dir, cmd.Env = dir, env
	cmd.WaitDelay = killDelay
	detach(cmd)
	if !c.Writes {
		cmd.WaitDelay = readDelay
		cmd.Cancel = func() error { end(cmd.Process.Pid); return nil }
	}
	return cmd, nil
}

// noTransport keeps git from every remote. In a partial clone git fetches each object that it
// misses, and to do that it starts programs that the repository's settings name
// (remote.*.uploadpack, an ext:: address). Git before 2.45 does not know
// GIT_NO_LAZY_FETCH; there the empty list of protocols stops the fetch.
func noTransport() []string {
	return []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0"}
}

// Failure turns a command's end into the error that callers see.
func Failure(ctx context.Context, args []string, err error, stderr string) error {
	var exit *exec.ExitError
	status := -1
	if errors.As(err, &exit) {
		status = exit.ExitCode()
	}
	if ctx.Err() != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return Blocked(WhyTimeout, "git "+args[0])
		}
		return ctx.Err()
	}
	if strings.Contains(stderr, "detected dubious ownership") {
		return Blocked(WhyOwnership, strings.TrimSpace(stderr))
	}
	if lacksObject(stderr) {
		return Blocked(WhyMissing, "this partial clone lacks an object that git "+args[0]+" needs, and memctl does not fetch")
	}
	line := complaint(stderr)
	if line == "" && status == -1 {
		line = err.Error()
	}
	return &RunError{Public: &Error{Args: args, Status: status, Stderr: line}, Full: stderr, signal: exit != nil && status == -1}
}

// lacksObject reports whether git ended because noTransport kept it from fetching a missing
// object.
func lacksObject(stderr string) bool {
	return strings.Contains(stderr, "from promisor remote") || strings.Contains(stderr, "lazy fetching disabled")
}

// complaint picks the line of stderr that says why.
func complaint(stderr string) string {
	last := ""
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	for _, l := range lines {
		if strings.HasPrefix(l, "fatal:") || strings.HasPrefix(l, "error:") {
			last = l
		}
	}
	if last == "" {
		last = lines[len(lines)-1]
	}
	return strings.TrimSpace(last)
}

// StatusOf is the exit status of a failed command, -1 where it is another error.
func StatusOf(err error) int {
	var e *Error
	if errors.As(err, &e) {
		return e.Status
	}
	return -1
}

// Environment is what a git for this repository sees.
func (r *Repo) Environment() []string {
	if r.pinned {
		return append(UnpromptedEnvironment(foreignVariables()...), ownAuthor()...)
	}
	env := UnpromptedEnvironment(unusualVariables...)
	// The command runs at the root, so what was relative to our own folder is not any more.
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE"} {
		if v := os.Getenv(name); v != "" && !filepath.IsAbs(v) {
			if abs, err := filepath.Abs(v); err == nil {
				env = append(env, name+"="+abs)
			}
		}
	}
	return env
}

// unusualVariables move a part of a repository elsewhere. memctl reads without them, and commits
// nothing while one is set.
var unusualVariables = []string{
	"GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_SHALLOW_FILE",
	"GIT_GRAFT_FILE", "GIT_QUARANTINE_PATH", "GIT_REPLACE_REF_BASE", "GIT_ATTR_SOURCE", "GIT_REF_FORMAT",
}

// RepositoryVariables speak of one repository (git rev-parse --local-env-vars,
// less those that only carry settings).
func RepositoryVariables() []string {
	return append([]string{
		"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_IMPLICIT_WORK_TREE", "GIT_INTERNAL_SUPER_PREFIX",
		"GIT_CEILING_DIRECTORIES",
	}, unusualVariables...)
}

// authorVariables name the author of one commit.
var authorVariables = []string{"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE"}

// InCommitHook reports whether git itself set the variables, for a commit under way.
func InCommitHook() bool { return os.Getenv("GIT_INDEX_FILE") != "" }

// foreignVariables are those that speak of another repository than a pinned
// one. In a commit hook that includes the author, who may be somebody else
// (--author, --amend, a rebase).
func foreignVariables() []string {
	if InCommitHook() {
		return append(RepositoryVariables(), authorVariables...)
	}
	return RepositoryVariables()
}

// ownAuthor names the committer as the author too, where foreignVariables took
// the author away and variables are all that names the person.
func ownAuthor() []string {
	var env []string
	for _, name := range []string{"NAME", "EMAIL", "DATE"} {
		if own := os.Getenv("GIT_COMMITTER_" + name); own != "" && InCommitHook() {
			env = append(env, "GIT_AUTHOR_"+name+"="+own)
		}
	}
	return env
}

// errTooMuch ends a command whose answer passes all bounds.
var errTooMuch = errors.New("git answered too much")

// Capped keeps up to max bytes; beyond, it fails, or where lenient drops the rest.
type Capped struct {
	bytes.Buffer
	max     int
	lenient bool
}

// NewStdout holds what a command answers; one that says too much fails.
func NewStdout() *Capped { return &Capped{max: maxOutput} }

// NewStderr holds the beginning of a command's complaints.
func NewStderr() *Capped { return &Capped{max: maxStderr, lenient: true} }

func (c *Capped) Write(p []byte) (int, error) {
	room := c.max - c.Len()
	if len(p) <= room {
		return c.Buffer.Write(p)
	}
	if !c.lenient {
		return 0, errTooMuch
	}
	c.Buffer.Write(p[:max(room, 0)])
	return len(p), nil
}

// QuietConfig holds for the commands that write. Refusing mixed line endings
// (safecrlf) guards binary files against damage; memory is text, and git
// stores it with the line ends that the person's settings ask for either way.
// Housekeeping is left to the person's own commands: it would outlive the call.
func QuietConfig() []string {
	return []string{"core.safecrlf=false", "gc.auto=0", "maintenance.auto=false"}
}

// Stream runs a git that only reads, and lets read take what it prints as it comes. Git
// is ended where read has an error, or wants no more. Errors: read's; fault.Blocked; *Error.
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

// readingKey is where a context holds the end of the time for reading.
type readingKey struct{}

// WithReadingUntil bounds the commands that only read, all of them together:
// at that moment those under way end, and later ones fail at once, with a
// fault.Blocked. It is for an answer that is worth giving without git.
func WithReadingUntil(ctx context.Context, end time.Time) context.Context {
	return context.WithValue(ctx, readingKey{}, end)
}

// running holds the process ids of commands under way that only read.
var running sync.Map

// runInterruptible runs the command to its end, and lets EndReading end it earlier.
func runInterruptible(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	running.Store(cmd.Process.Pid, nil)
	defer running.Delete(cmd.Process.Pid)
	err := cmd.Wait()
	if errors.Is(err, exec.ErrWaitDelay) {
		end(cmd.Process.Pid) // it has gone, and what it started holds its pipes
	}
	return err
}

// EndReading ends every command under way that only reads, and what it
// started, at once. It is for a process that must leave nothing behind: the
// end of a command's time asks it to end, and gives it seconds to do so.
// Commands that write are never ended so: they hold lock files.
func EndReading() {
	running.Range(func(pid, _ any) bool {
		end(pid.(int))
		return true
	})
}
