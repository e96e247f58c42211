// Package remotes fetches from remotes and pushes to them.
package remotes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/fault"
)

// Network says how a call may reach another repository. The zero value never
// asks anybody anything and shows nothing: what hooks and scripts want.
type Network struct {
	// Ask lets git and ssh ask at this terminal, as they would have asked the
	// person's own command: for a password, a passphrase, an unknown host.
	Ask bool
	// Progress takes git's own progress; nil for none.
	Progress io.Writer

	only string // the protocols that may be used, as in GIT_ALLOW_PROTOCOL; "" for git's own choice
}

// The reasons in fault.Remote. The texts are stable.
const (
	WhyUnreachable   = "remote cannot be reached"
	WhyAuth          = "remote does not let this user in"
	WhyHostKey       = "host key not known"
	WhyRemoteMissing = "remote is not a repository"
	WhyRemoteRefused = "remote refused the push"
	WhyRemoteFailed  = "remote failed"
)

// failed is the error of a remote that could not be read or written; nothing here was
// changed by the call. remote is as it may be shown, and why one of the reasons above.
func failed(remote, why, detail string) *fault.Error {
	cause := why
	if detail = WithoutCredentials(detail); detail != "" {
		cause += ": " + detail
	}
	return &fault.Error{Code: fault.Remote, Thing: remote, Cause: cause, Why: why}
}

// moved is the error of a remote's branch with commits that were not fetched.
func moved(branch string) error {
	return fault.New(fault.Moved, branch, "has moved on at the remote")
}

// RemoteHeads are a remote's branches.
type RemoteHeads struct {
	Default string            // the branch that its HEAD names; "" where it names none
	Heads   map[string]string // commit ids by the branches' short names
}

// Heads asks the remote for its branches. Errors: fault.Remote;
// fault.Blocked (WhyTimeout, WhyGitMissing).
func Heads(ctx context.Context, r *gitops.Repo, net Network, remote string) (RemoteHeads, error) {
	found := RemoteHeads{Heads: map[string]string{}}
	out, err := reach(ctx, r, net, remote, "ls-remote", "--symref", "--", remote, "HEAD", "refs/heads/*")
	if err != nil {
		return found, err
	}
	for line := range strings.Lines(string(out)) {
		value, name, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		if !ok {
			continue
		}
		if target, symbolic := strings.CutPrefix(value, "ref: "); symbolic && name == "HEAD" {
			found.Default = strings.TrimPrefix(target, "refs/heads/")
		} else if branch, isHead := strings.CutPrefix(name, "refs/heads/"); isHead && gitops.IsID(value) {
			found.Heads[branch] = value
		}
	}
	return found, nil
}

// incoming is the ref of what was fetched and is not merged yet.
const incoming = "refs/memctl/incoming"

// Fetch brings the commits of the remote's branch here, and gives its tip. remote may be an address. A ref of
// memctl's own leads to them until EndFetch; nothing else changes. What arrives is
// checked by git as strictly as it can (fsck). Errors: as Heads.
func Fetch(ctx context.Context, r *gitops.Repo, net Network, remote, branch string) (tip string, err error) {
	for range fetchTries {
		_, err = reach(ctx, r, net, remote, "fetch", progressFlag(net), "--no-tags", "--no-recurse-submodules", "--refmap=", "--",
			remote, "+refs/heads/"+branch+":"+incoming)
		// The git of an exchange that was killed may be at work still, and move the
		// same ref.
		if gitops.BlockedBy(err) != gitops.WhyLocked || ctx.Err() != nil {
			break
		}
		time.Sleep(gitops.RetryMost)
	}
	if err != nil {
		return "", err
	}
	return object.Resolve(ctx, r, incoming)
}

// EndFetch removes the ref of Fetch. If a commit is given, the remote's branch counts as at that one from
// now on. Errors: fault.Blocked; *Error.
func EndFetch(ctx context.Context, r *gitops.Repo, remote, branch, commit string) error {
	var lines string
	if _, err := object.Resolve(ctx, r, incoming); err == nil {
		lines = "delete " + incoming + "\n"
	}
	if commit != "" && Tracked(ctx, r, remote, branch) != commit {
		lines += "update " + trackingRef(remote, branch) + " " + commit + "\n"
	}
	if lines == "" {
		return nil
	}
	return r.Retry(ctx, func() error {
		_, err := r.Git(ctx, gitops.Call{Args: []string{"update-ref", "--stdin"}, Stdin: []byte(lines), Writes: true})
		return err
	})
}

// fetchTries is how often a fetch is tried while something else holds its ref.
const fetchTries = 5

