package store

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/settings"
)

// The settings of stores and writes.
var (
	Enabled = settings.Setting{Name: "memctl.enabled", Env: "MEMCTL_ENABLED", Default: "true", Values: settings.BoolValues(),
		Help: "Whether you use memctl at all. false gives agents no memory and refuses their writes."}
	AutoInit = settings.Setting{Name: "memctl.autoInit", Env: "MEMCTL_AUTO_INIT", Default: "false", Values: settings.BoolValues(),
		Help: "true lets a command that only reads create a missing memory file, or recover a damaged one, first.", Advanced: true}
	AutoScope = settings.Setting{Name: "memctl.autoScope", Env: "MEMCTL_AUTO_SCOPE", Values: []string{"", Project, Private, User},
		Help: "Where automatic writes go: project, private or user. If unset, memctl decides at each write."}
	// Writes keeps a person's own writes in the project.
	Writes = settings.Setting{Name: "memctl.writes", Env: "MEMCTL_WRITES", Values: []string{"", Project},
		Help: "project stores your own new memory in the project on every branch. If unset, it goes to private on a branch that is not the default one."}
	CommitMode = settings.Setting{Name: "memctl.commit", Env: "MEMCTL_COMMIT", Default: "on", Values: []string{"on", "stage", "off"},
		Help: "on commits every change, stage only stages it, and off only writes the file."}
	CommitSubject = settings.Setting{Name: "memctl.commitSubject", Env: "MEMCTL_COMMIT_SUBJECT", Default: "memory: %s", Personal: false,
		Help: "The form of a commit's subject. %s is replaced by what was done, as in \"chore(memory): %s\".", Advanced: true}
	protectedBranch = settings.Setting{Name: "memctl.protectedBranch", Env: "MEMCTL_PROTECTED_BRANCH",
		Help: "A branch that memctl never commits to, such as main or release/*. It may be set several times."}
	Trust = settings.Setting{Name: "memctl.trust", Default: TrustOff, Values: []string{TrustOff, TrustAll, TrustReviewed},
		Help: "How much of this repository's memory hooks may hand to agents: true, false or reviewed. memctl trust sets it."}
	// Skills is which skills agents are offered.
	Skills = settings.Setting{Name: "memctl.skills", Env: "MEMCTL_SKILLS", Default: "true",
		Help: "Which skills agents are offered: true for all, false for none, or names and globs separated by commas."}
	// Capture is what a person's prompts are looked through for.
	Capture = settings.Setting{Name: "memctl.capture", Env: "MEMCTL_CAPTURE", Default: CaptureOff, Values: []string{CaptureOff, CaptureRules, CaptureModel}, Personal: true,
		Help: "rules makes memctl note lasting statements in your prompts to agents, model lets a configured model read ended sessions too, and off does neither. hooks install sets rules."}
	// History is whether past sessions are searched.
	History = settings.Setting{Name: "memctl.recall.history", Env: "MEMCTL_RECALL_HISTORY", Default: "off", Values: []string{"off", "on"}, Personal: true,
		Help: "on lets recall --history search the transcripts that your agents keep on this machine. hooks install sets on."}
	// FlushAsk is whether an agent is asked to store what should last before its conversation is compacted.
	FlushAsk = settings.Setting{Name: "memctl.flush.ask", Env: "MEMCTL_FLUSH_ASK", Default: "false", Values: settings.BoolValues(), Personal: true,
		Help: "true asks Claude Code and Codex, once before each compaction, to store what should last.", Advanced: true}
)

// What memctl keeps in git config for itself: the digests of accepted items, and the id of a repository's private store.
var (
	accept    = settings.Setting{Name: "memctl.accept"}
	PrivateID = settings.Setting{Name: "memctl.private"}
)

// The values of Capture.
const (
	CaptureOff   = "off"
	CaptureRules = "rules"
	CaptureModel = "model"
)

// Rows lists every setting, in the order that `memctl config` prints.
func Rows() []settings.Setting {
	return []settings.Setting{Enabled, AutoInit, AutoScope, Writes, CommitMode, CommitSubject, protectedBranch, Trust, Capture, ModelTokens, FlushAsk, History, Skills, ContextFiles, contextFolder, ContextAgent, Mode, OneMemory, SharedTrust}
}

