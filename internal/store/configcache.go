package store

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/settings"
	"github.com/memctl/memctl/internal/store/statedir"
)

// Lookup is what memctl needs of git's configuration: its own settings, and
// whether there is a remote. Asking git costs more than all the rest of a
// session's start, so the answer is cached beside the snapshot for as long as
// every file that it came from, or could have come from, is as it was.
type Lookup struct {
	Found  map[string][]settings.ConfigEntry `json:"found"` // by folded name
	Remote bool                              `json:"remote"`
	Named  string                            `json:"named"` // what the remote's address calls the repository
	// Upstream is the remote whose default branch counts as reviewed; "" for none.
	Upstream string `json:"upstream"`
	Person   bool   `json:"person"` // it names who commits
	// AttributesFile is core.attributesFile, of whatever level.
	AttributesFile string `json:"attributes_file"`
	// Commits is what the settings say of commits.
	Commits committer.Settings `json:"commits"`
	// More says that memctl has settings beside those in Found, which are not copied
	// into the cache: the keys and addresses of models.
	More bool `json:"more"`
	// Models says that the person configured a model; see Stores.Providers.
	Models bool `json:"models"`
	// Shared names the server of the shared index: see ServerName. "" for none.
	Shared string `json:"shared"`
	Silent bool   `json:"-"` // git did not answer, so that nothing is known
}

func (l *Lookup) all(row settings.Setting) []settings.ConfigEntry {
	return l.Found[gitops.FoldKey(row.Name)]
}

// cachedLookup is the cache file.
type cachedLookup struct {
	Environment []string    `json:"environment"`
	Files       []fileState `json:"files"`
	Lookup
}

// fileState is how a file stood: zero where it was not there.
type fileState struct {
	Path  string `json:"path"`
	Size  int64  `json:"size"`
	MTime int64  `json:"mtime"` // nanoseconds
}

const (
	// LookupFile is the cache of what git's configuration says.
	LookupFile = "config.json"
	// settled is the age from which a file's time tells that it has not changed:
	// two changes within one tick of the clock look the same.
	settled = 2 * time.Second
)

// LookupConfig reads memctl's part of git's configuration, once a session. A
// machine without git has none.
func (ss *Stores) LookupConfig(ctx context.Context) *Lookup { return ss.lookUp(ctx, ss.repo) }

// GitConfig is LookupConfig for the repository of a store.
func (st *Store) GitConfig(ctx context.Context) *Lookup { return st.Stores.lookUp(ctx, st.Repo) }

// lookUp reads the cache, and where that does not hold, asks git. An identity that a store of our own borrows is not in the cache.
func (ss *Stores) lookUp(ctx context.Context, repo *gitops.Repo) *Lookup {
	if l, known := ss.found.Load(repo); known {
		return l.(*Lookup)
	}
	files, environment, ok := configFiles(repo)
	var l *Lookup
	if ok {
		l = ss.loadLookup(repo, files, environment)
	}
	if l == nil {
		l = ss.askGit(ctx, repo, files, environment, ok)
	}
	if ss.found.Store(repo, l); repo != nil {
		worktree.SetAttributesFile(repo, l.AttributesFile)
	}
	return l
}

// askGit reads the configuration, and writes the cache if it may hold.
func (ss *Stores) askGit(ctx context.Context, repo *gitops.Repo, files, environment []string, ok bool) *Lookup {
	config, answered := ss.gitConfig(ctx, repo)
	l := &Lookup{Found: map[string][]settings.ConfigEntry{}, Remote: config.HasRemote(), Named: remoteName(config), Upstream: upstreamOf(config), Person: config.NamesSomebody(), Commits: committer.SettingsOf(config), Shared: sharedServer(config), Silent: !answered}
	if e, ok := config.Get("core.attributesFile"); ok {
		l.AttributesFile = e.Value
	}
	for _, e := range config.All(settingSection) {
		if name := gitops.FoldKey(e.Key); mayCache(name) {
			l.Found[name] = append(l.Found[name], entryOf(e))
		} else {
			l.More = true
		}
	}
	l.Models = slices.ContainsFunc(config.All(providerSection), func(e gitops.Entry) bool { _, _, ok := providerSetting(e); return ok })
	includes := len(config.All("include.")) + len(config.All("includeif.")) // files that may not be there yet
	if ok && answered && includes == 0 && !config.Borrows {
		for _, path := range config.Files() {
			if !slices.Contains(files, path) {
				files = append(files, path) // a system-wide file in a place of its own
			}
		}
		ss.saveLookup(repo, config.Asked, cachedLookup{Environment: environment, Lookup: *l}, files)
	}
	return l
}

// settingSection begins the name of every setting, and rankingSection of those that
// are numbers and globs of recall.
const (
	settingSection = "memctl."
	rankingSection = "memctl.recall."
)

// cachedRows are the rows whose values the cache has.
func cachedRows() []settings.Setting { return append(Rows(), accept, PrivateID) }

// mayCache reports whether a setting of that name, folded, may stand in the cache. The
// floors above have settings of their own, of which some are secret.
func mayCache(name string) bool {
	return strings.HasPrefix(name, rankingSection) || slices.ContainsFunc(cachedRows(), func(r settings.Setting) bool { return gitops.FoldKey(r.Name) == name })
}

