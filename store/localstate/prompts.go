package localstate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/memctl/memctl/store"
)

// Prompt is what is kept of one prompt of a running session: which words it has, and not what it
// says.
type Prompt struct {
	Time    time.Time `json:"time"`
	Agent   string    `json:"agent"`
	Session string    `json:"session"`
	Words   []string  `json:"words,omitempty"`   // WordDigest of each distinctive word
	Cut     bool      `json:"cut,omitempty"`     // Words has not all of them
	English bool      `json:"english,omitempty"` // its words can be compared with those of an English text
	Answers bool      `json:"answers,omitempty"` // it may answer a question of the agent
	Asked   string    `json:"asked,omitempty"`   // where it may state something lasting: Asked if the agent was asked, else Unasked
}

// The values of Prompt.Asked.
const (
	Asked   = "yes"
	Unasked = "no"
)

const (
	promptsFile = "prompts.jsonl"
	// maxPromptsBytes is where the file is cut to its newest half.
	maxPromptsBytes = 256 << 10
	// maxPromptWords is how many words of a prompt are kept.
	maxPromptWords = 400
	maxPromptAge   = 7 * 24 * time.Hour
)

// WordDigest names a word without repeating it: 8 hex digits of its SHA-256.
func WordDigest(word string) string {
	sum := sha256.Sum256([]byte(word))
	return hex.EncodeToString(sum[:4])
}

// RecordPrompt adds the record of a prompt with these distinctive words. Errors: the local state
// cannot be written.
func RecordPrompt(ss *store.Stores, p Prompt, words []string) error {
	p.Time = ss.Now().UTC()
	p.Cut = p.Cut || len(words) > maxPromptWords
	for _, w := range words[:min(len(words), maxPromptWords)] {
		p.Words = append(p.Words, WordDigest(w))
	}
	line, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return ss.SessionsState().AppendCapped(promptsFile, line, maxPromptsBytes)
}

// Prompts are the recorded prompts of this worktree's sessions that have not ended, oldest first. A
// torn line is passed over. Errors: the local state cannot be read.
func Prompts(ss *store.Stores) (list []Prompt, err error) {
	data, err := ss.SessionsState().Read(promptsFile)
	for line := range bytes.Lines(data) {
		var p Prompt
		if json.Unmarshal(line, &p) == nil && p.Session != "" {
			list = append(list, p)
		}
	}
	return list, err
}

// ForgetPrompts removes the prompts of a session that has ended ("" for none), and those that are
// older than a week: not every agent says when a session ends. Errors: the local state cannot be read
// or written, or is held.
func ForgetPrompts(ctx context.Context, ss *store.Stores, session string) (err error) {
	state := ss.SessionsState()
	over := func(p Prompt) bool { return p.Session == session || ss.Now().Sub(p.Time) > maxPromptAge }
	list, err := Prompts(ss)
	if err != nil || !slices.ContainsFunc(list, over) {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, sameEventWait)
	defer cancel()
	unlock, err := state.Lock(ctx, SessionsLock, "records a session", store.NothingToMend)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if list, err = Prompts(ss); err != nil {
		return err
	}
	list = slices.DeleteFunc(list, over)
	if len(list) == 0 {
		return state.Remove(promptsFile)
	}
	var left bytes.Buffer
	for _, p := range list {
		line, err := json.Marshal(p)
		if err != nil {
			return err
		}
		left.Write(append(line, '\n'))
	}
	return state.Write(promptsFile, left.Bytes())
}