// gitConfig reads git's configuration in a repository, nil for none, in the session's own once; ok is false, and there
// is none, on a machine without git, or where git does not answer.
func (ss *Stores) gitConfig(ctx context.Context, repo *gitops.Repo) (config *gitops.Config, ok bool) {
	if repo == ss.repo && ss.config != nil {
		return ss.config, !ss.silent
	}
	var err error
	if repo != nil {
		config, err = repo.Config(ctx)
	} else {
		config, err = gitops.GlobalConfig(ctx)
	}
	if err != nil {
		config = &gitops.Config{}
	}
	if repo == ss.repo {
		ss.config, ss.silent = config, err != nil
	}
	return config, err == nil
}

// Setting is a setting's effective value in this session. Errors:
// fault.Setting, with the default as value.
func (ss *Stores) Setting(ctx context.Context, row settings.Setting) (settings.Value, error) {
	if text := ss.env.Getenv(row.Env); row.Env != "" && text != "" {
		return settings.Resolve(row, ss.env.Getenv, nil)
	}
	return settings.Resolve(row, ss.env.Getenv, configured{ctx, ss})
}

// SharedAddress is the URL of the shared index; "" where global and system git config name none. Errors: fault.Setting.
func (ss *Stores) SharedAddress(ctx context.Context) (string, error) {
	v, err := ss.Setting(ctx, SharedURL)
	if err != nil || !fromPerson(v.Level()) {
		return "", err
	}
	return v.Text, nil
}

// SharedRepositories are those that memctl.pg.trust lists: remotes, or first commits.
func (ss *Stores) SharedRepositories(ctx context.Context) []string {
	v, err := ss.Setting(ctx, SharedTrust)
	if err != nil || !fromPerson(v.Level()) {
		return nil
	}
	return strings.Fields(v.Text)
}

// Protected reports whether the branch is one that memctl never commits to.
func (ss *Stores) Protected(ctx context.Context, branch string) bool {
	if branch == "" {
		return false
	}
	patterns := []string{ss.env.Getenv(protectedBranch.Env)}
	for _, e := range ss.LookupConfig(ctx).all(protectedBranch) {
		patterns = append(patterns, e.Value)
	}
	team := ss.Team()
	if team.AllProtected {
		return true
	}
	patterns = append(patterns, team.Protected...)
	for _, p := range patterns {
		if ok, err := filepath.Match(p, branch); p != "" && err == nil && ok {
			return true
		}
	}
	return false
}

// HasRemote reports whether the session's repository has a remote.
func (ss *Stores) HasRemote(ctx context.Context) bool {
	return ss.repo != nil && ss.LookupConfig(ctx).Remote
}

// privateID is the id of this repository's private store, "" where it has
// none. Only the repository's own configuration counts, and no file that it
// includes.
func (ss *Stores) privateID(ctx context.Context) (string, error) {
	for _, e := range ss.LookupConfig(ctx).all(PrivateID) {
		if e.Level != "local" || !ss.ownConfig(e.File) {
			continue
		}
		if e.Value == "" {
			return "", nil // decided: no store of another clone
		}
		if !filepath.IsLocal(e.Value) || filepath.Base(e.Value) != e.Value {
			return "", fault.New(fault.Scope, Private, "the id in memctl.private is not a plain name")
		}
		return e.Value, nil
	}
	const cached = "private of the same remote"
	id, known := ss.Remembered(cached).(string)
	if !known {
		id = ss.ofSameRemote(ctx)
		ss.CacheValue(cached, id)
	}
	return id, nil
}

// makePrivateID gives this repository an id for its private store, unless it
// got one meanwhile. The founding lock is held.
func (ss *Stores) makePrivateID(ctx context.Context) (string, error) {
	ss.ForgetConfig()
	if id := gitops.OwnSetting(ss.repo.CommonDir, PrivateID.Name); id != "" {
		return id, nil
	}
	id, err := newPrivateID()
	if err != nil {
		return "", err
	}
	return id, ss.repo.SetConfig(ctx, PrivateID.Name, id)
}
