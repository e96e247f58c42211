package contents

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
)

// Reviewed tells what `trust reviewed` lets through: what stands on the
// upstream's default branch, and what was last written through memctl on this
// machine. A branch that somebody else pushed is neither, even when it is
// checked out here, or brings back what was written here before.
type Reviewed struct {
	ss       *store.Stores
	branch   string // the commit of the upstream's default branch; "" where none is known
	same     bool   // the memory file is byte for byte the branch's
	upstream map[string][]memfile.Item
	// written has the digests of items and entries that were written here, in any branch or worktree; true for one
	// that no act has replaced or forgotten since. nil: not read yet.
	written map[string]bool
}

// LoadReviewed reads what has been reviewed, for the project's store. Without a
// default branch that is known here, only what was written on this machine
// counts. It is read once a session, and again after a write.
func LoadReviewed(ctx context.Context, ss *store.Stores) *Reviewed {
	r, _ := ss.Remembered(store.CachedReview).(*Reviewed)
	if r == nil {
		r = readReviewed(ctx, ss)
		ss.CacheValue(store.CachedReview, r)
	}
	return r
}

func readReviewed(ctx context.Context, ss *store.Stores) *Reviewed {
	r := &Reviewed{ss: ss, branch: defaultBranch(ctx, ss), upstream: map[string][]memfile.Item{}}
	st, err := ss.Get(ctx, store.Project)
	if err != nil || st.Repo == nil {
		return r
	}
	if src, ok := r.Version(ctx, st.GitPath()); ok {
		now, err := BytesAsRead(st)
		r.same = err == nil && bytes.Equal(src, now)
		if !r.same {
			for _, it := range OldDocument(st, src).Items {
				r.upstream[it.Key] = append(r.upstream[it.Key], it)
			}
		}
	}
	if !r.same {
		r.readWritten()
	}
	return r
}

func (r *Reviewed) readWritten() {
	if r.written != nil {
		return
	}
	r.written = map[string]bool{}
	data, err := r.ss.RepositoryState().Read(WrittenFile)
	if err != nil {
		return
	}
	for _, line := range strings.Fields(string(data)) {
		digest, lapsed := strings.CutPrefix(line, lapsedMark)
		if again, twice := strings.CutPrefix(digest, lapsedMark); twice {
			delete(r.written, again)
			continue
		}
		r.written[digest] = !lapsed
	}
}

// HasDefaultBranch reports whether the upstream's default branch is known here.
func (r *Reviewed) HasDefaultBranch() bool { return r.branch != "" }

// HasItem reports whether the project's item is reviewed.
func (r *Reviewed) HasItem(it *Item) bool {
	if r.same || r.written[writtenDigest(it.Item)] {
		return true
	}
	return slices.ContainsFunc(r.upstream[it.Key], func(up memfile.Item) bool { return covers(up, it.Item) })
}

// HasFile reports whether a file of the project, by its path from the root with
// slashes, stands on the default branch with these bytes.
func (r *Reviewed) HasFile(ctx context.Context, name string, data []byte) bool {
	src, ok := r.Version(ctx, name)
	return ok && bytes.Equal(src, data)
}

// HasEntry reports whether the file of an entry of the project stands on the default
// branch with these bytes, or was written on this machine.
func (r *Reviewed) HasEntry(ctx context.Context, st *store.Store, name string, data []byte) bool {
	r.readWritten()
	if r.written[writtenFileDigest(name, data)] {
		return true
	}
	return st.Repo != nil && r.HasFile(ctx, st.GitPathOf(name), data)
}

// Version returns the bytes that a file of the project has on the default branch; ok is false where there is none.
func (r *Reviewed) Version(ctx context.Context, name string) (data []byte, ok bool) {
	if r.branch == "" {
		return nil, false
	}
	src, ok, err := AsWritten(ctx, r.ss.Repo(), r.branch, name)
	return src, ok && err == nil
}

// covers reports whether the reviewed item lets the other one through: it
// says the same, and the other claims no more weight than it.
func covers(reviewed, it memfile.Item) bool {
	confirmed := func(it memfile.Item) bool { return !it.HasTag(memfile.TagNeedsConfirmation) }
	return memfile.Equal(reviewed.Value, it.Value) &&
		labels.ConfidenceRank(it.Confidence) <= labels.ConfidenceRank(reviewed.Confidence) &&
		(reviewed.Pinned || !it.Pinned) && (reviewed.Locked || !it.Locked) &&
		(confirmed(reviewed) || !confirmed(it)) &&
		labels.Same(reviewed.Labels, it.Labels, labels.Applicability) && reviewed.Ask == it.Ask
}

