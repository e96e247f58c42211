package memory

import (
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/localstate"
)

const (
	// PromptPending is how long a prompt waits for the write that answers it.
	PromptPending = time.Hour
	// SessionRuns is how long a session counts as running if no hook told of its end.
	SessionRuns = 24 * time.Hour
	// fewWords is up to how many words a prompt may mean what was said before it.
	fewWords = 2
)

// Heard is what the person is known to have typed in the session that an agent's write comes from.
type Heard struct {
	ss      *store.Stores
	origin  Origin
	called  bool // hooks have told memctl of this agent's sessions and prompts here
	prompts []localstate.Prompt
	alone   bool                // the prompts are of one session
	program bool                // it is known that a program gives the session's prompts
	all     []localstate.Prompt // those that the write may name by their numbers
	named   *localstate.Prompt
}

// Listen finds the prompts behind an agent's write. A session that a program prompts has none. A session is known by its
// id, in whatever worktree or repository it writes. Where the write does not say its session, the prompts are those of all
// sessions of the agent in this worktree, and none if a program prompts one of them.
func Listen(ss *store.Stores, o Origin) Heard {
	o.Session = localstate.GoesOn(ss, o.Session)
	h := Heard{ss: ss, origin: o}
	if o.Name == "" {
		return h
	}
	records, err := localstate.Prompts(ss)
	if err != nil {
		h.called = true // and who prompts is not known
		return h
	}
	records = slices.DeleteFunc(records, func(p localstate.Prompt) bool { return !sameAgent(o.Name, p.Agent) })
	own := func(p localstate.Prompt) bool { return p.Session == o.Session }
	if h.alone = slices.ContainsFunc(records, own); !h.alone {
		own = func(p localstate.Prompt) bool { return p.InWorktree(ss) }
	}
	starts := map[string]localstate.Prompt{} // the newest of each session
	typed := map[string]bool{}
	for _, p := range records {
		switch start := starts[p.Session]; {
		case p.By != "":
			starts[p.Session] = p
			h.called = h.called || own(p)
		case notPersons(start) && p.Time.Before(start.Time): // a program has resumed it
		case own(p):
			h.called, typed[p.Session] = true, typed[p.Session] || len(p.Words) > 0
			h.prompts, h.all = append(h.prompts, p), append(h.all, p)
		case !h.alone && p.InRepository(ss): // from a linked worktree
			h.all = append(h.all, p)
		}
	}
	h.called = h.called || hooksCalled(ss, o.Name)
	if h.alone {
		h.program = notPersons(starts[o.Session]) && !typed[o.Session]
		return h
	}
	for session, start := range starts {
		if own(start) && notPersons(start) && !typed[session] && ss.Now().Sub(start.Time) < SessionRuns {
			h.prompts = nil
		}
	}
	h.alone = h.oneAtWork()
	return h
}

// notPersons reports whether a session has begun whose prompts nobody knows to be a person's.
func notPersons(start localstate.Prompt) bool {
	return start.By == localstate.PromptsProgram || start.By == localstate.PromptsUnknown
}

// sameAgent reports whether an agent that writes is the one whose hooks were called: an MCP client says
// "claude-code" for "claude".
func sameAgent(writes, hook string) bool { return hook != "" && strings.Contains(writes, hook) }

// hooksCalled reports whether a session of the agent, which may have ended, has begun here and told of its prompts.
func hooksCalled(ss *store.Stores, agent string) bool {
	_, ok, err := localstate.LastRecord(ss, localstate.EventSessionStart, func(rec localstate.SessionRecord) bool {
		return rec.Prompts != "" && sameAgent(agent, rec.Agent)
	})
	return ok || err != nil
}

// oneAtWork reports whether the prompts of the last hour are of one session, which is then the one that writes.
func (h Heard) oneAtWork() bool {
	running := ""
	for _, p := range h.prompts {
		if h.ss.Now().Sub(p.Time) > PromptPending {
			continue
		}
		if running != "" && running != p.Session {
			return false
		}
		running = p.Session
	}
	return running != ""
}

// Naming says that the write names a prompt by its number; 0 for none.
func (h Heard) Naming(number int) Heard {
	for i, p := range h.all {
		if p.Number == number && number > 0 {
			h.named = &h.all[i]
		}
	}
	return h
}

// Origin says whose words a write of this key and text is that an agent passes on as the person's. It is the agent's own
// conclusion if no prompt is behind it. Where no hook of the agent was called, no prompt can be known, and the agent is taken at
// its word.
func (h Heard) Origin(key, text string) Origin {
	if h.origin.Kind == Relayed && h.called && h.prompt(key, text, func(localstate.Prompt) bool { return true }) == nil {
		h.origin.Kind = Automatic
	}
	return h.origin
}

// prompt is what the write passes on: the prompt that it names, else the newest one that counts and has a word of the text, or
// of the key of a text of one word; nil for none. A prompt of the last hour that may say something lasting counts without a
// common word if it has hardly a word of its own, as "yes, remember that".
func (h Heard) prompt(key, text string, counts func(localstate.Prompt) bool) *localstate.Prompt {
	if h.named != nil {
		return h.named
	}
	said := topicWords(text)
	if len(said) <= 1 {
		said = append(said, topicWords(key)...)
	}
	for i, p := range slices.Backward(h.prompts) {
		if counts(p) && (p.Lasting && h.isShort(p) || sharesWord(p, said)) {
			return &h.prompts[i]
		}
	}
	return nil
}

