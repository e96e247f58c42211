package exchange

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/store"
)

const attributesFile = ".gitattributes"

// filters turns what git keeps into text and back, where the store's attributes name a
// filter, as one that encrypts. Nil where no side has attributes.
type filters struct {
	st    *store.Store
	with  []string // the setting that names the remote's attributes, where the store has none yet
	names map[string]string
}

// filtersOf are the filters of a merge, and the function that ends them. Error: where the
// remote has filters and this store's own commits were made without.
func (s *syncing) filtersOf(ctx context.Context) (f *filters, end func() error, err error) {
	end = func() error { return nil }
	ours, err := remotes.Tree(ctx, s.st.Repo, s.ours)
	if err != nil {
		return nil, end, err
	}
	theirs, err := remotes.Tree(ctx, s.st.Repo, s.theirs)
	if err != nil || ours[attributesFile].ID == "" && theirs[attributesFile].ID == "" {
		return nil, end, err
	}
	f = &filters{st: s.st, names: map[string]string{}}
	if ours[attributesFile].ID != "" {
		return f, end, nil
	}
	dir, err := os.MkdirTemp(s.st.Repo.GitDir, gitops.OwnIndexPrefix)
	if err != nil {
		return nil, end, err
	}
	end = func() error { return os.RemoveAll(dir) }
	src, err := object.Blob(ctx, s.st.Repo, theirs[attributesFile].ID)
	if err != nil {
		return nil, end, err
	}
	file := filepath.Join(dir, "attributes")
	if err := os.WriteFile(file, src, 0o600); err != nil {
		return nil, end, err
	}
	f.with = []string{"core.attributesFile=" + file}
	for name := range ours {
		filter, err := f.of(ctx, name)
		if err != nil {
			return f, end, err
		}
		if filter != "" {
			return f, end, fault.New(fault.NotAStore, s.out.Remote,
				"stores its files through the filter "+filter+", and this store's commits were made without it, so nothing is sent")
		}
	}
	return f, end, nil
}

// of names the path's filter; "" for none. Error: a filter that is not set up here, because
// git would take what it keeps for the text.
func (f *filters) of(ctx context.Context, name string) (string, error) {
	if f == nil {
		return "", nil
	}
	if filter, ok := f.names[name]; ok {
		return filter, nil
	}
	out, err := f.st.Repo.Git(ctx, gitops.Call{Args: []string{"check-attr", "-z", "filter", "--", name}, Config: f.with})
	if err != nil {
		return "", err
	}
	filter := ""
	if fields := strings.Split(string(out), "\x00"); len(fields) > 2 && fields[2] != "unspecified" && fields[2] != "unset" && fields[2] != "set" {
		filter = fields[2]
	}
	if filter != "" {
		config, err := f.st.Repo.Config(ctx)
		if err != nil {
			return "", err
		}
		_, process := config.Get("filter." + filter + ".process")
		_, smudge := config.Get("filter." + filter + ".smudge")
		_, clean := config.Get("filter." + filter + ".clean")
		if !process && !(smudge && clean) {
			return "", fault.New(fault.NotAStore, name, "uses the filter "+filter+", but git has no commands for it on this machine, so sync neither fetches nor sends anything")
		}
	}
	f.names[name] = filter
	return filter, nil
}

// text is a blob as the filter of its path gives it back. Older commits may have the text as
// it is, made before there was a filter.
func (f *filters) text(ctx context.Context, st *store.Store, name, id string) ([]byte, error) {
	filter, err := f.of(ctx, name)
	if err != nil {
		return nil, err
	}
	raw, err := object.Blob(ctx, st.Repo, id)
	if filter == "" || err != nil {
		return raw, err
	}
	out, failed := st.Repo.Git(ctx, gitops.Call{Args: []string{"cat-file", "--filters", "--path=" + name, id}, Config: f.with})
	if failed == nil {
		return out, nil
	}
	if utf8.Valid(raw) && !strings.Contains(string(raw), "\x00") {
		return raw, nil
	}
	return nil, gitops.PublicError(failed)
}

// store writes a text as the filter of its path keeps it, and gives the blob's id; "" where
// there is no filter.
func (f *filters) store(ctx context.Context, st *store.Store, name string, text []byte) (string, error) {
	filter, err := f.of(ctx, name)
	if filter == "" || err != nil {
		return "", err
	}
	out, err := st.Repo.Git(ctx, gitops.Call{
		Args: []string{"hash-object", "-w", "--stdin", "--path=" + name}, Config: append(gitops.QuietConfig(), f.with...), Stdin: append([]byte{}, text...), Writes: true})
	if err != nil {
		return "", st.Repo.Explain(err)
	}
	return strings.TrimSpace(string(out)), nil
}
