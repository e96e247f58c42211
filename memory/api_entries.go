package memory

import "time"

// RememberRequest is one `remember` or `note`: an entry to keep.
type RememberRequest struct {
	Options
	Text         string
	Role         string // entry.RoleFact, RoleNote or RoleSummary
	Category     string // of a fact; "" takes the one that the text begins with in brackets
	Tags, Topics []string
	Session      string
	Conversation string // "" takes the scope's own
	Anchors      []string
	Expires      string
	Pin          bool
	Weight       float64
	Confidence   string // "" or a lower one than the origin gives
	Source       string
	Replace      string // id, or its beginning, of the fact that this one takes the place of
	Repeated     bool   // automatic: a signal that was seen before, so medium
	Created      time.Time
	// Seen: the person was shown why the policy holds this, and keeps it.
	Seen  bool
	Lasts bool // the person was asked, and it lasts though it sounds temporary
}

// EntryView is an entry as the doors print it.
type EntryView struct {
	ID           string       `json:"id"`
	Tier         string       `json:"tier"` // fact, note, summary or turn
	Role         string       `json:"role"`
	Scope        string       `json:"scope"`
	Conversation string       `json:"conversation"`
	Session      string       `json:"session,omitempty"`
	Created      string       `json:"created_at"`
	Category     string       `json:"category,omitempty"`
	Text         string       `json:"text"`
	Tags         []string     `json:"tags"`
	Topics       []string     `json:"topics"`
	Source       string       `json:"source,omitempty"`
	Confidence   string       `json:"confidence,omitempty"`
	By           string       `json:"by,omitempty"`
	Expires      string       `json:"expires,omitempty"`
	Pinned       bool         `json:"pinned,omitempty"`
	Locked       bool         `json:"locked,omitempty"`
	Month        string       `json:"month,omitempty"` // as 2026-10, of the summary that compact keeps of its notes
	Stale        bool         `json:"stale,omitempty"` // a summary that lost lines, or what an anchor points at has changed
	Weight       float64      `json:"weight,omitempty"`
	Signals      int          `json:"signals,omitempty"`
	Anchors      []AnchorView `json:"anchors,omitempty"`
	Path         string       `json:"path"` // from the store's folder
	Uses         int          `json:"use_count"`
	Standing     float64      `json:"standing"`
	Withheld     []string     `json:"withheld,omitempty"` // rules that keep it from agents; a secret's Text is "" then
}

// AnchorView is a place in the code that an entry is about.
type AnchorView struct {
	Path   string `json:"path"`
	Commit string `json:"commit,omitempty"`
	State  string `json:"state,omitempty"` // fresh, moved, changed, gone or unknown; "" where it was not looked at
	Now    string `json:"now,omitempty"`   // where it stands now, if it moved
}

// FactsRequest asks for facts: of one category, of one scope, or all.
type FactsRequest struct {
	Scope, Category, Tag, Conversation string
}

// FactsResult lists facts, the highest standing first.
type FactsResult struct {
	Schema int         `json:"schema"`
	Facts  []EntryView `json:"facts"`
}

// NotesResult lists the notes of some days, in the order in which they were made.
type NotesResult struct {
	Schema int         `json:"schema"`
	From   string      `json:"from"` // the first day
	To     string      `json:"to"`   // the last day
	Notes  []EntryView `json:"notes"`
	Folded []string    `json:"folded,omitempty"` // conversations whose summaries of a month hold notes of these days
}

// TopicsResult lists topics, the liveliest first.
type TopicsResult struct {
	Schema int         `json:"schema"`
	Topics []TopicView `json:"topics"`
}

// TopicView is one topic: how often it came up, when last, and in what.
type TopicView struct {
	Name  string   `json:"name"`
	Count int      `json:"entry_count"`
	Last  string   `json:"last"` // day
	Score float64  `json:"score"`
	Facts []string `json:"facts"` // ids of facts, newest first
}

// ProjectsResult lists projects, that of this folder first.
type ProjectsResult struct {
	Schema   int           `json:"schema"`
	Projects []ProjectView `json:"projects"`
}

// ProjectView is what is known of one project.
type ProjectView struct {
	Name         string   `json:"name"`
	Path         string   `json:"path,omitempty"`
	Description  string   `json:"description,omitempty"`
	Technologies []string `json:"technologies"`
	Status       string   `json:"status,omitempty"`
	Last         string   `json:"last,omitempty"` // day of the last activity
	Here         bool     `json:"here"`
}

// SummaryResult is a conversation's summary, in each scope that has one.
type SummaryResult struct {
	Schema    int         `json:"schema"`
	Summaries []EntryView `json:"summaries"`
}

// UserResult is what is known about the person: the items user.*.
type UserResult struct {
	Schema int         `json:"schema"`
	Fields []UserField `json:"fields"`
}

// UserField is one of them.
type UserField struct {
	Name       string   `json:"name"`
	Values     []string `json:"values"`
	Confidence string   `json:"confidence"`
	Key        string   `json:"key"`
}

// StaleResult lists the entries whose anchors do not hold any more.
type StaleResult struct {
	Schema  int         `json:"schema"`
	Checked int         `json:"checked_count"`
	Entries []EntryView `json:"entries"`
}

// StatsResult counts what there is.
type StatsResult struct {
	Schema   int          `json:"schema"`
	Scopes   []ScopeStats `json:"scopes"`
	Patterns Patterns     `json:"patterns"`
}

// ScopeStats counts one scope.
type ScopeStats struct {
	Scope         string         `json:"scope"`
	Items         int            `json:"item_count"`
	Facts         int            `json:"fact_count"`
	Notes         int            `json:"note_count"`
	Summaries     int            `json:"summary_count"`
	Turns         int            `json:"turn_count"`
	Unconfirmed   int            `json:"unconfirmed_count"` // items and facts that wait for confirmation
	Expired       int            `json:"expired_count"`
	Deleted       int            `json:"deleted_count"`
	Withheld      int            `json:"withheld_count"`
	Unread        int            `json:"unread_count"`
	Bytes         int64          `json:"bytes"`
	Oldest        string         `json:"oldest,omitempty"`
	Newest        string         `json:"newest,omitempty"`
	Categories    map[string]int `json:"categories"`
	Conversations map[string]int `json:"conversations"`
}

// Patterns are how memory was used on this machine, in this worktree: from local
// state, never committed.
type Patterns struct {
	Acts     int            `json:"act_count"`
	ByAct    map[string]int `json:"acts"`
	ByHour   [24]int        `json:"hours"` // acts by hour of the day, UTC
	Days     int            `json:"day_count"`
	MostUsed []EntryView    `json:"most_used"`
	// Of the agents' sessions that hooks told of.
	Sessions      int            `json:"session_count"`
	ByAgent       map[string]int `json:"agents"`        // sessions by agent
	SessionHours  [24]int        `json:"session_hours"` // by the hour in which they began, UTC
	MedianSeconds int            `json:"median_seconds"`
	LongSeconds   int            `json:"longest_seconds"`
}
