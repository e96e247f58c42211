package briefing

import (
	"context"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/recall/cache"
	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/session/contextfile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
)

// isCurrent compares a doc with what it was made from: the file may have changed, or
// its day have come, since it was indexed.
func (r *Recaller) isCurrent(ctx context.Context, d *index.Doc) bool {
	shared := r.fromShared(d)
	switch {
	case shared != nil:
		return r.keepShared(ctx, d, shared)
	case r.stores[d.Scope] == nil:
		return false // no index that a store's list names has such a doc
	case d.Tier == index.TierItem:
		return r.keepItem(d)
	case d.Tier == index.TierFile:
		if store.IsInstruction(d.Source) { // the person's file: what was forgotten in memory stays in it
			return strings.Contains(r.instructions(ctx, d.Source), d.Text) && r.reader.CanReadFile(d.Scope, d.Source)
		}
		d.Text = r.withoutForgotten(ctx, d.Text)
		return d.Text != "" && r.reader.CanReadFile(d.Scope, d.Source)
	}
	e := r.entry(d)
	if e == nil {
		return false
	}
	if strings.Contains(d.Path, "#") {
		return strings.Contains(e.Text, d.Text)
	}
	d.Text = e.Text
	return true
}

// namesGone returns a test for docs that are tied to a file that is gone.
func (r *Recaller) namesGone(ctx context.Context) func(d *index.Doc) bool {
	return func(d *index.Doc) bool {
		return d.Scope != store.User && slices.ContainsFunc(d.Anchors, func(file string) bool {
			state, _ := contents.AnchorState(ctx, r.ss, entry.Anchor{Path: file})
			return state == contents.AnchorGone
		})
	}
}

// readForgotten reads once what was forgotten in the stores that are searched, and reports whether it could be read.
func (r *Recaller) readForgotten(ctx context.Context) bool {
	if r.forgotten != nil {
		return true
	}
	list := []*contents.Forgotten{}
	for _, st := range r.searched {
		f, err := contents.ReadForgotten(ctx, st)
		if err != nil {
			r.notes = append(r.notes, err.Error())
			return false
		}
		list = append(list, f)
	}
	r.forgotten = list
	return true
}

// canTrustIndex reports whether the index alone can tell that an agent may have a fact: its file is as it was indexed, nothing in the
// fact depends on the day or the reader, and nobody forgot its text.
func (r *Recaller) canTrustIndex(ctx context.Context, d *index.Doc) bool {
	if !d.Counted || slices.Contains(r.lib.NotUpdated, d.Scope) || slices.Contains(r.lib.NotCompared, d.Scope) || d.Scope == store.Project && r.reader.Reviewed != nil || r.reader.HasImported(d.Scope) {
		return false
	}
	project, err := r.reader.Forgotten()
	return err == nil && r.readForgotten(ctx) && !slices.ContainsFunc(append(slices.Clip(r.forgotten), project), func(f *contents.Forgotten) bool {
		return f != nil && f.BindsEntry(entry.Entry{Text: d.Text, Labels: labels.Labels{Tags: d.Tags}, Topics: d.Topics, Conversation: d.Conversation, Session: d.Session, Category: d.Category})
	})
}

// instructions is the text of an instruction file as it is now; "" for one that does not count for the reader.
func (r *Recaller) instructions(ctx context.Context, name string) string {
	text, ok := r.texts[name]
	if !ok {
		var reader contextfile.Reader // a person may read all
		if r.opt.Reader != contents.Person {
			reader = contextfile.Trusted(ctx, r.ss, "", "")
		}
		data, _ := reader.Instructions(ctx, r.ss, name)
		text = cache.MarkdownText(data)
		r.texts[name] = text
	}
	return text
}

// withoutForgotten is a part of a Markdown file without the lines that were
// forgotten in a store that is searched: memctl does not write such files, so
// they keep them. It returns "" for a part that must be withheld as a whole.
func (r *Recaller) withoutForgotten(ctx context.Context, text string) string {
	if !r.readForgotten(ctx) {
		return ""
	}
	is := func(said func(f *contents.Forgotten, text string) bool) func(string) bool {
		return func(text string) bool {
			return slices.ContainsFunc(r.forgotten, func(f *contents.Forgotten) bool { return said(f, text) })
		}
	}
	if !is((*contents.Forgotten).HasText)(text) {
		return text
	}
	text = strings.Join(slices.DeleteFunc(strings.SplitAfter(text, "\n"), is((*contents.Forgotten).HasLine)), "")
	if is((*contents.Forgotten).HasText)(text) {
		return "" // several lines together were forgotten
	}
	return strings.TrimSpace(text)
}

func (r *Recaller) keepItem(d *index.Doc) bool {
	it := r.memories[d.Scope].Find(d.ID)
	if it == nil || it.Reasons()&r.hidden != 0 {
		return false
	}
	d.Text = it.Value.Plain()
	return true
}
