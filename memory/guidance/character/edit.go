package character

import (
	"context"
	"path"
	"strings"

	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/session/contextfile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// EditRequest is one `context edit`, or `context done` with the name BOOTSTRAP.md and no text.
type EditRequest struct {
	memory.Options
	Who
	Name string
	Text string
	// Started is the text that an editor began with, over which nothing else may have been
	// written since; nil for a text from elsewhere.
	Started *string
}

// Editable returns where an edit of the file is stored, and the text that is there now: the
// agent's own file or the user's copy. A new copy begins with the text that the user gets now.
// Errors: a refusal for an agent that the file is locked to.
func Editable(ctx context.Context, ss *store.Stores, req EditRequest) (scope, file, text string, err error) {
	req.Who = req.withDefaults(ctx, ss)
	name, err := fileName(req.Name)
	if err != nil {
		return "", "", "", err
	}
	if name == contextfile.AgentFile {
		if err := req.Permit("context edit agent.md", memory.StateAbsent, ""); err != nil {
			return "", "", "", err
		}
	}
	a, err := req.described(ctx, ss)
	switch {
	case name == contextfile.AgentFile && a.Scope != "": // an agent.md with an error is edited to repair it
		err = nil
	case err != nil:
		return "", "", "", err
	case !req.Explicit() && contextfile.Locks(ctx, ss, req.As, name):
		return "", "", "", memory.Refuse(memory.RuleLocked, "the files of the agent "+policy.Inert(a.Name)+" are locked; only a person can change them", "")
	}
	owned := a.Owns(name) || name == contextfile.AgentFile
	if why := wrongScope(ss, req.Scope, a, owned); why != nil {
		return "", "", "", why
	}
	if owned {
		if a.Scope == "" {
			return "", "", "", memory.Refuse(memory.RuleNotFound, "the agent "+policy.Inert(req.As)+" has no agent.md", "memctl context init --agent "+contextfile.Folder(req.As)+" --type predefined")
		}
		file = contextfile.AgentDir(req.As) + "/" + name
		return a.Scope, file, textIn(ctx, ss, a.Scope, file), err
	}
	file = contextfile.UserDir(req.As, req.User) + "/" + name
	for _, scope := range contextfile.CopyScopes(ss) {
		if text := textIn(ctx, ss, scope, file); strings.TrimSpace(text) != "" && (req.Scope == "" || req.Scope == scope) {
			return scope, file, text, nil
		}
	}
	found, _ := contextfile.Load(ctx, ss, contextfile.Reader{Agent: req.As, User: req.User}, []string{name})
	for _, f := range found {
		text = string(f.Content)
	}
	return copyScope(ss, req.Scope), file, text, nil
}

// wrongScope refuses a scope that does not have the file: owned by the agent or a copy of its user.
func wrongScope(ss *store.Stores, asked string, a contextfile.Agent, owned bool) error {
	switch {
	case asked == "" || ss.IsSingleStore():
	case owned && a.Scope != "" && asked != a.Scope:
		return memory.Refuse(memory.RuleScope, "the files of the agent "+policy.Inert(a.Name)+" are in the "+a.Scope+" store", "memctl context list")
	case !owned && asked == store.Project:
		return memory.Refuse(memory.RuleScope, "a file of a user of the agent cannot be in the project; only a predefined agent has files there", copyHint)
	}
	return nil
}

// textIn is the text of a store's file; "" where there is none.
func textIn(ctx context.Context, ss *store.Stores, scope, file string) string {
	st, err := ss.Get(ctx, scope)
	if err != nil || st.Dir == "" {
		return ""
	}
	src, _ := contents.FileBytes(st, file)
	return string(src)
}

// Edit stores the text of a context file, in one commit. An empty BOOTSTRAP.md ends the first
// run. Errors: refusals in the answer.
func Edit(ctx context.Context, ss *store.Stores, req EditRequest) (memory.Write, error) {
	req.Who = req.withDefaults(ctx, ss)
	w := req.Answer("context edit", req.Name, req.Scope)
	scope, file, _, err := Editable(ctx, ss, req)
	if err != nil {
		return w.Refused(err)
	}
	w.Scope, w.Key = scope, path.Base(file)
	if strings.TrimSpace(req.Text) == "" {
		if path.Base(file) == session.FirstRunFile {
			return Done(ctx, ss, req.Options, req.Who)
		}
		return w.Refused(memory.Refuse(memory.RuleValue, "the text is empty, so nothing is changed"))
	}
	if path.Base(file) == contextfile.AgentFile {
		if _, problems := contextfile.ParseAgent(req.As, []byte(req.Text)); len(problems) > 0 {
			return w.Refused(memory.Refuse(ruleAgentForm, problems[0].Message))
		}
	}
	write := writing{Options: req.Options, act: "context", subject: "context edit " + path.Base(file), files: []fileIn{{file, []byte(strings.TrimRight(req.Text, "\n") + "\n")}}, over: true, started: req.Started}
	out, _, _, err := write.write(ctx, ss, scope)
	return w.After(out, err, "Saved "+path.Base(file)+" (undo: memctl undo)")
}

// Done ends a user's first run: it deletes their BOOTSTRAP.md and commits that, also where the
// agent's files are locked. Errors: a refusal where there is none.
func Done(ctx context.Context, ss *store.Stores, o memory.Options, who Who) (memory.Write, error) {
	who = who.withDefaults(ctx, ss)
	w := o.Answer("context done", session.FirstRunFile, "")
	file := contextfile.UserDir(who.As, who.User) + "/" + session.FirstRunFile
	for _, scope := range contextfile.CopyScopes(ss) {
		st, err := ss.Get(ctx, scope)
		if err != nil || st.Dir == "" || o.Scope != "" && o.Scope != scope {
			continue
		}
		if src, err := contents.FileBytes(st, file); err != nil || src == nil {
			continue
		}
		w.Scope = scope
		out, err := o.Update(ctx, st, txn.Write{Act: "context", Subject: "context done", Files: true, Change: func(d *txn.Draft) error { return d.WriteFile(file, nil) }})
		return w.After(out, err, "The first run is over: deleted "+session.FirstRunFile)
	}
	return w.Refused(memory.Refuse(memory.RuleNotFound, "this user has no BOOTSTRAP.md that memctl wrote", "memctl context list"))
}
