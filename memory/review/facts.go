package review

import (
	"context"
	"errors"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/ledger"
)

// editFact puts what the person says in the place of a fact.
func (d Decision) editFact(ctx context.Context, ss *store.Stores) (memory.Write, error) {
	if d.Value == nil {
		return memory.Write{}, errors.New("review: edit without a value")
	}
	return edit.Remember(ctx, ss, edit.RememberRequest{Options: d.Options, Role: entry.RoleFact, Text: d.Value.Text, Replace: d.Waiting.Key})
}

// keepEntry writes an entry that waited, as the person's own word.
func (d Decision) keepEntry(ctx context.Context, ss *store.Stores, q ledger.Waiting) (memory.Write, error) {
	req, err := entryRequest(q, d.Options)
	if err != nil {
		return memory.Write{}, err
	}
	if d.Value != nil {
		req.Text = d.Value.Plain()
	}
	req.Seen = true
	return edit.Remember(ctx, ss, req)
}

// entryRequest is the request of an entry that waited.
func entryRequest(q ledger.Waiting, o memory.Options) (edit.RememberRequest, error) {
	f, problems := entry.Parse("", q.Entry)
	if f == nil {
		return edit.RememberRequest{}, errors.New("the queue: " + problems[0].Message)
	}
	e := f.Entry()
	req := edit.RememberRequest{
		Options: o, Text: e.Text, Role: e.Role, Category: e.Category, Tags: e.Tags, Topics: e.Topics, Session: e.Session,
		Conversation: e.Conversation, Expires: e.Expires, Pin: e.Pinned, Weight: e.Weight, Source: q.Source, Created: e.Time(), Repeated: (e.Signals > 1 || q.Repeated) && o.Automatic(),
		Replace: q.Replace, Seen: q.Seen,
	}
	for _, a := range e.Anchors {
		req.Anchors = append(req.Anchors, a.Path)
	}
	return req, nil
}

// writeQueued writes what waited as it was proposed.
func writeQueued(ctx context.Context, ss *store.Stores, st *store.Store, q ledger.Waiting) (memory.Write, error) {
	o := memory.Options{Scope: st.Scope, Message: q.Message, Origin: memory.Origin{Kind: q.Origin, Name: q.By}}
	if q.Entry == nil {
		return edit.Add(ctx, ss, edit.AddRequest{
			Options: o, Key: q.Key, Value: q.Value, Source: q.Source, Confidence: q.Confidence, Tags: q.Tags, Expires: q.Expires,
			Pin: q.Pinned, Paths: q.Paths, Commands: q.Commands, Ask: q.Ask, NoAsk: q.NoAsk, Repeated: q.Repeated, Seen: q.Seen, Waited: true,
		})
	}
	req, err := entryRequest(q, o)
	if err != nil {
		return memory.Write{}, err
	}
	req.Confidence = q.Confidence
	return edit.Remember(ctx, ss, req)
}
