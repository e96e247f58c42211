package localstate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/statedir"
)

// Noted is a statement that a hook found in a person's prompt. It waits in the repository's
// local state until memory has it, or the person dropped it.
type Noted struct {
	Time       time.Time `json:"time"`
	Agent      string    `json:"agent"`
	Session    string    `json:"session"`
	Prompt     string    `json:"prompt"` // TextDigest of the whole prompt
	Transcript string    `json:"transcript,omitempty"`
	Offset     int64     `json:"offset,omitempty"` // the transcript's size when the prompt came
	Sentence   string    `json:"sentence"`         // as the person wrote it
	Text       string    `json:"text"`             // what would be remembered
	Key        string    `json:"key"`
	Kind       string    `json:"kind"`
	Explicit   bool      `json:"explicit,omitempty"` // the person asked to remember it
	Person     bool      `json:"person,omitempty"`   // about the person, not about a project
	Long       bool      `json:"long,omitempty"`     // from a prompt that is too long to be typed as one wish
}

// Name is what two notes of one statement have in common.
func (n Noted) Name() string { return TextDigest(n.Text) }

const (
	notedFile = "noted.jsonl"
	// droppedFile has the names of what a person dropped, one a line: it is not proposed again.
	droppedFile = "noted-dropped"
	notedLock   = "noted.lock"
	// maxNotedBytes and maxDroppedBytes are where the files are cut to their newest half.
	maxNotedBytes   = 256 << 10
	maxDroppedBytes = 64 << 10
)

// Note adds what a hook found. What the same prompt of the session stated is there once, and
// what the person dropped before is not added; it returns what is new. Errors: the local state
// cannot be read or written.
func Note(ctx context.Context, ss *store.Stores, found []Noted) (added []Noted, err error) {
	state := ss.RepositoryState()
	if !filepath.IsAbs(state.Folder) {
		return nil, fault.New(fault.Scope, "HOME", statedir.NoDataFolder)
	}
	ctx, cancel := context.WithTimeout(ctx, sameEventWait)
	defer cancel()
	if unlock, err := state.Lock(ctx, notedLock, "notes what a person said", store.NothingToMend); err == nil {
		defer func() { _ = unlock() }()
	} // else it is noted all the same: one that stands there twice is kept once
	there, err := NotedStatements(ss)
	if err != nil {
		return nil, err
	}
	dropped, err := state.Read(droppedFile)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{} // of the last prompt: said again after another one, it counts
	for _, n := range slices.Backward(there) {
		if last := there[len(there)-1]; n.Session != last.Session || n.Prompt != last.Prompt {
			break
		}
		seen[n.Session+n.Prompt+n.Name()] = true
	}
	for _, n := range found {
		name := n.Session + n.Prompt + n.Name()
		if seen[name] || !n.Explicit && bytes.Contains(dropped, []byte(n.Name())) {
			continue
		}
		seen[name] = true
		n.Time = ss.Now().UTC().Truncate(time.Second)
		line, err := json.Marshal(n)
		if err != nil {
			return added, err
		}
		if err := state.AppendCapped(notedFile, line, maxNotedBytes); err != nil {
			return added, err
		}
		added = append(added, n)
	}
	return added, nil
}

// NotedStatements are what waits, oldest first. A torn line is passed over.
func NotedStatements(ss *store.Stores) (list []Noted, err error) {
	data, err := ss.RepositoryState().Read(notedFile)
	for line := range bytes.Lines(data) {
		var n Noted
		if json.Unmarshal(line, &n) == nil && n.Text != "" {
			list = append(list, n)
		}
	}
	return list, err
}

// SettleNoted takes out what settled says is done with. Errors: the local state cannot be written or is held.
func SettleNoted(ctx context.Context, ss *store.Stores, settled func(Noted) bool) (err error) {
	state := ss.RepositoryState()
	if list, err := NotedStatements(ss); err != nil || len(list) == 0 {
		return err
	}
	unlock, err := state.Lock(ctx, notedLock, "keeps what a person said", store.NothingToMend)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	list, err := NotedStatements(ss)
	if err != nil {
		return err
	}
	var left bytes.Buffer
	for _, n := range list {
		if settled(n) {
			continue
		}
		line, err := json.Marshal(n)
		if err != nil {
			return err
		}
		left.Write(append(line, '\n'))
	}
	if left.Len() == 0 {
		return state.Remove(notedFile)
	}
	return state.Write(notedFile, left.Bytes())
}

// NotedDropped reports whether the person dropped a proposal of this text before. Errors: the
// local state cannot be read.
func NotedDropped(ss *store.Stores, text string) (bool, error) {
	dropped, err := ss.RepositoryState().Read(droppedFile)
	return bytes.Contains(dropped, []byte(TextDigest(text))), err
}

// DropNoted remembers that the person does not want a text proposed again.
func DropNoted(ss *store.Stores, text string) error {
	return ss.RepositoryState().AppendCapped(droppedFile, []byte(TextDigest(text)), maxDroppedBytes)
}

// DroppedStatements reports of a text whether the person dropped it.
func DroppedStatements(ss *store.Stores) (dropped func(text string) bool, err error) {
	names, err := ss.RepositoryState().Read(droppedFile)
	return func(text string) bool { return bytes.Contains(names, []byte(TextDigest(text))) }, err
}
