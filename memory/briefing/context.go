package briefing

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
)

// allContext in a request or the setting asks for every context file.
const allContext = "true"

// contextFolder is one place where context files lie.
type contextFolder struct {
	dir     string
	from    string
	guarded bool // nothing of it may be read for this reader
}

// contextPart reads the context files that are asked for, the workspace's
// before the user's, whose file of the same name stands back.
func (b *briefer) contextPart(client session.Client) (session.Part, []session.Stood) {
	names, named := b.contextNames()
	if len(names) == 0 {
		return session.Part{}, nil
	}
	var files []session.ContextFile
	var stood []session.Stood
	found := map[string]bool{}
	for _, folder := range b.contextFolders() {
		for _, name := range names {
			f, why := b.contextFile(folder, name)
			switch {
			case why == session.WhyMissing:
				continue
			case why == "" && found[name]:
				why = session.WhyShadowed
			case why == "":
				files, found[name] = append(files, f), true
				continue
			}
			stood = append(stood, session.Stood{Name: f.Path, Why: why, Named: true})
			named = slices.DeleteFunc(named, func(n string) bool { return n == name })
		}
	}
	for _, name := range named {
		if !found[name] {
			stood = append(stood, session.Stood{Name: session.Defuse(name), Why: session.WhyMissing, Named: true})
		}
	}
	part, back := session.Context(files, client)
	b.sizeContext(files, part.Names)
	return part, append(stood, back...)
}

// sizeContext says how large each context file of the briefing is, and warns of one that
// is cut because it is too large.
func (b *briefer) sizeContext(files []session.ContextFile, names []string) {
	for _, f := range files {
		if !slices.Contains(names, f.Path) {
			continue
		}
		size := ContextSize{Name: f.Path, Bytes: len(f.Content), Tokens: session.Tokens(len(f.Content))}
		size.Over = max(utf8.RuneCount(f.Content)-session.MaxContextFileChars, 0)
		if size.Over > 0 {
			b.res.Warnings = append(b.res.Warnings, fmt.Sprintf("%s is %d characters over the limit of %d for one context file; memctl leaves out its middle", f.Path, size.Over, session.MaxContextFileChars))
		}
		b.res.Context = append(b.res.Context, size)
	}
}

// contextNames are the files to look for, and those of them that were named,
// so that one that is not there is told.
func (b *briefer) contextNames() (names, named []string) {
	minimal := b.req.Minimal || b.req.Event == EventSubagentStart
	asked := b.req.Context
	if asked == nil {
		v, err := b.ss.Setting(b.ctx, store.ContextFiles)
		b.warn(err)
		asked = strings.FieldsFunc(v.Text, func(r rune) bool { return r == ',' || r == ' ' })
	}
	for _, name := range asked {
		switch strings.ToLower(name) {
		case allContext, "all", "yes", "on", "1":
			names = append(names, session.ContextNames(minimal)...)
			continue
		case "false", "none", "no", "off", "0":
			continue
		}
		name = path.Clean(filepath.ToSlash(name))
		if !minimal || slices.Contains(session.ContextNames(true), name) {
			names, named = append(names, name), append(named, name)
		}
	}
	var once []string
	for _, name := range names {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	return once, named
}

func (b *briefer) contextFolders() []contextFolder {
	var list []contextFolder
	if root := b.ss.Root(); root != "" {
		list = append(list, contextFolder{dir: root, from: session.FromWorkspace, guarded: b.guarded()})
	}
	if !b.ss.Alone() {
		list = append(list, contextFolder{dir: b.ss.ConfigDir(), from: session.FromUser})
	}
	return list
}

// contextFile reads one file, and says why it stands back. Only what is a
// regular file inside its folder is read: a link out of it is refused.
func (b *briefer) contextFile(folder contextFolder, name string) (session.ContextFile, string) {
	f := session.ContextFile{Name: name, From: folder.from, Path: session.Defuse(name)}
	if folder.from == session.FromUser {
		f.Path = session.Defuse(filepath.ToSlash(filepath.Join(folder.dir, name)))
	}
	if !filepath.IsLocal(name) {
		return f, session.WhyNotFile
	}
	if path.Ext(name) != ".md" {
		return f, session.WhyNoText
	}
	if folder.guarded {
		if _, err := os.Lstat(filepath.Join(folder.dir, name)); err != nil {
			return f, session.WhyMissing
		}
		return f, session.WhyUntrusted
	}
	root, err := os.OpenRoot(folder.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return f, session.WhyMissing
	}
	if err != nil {
		return f, session.WhyUnreadable
	}
	defer root.Close()
	data, _, err := safefile.Read(root, name, session.MaxContextFileBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, session.WhyMissing
	case fault.Is(err, fault.TooLarge):
		return f, session.WhyRoom
	case err != nil:
		return f, session.WhyNotFile
	}
	f.Content = data
	if b.reviewed != nil && folder.from == session.FromWorkspace && !b.reviewed.File(b.ctx, name, data) {
		return f, session.WhyUnreviewed
	}
	return f, ""
}
