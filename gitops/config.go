package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Config is every effective setting, by git's own rules, from one start of git.
type Config struct {
	Asked   time.Time // when git was
	Borrows bool      // it names nobody itself, so that the identity is that of Repo.Lender, if there is one
	entries []Entry   // in git's order: later ones win
}

// Entry is one setting and its level.
type Entry struct {
	Key    string // section and name lower-cased, a subsection as written
	Value  string // as git gives it; "true" where the setting stands without a value
	Scope  string // system, global, local, worktree, command
	Origin string // such as file:/home/me/.gitconfig, or command line:
}

// Config reads the settings that hold in this repository, with the identity that it borrows. Errors: fault.Blocked, *Error.
//
// Git is asked once, and again after a git of ours that writes.
func (r *Repo) Config(ctx context.Context) (*Config, error) {
	if c := r.config.Load(); c != nil {
		return c, nil
	}
	c, err := readConfig(ctx, r.Root, r.Environment())
	if err != nil {
		return c, err
	}
	defer r.config.Store(c)
	if r.Lender == nil || c.NamesSomebody() {
		return c, nil
	}
	c.Borrows = true
	if name, email := r.Lender(ctx); name != "" && email != "" {
		c.entries = append(c.entries, Entry{Key: "user.name", Value: name}, Entry{Key: "user.email", Value: email})
		r.borrowed.Store(&[]string{"user.name=" + name, "user.email=" + email})
	}
	return c, nil
}

// GlobalConfig is what git says outside any repository. Errors: fault.Blocked, *Error.
func GlobalConfig(ctx context.Context) (*Config, error) {
	c, err := readConfig(ctx, fileSystemRoot(), UnpromptedEnvironment(RepositoryVariables()...))
	if err != nil {
		return nil, err
	}
	// Even the file system's root can be a repository.
	c.entries = slices.DeleteFunc(c.entries, func(e Entry) bool { return e.Scope == "local" || e.Scope == "worktree" })
	return c, nil
}

func fileSystemRoot() string {
	wd, err := os.Getwd()
	if err != nil {
		wd = os.TempDir()
	}
	return filepath.VolumeName(wd) + string(filepath.Separator)
}

func readConfig(ctx context.Context, dir string, env []string) (*Config, error) {
	asked := time.Now()
	args := []string{"config", "--list", "--includes", "--show-origin", "-z"}
	out, err := runGit(ctx, dir, env, Call{Args: append(args, "--show-scope"), asIs: true})
	scopes := true
	if StatusOf(err) == usageStatus { // git 2.25 does not know the option
		scopes = false
		out, err = runGit(ctx, dir, env, Call{Args: args, asIs: true})
	}
	if err != nil {
		return nil, PublicError(err)
	}
	c, err := parseConfigWithOrigins(out, scopes)
	if err == nil {
		c.Asked = asked
	}
	return c, err
}

// usageStatus is git's answer to an option that it does not know.
const usageStatus = 129

// parseConfigWithOrigins reads "scope NUL origin NUL key LF value NUL", or the same without
// the scope; a setting without a value has no LF.
func parseConfigWithOrigins(out []byte, scopes bool) (*Config, error) {
	c := &Config{}
	for len(out) > 0 {
		var e Entry
		var kv []byte
		fields := []*string{&e.Scope, &e.Origin, nil}
		if !scopes {
			fields = fields[1:]
		}
		for _, field := range fields {
			part, rest, ok := bytes.Cut(out, []byte{0})
			if !ok {
				return nil, errors.New("git config: answer cut short")
			}
			out = rest
			if field == nil {
				kv = part
				break
			}
			*field = string(part)
		}
		if !scopes {
			e.Scope = scopeOf(e.Origin)
		}
		key, value, has := strings.Cut(string(kv), "\n")
		if !has {
			value = "true"
		}
		e.Key, e.Value = key, value
		c.entries = append(c.entries, e)
	}
	return c, nil
}

// scopeOf tells the level by where a setting stands: git names the repository's own
// files relative to the worktree, or by their place in a git folder.
func scopeOf(origin string) string {
	file, isFile := strings.CutPrefix(origin, "file:")
	switch name := filepath.ToSlash(file); {
	case !isFile:
		return "command"
	case strings.HasSuffix(name, "/config.worktree"):
		return "worktree"
	case !filepath.IsAbs(file), strings.HasSuffix(name, ".git/config"), strings.Contains(name, ".git/modules/"):
		return "local"
	case strings.HasSuffix(name, "/etc/gitconfig"):
		return "system"
	}
	return "global"
}

