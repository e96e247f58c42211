package txn

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/internal/store/statedir"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	recovery "github.com/memctl/memctl/recover"
)

// damagedEdit is the error of a memory file that a person's uncommitted edit left unsound;
// it is theirs to mend.
func damagedEdit(st *store.Store, problems []memfile.Problem) error {
	first := contents.FirstDamage(problems)
	e := &fault.Error{
		Code: fault.Damaged, Thing: st.Name(), Scope: st.Scope, Why: first.Rule,
		Cause: fmt.Sprintf("line %d: %s; nothing was written, because your edit is not committed", first.Line, first.Message),
	}
	if first.Rule == "conflict-markers" {
		e.Cause = "the file has conflict markers; nothing was written"
	}
	return e
}

// NewerVersion is the error of a memory file of a later format.
func NewerVersion(name string, version int) error {
	return fault.New(fault.NewerVersion, name, fmt.Sprintf("has version %d, which this memctl can read but not write", version))
}

// Secret is the error of a secret in bytes that memctl did not write and was about to
// commit, in a file of the scope's store.
func Secret(scope, name string, found policy.Finding) *fault.Error {
	return &fault.Error{Code: fault.Secret, Scope: scope, Cause: fmt.Sprintf("%s: %s (%s), so memctl does not commit it", NameIn(scope, name), holdsAt(found.Line), found.Kind)}
}

// NameIn names a file, and the store that it is of where another than the project's may
// have one of that name.
func NameIn(scope, name string) string {
	name = policy.ShownPath(name)
	if scope == store.User || scope == store.Private {
		return fmt.Sprintf("%q of scope %s", name, scope)
	}
	return fmt.Sprintf("%q", name)
}

// holdsAt says where in a file a secret is: on a line, or without one in its path.
func holdsAt(line int) string {
	if line == 0 {
		return "its path contains a secret"
	}
	return fmt.Sprintf("line %d: contains a secret", line)
}

// prepare brings the store to a state that the act can change: it commits what
// a person left uncommitted, recovers damage, and returns the sound file.
func (t *transaction) prepare(ctx context.Context) (*memfile.File, error) {
	if err := t.look(ctx); err != nil {
		return nil, err
	}
	if err := otherEncoding(ctx, t.st, memfile.FileName); err != nil {
		return nil, err
	}
	if t.src == nil {
		return t.prepareWithoutFile(ctx)
	}
	return t.soundFile(ctx)
}

// soundFile is the sound file that t.src is, or is made into, with a person's own
// edit committed.
func (t *transaction) soundFile(ctx context.Context) (*memfile.File, error) {
	src := t.src
	file, problems := memfile.Parse(t.st.Name(), src)
	if file == nil {
		if memfile.IsPage(src) {
			if err := t.foreign(ctx); err != nil {
				return nil, err
			}
		}
		return t.recoverFirst(ctx, problems)
	}
	if v := file.Document().Version; v > 1 {
		return nil, NewerVersion(t.st.Name(), v)
	}
	if file, err := t.besideStated(ctx, file); err != nil {
		return nil, err
	} else {
		return file, t.commitEdit(ctx)
	}
}

// look finds out how things stand: what can be committed, what a killed act
// left, what waits, and the memory file's bytes.
func (t *transaction) look(ctx context.Context) (err error) {
	t.st.MendLocks(ctx)
	if t.blocked, err = Blocked(ctx, t.st, t.w.Wait); err != nil {
		return err
	}
	if t.st.Repo != nil {
		if s, err := t.st.Repo.State(); err == nil {
			t.head = s.Head
		}
	}
	if t.src, err = contents.MemoryBytes(t.st); err != nil || gitops.HandsOff(t.blocked) {
		return err // mending too would be in that git's way
	}
	waiting, err := t.endKilled(ctx)
	if err == nil && len(t.finished) > 0 {
		t.src, err = contents.MemoryBytes(t.st)
	}
	if err == nil && !slices.ContainsFunc(t.notes, func(n fault.Note) bool { return n.Code == ledger.LostWritesNote }) {
		t.notes = append(t.notes, ledger.LostNote(ledger.NewlyLost(ctx, t.st, t.src))...)
	}
	if err == nil {
		err = t.endWaiting(ctx, waiting)
	}
	if err == nil && len(t.pendingPaths)+len(t.finished) > 0 {
		t.src, err = contents.MemoryBytes(t.st)
	}
	return err
}

