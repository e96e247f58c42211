package character

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/session/contextfile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/policy/chars"
)

func hidden(text string) string { return chars.HiddenKind(text) }

// InitRequest is one `context init`.
type InitRequest struct {
	memory.Options
	Who
	Type        string // of a new agent; "" for open
	Description string // of a new agent
	Names       []string
	// Texts are the files' texts instead of the templates, by name.
	Texts map[string][]byte
}

// copyHint is the command that puts an agent's own files into the project.
const copyHint = "memctl context init --type predefined --scope project --agent NAME"

// Init writes the templates of an agent, and never over a file: an open agent's as copies of
// the user, a predefined agent's to the agent's folder, with USER.md and BOOTSTRAP.md as the
// user's copies. It makes one commit in each store. Errors: refusals in the answers.
func Init(ctx context.Context, ss *store.Stores, req InitRequest) ([]memory.Write, error) {
	req.Who = req.withDefaults(ctx, ss)
	w := req.Answer("context init", req.As, "")
	if err := req.Permit("context init", memory.StateAbsent, ""); err != nil {
		w, err := w.Refused(err)
		return []memory.Write{w}, err
	}
	i := &initing{InitRequest: req, ctx: ctx, ss: ss}
	if err := i.plan(); err != nil {
		w, err := w.Refused(err)
		return []memory.Write{w}, err
	}
	var writes []memory.Write
	for _, part := range []struct {
		scope string
		files []fileIn
	}{{i.agentScope, i.agentFiles}, {i.copyScope, i.copyFiles}} {
		if len(part.files) == 0 {
			continue
		}
		one := req.Answer("context init", req.As, part.scope)
		out, wrote, kept, err := writing{Options: req.Options, act: "context", subject: "context init " + contextfile.Folder(req.As), files: part.files}.write(ctx, ss, part.scope)
		if one, err = one.After(out, err, "Wrote "+strings.Join(wrote, ", ")+" to "+i.shownFolder(part.scope, part.files[0].path)+" (undo: memctl undo)"); err != nil {
			return writes, err
		}
		if len(kept) > 0 {
			one.Notes = append(one.Notes, fault.NewNote("kept-existing", "kept, because they exist: "+strings.Join(kept, ", ")))
		}
		if set, err := ss.Setting(ctx, store.ContextFiles); err == nil && set.Text == set.Default && len(writes) == 0 {
			one.Notes = append(one.Notes, fault.NewNote("context-files-off", "context files are off; memctl config "+store.ContextFiles.Name+" true hands them to agents"))
		}
		if writes = append(writes, one); one.Verdict == policy.Refuse.String() {
			break // the user's copies are of no use without the agent
		}
	}
	return writes, nil
}

// initing is one Init under way.
type initing struct {
	InitRequest
	ctx                   context.Context
	ss                    *store.Stores
	agentScope, copyScope string
	agentFiles, copyFiles []fileIn
}

// plan decides which file goes where.
func (i *initing) plan() error {
	names, err := i.names()
	if err != nil {
		return err
	}
	a, err := i.described(i.ctx, i.ss)
	if err != nil {
		return err
	}
	if a.Described() && i.Type != "" && i.Type != a.Type {
		return memory.Refuse(ruleAgentType, "the agent is "+a.Type+"; change type in its agent.md first", "memctl context edit agent.md --agent "+contextfile.Folder(i.As))
	}
	i.agentScope, i.copyScope = agentScope(i.ss, i.Scope), copyScope(i.ss, i.Scope)
	agentDir, copyDir := contextfile.AgentDir(i.As), contextfile.UserDir(i.As, i.User)
	if a.Described() {
		i.agentScope = a.Scope
	} else {
		if i.Type != "" {
			a.Type = i.Type
		}
		if a.Type == contextfile.Predefined || i.As != "" && i.As != contextfile.Default || i.Description != "" {
			a.Description = i.Description
			i.agentFiles = append(i.agentFiles, fileInFolder(agentDir, contextfile.AgentFile, a.Render(string(i.template(i.ctx, i.ss, contextfile.AgentFile)))))
		}
	}
	met := i.hasUserCopy(copyDir)
	for _, name := range names {
		text := i.Texts[name]
		if text == nil {
			text = i.template(i.ctx, i.ss, name)
		}
		if a.Type == contextfile.Predefined && name != session.FirstRunFile {
			i.agentFiles = append(i.agentFiles, fileInFolder(agentDir, name, text))
		}
		switch {
		case a.Owns(name):
		case name == session.FirstRunFile && met && len(i.Names) == 0: // the first run is over
		default:
			i.copyFiles = append(i.copyFiles, fileInFolder(copyDir, name, i.template(i.ctx, i.ss, name)))
		}
	}
	if i.Scope == store.Project {
		return wrongScope(i.ss, i.Scope, a, len(i.agentFiles) > 0)
	}
	return nil
}

// names are the files to write, in their order.
func (i *initing) names() ([]string, error) {
	if len(i.Names) == 0 {
		return written(), nil
	}
	var wanted []string
	for _, name := range i.Names {
		name, err := fileName(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(written(), name) {
			return nil, memory.Refuse(ruleUnknownFile, name+" has no template; there are "+strings.Join(written(), ", "))
		}
		wanted = append(wanted, name)
	}
	return slices.DeleteFunc(written(), func(name string) bool { return !slices.Contains(wanted, name) }), nil
}

// hasUserCopy reports whether the user has a copy already, so that the first run is not repeated.
func (i *initing) hasUserCopy(copyDir string) bool {
	for _, scope := range contextfile.CopyScopes(i.ss) {
		st, err := i.ss.Get(i.ctx, scope)
		if err != nil || st.Dir == "" {
			continue
		}
		for _, name := range written() {
			if src, err := contents.FileBytes(st, copyDir+"/"+name); err == nil && src != nil {
				return true
			}
		}
	}
	return false
}

// shownFolder is the folder of a file, as the person finds it.
func (i *initing) shownFolder(scope, file string) string {
	dir := filepath.ToSlash(filepath.Dir(file))
	if st, err := i.ss.Get(i.ctx, scope); err == nil && contents.PersonsOwn(scope) && st.Dir != "" {
		return filepath.ToSlash(filepath.Join(st.Dir, dir))
	}
	return dir
}