// defaultBranch is the commit of the upstream's default branch, as the last
// fetch left it; "" where none is known.
func defaultBranch(ctx context.Context, ss *store.Stores) string {
	if ss.Repo() == nil {
		return ""
	}
	remote := ss.LookupConfig(ctx).Upstream
	if remote == "" {
		return ""
	}
	for _, branch := range []string{"HEAD", "main", "master"} {
		if id, err := object.Resolve(ctx, ss.Repo(), "refs/remotes/"+remote+"/"+branch); err == nil {
			return id
		}
	}
	return ""
}

// OnDefault is the default branch and its commit, where another one is checked out: the local branch, else as the last fetch
// left it. Without a remote it is the branch on which init ran. "" where none is known.
func OnDefault(ctx context.Context, ss *store.Stores) (name, commit string) {
	if ss.Repo() == nil {
		return "", ""
	}
	branch := cmp.Or(ss.DefaultBranch(ctx), ss.InitBranch())
	if state, err := ss.Repo().State(); err != nil || branch == "" || state.Branch == branch {
		return "", ""
	}
	upstream := ss.LookupConfig(ctx).Upstream + "/" + branch
	if id, err := object.Resolve(ctx, ss.Repo(), "refs/heads/"+branch); err == nil {
		return branch, id
	}
	if id, err := object.Resolve(ctx, ss.Repo(), "refs/remotes/"+upstream); err == nil {
		return upstream, id
	}
	return "", ""
}

const (
	// WrittenFile lists the digests of the project's items that were written
	// through memctl on this machine, a line each. One with lapsedMark was replaced or forgotten since; one with
	// two was so again while it did not count, and an undo does not make it count.
	// The journal cannot tell this: it is cut, a folder without a repository has none, and a mirror clone brings somebody
	// else's. A session's start would also have to parse each of its versions.
	WrittenFile = "written"
	lapsedMark  = "-"
	// maxWrittenBytes is where the list is cut down to its newest half.
	maxWrittenBytes = 1 << 20
)

// writtenDigest names an item as it was written: its value, and what decides
// how it is shown.
func writtenDigest(it memfile.Item) string {
	parts := []any{it.Key, it.Value.Canonical(), it.Confidence, it.Pinned, it.Locked, it.Expires, it.Paths, it.HasTag(memfile.TagNeedsConfirmation)}
	if len(it.Commands) > 0 || it.Ask { // an item without them has the digest that earlier versions wrote
		parts = append(parts, it.Commands, it.Ask)
	}
	if len(it.When) > 0 {
		parts = append(parts, "when", it.When)
	}
	said, err := json.Marshal(parts)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(said)
	return hex.EncodeToString(sum[:16])
}

// foreignItems returns a test for items of the project that this person does not vouch for:
// the person does not trust the repository, or trusts only what is reviewed, and the
// item was neither reviewed nor written on this machine. nil where nothing is foreign.
func foreignItems(ctx context.Context, ss *store.Stores) func(scope string, it *Item) bool {
	level := ss.TrustLevel(ctx)
	if level == store.TrustAll {
		return nil
	}
	vouched := sync.OnceValue(func() *Reviewed { // few sessions have an item of the project
		if level == store.TrustReviewed {
			return LoadReviewed(ctx, ss)
		}
		r := &Reviewed{ss: ss}
		r.readWritten()
		return r
	})
	return func(scope string, it *Item) bool { return scope == store.Project && !vouched().HasItem(it) }
}

// WrittenHere reports whether memctl has ever written the item, as it is now, on this machine.
func WrittenHere(ss *store.Stores, scope string, it *Item) bool {
	return scope != store.Project || everWritten(ss, writtenDigest(it.Item))
}

func everWritten(ss *store.Stores, digest string) bool {
	r := &Reviewed{ss: ss}
	r.readWritten()
	_, ever := r.written[digest]
	return ever
}

// EntryWrittenHere is WrittenHere for the file of an entry.
func EntryWrittenHere(st *store.Store, name string) bool {
	src, err := EntryBytes(st, name)
	return st.Scope != store.Project || err == nil && everWritten(st.Stores, writtenFileDigest(name, src))
}