// endKilled ends the act that was killed, and returns those that wait for a commit. A dry run leaves that to the next act.
func (t *transaction) endKilled(ctx context.Context) (waiting []*ledger.OpenAct, err error) {
	if t.st.DryRun() || t.st.Dir == "" || gitops.HandsOff(t.blocked) {
		return nil, nil
	}
	for _, a := range ledger.Open(ctx, t.st) {
		waits, err := t.endOne(ctx, a)
		if err != nil {
			return nil, err
		}
		if waits {
			waiting = append(waiting, a)
		}
	}
	return waiting, nil
}

// endWaiting commits what waits, and corrects git's index.
func (t *transaction) endWaiting(ctx context.Context, waiting []*ledger.OpenAct) error {
	if t.st.DryRun() || t.st.Dir == "" || gitops.HandsOff(t.blocked) {
		return nil
	}
	err := t.commitWaiting(ctx, waiting)
	restaged, notRestaged := t.restage(ctx)
	if !restaged { // they wait, so that the next act adds their files to git's index
		t.waits = idsOf(waiting)
	}
	return errors.Join(err, notRestaged)
}

// recoverFirst recovers a damaged file before the act, where the damage is in
// HEAD; damage in an uncommitted edit is the person's.
func (t *transaction) recoverFirst(ctx context.Context, problems []memfile.Problem) (*memfile.File, error) {
	mine, err := damageCommitted(ctx, t.st)
	if err != nil {
		return nil, err
	}
	if !mine {
		if t.w.Clean {
			return nil, store.Deferred("damage in an uncommitted edit", "")
		}
		return nil, damagedEdit(t.st, problems)
	}
	if err := t.foreign(ctx); err != nil {
		if t.w.Clean {
			err = store.Deferred("the damaged file contains no memory that can be recovered", "")
		}
		return nil, err
	}
	result, out, err := t.recoverFile(ctx)
	if err != nil {
		return nil, err
	}
	t.st.Stores.Talk(fmt.Sprintf("recovered %s first: %d kept, %d reconstructed, %d set aside; %s", t.st.Name(), result.Kept, result.Salvaged, len(result.SetAside), result.Where()))
	if out.Why != "" && out.Why != WhyDryRun {
		t.notes = append(t.notes, fault.NewNote("recovery-uncommitted", "the recovery is not committed: "+out.Why))
	}
	t.src = result.Bytes
	file, problems := memfile.Parse(t.st.Name(), result.Bytes)
	if file == nil {
		return nil, damagedEdit(t.st, problems)
	}
	return file, nil
}

