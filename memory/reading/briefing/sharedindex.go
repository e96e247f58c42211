package briefing

import (
	"context"
	"strings"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/recall/postgres"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/statedir"
)

// Engines lists the engines of recall.
func Engines() []string { return []string{EngineAuto, EngineFile, enginePostgres} }

// The engines of recall.
const (
	EngineAuto     = "auto"     // the stores here from the index on disk, other repositories from the shared index
	EngineFile     = "file"     // only the index on disk
	enginePostgres = "postgres" // every store that was pushed from the shared index
)

// ConnectTime is how long recall waits for the server of the shared index.
const ConnectTime = 2 * time.Second

// ConnectShared opens the shared index. Errors: fault.NoPostgres where no URL is set; fault.Postgres.
func ConnectShared(ctx context.Context, ss *store.Stores, dial postgres.Dial, patience time.Duration) (postgres.Server, error) {
	address, err := ss.SharedAddress(ctx)
	if err != nil {
		return nil, err
	}
	if address == "" {
		return nil, fault.New(fault.NoPostgres, "", "global git config names no PostgreSQL server")
	}
	return dial(ctx, address, patience)
}

// SharedTarget is what the shared index calls a store. A repository is known by the address of its remote, which a
// rewritten history keeps; without a host in the address by its first commit too. A store of the person is known by its own
// first commit: two machines may have different ones. Errors: fault.Scope where the store has no place there;
// fault.Postgres in a shallow clone without such an address, or where the person has no such store here.
func SharedTarget(ctx context.Context, ss *store.Stores, scope string) (postgres.Target, error) {
	t := postgres.Target{Scope: scope}
	switch scope {
	case store.User, store.Private:
		return ownTarget(ctx, ss, scope)
	case store.Project:
	default:
		return t, fault.New(fault.Scope, scope, "the shared index has the scopes project, private and user")
	}
	repo := ss.Repo()
	if repo == nil {
		return t, fault.New(fault.Scope, scope, "the shared index knows repositories by their remote or first commit, and this is not a git repository")
	}
	config, err := repo.Config(ctx)
	if err != nil {
		return t, err
	}
	hosted := false
	if name := ss.LookupConfig(ctx).Upstream; name != "" {
		if e, ok := config.Get("remote." + name + ".url"); ok {
			t.Remote, hosted = store.PlainRemote(e.Value)
		}
	}
	if !hosted {
		if t.Root, err = firstCommit(ctx, repo); err != nil {
			return t, err
		}
		if repo.ShallowAt(t.Root) {
			return t, Shallow()
		}
	}
	if t.Name = t.Remote; t.Name == "" {
		t.Name, _ = ss.ProjectName(ctx, "", nil)
	}
	return t, nil
}

// Shallow is the error for a clone that lacks the history that the shared index needs.
func Shallow() error {
	return &fault.Error{Code: fault.Postgres, Hints: []string{"git fetch --unshallow"}, Cause: "this clone is shallow, and the shared index needs the whole history"}
}

func firstCommit(ctx context.Context, repo *gitops.Repo) (string, error) {
	out, err := repo.Git(ctx, gitops.Call{Args: []string{"rev-list", "--max-parents=0", "--first-parent", "HEAD"}})
	return strings.TrimSpace(string(out)), err
}

// ownTarget is what the shared index calls a store of the person alone.
func ownTarget(ctx context.Context, ss *store.Stores, scope string) (postgres.Target, error) {
	t := postgres.Target{Scope: scope, Name: scope}
	st, err := ss.Get(ctx, scope)
	if err != nil {
		return t, err
	}
	absent := &fault.Error{Code: fault.Postgres, Hints: []string{"memctl doctor"}, Cause: "there is no store of scope " + scope + " with a commit on this machine"}
	if st.Dir == "" || st.Repo == nil {
		return t, absent
	}
	if t.Root, err = firstCommit(ctx, st.Repo); err != nil || t.Root == "" {
		return t, absent
	}
	if scope == store.Private {
		t.Name, _ = ss.ProjectName(ctx, "", nil)
	}
	return t, nil
}

// lastPush is the local state that says that a store was pushed.
type lastPush struct {
	Commit string `json:"commit"`
}

func lastPushOf(st *store.Store) statedir.File[*lastPush] {
	return statedir.File[*lastPush]{In: st.SharedState(), Name: "shared.json"}
}

// NotePushed notes that a store was pushed, or that its rows were dropped. What cannot be noted
// costs a note at forget.
func NotePushed(st *store.Store, pushed bool, commit string) {
	switch {
	case st.Dir == "" || st.DryRun():
	case pushed:
		_ = lastPushOf(st).Write(&lastPush{commit})
	default:
		_ = lastPushOf(st).Remove()
	}
}

// NotesOfForgotten says that the shared index still has what was forgotten; none where the store was never pushed.
func NotesOfForgotten(st *store.Store) []fault.Note {
	if st.Dir == "" {
		return nil
	}
	if last, err := lastPushOf(st).Read(); err != nil || last == nil {
		return nil
	}
	return []fault.Note{fault.NewNote("in-shared-index", "the shared index has it until the next `memctl index push --scope "+st.Scope+"`")}
}
