package gitops

import (
	"path/filepath"
	"strings"
)

// fileConfig reads the few settings that decide what kind of repository this
// is, straight from its own files. Git reads those without includes too, and
// before anything else. Keys are lower-cased; the last value counts.
func (r *Repo) fileConfig() map[string]string {
	cfg := map[string]string{}
	readFileConfig(filepath.Join(r.CommonDir, "config"), cfg)
	if isTrue(cfg["extensions.worktreeconfig"]) {
		readFileConfig(filepath.Join(r.GitDir, "config.worktree"), cfg)
	}
	return cfg
}

// placeConfig is fileConfig for the question where the worktree is, as git
// asks it: a linked worktree heeds the shared file's answer only where
// worktrees may have settings of their own, and nobody heeds a file that does
// not say its version.
func (r *Repo) placeConfig() map[string]string {
	cfg := r.fileConfig()
	linked := r.GitDir != r.CommonDir && !isTrue(cfg["extensions.worktreeconfig"])
	if linked || cfg["core.repositoryformatversion"] == "" {
		return nil
	}
	return cfg
}

// readFileConfig adds what the file says; one that cannot be read says nothing.
func readFileConfig(file string, into map[string]string) {
	if data, err := readSmall(file); err == nil {
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

// isTrue reads a boolean as git does.
func isTrue(s string) bool {
	switch strings.ToLower(s) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

// isFalse reads a boolean as git does; "" stands for one that is not set. What is neither
// true nor false, git alone understands: it takes numbers, too.
func isFalse(s string) bool {
	switch strings.ToLower(s) {
	case "", "false", "no", "off", "0":
		return true
	}
	return false
}

// OwnSetting is what the configuration file of the repository with that common
// folder says of a setting ("section.name"), without includes and without
// starting git; "" where it says nothing.
func OwnSetting(commonDir, key string) string {
	cfg := map[string]string{}
	readFileConfig(filepath.Join(commonDir, "config"), cfg)
	return cfg[strings.ToLower(key)]
}
