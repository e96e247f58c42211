package store

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/settings"
	"github.com/memctl/memctl/memfile"
)

// The levels of trust in a repository's memory, as memctl.trust holds them.
const (
	TrustOff      = "false"
	TrustAll      = "true"
	TrustReviewed = "reviewed" // only what is on the upstream's default branch or was written on this machine
)

// The settings of the briefing.
var (
	ContextFiles = settings.Setting{Name: "memctl.context", Env: "MEMCTL_CONTEXT", Default: "false",
		Help: "Which context files a session receives: false for none, true for all, or their names separated by commas."}
	// contextFolder is where the person's global context files are.
	contextFolder = settings.Setting{Name: "memctl.context.dir", Env: "MEMCTL_CONTEXT_DIR", Personal: true,
		Help: "The folder of your global context files (default: ~/.config/memctl)."}
	// ContextAgent is the agent of a command that names none.
	ContextAgent = settings.Setting{Name: "memctl.context.agent", Env: "MEMCTL_CONTEXT_AGENT",
		Help: "The agent whose context files sessions and commands use (default: default)."}
	Mode = settings.Setting{Name: "memctl.mode", Env: "MEMCTL_MODE", Default: "index", Values: []string{"index", "full", "off"},
		Help: "What a session starts with: index gives the profile and an overview, full adds search results, off gives only a receipt."}
	OneMemory = settings.Setting{Name: "memctl.only", Env: "MEMCTL_ONLY", Default: "false", Values: settings.BoolValues(),
		Help: "true tells agents to use memctl as their only memory."}
)

// TrustLevel is how far this repository's memory may reach an agent's hook:
// TrustOff, TrustAll or TrustReviewed. Only the repository's own configuration
// file counts, which a clone cannot carry: a file that it includes can lie in
// the clone. The store of --store is the person's own choice.
func (ss *Stores) TrustLevel(ctx context.Context) string {
	if ss.IsSingleStore() {
		return TrustAll
	}
	if ss.repo == nil {
		return TrustOff
	}
	level := TrustOff
	for _, e := range ss.LookupConfig(ctx).all(Trust) {
		if e.Level != "local" || !ss.ownConfig(e.File) {
			continue
		}
		switch strings.ToLower(e.Value) {
		case TrustAll, TrustReviewed:
			level = strings.ToLower(e.Value)
		default:
			level = TrustOff
		}
	}
	return level
}

// TrustUnknown reports whether git was asked for its settings and did not answer, in
// time or at all: TrustLevel is TrustOff then, whatever the person said.
func (ss *Stores) TrustUnknown(ctx context.Context) bool {
	return ss.repo != nil && !ss.IsSingleStore() && ss.LookupConfig(ctx).Silent
}

// ownConfig reports whether git names the repository's own configuration file,
// by a path from the top of the worktree.
func (ss *Stores) ownConfig(origin string) bool {
	path := strings.TrimPrefix(origin, "file:")
	if !filepath.IsAbs(path) {
		path = filepath.Join(ss.repo.Root, path)
	}
	own := filepath.Join(ss.repo.CommonDir, "config")
	if filepath.Clean(path) == own {
		return true
	}
	a, errA := os.Stat(path)
	b, errB := os.Stat(own)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// Trusted reports whether the repository's memory may reach an agent's hook,
// all of it or what is reviewed.
func (ss *Stores) Trusted(ctx context.Context) bool { return ss.TrustLevel(ctx) != TrustOff }

// SetTrustLevel records a level in the repository's own configuration. Error:
// a fault.Scope outside a repository.
func (ss *Stores) SetTrustLevel(ctx context.Context, level string) error {
	if ss.repo == nil || ss.IsSingleStore() {
		return fault.New(fault.Scope, Project, "trust is stored in a repository's git config, but this is not a git repository")
	}
	if ss.DryRun() {
		return nil
	}
	ss.ForgetConfig()
	return ss.repo.SetConfig(ctx, Trust.Name, level)
}

// ConfigDir is memctl's folder for a person's own files, such as their context
// files; "" where there is none.
func (ss *Stores) ConfigDir() string { return ownFolder("XDG_CONFIG_HOME", ".config") }

// ContextDir is the folder of the person's global context files: the setting memctl.context.dir,
// else ConfigDir.
func (ss *Stores) ContextDir(ctx context.Context) string {
	v, err := ss.Setting(ctx, contextFolder)
	if err != nil || v.Text == "" {
		return ss.ConfigDir()
	}
	if below, ok := strings.CutPrefix(v.Text, "~/"); ok && ss.Home() != "" {
		return filepath.Join(ss.Home(), filepath.FromSlash(below))
	}
	return ss.Abs(v.Text)
}

// HasFile reports whether something stands where the store's memory file
// would: it is not read.
func (st *Store) HasFile() bool {
	_, err := os.Lstat(filepath.Join(st.Dir, memfile.FileName))
	return st.Dir != "" && err == nil
}

// Accepted lists the digests of what this person accepted on this machine.
func (ss *Stores) Accepted(ctx context.Context) []string {
	if ss.accepted != nil {
		return ss.accepted
	}
	list := []string{}
	for _, e := range ss.LookupConfig(ctx).all(accept) {
		list = append(list, strings.ToLower(strings.TrimSpace(e.Value)))
	}
	slices.Sort(list)
	ss.accepted = slices.Compact(list)
	return ss.accepted
}

// AcceptedSoFar is Accepted where that was asked for already, else nothing.
func (ss *Stores) AcceptedSoFar() []string { return ss.accepted }

// Accept records in git's configuration that this person accepts the item
// of that digest: in the repository's own configuration for what belongs to
// the repository, else in the person's.
func (st *Store) Accept(ctx context.Context, digest string) error {
	if st.DryRun() {
		st.Stores.accepted = append(slices.Clone(st.Stores.Accepted(ctx)), digest) // the act goes on with it
		return nil
	}
	st.Stores.ForgetConfig()
	if repo := st.Stores.repo; repo != nil && st.Scope != User { // a user store is read in every repository
		return repo.ChangeConfig(ctx, gitops.AddValue, accept.Name, digest)
	}
	return gitops.ChangeGlobalConfig(ctx, gitops.AddValue, accept.Name, digest)
}

// Unaccept takes an acceptance back, from wherever it stands: the repository's
// own configuration, the person's, or both. One that came from elsewhere, such
// as an included file, stays.
func (ss *Stores) Unaccept(ctx context.Context, digest string) error {
	if ss.DryRun() {
		return nil
	}
	entries := ss.LookupConfig(ctx).all(accept)
	ss.ForgetConfig()
	var failed error
	for _, e := range entries {
		switch {
		case strings.ToLower(strings.TrimSpace(e.Value)) != digest:
		case e.Level == "local" && ss.repo != nil:
			failed = errors.Join(failed, ss.repo.ChangeConfig(ctx, gitops.RemoveValue, accept.Name, e.Value))
		case e.Level == "global":
			failed = errors.Join(failed, gitops.ChangeGlobalConfig(ctx, gitops.RemoveValue, accept.Name, e.Value))
		}
	}
	return failed
}

// ForgetConfig makes what depends on git's configuration be read again.
func (ss *Stores) ForgetConfig() {
	ss.config, ss.found, ss.accepted = nil, &sync.Map{}, nil
	maps.DeleteFunc(ss.cache, func(name string, _ any) bool { return strings.HasPrefix(name, cachedMemory) })
}
