package localstate

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"time"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/statedir"
)

// Prompt is what is kept of one prompt of a running session, or of the session's start. It has digests of the
// prompt's words, and a text only where the person asked to remember it.
type Prompt struct {
	Time       time.Time `json:"time"`
	Agent      string    `json:"agent"`
	Session    string    `json:"session"`
	Worktree   string    `json:"worktree"`          // digest of the folder of this worktree's state
	Repository string    `json:"repository"`        // the same of the repository's
	By         string    `json:"by,omitempty"`      // of a start: who gives the session's prompts, as PromptsPerson
	Number     int       `json:"number,omitempty"`  // by which the agent was told to name the prompt; 0 for none
	Turn       string    `json:"turn,omitempty"`    // of a prompt with a number: what tells it from others of the session
	Words      []string  `json:"words,omitempty"`   // WordDigest of each distinctive word that the person typed
	Lasting    bool      `json:"lasting,omitempty"` // it may state something lasting, or asks to remember
	Long       bool      `json:"long,omitempty"`    // it may be a pasted text, so it shows what the person wants of it and not what they typed
	Asked      []Asked   `json:"asked,omitempty"`
}

// Asked is a statement that a person asked to remember. It is kept until a write has answered it, and the agent can hardly take
// that back any more.
type Asked struct {
	Scope    string `json:"scope"`
	Key      string `json:"key"`
	Text     string `json:"text"`
	Sentence string `json:"sentence"`         // as the person wrote it
	Near     string `json:"near,omitempty"`   // the key of the nearest record
	Heard    bool   `json:"heard,omitempty"`  // it is a proposal now, and the next start says so
	Answer   string `json:"answer,omitempty"` // the commit of the write that answered it, or why there is none; "" while it waits
}

const (
	promptsFile = "prompts.jsonl"
	// PromptsFolder is the folder of the prompts below memctl's data folder: a session may write in other worktrees and
	// repositories than the one in which the person speaks.
	PromptsFolder = "sessions"
	// maxPromptsBytes is where the older half of the prompts is forgotten.
	maxPromptsBytes = 512 << 10
	// maxPromptWords is how many words of a prompt are kept.
	maxPromptWords = 400
)

// WordDigest names a word without repeating it: 8 hex digits of its SHA-256.
func WordDigest(word string) string {
	sum := sha256.Sum256([]byte(word))
	return hex.EncodeToString(sum[:4])
}

// stampHere is the record with its time and place.
func (p Prompt) stampHere(ss *store.Stores) Prompt {
	p.Time, p.Worktree, p.Repository = ss.Now().UTC(), TextDigest(ss.SessionsState().Folder), TextDigest(ss.RepositoryState().Folder)
	return p
}

// InWorktree reports whether the prompt was given in this worktree.
func (p Prompt) InWorktree(ss *store.Stores) bool {
	return p.Worktree == TextDigest(ss.SessionsState().Folder)
}

// InRepository reports whether the prompt was given in this repository.
func (p Prompt) InRepository(ss *store.Stores) bool {
	return p.Repository == TextDigest(ss.RepositoryState().Folder)
}

// RecordPrompt adds the record of a prompt with these words, or of a session's start. Errors: the local state cannot be
// written.
func RecordPrompt(ss *store.Stores, p Prompt, words []string) error {
	return prompts(ss).Add(p.withWords(words).stampHere(ss), nil)
}

// hasOnlyWords reports whether a record has the words of a prompt and nothing else: no request that waits, no start, no number.
func (p Prompt) hasOnlyWords() bool {
	return len(p.Asked) == 0 && p.By == "" && p.Session != lastNumber
}

// lastNumber is the session of a record of no prompt: it keeps a number from being given twice, also after its session ended.
const lastNumber = "last number"

// NumberPrompt is RecordPrompt for a prompt that the agent is told of, and returns the prompt's number. An agent whose
// hooks are in two settings files calls both for one prompt, which is recorded once.
func NumberPrompt(ss *store.Stores, p Prompt, words []string) (number int, err error) {
	p = p.withWords(words).stampHere(ss)
	err = ChangePrompts(ss, func(list []Prompt) []Prompt {
		for _, was := range list {
			if was.Number > 0 && was.Session == p.Session && was.Turn == p.Turn && p.Time.Sub(was.Time).Abs() < sameEvent {
				number = was.Number
				return list
			}
			p.Number = max(p.Number, was.Number)
		}
		p.Number++
		number = p.Number
		list = slices.DeleteFunc(list, func(was Prompt) bool { return was.Session == lastNumber })
		return append(list, p, Prompt{Time: p.Time, Session: lastNumber, Number: number})
	})
	return number, err
}

func (p Prompt) withWords(words []string) Prompt {
	for _, w := range words[:min(len(words), maxPromptWords)] {
		p.Words = append(p.Words, WordDigest(w))
	}
	return p
}

// Prompts are the recorded prompts and starts of this machine's sessions that have not ended, oldest first. A
// torn line is passed over. Errors: the local state cannot be read.
func Prompts(ss *store.Stores) ([]Prompt, error) {
	return prompts(ss).Read("")
}

// StartedBy is who gives the prompts of a session, by its newest start; "" where that is not known.
func StartedBy(ss *store.Stores, session string) (by string) {
	list, _ := Prompts(ss)
	for _, p := range list {
		if p.Session == session && p.By != "" {
			by = p.By
		}
	}
	if by == PromptsUnknown {
		return ""
	}
	return by
}

func prompts(ss *store.Stores) statedir.Log[Prompt] {
	state := ss.DataState()
	if state.Folder != "" {
		state.Folder = filepath.Join(state.Folder, PromptsFolder)
	}
	return statedir.Log[Prompt]{In: state, Name: promptsFile, Max: maxPromptsBytes, Spent: Prompt.hasOnlyWords, Counts: func(p Prompt) bool { return p.Session != "" }}
}

// ChangePrompts replaces the recorded prompts while no other process can. Errors: the local state
// cannot be read or written, or is held.
func ChangePrompts(ss *store.Stores, change func([]Prompt) []Prompt) error {
	return prompts(ss).Change(change)
}
