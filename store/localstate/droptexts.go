package localstate

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"

	"github.com/memctl/memctl/store"
)

// DropTexts removes what local state keeps of sessions and contains a text: notes of days, statements
// that hooks stored, prompts that a model still has to read, and keys that sessions were given. Errors: the local state cannot be
// read or written, or is held.
func DropTexts(ctx context.Context, ss *store.Stores, contains func(text string) bool) error {
	days, err := DayNotes(ss)
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(slices.Clone(days), func(n DayNote) bool { return slices.ContainsFunc(n.texts(), contains) })
	if len(left) < len(days) {
		err = writeDays(ss, left)
	}
	prompts, readErr := Prompts(ss)
	stored := func(s Stored) bool { return contains(s.Key) || contains(s.Text) || contains(s.Sentence) }
	if err = errors.Join(err, readErr); slices.ContainsFunc(prompts, func(p Prompt) bool { return slices.ContainsFunc(p.Stored, stored) }) {
		err = errors.Join(err, ChangePrompts(ctx, ss, func(list []Prompt) []Prompt {
			for i := range list {
				list[i].Stored = slices.DeleteFunc(list[i].Stored, stored)
			}
			return list
		}))
	}
	segments, readErr := Segments(ss)
	err = errors.Join(err, readErr)
	for _, s := range segments {
		if slices.ContainsFunc(s.Text, contains) {
			err = errors.Join(err, ChangeSegment(ctx, ss, s.Agent, s.Session, func(s *Segment) { s.Text = slices.DeleteFunc(s.Text, contains) }))
		}
	}
	return errors.Join(err, dropGiven(ctx, ss, contains))
}

// texts lists what a note says.
func (n DayNote) texts() []string {
	list := slices.Concat(n.Files, n.Commits)
	for _, c := range n.Commands {
		list = append(list, c.Command)
	}
	for _, e := range n.Errors {
		list = append(list, e.Command, e.EndedBy)
	}
	return list
}

// dropGiven removes from the record of sessions which items with such a key they were given.
func dropGiven(ctx context.Context, ss *store.Stores, contains func(text string) bool) (err error) {
	state := ss.SessionsState()
	if !filepath.IsAbs(state.Folder) {
		return nil
	}
	unlock, err := state.Lock(ctx, SessionsLock, "forgets", store.NothingToMend)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	list, err := SessionRecords(ss, "")
	if err != nil {
		return err
	}
	has := func(g Given) bool { return contains(g.Key) }
	if !slices.ContainsFunc(list, func(rec SessionRecord) bool { return slices.ContainsFunc(rec.Given, has) }) {
		return nil
	}
	var data []byte
	for _, rec := range list {
		rec.Given = slices.DeleteFunc(rec.Given, has)
		line, err := json.Marshal(rec)
		if err != nil {
			return err
		}
		data = append(append(data, line...), '\n')
	}
	return state.Write(SessionsFile, data)
}
