package store

import (
	"context"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// Where a project's name comes from, as the receipt says it.
const (
	NameFromFlag     = "flag"
	NameFromMememory = ".mememory"
	NameFromRemote   = "git remote"
	NameFromTop      = "top-level folder"
	NameFromFolder   = "current folder"
)

const (
	mememoryFile     = ".mememory"
	maxMememoryBytes = 4 << 10
	maxProjectName   = 100 // bytes
)

// ProjectName is the project's name and how it was found. It is a label for
// people and agents to read, and never a key: it decides nothing. vouched reports
// whether a file of the project, by its path from the root, may name it; nil lets
// every file, and the remote's address. Both results are "" where there is no project
// and no flag.
func (ss *Stores) ProjectName(ctx context.Context, flag string, vouched func(name string, data []byte) bool) (name, source string) {
	if name := asLabel(flag); name != "" {
		return name, NameFromFlag
	}
	if ss.root == "" {
		return "", ""
	}
	if label := ss.mememoryName(vouched); label != "" {
		return label, NameFromMememory
	}
	if vouched == nil && ss.repo != nil && !ss.IsSingleStore() { // whoever made the repository chose its address
		if label := asLabel(ss.LookupConfig(ctx).Named); label != "" {
			return label, NameFromRemote
		}
	}
	source = NameFromTop
	if ss.repo == nil {
		source = NameFromFolder
	}
	return asLabel(filepath.Base(ss.root)), source
}

// mememoryName is the name in the nearest .mememory file from the session's
// folder up to the project's root; one that is not vouched for ends the search.
func (ss *Stores) mememoryName(vouched func(string, []byte) bool) string {
	root, err := os.OpenRoot(ss.root)
	if err != nil {
		return ""
	}
	defer root.Close()
	for dir := ss.SessionFolder(); ; dir = path.Dir(dir) {
		name := path.Join(dir, mememoryFile)
		src, _, err := safefile.Read(root, name, maxMememoryBytes)
		if err == nil {
			if vouched != nil && !vouched(name, src) {
				return ""
			}
			if label := asLabel(mememoryLabel(string(src))); label != "" {
				return label
			}
		}
		if dir == "." {
			return ""
		}
	}
}

// mememoryLabel reads "project: NAME", "project=NAME" or the bare name in the
// first line that is no comment.
func mememoryLabel(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if i := strings.IndexAny(line, ":="); i >= 0 {
			switch strings.ToLower(strings.TrimSpace(line[:i])) {
			case "project", "name":
				line = line[i+1:]
			default:
				continue
			}
		}
		return strings.Trim(strings.TrimSpace(line), `"'`)
	}
	return ""
}

// asLabel makes a name that somebody chose one short plain line; "" where the
// policy would not have it as memory, since an agent reads it.
func asLabel(name string) string {
	name = policy.Inert(strings.TrimSpace(name))
	if name == "" || name == "." || name == string(filepath.Separator) || len(name) > maxProjectName || strings.ContainsAny(name, "<>`") {
		return ""
	}
	if policy.Rule(policy.Candidate{Value: memfile.Str(name), Raw: true}).Verdict != policy.Accept {
		return ""
	}
	return name
}

// remoteName is the last part of the address of origin, else of the first
// remote. The rest of the address can hold a password, and is not kept.
func remoteName(config *gitops.Config) string {
	address := ""
	if e, ok := config.Get("remote.origin.url"); ok {
		address = e.Value
	} else {
		for _, e := range config.All("remote.") {
			if strings.HasSuffix(e.Key, ".url") {
				address = e.Value
				break
			}
		}
	}
	address = strings.TrimRight(strings.ReplaceAll(address, `\`, "/"), "/")
	if i := strings.LastIndexAny(address, "/:"); i >= 0 {
		address = address[i+1:]
	}
	address, _, _ = strings.Cut(address, "?")
	if strings.Contains(address, "@") {
		return ""
	}
	return strings.TrimSuffix(address, ".git")
}

// PlainRemote is a remote's address as host and path, the same for ssh and https: without scheme, user,
// password, port and .git. hosted reports whether it names a host.
func PlainRemote(address string) (remote string, hosted bool) {
	address = strings.ReplaceAll(strings.TrimSpace(address), `\`, "/")
	host, path := "", address
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		host, path = u.Hostname(), u.Path
	} else if before, after, ok := strings.Cut(address, ":"); ok && !strings.Contains(before, "/") && len(before) > 1 {
		host, path = before[strings.LastIndexByte(before, '@')+1:], after
	} else {
		path = strings.TrimPrefix(address, "file://")
	}
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	if host == "" {
		return path, false
	}
	return strings.ToLower(host) + "/" + path, true
}
