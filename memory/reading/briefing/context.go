package briefing

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/session/contextfile"
	"github.com/memctl/memctl/internal/store"
)

// allContext in a request or the setting asks for every context file.
const allContext = "true"

// contextPart reads the context files that are asked for: those of the chosen agent and its
// user copies, the project's, and the person's global ones. In a first run BOOTSTRAP.md is the
// first.
func (b *briefer) contextPart(client session.Client) (part session.Part, left session.FilesLeft) {
	names, named := b.contextNames()
	if len(names) == 0 {
		return part, left
	}
	var files []session.ContextFile
	found, left := contextfile.Load(b.ctx, b.ss, contextfile.Reader{Agent: b.req.As, User: b.req.User, Guarded: b.hidesProjectFiles(), Reviewed: b.reader.Reviewed}, names)
	for _, f := range found {
		named = slices.DeleteFunc(named, func(n string) bool { return n == f.Name })
		files = append(files, f.ContextFile)
	}
	left.Count = max(left.Count, len(named)) // a name that is nowhere counts too
	session.FirstRunFirst(files)
	part, more := session.Context(files, client)
	left.Add(more)
	b.files = files
	for _, name := range part.Names {
		if part.Cut(name) > 0 {
			b.stand(name, session.WhyCut, 0)
		}
	}
	return part, left
}

// ContextSizes is how large each of the context files in the part is. It warns of those that are cut.
func ContextSizes(files []session.ContextFile, part session.Part) (sizes []ContextSize, warnings []string) {
	for _, f := range files {
		if !slices.Contains(part.Names, f.Path) {
			continue
		}
		size := ContextSize{Name: f.Path, Bytes: len(f.Content), Tokens: session.Tokens(len(f.Content)), Over: part.Cut(f.Path)}
		if size.Over > 0 {
			warnings = append(warnings, fmt.Sprintf("%s is %d characters too long; memctl leaves out its middle", f.Path, size.Over))
		}
		sizes = append(sizes, size)
	}
	return sizes, warnings
}

// contextNames returns the files to look for, and those that were named one
// by one: the caller reports these if they are missing.
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
