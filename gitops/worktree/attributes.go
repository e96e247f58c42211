package worktree

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/memctl/memctl/gitops"
)

// conversion is what git does to a file between the worktree and its objects, line ends
// aside.
type conversion struct {
	filter   bool
	ident    bool
	encoding string // of the file in the worktree; "" where that is UTF-8, as with most
}

// attributeFiles is what was read of the files of attributes, and asked of git, for as
// long as the Repo lives.
type attributeFiles struct {
	global string // core.attributesFile, where somebody has asked for it: SetAttributesFile
	mu     sync.Mutex
	rules  map[string][]attributeRule // by the file's name
	known  map[string]conversion      // by path
}

// attributeRule is one line that has files kept in another form.
type attributeRule struct {
	tail     string // the end that the file's path must have, in small letters
	encoding bool   // it may be about the file's encoding
}

// SetAttributesFile tells what the settings of all levels say of core.attributesFile;
// without it git's own place for that file counts.
func SetAttributesFile(r *gitops.Repo, value string) {
	gitops.Attached[attributeFiles](r).global = value
}

// conversionOf asks git about the path, once, and only where a file of attributes has
// a line that may be about it.
func conversionOf(ctx context.Context, r *gitops.Repo, name string) (c conversion) {
	if gitops.CheckPath(name) != nil {
		return c
	}
	files := gitops.Attached[attributeFiles](r)
	files.mu.Lock()
	defer files.mu.Unlock()
	if c, ok := files.known[name]; ok {
		return c
	}
	if !mayConvert(r, name, func(attributeRule) bool { return true }) {
		return c
	}
	out, err := r.Git(ctx, gitops.Call{Args: []string{"check-attr", "-z", "filter", "working-tree-encoding", "ident", "--", name}})
	if err != nil {
		return c
	}
	fields := strings.Split(string(out), "\x00") // path, attribute, value, and again
	for i := 2; i < len(fields); i += 3 {
		value := fields[i]
		isText := value != "unspecified" && value != "unset" && value != "set"
		switch fields[i-1] {
		case "filter":
			c.filter = isText
		case "ident":
			c.ident = value == "set"
		case "working-tree-encoding":
			if isText && !strings.EqualFold(value, "UTF-8") && !strings.EqualFold(value, "UTF8") {
				c.encoding = value
			}
		}
	}
	if files.known == nil {
		files.known = map[string]conversion{}
	}
	files.known[name] = c
	return c
}

// mayConvert reports whether a rule that counts may make git keep the file in another form. Only
// git reads the rules exactly: true may be wrong, false is certain.
func mayConvert(r *gitops.Repo, name string, counts func(attributeRule) bool) bool {
	small := strings.ToLower(name)
	files := []string{globalAttributes(r), filepath.Join(r.CommonDir, "info", "attributes")}
	if os.Getenv("GIT_ATTR_NOSYSTEM") == "" {
		files = append(files, "/etc/gitattributes")
	}
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		files = append(files, filepath.Join(r.Root, filepath.FromSlash(dir), ".gitattributes"))
		if dir == "." {
			break
		}
	}
	return slices.ContainsFunc(files, func(file string) bool {
		return slices.ContainsFunc(attributeRules(r, file), func(rule attributeRule) bool {
			return counts(rule) && strings.HasSuffix(small, rule.tail)
		})
	})
}

// globalAttributes is the person's own file of attributes; "" for none. What git alone
// knows how to read, as another user's folder, stays as it is written.
func globalAttributes(r *gitops.Repo) string {
	global := gitops.Attached[attributeFiles](r).global
	if below, ok := strings.CutPrefix(global, "~/"); ok {
		return filepath.Join(gitops.Home(os.Getenv), below)
	}
	switch config := os.Getenv("XDG_CONFIG_HOME"); {
	case strings.HasPrefix(global, "~"), strings.HasPrefix(global, "%("), filepath.IsAbs(global):
		return global
	case global != "":
		return filepath.Join(r.Root, global) // where git runs
	case config != "":
		return filepath.Join(config, "git", "attributes")
	}
	return filepath.Join(gitops.Home(os.Getenv), ".config", "git", "attributes")
}

// attributeRules reads one file, once. One that is not there has none.
func attributeRules(r *gitops.Repo, file string) []attributeRule {
	files := gitops.Attached[attributeFiles](r)
	if rules, ok := files.rules[file]; ok {
		return rules
	}
	var rules []attributeRule
	if strings.HasPrefix(file, "~") || strings.HasPrefix(file, "%(") {
		rules = []attributeRule{{encoding: true}} // git may get at it
	} else if data, err := gitops.ReadSmall(file); err == nil {
		for line := range strings.Lines(strings.TrimPrefix(string(data), "\ufeff")) { // git passes over the mark, too
			if rule, ok := attributeLine(line); ok {
				rules = append(rules, rule)
			}
		}
	} else if !os.IsNotExist(err) {
		rules = []attributeRule{{encoding: true}} // git may get at it
	}
	if files.rules == nil {
		files.rules = map[string][]attributeRule{}
	}
	files.rules[file] = rules
	return rules
}

// attributeLine reads a line; ok is false if it keeps nothing in another form. A line with a quoted
// pattern, or that defines a macro, may be about every file.
func attributeLine(line string) (rule attributeRule, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 2 || strings.HasPrefix(fields[0], "#") {
		return rule, false
	}
	for _, attribute := range fields[1:] {
		name, _, _ := strings.Cut(attribute, "=")
		rule.encoding = rule.encoding || name == "working-tree-encoding"
		ok = ok || name == "filter" || name == "ident"
	}
	ok = ok || rule.encoding
	pattern := fields[0]
	if strings.HasPrefix(pattern, "[attr]") || strings.HasPrefix(pattern, `"`) {
		return rule, ok
	}
	if i := strings.LastIndexAny(pattern, `*?[]\`); i >= 0 {
		pattern = pattern[i+1:]
	}
	rule.tail = strings.ToLower(strings.TrimPrefix(pattern, "/"))
	return rule, ok
}