// OtherSettings lists the settings of git config that the stores have no row of, with their places.
func (ss *Stores) OtherSettings(ctx context.Context) (list []settings.Value) {
	config, _ := ss.gitConfig(ctx, ss.repo)
	for _, e := range config.All(settingSection) {
		if !slices.ContainsFunc(cachedRows(), func(r settings.Setting) bool { return gitops.FoldKey(r.Name) == gitops.FoldKey(e.Key) }) {
			v, _ := settings.Resolve(settings.Setting{Name: e.Key}, func(string) string { return "" }, oneEntry{entryOf(e)})
			list = append(list, v)
		}
	}
	return list
}

// oneEntry is a source of settings that has one entry.
type oneEntry struct{ entry settings.ConfigEntry }

func (o oneEntry) Entries(string) []settings.ConfigEntry { return []settings.ConfigEntry{o.entry} }

func entryOf(e gitops.Entry) settings.ConfigEntry {
	return settings.ConfigEntry{Value: e.Value, Level: e.Scope, File: e.Origin}
}

// configured is the source of one setting: the cache, or git where the setting is
// none that stands in it.
type configured struct {
	ctx context.Context
	ss  *Stores
}

// Entries makes it a source of settings.
func (c configured) Entries(name string) []settings.ConfigEntry {
	l := c.ss.LookupConfig(c.ctx)
	if key := gitops.FoldKey(name); !l.More || mayCache(key) {
		return l.Found[key]
	}
	config, _ := c.ss.gitConfig(c.ctx, c.ss.repo)
	var list []settings.ConfigEntry
	for _, e := range config.All(name) {
		list = append(list, entryOf(e))
	}
	return list
}

// configFiles are the files that git reads here, and the environment that
// chooses them; false where the answer may come from elsewhere.
func configFiles(repo *gitops.Repo) (files []string, environment []string, ok bool) {
	if repo == nil {
		return nil, nil, false
	}
	for _, kv := range gitops.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		switch {
		case name == "GIT_CONFIG_COUNT", name == "GIT_CONFIG_PARAMETERS", name == "GIT_DIR", name == "GIT_COMMON_DIR":
			return nil, nil, false
		case name == "GIT_CONFIG_GLOBAL", name == "GIT_CONFIG_SYSTEM":
			files = append(files, value)
			environment = append(environment, kv)
		case name == "HOME", name == "XDG_CONFIG_HOME", strings.HasPrefix(name, "GIT_CONFIG"):
			environment = append(environment, kv)
		}
	}
	// A memctl that knows other settings has looked for others.
	environment = append(environment, "lookup 9")
	for _, row := range cachedRows() {
		environment = append(environment, row.Name)
	}
	slices.Sort(environment)
	home := gitops.Home(os.Getenv)
	xdgHome := os.Getenv("XDG_CONFIG_HOME")
	if xdgHome == "" {
		xdgHome = filepath.Join(home, ".config")
	}
	return append(files,
		"/etc/gitconfig", filepath.Join(home, ".gitconfig"), filepath.Join(xdgHome, "git", "config"),
		filepath.Join(repo.CommonDir, "config"), filepath.Join(repo.GitDir, "config.worktree"),
	), environment, true
}

func stateOf(path string) fileState {
	info, err := os.Stat(path)
	if err != nil {
		return fileState{Path: path}
	}
	return fileState{Path: path, Size: info.Size(), MTime: info.ModTime().UnixNano()}
}

func (ss *Stores) loadLookup(repo *gitops.Repo, files, environment []string) *Lookup {
	c, err := ss.lookupFile(repo).Read()
	if err != nil || !slices.Equal(c.Environment, environment) || len(c.Files) < len(files) {
		return nil
	}
	for i, f := range c.Files {
		if i < len(files) && f.Path != files[i] || stateOf(f.Path) != f {
			return nil
		}
	}
	return &c.Lookup
}

// saveLookup writes the cache, unless a file was changed shortly before git read it, or after that.
func (ss *Stores) saveLookup(repo *gitops.Repo, asked time.Time, c cachedLookup, files []string) {
	limit := asked.Add(-settled).UnixNano()
	for _, path := range files {
		f := stateOf(path)
		if f.MTime > limit {
			return
		}
		c.Files = append(c.Files, f)
	}
	_ = ss.lookupFile(repo).Write(c)
}

func (ss *Stores) lookupFile(repo *gitops.Repo) statedir.File[cachedLookup] {
	return statedir.File[cachedLookup]{In: ss.inGitFolder(repo.GitDir), Name: LookupFile, Quick: true}
}

// upstreamOf is the remote called upstream, else origin, else the only one
// there is.
func upstreamOf(config *gitops.Config) string {
	var remotes []string
	for _, e := range config.All("remote.") {
		if name, ok := strings.CutSuffix(strings.TrimPrefix(e.Key, "remote."), ".url"); ok && !slices.Contains(remotes, name) {
			remotes = append(remotes, name)
		}
	}
	switch {
	case slices.Contains(remotes, "upstream"):
		return "upstream"
	case slices.Contains(remotes, "origin"):
		return "origin"
	case len(remotes) == 1:
		return remotes[0]
	}
	return ""
}

// CommitSettings is what git's settings say of commits to the store; nil where git does
// not answer.
func (st *Store) CommitSettings(ctx context.Context) *committer.Settings {
	if l := st.GitConfig(ctx); !l.Silent {
		return &l.Commits
	}
	return nil
}
