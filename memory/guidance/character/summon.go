package character

import (
	"context"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/llm"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/session/contextfile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// SummonRequest is one `context summon`.
type SummonRequest struct {
	memory.Options
	Who
	Description string
	Edit        bool // writes the files of an agent that exists again
}

// Summon creates a predefined agent whose five files a model writes from a description, in one
// call and one commit. Where no model answers, or its answer is of no use, the files are the templates, and the first
// answer says so; with Edit they stay as they are. Errors: refusals in the answers.
func Summon(ctx context.Context, ss *store.Stores, req SummonRequest) ([]memory.Write, error) {
	req.Who = req.withDefaults(ctx, ss)
	refuse := func(err error) ([]memory.Write, error) {
		w, err := req.Answer("context summon", req.As, req.Scope).Refused(err)
		return []memory.Write{w}, err
	}
	if err := req.Permit("context init", memory.StateAbsent, ""); err != nil {
		return refuse(err)
	}
	a, err := req.described(ctx, ss)
	switch {
	case err != nil:
		return refuse(err)
	case a.Described() && !req.Edit:
		return refuse(memory.Refuse(ruleAgentExists, "the agent exists; --edit writes its files again", "memctl context summon "+contextfile.Folder(req.As)+" --edit"))
	case req.Edit && (!a.Described() || a.Type != contextfile.Predefined):
		return refuse(memory.Refuse(memory.RuleNotFound, "there is no predefined agent of this name", "memctl context init --agent "+contextfile.Folder(req.As)+" --type predefined"))
	case req.Description == "":
		req.Description = a.Description
	}
	texts, failed := map[string][]byte(nil), error(nil)
	if !ss.DryRun() { // a dry run asks no model
		texts, failed = askForFiles(ctx, ss, req, a)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if req.Edit {
		return req.rewrite(ctx, ss, a, texts, failed)
	}
	writes, err := Init(ctx, ss, InitRequest{Options: req.Options, Who: req.Who, Type: contextfile.Predefined, Description: req.Description, Texts: texts})
	if failed != nil && len(writes) > 0 && writes[0].Changed {
		writes[0].Notes = append(writes[0].Notes, fault.NewNote("templates", "the files are templates, because "+why(failed)+"; `memctl context summon "+contextfile.Folder(req.As)+" --edit` tries again"))
	}
	return writes, err
}

// rewrite replaces the five files of an agent with what the model wrote.
func (req SummonRequest) rewrite(ctx context.Context, ss *store.Stores, a contextfile.Agent, texts map[string][]byte, failed error) ([]memory.Write, error) {
	w := req.Answer("context summon", req.As, a.Scope)
	if texts == nil {
		if failed != nil {
			w.Notes = append(w.Notes, fault.NewNote("files-unchanged", "the files are unchanged, because "+why(failed)))
		}
		return []memory.Write{w}, nil
	}
	var files []fileIn
	for _, name := range summoned() {
		files = append(files, fileInFolder(contextfile.AgentDir(req.As), name, texts[name]))
	}
	out, wrote, _, err := writing{Options: req.Options, act: "context", subject: "context summon " + contextfile.Folder(req.As), files: files, over: true}.write(ctx, ss, a.Scope)
	w, err = w.After(out, err, "Wrote "+strings.Join(wrote, ", ")+" (undo: memctl undo)")
	return []memory.Write{w}, err
}

// why says of a failure why there are no files of a model.
func why(failed error) string {
	if fault.Is(failed, fault.NoModel) {
		return "no model is configured"
	}
	return policy.Inert(memory.Redacted(failed.Error()))
}

// summoned are the files that a model writes.
func summoned() []string {
	return []string{"SOUL.md", "IDENTITY.md", "AGENTS.md", "TOOLS.md", "HEARTBEAT.md"}
}

// summonOrders tell the model what to write.
const summonOrders = `You write the context files of an assistant: Markdown files that become part of its system prompt.
Answer with exactly these five blocks and nothing else:

<file name="SOUL.md">character, tone, limits</file>
<file name="IDENTITY.md">name, what it is, manner, emoji</file>
<file name="AGENTS.md">how it works: rules, memory, safety</file>
<file name="TOOLS.md">notes on tools that its work needs</file>
<file name="HEARTBEAT.md">checks that are due regularly; none is fine</file>

Each file begins with a heading and has at most 3,000 characters. Write to the assistant, in plain sentences. Keep the
safety rules of the AGENTS.md below. Invent no names of people, addresses, keys or passwords.`

// askForFiles asks a model for the five files. Errors: those of the models; an answer that
// lacks a file or that the policy refuses.
func askForFiles(ctx context.Context, ss *store.Stores, req SummonRequest, a contextfile.Agent) (map[string][]byte, error) {
	chain, err := localstate.Models(ctx, ss)
	if err != nil {
		return nil, err
	}
	var q strings.Builder
	q.WriteString("The assistant: " + policy.Inert(req.Description) + "\nIts name: " + policy.Inert(req.As) + "\n\n")
	for _, name := range summoned() {
		text := string(req.template(ctx, ss, name))
		if a.Described() {
			if now := textIn(ctx, ss, a.Scope, contextfile.AgentDir(req.As)+"/"+name); now != "" {
				text = now
			}
		}
		q.WriteString("<file name=\"" + name + "\">\n" + session.CleanContext(text) + "</file>\n\n")
	}
	answer, err := chain.Ask(ctx, llm.Request{System: summonOrders, Messages: []llm.Message{{Role: "user", Text: memory.Redacted(q.String())}}, MaxTokens: 8192})
	if err != nil {
		return nil, err
	}
	return parseFiles(answer.Text)
}

// parseFiles reads the five blocks of an answer. Errors: a block that is missing, empty or too
// large, and text that no context file may have.
func parseFiles(answer string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range summoned() {
		_, rest, ok := strings.Cut(answer, `<file name="`+name+`">`)
		text, _, closed := strings.Cut(rest, "</file>")
		text = strings.TrimSpace(text)
		switch {
		case !ok || !closed || text == "" || strings.Contains(text, "<file name="):
			return nil, fmt.Errorf("the model's answer has no block for %s", name)
		case utf8.RuneCountInString(text) > session.MaxContextFileChars:
			return nil, fmt.Errorf("the model's %s has more than %d characters", name, session.MaxContextFileChars)
		case hidden(text) != "" || len(policy.ScanFile(path.Base(name), []byte(text))) > 0:
			return nil, fmt.Errorf("the model's %s has hidden text or a secret", name)
		}
		files[name] = []byte(text + "\n")
	}
	return files, nil
}
