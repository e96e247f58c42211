package transfer

import (
	"context"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// ExportEntry is one entry as it leaves: a line of JSON Lines that import reads
// back. Locks, pins, signals and anchors stay here.
type ExportEntry struct {
	Text         string   `json:"text"`
	Role         string   `json:"role"`
	Conversation string   `json:"conversation"`
	Session      string   `json:"session,omitempty"`
	Created      string   `json:"created_at"`
	Category     string   `json:"category,omitempty"`
	Tags         []string `json:"tags"`
	Topics       []string `json:"topics"`
	Source       string   `json:"source,omitempty"`
	Confidence   string   `json:"confidence,omitempty"`
	Weight       float64  `json:"weight,omitempty"`
	Expires      string   `json:"expires,omitempty"`
	ID           string   `json:"id"`
	Scope        string   `json:"scope"`
}

func (res *ExportResult) addEntries(ctx context.Context, ss *store.Stores, scope string) error {
	list, err := view.Entries(ctx, ss, scope)
	for _, e := range list {
		if len(e.Withheld) > 0 {
			res.Withheld = append(res.Withheld, session.LeftOut{Key: memory.ShortID(e.ID), Scope: e.Scope, Why: strings.Join(e.Withheld, ", ")})
			continue
		}
		res.Entries = append(res.Entries, exportEntry(e.Entry))
	}
	return err
}

func exportEntry(e contents.Entry) ExportEntry {
	role := e.Role
	if e.Tier() == entry.Fact {
		role = entry.RoleFact // other programs have words of their own
	}
	x := ExportEntry{
		Text: e.Text, Role: role, Conversation: e.Conversation, Session: e.Session, Created: e.Created, Category: e.Category,
		Tags: append([]string{}, e.Tags...), Topics: append([]string{}, e.Topics...), Source: e.Source, Weight: e.Weight,
		Expires: e.Expires, ID: e.ID, Scope: e.Scope,
	}
	if e.Tier() == entry.Fact {
		x.Confidence = e.Confidence
	}
	return x
}