// damageCommitted reports whether HEAD's own memory file is damaged.
func damageCommitted(ctx context.Context, st *store.Store) (bool, error) {
	if st.Repo == nil {
		return false, nil
	}
	head, ok, err := contents.StoredAt(ctx, st, "HEAD")
	if fault.Is(err, fault.UnknownRevision) || err == nil && !ok {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if file, _ := memfile.Parse(st.Name(), head); file == nil || !worktree.Converts(ctx, st.Repo, st.GitPath()) {
		return file == nil, nil
	}
	// What git makes of the file here may be damaged where what it keeps is not.
	here, err := worktree.Smudged(ctx, st.Repo, "HEAD:"+st.GitPath(), st.GitPath())
	if err != nil {
		return false, nil
	}
	file, _ := memfile.Parse(st.Name(), here)
	return file == nil, nil
}

// Recover makes the memory file sound, and commits the result. What is on disk
// and not in git is committed first, as the person's, unless it holds a
// secret: then the original stays in local state alone.
func Recover(ctx context.Context, st *store.Store, w Write) (recovery.Result, Outcome, error) {
	w.Act = "recover"
	t, end, err := lockAndLook(ctx, st, w)
	if err != nil {
		return recovery.Result{}, Outcome{}, err
	}
	defer end()
	if t.src == nil {
		return recovery.Result{}, Outcome{}, Missing(ctx, st)
	}
	if err := t.foreign(ctx); w.Clean && err != nil {
		return recovery.Result{}, Outcome{}, err
	}
	return t.recoverFile(ctx)
}

// recoverFile recovers t.src, writes and commits.
func (t *transaction) recoverFile(ctx context.Context) (recovery.Result, Outcome, error) {
	if err := otherEncoding(ctx, t.st, memfile.FileName); err != nil {
		return recovery.Result{}, Outcome{}, err
	}
	sub := &plan{transaction: &transaction{st: t.st, src: t.src, blocked: t.blocked, w: Write{Act: "recover", Message: t.w.Message, Origin: t.w.Origin, Clean: t.w.Clean}}}
	named := func([]byte) string { return "" }
	if t.st.Repo != nil {
		named = contents.Named(ctx, t.st.Repo, t.st.GitPath(), contents.LastChange(ctx, t.st), "HEAD")
	}
	result, err := sub.recovered(ctx, named)
	if err != nil || !result.Needed {
		return result, Outcome{Why: WhyUnchanged, Notes: result.Notes}, err
	}
	if v := result.Document.Version; v > 1 {
		return result, Outcome{}, NewerVersion(t.st.Name(), v)
	}
	edits := t.openEdits(ctx, result.Document)
	if result.Original == "" && result.Secret {
		where, err := keepOriginal(t.st, t.src)
		if err != nil {
			return result, Outcome{}, err
		}
		sub.notes = append(sub.notes, fault.NewNote("original-has-secret", t.st.Name()+" contains a secret: the original"+t.st.Stores.Said(" is", " would be")+" kept in "+where+", and the copy in the notes is redacted"))
	} else if result.Original == "" { // now git has it
		if err := sub.commitEdit(ctx); err != nil {
			return result, Outcome{}, err
		} else if sub.secret != nil {
			return result, Outcome{}, sub.secret
		}
		if t.st.DryRun() && t.st.Repo != nil && sub.blocked == "" {
			named = func([]byte) string { return "git show HEAD~1:" + t.st.GitPath() }
		}
		if result, err = sub.recovered(ctx, named); err != nil {
			return result, Outcome{}, err
		}
	}
	if file, _ := memfile.Parse(t.st.Name(), result.Bytes); file != nil {
		if file, err = sub.withStated(file, edits); err != nil {
			return result, Outcome{}, err
		}
		result.Bytes, result.Document = file.Bytes(), file.Document()
	}
	sub.notes = append(sub.notes, result.Notes...)
	sub.changes = []store.FileChange{{Path: memfile.FileName, Before: t.src, After: result.Bytes}}
	out, err := sub.finish(ctx, Outcome{})
	t.notes = append(t.notes, sub.notes...)
	return result, out, err
}

// recovered is t.src made sound: what it lacks of an earlier version is put in.
func (t *transaction) recovered(ctx context.Context, named func([]byte) string) (recovery.Result, error) {
	opt := contents.RecoveryOptions(t.st)
	opt.Named = named
	opt.Base = contents.LastSound(ctx, t.st)
	return recovery.Recover(t.st.Name(), t.src, opt)
}

// keepOriginal keeps bytes that must not reach git in local state.
func keepOriginal(st *store.Store, src []byte) (string, error) {
	sum := sha256.Sum256(src)
	name := "original-" + st.Stores.Now().UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(sum[:4]) + ".md"
	state := st.SharedState()
	return state.Path(name), state.Write(name, src)
}

// editTrailers are those of a person's own edit.
func editTrailers(st *store.Store) []object.Trailer {
	return []object.Trailer{{Name: ledger.TrailerAct, Value: "edit"}, {Name: "Memory-Scope", Value: st.Scope}}
}

// stateFile is one file of local state that an act reads.
type stateFile struct {
	path string
	read func() error
}

// stateFiles are those whose damage would end an act. Caches, and notes that are
// taken for a crash's where they are torn, are not among them.
func stateFiles(st *store.Store) []stateFile {
	return []stateFile{
		readable(ledger.QueueOf(st)), readable(contents.ForgottenHashes(st)), readable(localstate.UsesOf(st)),
		readable(localstate.Purged(st)), readable(st.Users()), readable(localstate.HookFaultOf(st.Stores)),
		bytesOf(st.Stores.RepositoryState(), contents.WrittenFile), bytesOf(st.Stores.SessionsState(), localstate.SessionsFile),
		bytesOf(st.Stores.DataState(), contents.MachineKey),
	}
}

func readable[T any](f statedir.File[T]) stateFile {
	return stateFile{f.In.Path(f.Name), func() error {
		_, err := f.Read()
		return err
	}}
}

func bytesOf(in statedir.Dir, name string) stateFile {
	return stateFile{in.Path(name), func() error {
		_, err := in.Read(name)
		return err
	}}
}

// DamagedState are the faults of the store's local state that would end an act,
// each with the file's path. Nothing is changed.
func DamagedState(st *store.Store) (faults []error) {
	if st.Dir == "" {
		return nil
	}
	for _, f := range stateFiles(st) {
		switch err := f.read(); {
		case fault.Is(err, fault.TooLarge):
			faults = append(faults, statedir.Damaged(f.path, err))
		case fault.Is(err, fault.LocalState): // else the system does not let it be read
			faults = append(faults, err)
		}
	}
	for _, lock := range []string{store.StoreLock, ledger.QueueLock, ledger.ReplayLock} {
		if _, err := st.SharedState().ReadUpTo(lock, 0); statedir.IsLink(err) {
			faults = append(faults, err)
		}
	}
	return faults
}
