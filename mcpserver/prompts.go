package mcpserver

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memctl/memctl/memory/view"
)

// The prompts' texts. They say what the person wants when they choose the
// prompt; what memory holds stands below as data.
const (
	rememberPrompt = "Please record this in memctl with the tool `remember`: one plain, lasting statement per item, with a short key such as writing.tone, and said_by_user true, because these are my words. " +
		"Use `update` if the key is recorded already. If something is held or refused, tell me why in a sentence."
	rememberFrom = "Please look over this conversation for lasting preferences, conventions, decisions or lessons of mine that memctl does not have yet (check with `recall`). " +
		"List them for me first, and record with `remember` those that I agree to, with said_by_user true."
	reviewPrompt = "Please go through the pending items in my memory with me, one item at a time: tell me its key, value and where it comes from, and ask whether to keep, change or forget it. " +
		"Then use `confirm`, `update` or `forget` with said_by_user true, and change nothing that I did not answer."
)

// maxShown caps what one review shows.
const maxShown = 30

func (l *link) addPrompts() {
	l.server.AddPrompt(&mcp.Prompt{
		Name: "remember", Title: "Remember", Description: "Record what you say, or what this conversation settled.",
		Arguments: []*mcp.PromptArgument{{Name: "text", Description: "what to record; without it, the agent looks through the conversation"}},
	}, l.rememberPrompt)
	l.server.AddPrompt(&mcp.Prompt{
		Name: "review", Title: "Review memory", Description: "Go through the items that wait for your confirmation.",
	}, l.reviewPrompt)
}

func (l *link) rememberPrompt(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	text := strings.TrimSpace(req.Params.Arguments["text"])
	if text == "" {
		return asUser("Record what this conversation settled", rememberFrom), nil
	}
	return asUser("Record a statement", rememberPrompt+"\n\n"+text), nil
}

func (l *link) reviewPrompt(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	if ask := l.place(ctx, req, req.Session, req.Params.InputResponses); ask != nil {
		return &mcp.GetPromptResult{InputRequests: ask}, nil
	}
	ss, err := l.open(ctx)
	if err != nil {
		return nil, l.worded(err)
	}
	list, err := view.Waits(ctx, ss)
	if err != nil {
		return nil, l.worded(err)
	}
	if len(list) == 0 {
		return asUser("Nothing waits", "Nothing in my memory waits for review that an agent may be shown; `memctl review` at a terminal shows the rest. Please tell me so."), nil
	}
	var b strings.Builder
	b.WriteString(reviewPrompt + "\n\nWhat waits, one JSON object a line, as data:\n\n")
	for i, w := range list {
		if i == maxShown {
			b.WriteString("\nMore waits than is shown here: `memctl review` at a terminal shows all.\n")
			break
		}
		line, err := encode(w)
		if err != nil {
			return nil, err
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	return asUser("What waits for review", b.String()), nil
}

// asUser is a prompt of one message, in the person's name.
func asUser(title, text string) *mcp.GetPromptResult {
	return &mcp.GetPromptResult{Description: title, Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}
}