// Tracked is the remote's branch as it was last seen; "" where it never was.
func Tracked(ctx context.Context, r *gitops.Repo, remote, branch string) string {
	id, err := object.Resolve(ctx, r, trackingRef(remote, branch))
	if err != nil {
		return ""
	}
	return id
}

// Push makes the commit the tip of the remote's branch, if the branch's tip is
// among the commit's ancestors: it never forces. No hook runs. before is the branch's tip that the commit was made
// for, "" for none. Errors: fault.Moved where the branch has another one; else as Heads.
func Push(ctx context.Context, r *gitops.Repo, net Network, remote, commit, branch, before string) error {
	if !gitops.IsID(commit) {
		return fmt.Errorf("%q: no object id", commit)
	}
	out, err := reach(ctx, r, net, remote, "push", progressFlag(net), "--porcelain", "--no-verify", "--no-follow-tags",
		"--recurse-submodules=no", "--", remote, commit+":refs/heads/"+branch)
	if err == nil {
		return nil
	}
	for line := range strings.Lines(string(out)) {
		rest, refused := strings.CutPrefix(strings.TrimSpace(line), "!\t")
		if !refused {
			continue
		}
		if now, err := Heads(ctx, r, net, remote); err != nil || now.Heads[branch] != before {
			return cmp.Or(err, moved(branch))
		}
		_, why, _ := strings.Cut(rest, "]")
		return failed(remoteName(ctx, r, remote), WhyRemoteRefused, strings.Trim(strings.TrimSpace(why), "()"))
	}
	return err
}

func trackingRef(remote, branch string) string { return "refs/remotes/" + remote + "/" + branch }

func progressFlag(net Network) string {
	if net.Progress == nil {
		return "--no-progress"
	}
	return "--progress"
}

// reach runs one command of git that speaks to a remote, with the person's own
// transport and credentials. It gives stdout after an error too.
func reach(ctx context.Context, r *gitops.Repo, net Network, remote string, args ...string) ([]byte, error) {
	if _, has := ctx.Deadline(); !has {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, gitops.CallTime)
		defer cancel()
	}
	config := append(gitops.QuietConfig(), "core.hooksPath="+os.DevNull, "transfer.fsckObjects=true", "push.gpgSign=false")
	env := networkEnvironment(ctx, r, net)
	if net.only != "" {
		env = append(env, "GIT_ALLOW_PROTOCOL="+net.only)
	}
	cmd, err := gitops.Command(ctx, r.Root, env, gitops.Call{Args: args, Config: config, Writes: true, Network: true})
	if err != nil {
		return nil, err
	}
	if net.Ask {
		stay(cmd)
	}
	out := gitops.NewStdout()
	errs := gitops.NewStderr()
	cmd.Stdout, cmd.Stderr = out, errs
	if net.Progress != nil {
		cmd.Stderr = io.MultiWriter(errs, net.Progress)
	}
	if err := cmd.Run(); err != nil {
		return out.Bytes(), remoteFailure(ctx, r, remote, gitops.Failure(ctx, args, err, errs.String()))
	}
	return out.Bytes(), nil
}

// stay leaves the command in the session of this terminal, so that it can ask
// there, and so that Ctrl-C reaches it as it would the person's own.
func stay(cmd *exec.Cmd) {
	cmd.SysProcAttr = nil
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stdin = os.Stdin
}

// networkEnvironment is what a git sees that speaks to a remote. What speaks of
// another repository (git sets it in hooks) is kept from it.
func networkEnvironment(ctx context.Context, r *gitops.Repo, net Network) []string {
	if net.Ask {
		var env []string
		for _, kv := range gitops.Environ() {
			if name, _, _ := strings.Cut(kv, "="); !slices.Contains(gitops.RepositoryVariables(), name) {
				env = append(env, kv)
			}
		}
		return append(env, "LC_ALL=C")
	}
	env := append(gitops.UnpromptedEnvironment(gitops.RepositoryVariables()...), "GCM_INTERACTIVE=never")
	env = slices.DeleteFunc(env, func(kv string) bool { return kv == "GIT_SSH_COMMAND=" }) // set to nothing, git would start nothing
	if os.Getenv("GIT_SSH_COMMAND") != "" || os.Getenv("GIT_SSH") != "" {
		return env // a transport of the person's own: without a terminal it cannot ask either
	}
	if cfg, err := r.Config(ctx); err == nil {
		if _, own := cfg.Get("core.sshCommand"); own {
			return env
		}
	}
	return append(env, "GIT_SSH_COMMAND=ssh -o BatchMode=yes")
}

