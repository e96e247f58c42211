package exchange

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/internal/yamltext"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	recovery "github.com/memctl/memctl/recover"
)

const (
	entriesFolder  = store.MemoriesDir + "/"
	attributesFile = ".gitattributes"
	// maxEntryBytes caps an entry that is merged or scanned.
	maxEntryBytes = 1 << 20
	// maxSyncFiles caps the files of a remote's branch.
	maxSyncFiles = 200_000
)

// merging is the merge of two commits, file by file.
type merging struct {
	st                 *store.Store
	base, ours, theirs map[string]object.Item
	commits            [2]string // ours and theirs
	related            bool      // there is a common ancestor
	files              map[string]object.Item
	written            map[string][]byte // what the merge itself made, by path
	digits             int               // of an object's id
	notes              []fault.Note
}

// merge reads both sides and merges them. Nothing is written.
func (s *syncing) merge(ctx context.Context, bases []string) (*merging, error) {
	m := &merging{st: s.st, commits: [2]string{s.ours, s.theirs}, related: len(bases) > 0, files: map[string]object.Item{}, written: map[string][]byte{}, digits: max(len(s.ours), len(s.theirs))}
	commits := []string{"", s.ours, s.theirs}
	if len(bases) > 0 {
		commits[0] = bases[0] // where both parted
	}
	for i, files := range []*map[string]object.Item{&m.base, &m.ours, &m.theirs} {
		var err error
		if *files, err = object.Files(ctx, s.st.Repo, commits[i], maxSyncFiles); err != nil {
			return nil, err
		}
	}
	filtered := worktree.Filtered(ctx, s.st.Repo, memfile.FileName)
	if f := m.theirs[attributesFile]; f.ID != "" && !filtered {
		src, err := m.blob(ctx, attributesFile, f, maxEntryBytes)
		if err != nil {
			return nil, err
		}
		filtered = bytes.Contains(src, []byte("filter="))
	}
	if filtered { // what git keeps is no text that sync could merge, and what it would send is not to be read there
		return nil, fault.New(fault.NotAStore, s.out.Remote, "git stores its files through a filter, so memctl sync neither fetches nor sends anything; use git pull and git push in "+s.st.Dir)
	}
	if s.theirs == "" {
		m.files = m.ours
		return m, nil
	}
	if file := m.foreignFile(); file != "" && !m.related {
		return nil, fault.New(fault.NotAStore, s.out.Remote, fmt.Sprintf("branch %s is not a memory store: it contains %s", s.out.Branch, file))
	}
	for _, name := range m.names() {
		if err := m.file(ctx, name); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// foreignFile names a file of theirs that no store of memory has: then the remote
// is likely a project, which nothing personal shall be pushed to.
func (m *merging) foreignFile() string {
	for _, name := range slices.Sorted(maps.Keys(m.theirs)) {
		base, _, _ := strings.Cut(strings.ToLower(name), ".")
		switch {
		case name == memfile.FileName, strings.HasPrefix(name, entriesFolder), store.IsSkill(name):
		case strings.Contains(name, "/"):
			return name
		case base == "", base == "readme", base == "license", base == "licence":
		default:
			return name
		}
	}
	return ""
}

// names lists every path of either side and of the result, sorted.
func (m *merging) names() []string {
	all := slices.Collect(maps.Keys(m.ours))
	all = slices.AppendSeq(all, maps.Keys(m.theirs))
	all = slices.AppendSeq(all, maps.Keys(m.files))
	slices.Sort(all)
	return slices.Compact(all)
}

// file merges one path.
func (m *merging) file(ctx context.Context, name string) error {
	base, ours, theirs := m.base[name], m.ours[name], m.theirs[name]
	if theirs.ID != "" && !theirs.Regular() && theirs != ours {
		m.notes = append(m.notes, fault.NewNote("not-a-regular-file", "left out at the remote, because it is not a regular file: "+policy.ShownPath(name)))
		theirs = ours
	}
	switch {
	case ours == theirs:
		m.keep(name, ours)
	case name == memfile.FileName:
		return m.memory(ctx, name, base, ours, theirs)
	case m.related && base == ours:
		m.keep(name, theirs)
	case m.related && base == theirs:
		m.keep(name, ours)
	case strings.HasPrefix(name, entriesFolder) && !store.IsContextFile(name):
		return m.entry(ctx, name, base, ours, theirs)
	case ours.ID == "":
		m.keep(name, theirs)
	case store.IsContextFile(name) && theirs.ID != "":
		return m.lines(ctx, name, base, ours, theirs)
	case theirs.ID != "":
		m.keepOurs(name, ours, "is not memory")
	default:
		m.keep(name, ours)
	}
	return nil
}

// keepOurs keeps this store's version of a file that both sides changed and nothing merges.
func (m *merging) keepOurs(name string, ours object.Item, because string) {
	m.keep(name, ours)
	m.notes = append(m.notes, fault.NewNote("file-conflict", "both sides changed "+policy.ShownPath(name)+", which "+because+"; this store's version is kept, and the other is in the merge's second parent"))
}

func (m *merging) keep(name string, f object.Item) {
	if f.ID != "" {
		m.files[name] = f
	}
}

// put makes content the path's file in the result.
func (m *merging) put(name string, content []byte) {
	m.written[name] = content
	m.files[name] = object.Item{Mode: "100644", Name: name, ID: object.BlobID(m.digits, content)}
}

// memory merges the memory file. A sync never deletes the whole file, because that forgets
// nothing. Histories that were merged by hand can have several merge bases: only one is
// used, so values that differ since another one are in conflict.
func (m *merging) memory(ctx context.Context, name string, base, ours, theirs object.Item) error {
	if theirs.ID == "" {
		m.keep(name, ours)
		return nil
	}
	sides, err := m.sides(ctx, name, memfile.MaxFileBytes, base, ours, theirs)
	if err != nil {
		return err
	}
	if ours.ID == "" {
		sides[1] = sides[2]
	}
	their, _ := memfile.Parse(name, sides[2])
	our, _ := memfile.Parse(name, sides[1])
	for file, where := range map[*memfile.File]string{our: m.st.Name(), their: name + " at the remote"} {
		if file != nil && file.Document().Version > 1 {
			return txn.NewerVersion(where, file.Document().Version)
		}
	}
	opt := contents.RecoveryOptions(m.st)
	opt.Named = contents.Named(ctx, m.st.Repo, name, m.commits[:]...)
	if f, _ := memfile.Parse(name, sides[0]); f == nil && sides[0] != nil {
		opt.Base = contents.LastSound(ctx, m.st) // damaged before both sides parted
	}
	merged, err := recovery.MergeFile(name, sides[0], sides[1], sides[2], opt)
	switch {
	case errors.Is(err, recovery.ErrPageSide) && their == nil && memfile.IsPage(sides[2]):
		return txn.Foreign(m.st.Scope, name+" at the remote", false)
	case errors.Is(err, recovery.ErrPageSide):
		return txn.Foreign(m.st.Scope, m.st.Name(), false)
	case err != nil:
		return err
	case len(merged.Bytes) > memfile.MaxFileBytes:
		return safefile.TooLarge(m.st.Name(), 0, memfile.MaxFileBytes)
	}
	m.notes = append(m.notes, merged.Notes...)
	switch {
	case bytes.Equal(merged.Bytes, sides[2]):
		m.keep(name, theirs)
	case bytes.Equal(merged.Bytes, sides[1]):
		m.keep(name, ours)
	default:
		m.put(name, merged.Bytes)
	}
	return nil
}

// entry merges an entry that both sides changed. Deleted on one side is
// deleted; the other side's change is set aside among the deleted ones.
func (m *merging) entry(ctx context.Context, name string, base, ours, theirs object.Item) error {
	switch {
	case ours.ID == "" && m.related && base.ID != "":
		return m.setAside(ctx, name, theirs)
	case theirs.ID == "" && m.related && base.ID != "":
		return m.setAside(ctx, name, ours)
	case ours.ID == "":
		m.keep(name, theirs)
		return nil
	case theirs.ID == "":
		m.keep(name, ours)
		return nil
	}
	sides, err := m.sides(ctx, name, maxEntryBytes, base, ours, theirs)
	if err != nil {
		return m.unlessLarge(name, ours, err)
	}
	merged, err := recovery.MergeFile(name, sides[0], sides[1], sides[2], recovery.Options{})
	if err != nil {
		m.keepOurs(name, ours, "cannot be merged")
		return nil
	}
	m.notes = append(m.notes, merged.Notes...)
	m.put(name, merged.Bytes)
	return nil
}

// unlessLarge keeps this store's version of a file that is too large to be merged. Any other error stays.
func (m *merging) unlessLarge(name string, ours object.Item, err error) error {
	if !fault.Is(err, fault.TooLarge) {
		return err
	}
	m.keepOurs(name, ours, "is over 1 MB")
	return nil
}

// sides reads the versions of a file; nil for one that is not there.
func (m *merging) sides(ctx context.Context, name string, most int64, versions ...object.Item) (sides [3][]byte, err error) {
	for i, f := range versions {
		if f.ID == "" {
			continue
		}
		if sides[i], err = m.blob(ctx, name, f, most); err != nil {
			return sides, err
		}
	}
	return sides, nil
}

// lines merges a context file that both sides changed, line by line.
func (m *merging) lines(ctx context.Context, name string, base, ours, theirs object.Item) error {
	sides, err := m.sides(ctx, name, maxEntryBytes, base, ours, theirs)
	if err != nil {
		return m.unlessLarge(name, ours, err)
	}
	merged, clean, err := entry.MergeMarkdown(string(sides[0]), string(sides[1]), string(sides[2]))
	if front, has := yamltext.FrontMatter([]byte(merged)); has && err == nil {
		_, err = yamltext.Parse(yamltext.Source{Text: front, To: len(front), Line: 2})
	}
	if err != nil {
		m.keepOurs(name, ours, "has front matter that cannot be merged")
		return nil
	}
	if !clean {
		m.notes = append(m.notes, fault.NewNote("line-conflict", "both sides changed the same lines of "+policy.ShownPath(name)+", so it has both versions of these lines; delete the wrong ones"))
	}
	m.put(name, []byte(merged))
	return nil
}

// setAside keeps a file under the folder of the deleted ones, unless something
// stands there already.
func (m *merging) setAside(ctx context.Context, name string, f object.Item) error {
	to := entry.DeletedPath(name)
	if to == name || m.ours[to].ID != "" || m.theirs[to].ID != "" || m.files[to].ID != "" {
		return nil // git has it
	}
	content, err := m.blob(ctx, name, f, maxEntryBytes)
	if fault.Is(err, fault.TooLarge) {
		return nil
	}
	if err != nil {
		return err
	}
	m.notes = append(m.notes, fault.NewNote("deleted-one-side", "deleted on one side and changed on the other: "+name+" is moved to "+to+bringsBack(to)))
	m.put(to, content)
	return nil
}

// bringsBack names the command that restores a deleted entry by the id in its file's name; "" where that would be a flag.
func bringsBack(name string) string {
	p, _ := entry.ParsePath(name)
	id := entry.ShortID(p.ID)
	if id == "" || id[0] == '-' {
		return ""
	}
	return ": memctl restore " + shell.Quote(id) + " restores it"
}

// blob reads one side's file, up to max bytes.
func (m *merging) blob(ctx context.Context, name string, f object.Item, max int64) ([]byte, error) {
	data, err := object.Blob(ctx, m.st.Repo, f.ID)
	if int64(len(data)) > max {
		return nil, safefile.TooLarge(policy.ShownPath(name), int64(len(data)), max)
	}
	return data, err
}

// content is the path's file in the result.
func (m *merging) content(ctx context.Context, name string) ([]byte, error) {
	if content, ok := m.written[name]; ok {
		return content, nil
	}
	f, ok := m.files[name]
	if !ok {
		return nil, nil
	}
	return m.blob(ctx, name, f, memfile.MaxFileBytes)
}
