package briefing

import (
	"strings"

	"github.com/memctl/memctl/internal/recall/cache"
	"github.com/memctl/memctl/internal/recall/postgres"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memory/reading/view"
)

// RecallOptions says what is searched, for one or many questions.
type RecallOptions struct {
	Scope string // "" searches every scope
	// Sessions says which past sessions are searched, and nothing else; nil searches memory.
	Sessions *HistoryOptions
	// Reader: only a person finds something in a scope that is switched off, and gets texts as they are; a hook finds no
	// unconfirmed memories.
	Reader contents.Reader
	// Guarded: hits reach the agent without its asking for them, so the project's
	// own take the person's trust.
	Guarded bool
	// Network: models behind HTTP are asked too where Guarded is set. A hook uses no network.
	Network bool
	// Engine says where to search, one of Engines.
	Engine string
	// Dial connects to the server of the shared index. A hook leaves it nil, so that only the index on disk is searched.
	Dial    postgres.Dial
	Fresh   bool // compare every file with the index first
	MaxRead int  // changed files to read at most before answering from the index as it was; 0: no limit
	// entriesOnly leaves out stores that have no entries.
	entriesOnly bool
	// glance looks at the names of files alone, and writes no index.
	glance bool
	// former is an open index that ends when this one is open.
	former *cache.Library
	// reader is how memory is read; nil begins to read it.
	reader   *contents.View
	Progress func(done, total int) // while the index is brought up to date; nil for nobody
}

// Nearest is the line above weak hits.
const Nearest = "nothing matches well; this is nearest"

// RecallRequest is one question.
type RecallRequest struct {
	Query        string   // of past sessions, "" finds what the person said last
	K            int      // how many hits; 0 takes the setting's
	Tiers        []string // item, fact, note, summary, turn, file; none: all
	Conversation string   // with what belongs to every conversation; "" asks all
	Category     string
	Tag          string
	Since        string // a day
	Duplicates   bool   // texts that say nearly the same as a better hit are hits, too
	// Guess is a text that may be like the answer. What only its words find comes at a lower score.
	Guess string
}

// RecallResult is what was found, the best first.
type RecallResult struct {
	Query    string      `json:"query"`
	Hits     []RecallHit `json:"hits"`
	Weak     bool        `json:"-"` // none of them matches well: they are the nearest
	Took     float64     `json:"took_ms"`
	Warnings []string    `json:"warnings,omitempty"`
}

// RecallHit is one memory that was found. ID is an item's key, an entry's id, or path and
// lines; Text has an item's value, too. Path ends in #L1-L9 where a chunk was found.
type RecallHit struct {
	view.Record
	Agent      string             `json:"agent,omitempty"`      // whose session it is of
	Folder     string             `json:"folder,omitempty"`     // of the session, where it is not of this repository
	Repository string             `json:"repository,omitempty"` // of a hit of the shared index
	Time       string             `json:"time,omitempty"`       // RFC 3339, or a day
	Score      float64            `json:"score"`                // 0 and up; 1 is the best of all where it has every word of the question
	Parts      map[string]float64 `json:"parts"`                // what the score is made of
	Weak       bool               `json:"weak,omitempty"`       // it matches too little of the question
	// Matched are the question's words that stand in it, Missing those that do not.
	Matched []string `json:"matched,omitempty"`
	Missing []string `json:"missing,omitempty"`
	// AlsoIn are the other scopes where the same was found.
	AlsoIn []string `json:"also_in,omitempty"`
	// ContradictedBy is the scope that has another value of this item's key, which counts instead.
	ContradictedBy string `json:"contradicted_by,omitempty"`
	InSession      bool   `json:"in_session,omitempty"` // the newest session here was handed it at its start
	Shared         bool   `json:"-"`                    // it comes from the shared index
}

// SessionSource says in the source of a memory where a hit of a past session is from.
func (h RecallHit) SessionSource() string {
	day, _, _ := strings.Cut(h.Time, "T")
	return strings.TrimSpace("session of " + h.Agent + " " + day)
}
