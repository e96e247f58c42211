package memory

import (
	"context"
	"errors"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/ledger"
)

// queue puts the entry where it waits for review.
func (r *remembering) queue(w Write, why string, found []policy.Finding) (Write, error) {
	if w = held(r.ctx, r.st, r.Options, w, why, found); r.DryRun {
		return w, nil
	}
	src, err := entry.New(r.e)
	if err != nil {
		return w, err
	}
	waiting := ledger.Waiting{Act: r.act(), Key: w.Key, Value: memfile.Str(r.e.Text), Source: r.Source, Entry: src, Origin: r.Origin.Kind, By: r.Origin.Name, Why: why,
		Confidence: r.Confidence, Repeated: r.Repeated, Message: r.Message, Seen: r.Seen, Replace: r.Replace}
	for _, f := range found {
		if f.Verdict >= policy.Hold {
			waiting.Rules = append(waiting.Rules, f.Rule)
		}
	}
	return w, ledger.Enqueue(r.ctx, r.st, stood(r.ctx, r.st, waiting), r.wait())
}

// keepEntry writes an entry that waited, as the person's own word.
func (d Decision) keepEntry(ctx context.Context, ss *store.Stores, q ledger.Waiting) (Write, error) {
	req, err := entryRequest(q, d.Options)
	if err != nil {
		return Write{}, err
	}
	if d.Value != nil {
		req.Text = d.Value.Plain()
	}
	req.Seen = true
	return Remember(ctx, ss, req)
}

// entryRequest is the request of an entry that waited.
func entryRequest(q ledger.Waiting, o Options) (RememberRequest, error) {
	f, problems := entry.Parse("", q.Entry)
	if f == nil {
		return RememberRequest{}, errors.New("the queue: " + problems[0].Message)
	}
	e := f.Entry()
	req := RememberRequest{
		Options: o, Text: e.Text, Role: e.Role, Category: e.Category, Tags: e.Tags, Topics: e.Topics, Session: e.Session,
		Conversation: e.Conversation, Expires: e.Expires, Pin: e.Pinned, Weight: e.Weight, Source: q.Source, Created: e.Time(), Repeated: (e.Signals > 1 || q.Repeated) && o.automatic(),
		Replace: q.Replace, Seen: q.Seen,
	}
	for _, a := range e.Anchors {
		req.Anchors = append(req.Anchors, a.Path)
	}
	return req, nil
}
