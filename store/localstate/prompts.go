package localstate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/memctl/memctl/store"
)

// Prompt is what is kept of one prompt of a running session: which words it has, not what it says,
// and what a hook stored of it.
type Prompt struct {
	Time    time.Time `json:"time"`
	Agent   string    `json:"agent"`
	Session string    `json:"session"`
	Words   []string  `json:"words,omitempty"`   // WordDigest of each distinctive word that the person typed
	Lasting bool      `json:"lasting,omitempty"` // it may state something lasting, or asks to remember
	Long    bool      `json:"long,omitempty"`    // it may be a pasted text, so it shows what the person wants of it and not what they typed
	Stored  []Stored  `json:"stored,omitempty"`
	// Of a prompt with stored statements: where the client writes it down.
	Prompt     string `json:"prompt,omitempty"` // TextDigest
	Transcript string `json:"transcript,omitempty"`
	Offset     int64  `json:"offset,omitempty"`  // the transcript's size when the prompt came
	English    bool   `json:"english,omitempty"` // its words can be compared with those of an English text
}

// Stored is a statement of a prompt that a hook stored as a record.
type Stored struct {
	Scope    string `json:"scope"`
	Key      string `json:"key"`
	Text     string `json:"text"`
	Sentence string `json:"sentence"` // as the person wrote it
	Answered bool   `json:"answered,omitempty"`
	Heard    bool   `json:"heard,omitempty"` // it is a proposal now, and the next start says so
}

const (
	promptsFile = "prompts.jsonl"
	// maxPromptsBytes is where the file is cut to its newest half.
	maxPromptsBytes = 256 << 10
	// maxPromptWords is how many words of a prompt are kept.
	maxPromptWords = 400
)

// WordDigest names a word without repeating it: 8 hex digits of its SHA-256.
func WordDigest(word string) string {
	sum := sha256.Sum256([]byte(word))
	return hex.EncodeToString(sum[:4])
}

// RecordPrompt adds the record of a prompt with these words. Errors: the local state cannot be written.
func RecordPrompt(ss *store.Stores, p Prompt, words []string) error {
	p.Time = ss.Now().UTC()
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
func Prompts(ss *store.Stores) ([]Prompt, error) {
	return readLines(ss.SessionsState(), promptsFile, Prompt.counts)
}

func (p Prompt) counts() bool { return p.Session != "" }

// ChangePrompts replaces the recorded prompts while no other process can. Errors: the local state
// cannot be read or written, or is held.
func ChangePrompts(ss *store.Stores, change func([]Prompt) []Prompt) error {
	return changeLines(ss.SessionsState(), promptsFile, Prompt.counts, change)
}