// Get is the last value of the key; ok is false where it is not set.
func (c *Config) Get(key string) (e Entry, ok bool) {
	key = FoldKey(key)
	for i := len(c.entries) - 1; i >= 0; i-- {
		if c.entries[i].Key == key {
			return c.entries[i], true
		}
	}
	return Entry{}, false
}

// All lists the entries of the key (or with the prefix, where key ends in '.'),
// in git's order: the last one wins where only one can.
func (c *Config) All(key string) []Entry {
	var found []Entry
	prefix := strings.HasSuffix(key, ".")
	key = FoldKey(key)
	for _, e := range c.entries {
		if e.Key == key || prefix && strings.HasPrefix(e.Key, key) {
			found = append(found, e)
		}
	}
	return found
}

// Files lists the files outside the repository that the settings came from.
func (c *Config) Files() []string {
	var files []string
	for _, e := range c.entries {
		path, isFile := strings.CutPrefix(e.Origin, "file:")
		if isFile && filepath.IsAbs(path) && !slices.Contains(files, path) {
			files = append(files, path)
		}
	}
	return files
}

// HasRemote reports whether a remote is configured.
func (c *Config) HasRemote() bool {
	for _, e := range c.entries {
		if strings.HasPrefix(e.Key, "remote.") && strings.HasSuffix(e.Key, ".url") {
			return true
		}
	}
	return false
}

// NamesSomebody reports whether the settings say who commits.
func (c *Config) NamesSomebody() bool {
	name, _ := c.Get("user.name")
	email, _ := c.Get("user.email")
	return name.Value != "" && email.Value != ""
}

// FoldKey lower-cases what git does: section and name, not the subsection between.
func FoldKey(key string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 || first == last {
		return strings.ToLower(key)
	}
	return strings.ToLower(key[:first]) + key[first:last] + strings.ToLower(key[last:])
}

// How to change a setting: replace all its values, add one, or remove each occurrence of one. To remove a value that is not
// there is no error.
const (
	ReplaceAll  = "--replace-all"
	AddValue    = "--add"
	RemoveValue = "--unset-all"
)

// changeArgs are the arguments of git config.
func changeArgs(level, how, key, value string) ([]string, error) {
	if strings.HasPrefix(key, "-") || !strings.Contains(key, ".") || strings.ContainsAny(key, "\x00\n") {
		return nil, fmt.Errorf("%q: no name of a setting", key)
	}
	if strings.Contains(value, "\x00") {
		return nil, fmt.Errorf("%q: a value with a NUL byte", key)
	}
	if how == RemoveValue {
		value = "^" + regexp.QuoteMeta(value) + "$"
	}
	return []string{"config", level, how, key, value}, nil
}

// nothingToUnset is git config's exit status where there is no such value.
const nothingToUnset = 5

// changed is the error of a change.
func changed(err error) error {
	if StatusOf(err) == nothingToUnset {
		return nil
	}
	return PublicError(err)
}

// SetConfig is ChangeConfig with ReplaceAll.
func (r *Repo) SetConfig(ctx context.Context, key, value string) error {
	return r.ChangeConfig(ctx, ReplaceAll, key, value)
}

// ChangeConfig changes a value of key in the repository's own config, shared by its worktrees. Errors: fault.Blocked
// (WhyNotWritable, WhyLocked), *Error.
func (r *Repo) ChangeConfig(ctx context.Context, how, key, value string) error {
	args, err := changeArgs("--local", how, key, value)
	if err != nil {
		return err
	}
	return changed(r.Retry(ctx, func() error {
		_, err := r.Git(ctx, Call{Args: args, Writes: true})
		return err
	}))
}

// ChangeGlobalConfig is ChangeConfig in the person's own config. It runs outside any repository, as GlobalConfig does.
func ChangeGlobalConfig(ctx context.Context, how, key, value string) error {
	args, err := changeArgs("--global", how, key, value)
	if err == nil {
		_, err = runGit(ctx, fileSystemRoot(), UnpromptedEnvironment(RepositoryVariables()...), Call{Args: args, Writes: true})
	}
	return changed(err)
}

// RemoveSection removes a section, such as memctl or memctl.recall, from the repository's own config. Errors: as SetConfig.
func (r *Repo) RemoveSection(ctx context.Context, section string) error {
	return r.Retry(ctx, func() error {
		_, err := r.Git(ctx, Call{Args: []string{"config", "--local", "--remove-section", section}, Writes: true})
		return err
	})
}
