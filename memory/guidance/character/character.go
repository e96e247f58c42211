// Package character holds the acts on context files, which give an agent its character: init,
// list, show, edit, done and summon, and the system prompt that they make up.
package character

import (
	"context"
	"path"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/session/contextfile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memory"
)

// The rules of refusals.
const (
	ruleUnknownFile = "context-file"
	ruleAgentType   = "agent-type"
	ruleAgentForm   = "agent-form"
	ruleAgentExists = "agent-exists"
)

// template is the text of a template, whose commands are for the agent and the user.
func (w Who) template(ctx context.Context, ss *store.Stores, name string) []byte {
	return contextfile.Template(name, w.flags(ctx, ss))
}

// written lists the files that init writes, in their order.
func written() []string {
	return []string{"AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", session.PersonFile, "HEARTBEAT.md", session.FirstRunFile}
}

// Who names an agent and one of its users.
type Who struct {
	As   string // the agent; "" for the one of the settings
	User string // "" for the one of the settings
}

// withDefaults is who is meant where a name is missing.
func (w Who) withDefaults(ctx context.Context, ss *store.Stores) Who {
	w.As, w.User = contextfile.Chosen(ctx, ss, w.As, w.User)
	return w
}

// flags are those of memctl context for the agent and the user, with a space before each. A flag is left out only where
// neither the name nor the settings need it, because the settings of a later session can differ.
func (w Who) flags(ctx context.Context, ss *store.Stores) string {
	agent, _ := contextfile.Chosen(ctx, ss, "", "")
	text := ""
	if w.As != contextfile.Default || agent != contextfile.Default {
		text += " --agent " + contextfile.Folder(w.As)
	}
	if w.User != contextfile.Me {
		text += " --user " + contextfile.Folder(w.User)
	}
	return text
}

// described returns the agent as its files describe it, whoever trusts them: for acts that
// write. Errors: a refusal for an agent.md that cannot be read.
func (w Who) described(ctx context.Context, ss *store.Stores) (contextfile.Agent, error) {
	a, problems := contextfile.Find(ctx, ss, contextfile.Reader{Agent: w.As})
	if len(problems) > 0 {
		return a, memory.Refuse(ruleAgentForm, contextfile.AgentDir(w.As)+"/"+contextfile.AgentFile+": "+problems[0].Message)
	}
	return a, nil
}

// fileName is the name of a context file as it is meant: in any case, with or without .md.
func fileName(name string) (string, error) {
	wanted := strings.TrimSuffix(strings.ToLower(name), ".md") + ".md"
	for _, known := range append(session.ContextNames(false), contextfile.AgentFile) {
		if strings.ToLower(known) == wanted {
			return known, nil
		}
	}
	return "", memory.Refuse(ruleUnknownFile, "no such context file; there are "+strings.Join(session.ContextNames(false), ", "))
}

// copyScope is the scope that a user's copies are written to.
func copyScope(ss *store.Stores, asked string) string {
	switch {
	case ss.IsSingleStore():
		return store.Only
	case asked == store.Private:
		return store.Private
	}
	return store.User
}

// agentScope is the scope that a new agent is written to.
func agentScope(ss *store.Stores, asked string) string {
	switch {
	case ss.IsSingleStore():
		return store.Only
	case asked != "":
		return asked
	case ss.Repo() != nil:
		return store.Project
	}
	return store.User
}

// fileIn is one file to write in a store.
type fileIn struct {
	path string
	data []byte
}

// writing is one write of context files to one store.
type writing struct {
	memory.Options
	act     string
	subject string
	files   []fileIn
	over    bool    // replaces what is there; else only missing files are written
	started *string // what is there must be this text; nil for any
}

// write makes the write, in one commit. It returns the names of the files that are written and of those
// that were there.
func (w writing) write(ctx context.Context, ss *store.Stores, scope string) (out txn.Outcome, wrote, kept []string, err error) {
	st, err := ss.Get(ctx, scope)
	if err != nil {
		return out, nil, nil, err
	}
	if err := w.judge(); err != nil {
		return out, nil, nil, err
	}
	out, err = w.Update(ctx, st, txn.Write{
		Act: w.act, Keys: nil, Subject: w.subject, Create: memory.CreatesFile(scope),
		Files: true, Change: func(d *txn.Draft) error {
			wrote, kept = nil, nil
			for _, f := range w.files {
				before, err := d.File(f.path)
				switch {
				case err != nil:
					return err
				case before != nil && !w.over:
					kept = append(kept, path.Base(f.path))
					continue
				case w.started != nil && strings.TrimSpace(string(before)) != "" && string(before) != *w.started: // an empty file is as none
					return memory.Refuse(memory.RuleChanged, path.Base(f.path)+": somebody changed the file while you were editing it", "memctl context show "+path.Base(f.path))
				}
				wrote = append(wrote, path.Base(f.path))
				if err := d.WriteFile(f.path, f.data); err != nil {
					return err
				}
			}
			return nil
		},
	})
	return out, wrote, kept, memory.AsRefusal(err)
}

// judge refuses text that no context file may have: instructions are what it is for, but not
// hidden characters. Secrets are refused by the write itself.
func (w writing) judge() error {
	for _, f := range w.files {
		if kind := hidden(string(f.data)); kind != "" {
			return memory.Refuse("hidden-text", path.Base(f.path)+": contains hidden text ("+kind+")")
		}
		if len(f.data) > session.MaxContextFileBytes {
			return &fault.Error{Code: fault.TooLarge, Status: 1, Cause: path.Base(f.path) + " is larger than 1 MB"}
		}
	}
	return nil
}

// fileInFolder is a file in a folder.
func fileInFolder(folder, name string, data []byte) fileIn { return fileIn{folder + "/" + name, data} }
