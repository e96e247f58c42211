package localstate

import (
	"bytes"
	"errors"
	"slices"

	"github.com/memctl/memctl/internal/store"
)

// DropTexts removes what local state keeps of sessions and contains a text: notes of days, what a person asked to remember,
// prompts that a model still has to read, what agents stored, and what sessions were given. Errors: the local state cannot be
// read or written, or is held.
func DropTexts(ss *store.Stores, contains func(text string) bool) error {
	_, err := days(ss).Drop(func(n DayNote) bool { return slices.ContainsFunc(n.texts(), contains) })
	_, newsErr := news(ss).Drop(func(n News) bool { return contains(n.Name) || contains(n.Near) })
	asked := func(s Asked) bool { return contains(s.Key) || contains(s.Text) || contains(s.Sentence) }
	list, readErr := Prompts(ss)
	if err = errors.Join(err, newsErr, readErr); slices.ContainsFunc(list, func(p Prompt) bool { return slices.ContainsFunc(p.Asked, asked) }) {
		err = errors.Join(err, ChangePrompts(ss, func(list []Prompt) []Prompt {
			for i := range list {
				list[i].Asked = slices.DeleteFunc(list[i].Asked, asked)
			}
			return list
		}))
	}
	segments, readErr := Segments(ss)
	err = errors.Join(err, readErr)
	for _, s := range segments {
		if slices.ContainsFunc(s.Text, contains) {
			err = errors.Join(err, ChangeSegment(ss, s.Agent, s.Session, func(s *Segment) { s.Text = slices.DeleteFunc(s.Text, contains) }))
		}
	}
	return errors.Join(err, dropGiven(ss, contains))
}

// texts lists what a note says.
func (n DayNote) texts() []string {
	list := slices.Concat(n.Files, n.Commits)
	for _, c := range n.Ran {
		list = append(list, c.Command)
	}
	for _, e := range n.Errors {
		list = append(list, e.Command, e.EndedBy)
	}
	return list
}

// dropGiven removes the record of sessions if one was given an item with such a key: they get their memory again.
func dropGiven(ss *store.Stores, contains func(text string) bool) error {
	list, err := SessionRecords(ss, "")
	for _, rec := range list {
		if slices.ContainsFunc(rec.Given, func(g Given) bool { return contains(g.Key) || contains(g.On) }) {
			return sessions(ss).Change(func([]SessionRecord) []SessionRecord { return nil })
		}
	}
	return err
}

const (
	// droppedFile has the digests of the proposals that a person dropped, one a line.
	droppedFile = "noted-dropped"
	// maxDroppedBytes is where the file is cut to its newest half.
	maxDroppedBytes = 64 << 10
)

// DropStatement remembers that the person does not want a text proposed again.
func DropStatement(ss *store.Stores, text string) error {
	return ss.RepositoryState().Append(droppedFile, []byte(TextDigest(text)), maxDroppedBytes)
}

// DroppedStatements reports of a text whether the person dropped a proposal of it. Errors: the local
// state cannot be read.
func DroppedStatements(ss *store.Stores) (dropped func(text string) bool, err error) {
	names, err := ss.RepositoryState().Read(droppedFile)
	return func(text string) bool { return bytes.Contains(names, []byte(TextDigest(text))) }, err
}