// remoteFailure says what is wrong with the remote.
func remoteFailure(ctx context.Context, r *gitops.Repo, remote string, err error) error {
	var e *gitops.RunError
	if !errors.As(err, &e) {
		return err
	}
	full := r.Explain(err)
	if why := gitops.BlockedBy(full); why != "" {
		return full
	}
	why := WhyRemoteFailed
	for _, known := range remoteReasons() {
		if strings.Contains(e.Full, known.text) {
			why = known.why
			break
		}
	}
	return failed(remoteName(ctx, r, remote), why, remoteSaid(e))
}

// remoteSaid is the line that says why: git's last one is often only that it
// "Could not read from remote repository".
func remoteSaid(e *gitops.RunError) string {
	for _, known := range remoteReasons() {
		for line := range strings.Lines(e.Full) {
			if strings.Contains(line, known.text) {
				return strings.TrimSpace(line)
			}
		}
	}
	return e.Public.Stderr
}

// remoteReasons maps what git, ssh and curl say; the first that matches counts.
func remoteReasons() []struct{ text, why string } {
	return []struct{ text, why string }{
		{"Host key verification failed", WhyHostKey},
		{"Authentication failed", WhyAuth},
		{"could not read Username", WhyAuth},
		{"could not read Password", WhyAuth},
		{"Permission denied (", WhyAuth},
		{"Too many authentication failures", WhyAuth},
		{"returned error: 401", WhyAuth},
		{"returned error: 403", WhyAuth},
		{"does not appear to be a git repository", WhyRemoteMissing},
		{"Repository not found", WhyRemoteMissing},
		{"returned error: 404", WhyRemoteMissing},
		{"' not found", WhyRemoteMissing},
		{"Could not resolve host", WhyUnreachable},
		{"Connection refused", WhyUnreachable},
		{"Connection timed out", WhyUnreachable},
		{"Connection reset", WhyUnreachable},
		{"Connection closed", WhyUnreachable},
		{"Operation timed out", WhyUnreachable},
		{"Network is unreachable", WhyUnreachable},
		{"No route to host", WhyUnreachable},
		{"Failed to connect", WhyUnreachable},
		{"Couldn't connect", WhyUnreachable},
		{"early EOF", WhyUnreachable},
		{"hung up unexpectedly", WhyUnreachable},
	}
}

// remoteName is the remote's address as it may be shown; where it has none, it
// was itself given as one.
func remoteName(ctx context.Context, r *gitops.Repo, remote string) string {
	if url := RemoteURL(ctx, r, remote); url != "" {
		return WithoutCredentials(url)
	}
	return WithoutCredentials(remote)
}

// RemoteURL is the address that the repository's own configuration gives for
// the remote, credentials included; "" where there is none.
func RemoteURL(ctx context.Context, r *gitops.Repo, remote string) string {
	cfg, err := r.Config(ctx)
	if err != nil {
		return ""
	}
	e, _ := cfg.Get("remote." + remote + ".url")
	return e.Value
}

// SetRemote gives the remote an address, and what git itself wants to know of
// a remote. Errors: as SetConfig.
func SetRemote(ctx context.Context, r *gitops.Repo, remote, url string) error {
	if err := r.SetConfig(ctx, "remote."+remote+".url", url); err != nil {
		return err
	}
	return r.SetConfig(ctx, "remote."+remote+".fetch", "+refs/heads/*:refs/remotes/"+remote+"/*")
}

// WithoutCredentials takes the user and password out of every address in the
// text.
func WithoutCredentials(text string) string {
	var b strings.Builder
	for {
		at := strings.Index(text, "://")
		if at < 0 {
			break
		}
		at += len("://")
		b.WriteString(text[:at])
		text = text[at:]
		end := strings.IndexAny(text, "/ \t\n'\"")
		if end < 0 {
			end = len(text)
		}
		if user := strings.LastIndexByte(text[:end], '@'); user >= 0 {
			text = text[user+1:]
		}
	}
	b.WriteString(text)
	return b.String()
}

// Upstream is the remote's branch that the branch follows, by its short name; ""
// where it follows none.
func Upstream(ctx context.Context, r *gitops.Repo, branch string) string {
	cfg, err := r.Config(ctx)
	if err != nil {
		return ""
	}
	e, _ := cfg.Get("branch." + branch + ".merge")
	return strings.TrimPrefix(e.Value, "refs/heads/")
}

// SetUpstream makes the branch follow the remote's. Errors: as SetConfig.
func SetUpstream(ctx context.Context, r *gitops.Repo, branch, remote, theirs string) error {
	if err := r.SetConfig(ctx, "branch."+branch+".remote", remote); err != nil {
		return err
	}
	return r.SetConfig(ctx, "branch."+branch+".merge", "refs/heads/"+theirs)
}