// isShort reports whether a prompt of the last hour has hardly a word of its own, and so may mean what was said before it.
func (h Heard) isShort(p localstate.Prompt) bool {
	return len(p.Words) <= fewWords && h.ss.Now().Sub(p.Time) <= PromptPending
}

func sharesWord(p localstate.Prompt, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(p.Words, localstate.WordDigest(w)) })
}

// OriginOn is Origin for an act that stores no text, on a record with that key and text. Any short prompt may mean it.
func (h Heard) OriginOn(key, text string) Origin {
	words := topicWords(strings.NewReplacer(".", " ", "-", " ", "_", " ").Replace(key) + " " + text)
	if h.origin.Kind == Relayed && h.called && h.named == nil && !slices.ContainsFunc(h.prompts, func(p localstate.Prompt) bool { return h.isShort(p) || sharesWord(p, words) }) {
		h.origin.Kind = Automatic
	}
	return h.origin
}

// OriginOfAct is Origin for an act that stores no text: the agent's own only where a program is known to prompt it.
func (h Heard) OriginOfAct() Origin {
	if h.program && h.origin.Kind == Relayed {
		h.origin.Kind = Automatic
	}
	return h.origin
}

// Day is the day on which the person typed what a relayed write says: in the prompt that it names, else in one of its session
// that may state something lasting and is no paste; "" if none is known.
func (h Heard) Day(key, text string) string {
	p := h.prompt(key, text, func(p localstate.Prompt) bool { return h.alone && p.Lasting && !p.Long })
	if h.origin.Kind != Relayed || p == nil {
		return ""
	}
	return p.Time.Format(time.DateOnly)
}

// Answer notes that a write of this key and text is in memory, or waits for it. It answers what the person asked to
// remember in the prompt that it names, unless it is plainly about something else, and what it has most of the words of, if
// that is of its own session. answer is the commit, or another word where there is none. Errors: the local state cannot be
// written.
func (h Heard) Answer(key, text, answer string) error {
	said := append(topicWords(text), topicWords(key)...)
	has := func(a localstate.Asked) bool {
		list := topicWords(a.Text)
		return 2*len(slices.DeleteFunc(slices.Clone(list), func(w string) bool { return !slices.Contains(said, w) })) > len(list)
	}
	mine := func(p localstate.Prompt) bool {
		return h.alone && slices.ContainsFunc(h.prompts, func(q localstate.Prompt) bool { return q.Session == p.Session })
	}
	number := 0
	if h.named != nil && !isUnrelated(*h.named, said, text) {
		number = h.named.Number
	}
	for _, p := range h.all { // a write with the words of another prompt that waits passes that one's number by mistake
		if p.Number != number && mine(p) && slices.ContainsFunc(p.Asked, func(a localstate.Asked) bool { return a.Answer == "" && has(a) }) {
			number = 0
		}
	}
	answered := func(p localstate.Prompt) (list []int) {
		own := number > 0 && p.Number == number
		for i, a := range p.Asked {
			if (own || mine(p)) && has(a) {
				list = append(list, i)
			}
		}
		if own && len(list) == 0 && len(p.Asked) > 0 { // in other words: one write for each statement
			list = []int{max(0, slices.IndexFunc(p.Asked, func(a localstate.Asked) bool { return a.Answer == "" }))}
		}
		return list
	}
	if !slices.ContainsFunc(h.all, func(p localstate.Prompt) bool { return len(answered(p)) > 0 }) {
		return nil
	}
	return localstate.ChangePrompts(h.ss, func(list []localstate.Prompt) []localstate.Prompt {
		for _, p := range list {
			for _, i := range answered(p) {
				p.Asked[i].Answer = answer
			}
		}
		return list
	})
}

// isUnrelated reports whether a write is plainly about something else than a prompt: both are in English, and have no word in common.
func isUnrelated(p localstate.Prompt, said []string, text string) bool {
	english := func(text string) bool {
		return slices.ContainsFunc(index.StopWords(text), func(w string) bool {
			return strings.Contains(" the and with that this are should you your not from when must ", " "+w+" ")
		})
	}
	return len(p.Words) > fewWords && english(text) && slices.ContainsFunc(p.Asked, func(a localstate.Asked) bool { return english(a.Sentence) }) &&
		!slices.ContainsFunc(said, func(w string) bool { return slices.Contains(p.Words, localstate.WordDigest(w)) })
}

// RecordPrompt keeps the words that a person typed, so that a write can be compared with them. With numbered, the agent is
// told the number by which it names the prompt. Errors: the local state cannot be written.
func RecordPrompt(ss *store.Stores, p localstate.Prompt, own string, numbered bool) (number int, err error) {
	if numbered {
		return localstate.NumberPrompt(ss, p, topicWords(own))
	}
	return 0, localstate.RecordPrompt(ss, p, topicWords(own))
}