// NoteWritten remembers which items and entries a write made or changed, and which files of skills a
// person did, where a person may later trust only what is reviewed or their own. What an agent's write
// left with the same value or text counts only if it counted before: an agent that confirms or
// locks somebody else's item does not review it. What a write replaced or removed counts no more: a branch
// that brings it back is not the person's word. What an undo or redo brings back counts only if it
// counted before the act that is undone.
func NoteWritten(ctx context.Context, st *store.Store, deltas []memfile.Delta, files []store.FileChange, byAgent bool, act string) error {
	if st.Scope != store.Project {
		return nil
	}
	vouched := sync.OnceValue(func() *Reviewed { return LoadReviewed(ctx, st.Stores) })
	here := &Reviewed{ss: st.Stores}
	here.readWritten()
	var lines []byte
	note := func(was, is string) {
		switch counts, ever := here.written[was]; {
		case counts:
			lines = append(lines, lapsedMark+was+"\n"...)
		case ever:
			lines = append(lines, lapsedMark+lapsedMark+was+"\n"...)
		}
		if _, ever := here.written[is]; is != "" && (ever || act != "undo" && act != "redo") {
			lines = append(lines, is+"\n"...)
		}
	}
	for _, d := range deltas {
		was, is := "", ""
		if d.Before != nil {
			was = writtenDigest(*d.Before)
		}
		if d.After != nil {
			is = writtenDigest(*d.After)
		}
		if byAgent && d.Before != nil && d.After != nil && memfile.Equal(d.Before.Value, d.After.Value) && !vouched().HasItem(&Item{Item: *d.Before}) {
			is = ""
		}
		if was != is {
			note(was, is)
		}
	}
	for _, c := range files {
		before, after, was, is := entry.ParseOrNil(c.Path, c.Before), entry.ParseOrNil(c.Path, c.After), "", ""
		_, isEntry := entry.ParsePath(c.Path)
		if st.Repo == nil || !isEntry && (byAgent || !store.IsSkill(c.Path)) {
			continue
		}
		counted := byAgent && before != nil && after != nil && before.Text == after.Text // a signal, in one branch
		if c.Before != nil && !counted {
			was = writtenFileDigest(c.Path, c.Before)
		}
		if c.After != nil && !(counted && !vouched().HasEntry(ctx, st, c.Path, c.Before)) {
			is = writtenFileDigest(c.Path, c.After)
		}
		note(was, is)
	}
	return appendWritten(st, lines)
}

// Vouch remembers an item of the project that a person has confirmed as it is, and reports whether it was foreign or edited
// before. A fault of local state leaves it so.
func Vouch(ctx context.Context, st *store.Store, key string) (foreign, edited bool) {
	m, err := Read(ctx, st)
	if st.Scope != store.Project || err != nil || m.Find(key) == nil {
		return false, false
	}
	it := *m.Find(key)
	if edited = it.Edit != nil; edited {
		it.Labels = it.written
	}
	is := foreignItems(ctx, st.Stores)
	foreign = is != nil && is(st.Scope, &it)
	if !foreign && !edited || appendWritten(st, []byte(writtenDigest(it.Item)+"\n")) != nil {
		return false, false
	}
	st.DropCache()
	return foreign, edited
}

// VouchEntry is Vouch for the file of an entry, under trust reviewed.
func VouchEntry(ctx context.Context, st *store.Store, name string) bool {
	if st.Scope != store.Project || st.Stores.TrustLevel(ctx) != store.TrustReviewed {
		return false
	}
	src, err := EntryBytes(st, name)
	if err != nil || src == nil || LoadReviewed(ctx, st.Stores).HasEntry(ctx, st, name, src) {
		return false
	}
	defer st.DropCache()
	return appendWritten(st, []byte(writtenFileDigest(name, src)+"\n")) == nil
}

// writtenFileDigest names an entry's file as it was written.
func writtenFileDigest(name string, data []byte) string {
	sum := sha256.Sum256(append([]byte(name+"\x00"), data...))
	return hex.EncodeToString(sum[:16])
}

func appendWritten(st *store.Store, lines []byte) error {
	if lines == nil {
		return nil
	}
	return st.Stores.RepositoryState().Append(WrittenFile, bytes.TrimSuffix(lines, []byte{'\n'}), maxWrittenBytes)
}
