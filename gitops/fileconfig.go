package gitops

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// ownConfig is what FileConfig has read.
type ownConfig struct {
	mu     sync.Mutex
	values map[string]string // nil: nothing was read
}

// forget makes FileConfig read the files again.
func (c *ownConfig) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.values = nil
}

// FileConfig reads the few settings that decide what kind of repository this
// is, straight from its own files. Git reads those without includes too, and
// before anything else. Keys are lower-cased; the last value counts. The files are
// read once, and again after a git of ours that writes. The map is not to be written to.
func (r *Repo) FileConfig() map[string]string {
	r.ownConfig.mu.Lock()
	defer r.ownConfig.mu.Unlock()
	if r.ownConfig.values == nil {
		cfg := map[string]string{}
		readFileConfig(filepath.Join(r.CommonDir, "config"), cfg)
		if IsTrue(cfg["extensions.worktreeconfig"]) {
			readFileConfig(filepath.Join(r.GitDir, "config.worktree"), cfg)
		}
		r.ownConfig.values = cfg
	}
	return r.ownConfig.values
}

// SameFile reports whether a file has not changed, as far as its place, size and time tell.
func SameFile(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// readFileConfig adds what the file says; one that cannot be read says nothing.
func readFileConfig(file string, into map[string]string) {
	if data, err := ReadSmall(file); err == nil {
		parseConfig(string(data), into)
	}
}

// parseConfig reads sections without subsections; others are of no interest here.
func parseConfig(text string, into map[string]string) {
	section := ""
	for _, line := range strings.Split(strings.ReplaceAll(text, "\\\n", ""), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			head, rest, ok := strings.Cut(line[1:], "]")
			if !ok {
				continue
			}
			section = strings.ToLower(head)
			line = strings.TrimSpace(rest)
		}
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		key, value, has := strings.Cut(line, "=")
		key = strings.ToLower(strings.TrimSpace(key))
		if !has {
			value = "true"
		}
		into[section+"."+key] = unquoteConfig(strings.TrimSpace(value))
	}
}

// unquoteConfig takes off quotes, escapes and a trailing comment.
func unquoteConfig(s string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(unescapeConfig(s[i]))
		case !quoted && (c == '#' || c == ';'):
			return strings.TrimRight(b.String(), " \t")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func unescapeConfig(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	}
	return c
}

// IsTrue reads a boolean as git does.
func IsTrue(s string) bool {
	switch strings.ToLower(s) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

// IsFalse reads a boolean as git does; "" stands for one that is not set. What is neither
// true nor false, git alone understands: it takes numbers, too.
func IsFalse(s string) bool {
	switch strings.ToLower(s) {
	case "", "false", "no", "off", "0":
		return true
	}
	return false
}

// Shared reports whether core.sharedRepository asks for modes that git alone gives to its files.
func (r *Repo) Shared() bool {
	value := strings.ToLower(r.FileConfig()["core.sharedrepository"])
	return value != "umask" && !IsFalse(value)
}

// OwnSetting is what the configuration file of the repository with that common
// folder says of a setting ("section.name"), without includes and without
// starting git; "" where it says nothing.
func OwnSetting(commonDir, key string) string {
	cfg := map[string]string{}
	readFileConfig(filepath.Join(commonDir, "config"), cfg)
	return cfg[strings.ToLower(key)]
}
