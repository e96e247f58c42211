package memory

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/memctl/memctl/capture"
	"github.com/memctl/memctl/recall/index"
	"github.com/memctl/memctl/similar"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/localstate"
)

const (
	// pendingFor is how long a prompt waits for the write that answers it.
	pendingFor = time.Hour
	// programFor is how long a program's session counts as running if no hook told of its end.
	programFor = 24 * time.Hour
	// fewWords is up to how many words a prompt may mean what was said before it.
	fewWords = 2
	// sureWords is from how many words on a text shows in which language it is.
	sureWords = 3
)

// Heard is what the person is known to have typed in the session that an agent's write comes from.
type Heard struct {
	ss      *store.Stores
	origin  Origin
	called  bool // hooks have told memctl of this agent's sessions and prompts here
	prompts []localstate.Prompt
	alone   bool // the prompts are of one session
	program bool // it is known that a program gives the session's prompts
}

// Listen finds the prompts behind a write that an agent passes on. A session that a program prompts has none. Where
// the write does not say its session, the prompts are those of all sessions of the agent here, and none if
// a program prompts one of them.
func Listen(ss *store.Stores, o Origin) Heard {
	h := Heard{ss: ss, origin: o}
	if o.Kind != Relayed || o.Name == "" {
		return h
	}
	all, err := localstate.Prompts(ss)
	starts, startsErr := localstate.Starts(ss)
	if err != nil || startsErr != nil {
		h.called = true // and who prompts is not known
		return h
	}
	begun := map[string]localstate.SessionRecord{} // the newest starts of the sessions that have not ended
	for _, rec := range starts {
		switch {
		case !sameAgent(o.Name, rec.Agent):
		case rec.Event == localstate.EventSessionEnd:
			delete(begun, rec.Session)
		default:
			h.called, begun[rec.Session] = h.called || rec.Prompts != "", rec
		}
	}
	typed := map[string]bool{}
	for _, p := range all {
		start := begun[p.Session]
		if !sameAgent(o.Name, p.Agent) || notPersons(start) && p.Time.Before(start.Time) { // a program has resumed it
			continue
		}
		h.called, typed[p.Session] = true, typed[p.Session] || len(p.Words) > 0
		h.prompts = append(h.prompts, p)
	}
	start, ok := begun[o.Session]
	if ok || typed[o.Session] {
		h.prompts = slices.DeleteFunc(h.prompts, func(p localstate.Prompt) bool { return p.Session != o.Session })
		h.alone, h.program = len(h.prompts) > 0, start.Prompts == localstate.PromptsProgram && !typed[o.Session]
		return h
	}
	for session, start := range begun {
		if notPersons(start) && !typed[session] && ss.Now().Sub(start.Time) < programFor {
			h.prompts = nil
		}
	}
	h.alone = h.oneAtWork()
	return h
}

// notPersons reports whether a session has begun whose prompts nobody knows to be a person's.
func notPersons(start localstate.SessionRecord) bool {
	return start.Prompts == localstate.PromptsProgram || start.Prompts == localstate.PromptsUnknown
}

// sameAgent reports whether an agent that writes is the one whose hooks were called: an MCP client says
// "claude-code" for "claude".
func sameAgent(writes, hook string) bool { return hook != "" && strings.Contains(writes, hook) }

// oneAtWork reports whether the prompts of the last hour are of one session, which is then the one that writes.
func (h Heard) oneAtWork() bool {
	running := ""
	for _, p := range h.prompts {
		if h.ss.Now().Sub(p.Time) > pendingFor {
			continue
		}
		if running != "" && running != p.Session {
			return false
		}
		running = p.Session
	}
	return running != ""
}

// Origin says whose words a write with this text is that an agent passes on as the person's. It is the agent's own
// conclusion if no prompt of the session has a word of the text, or of the key of a text of one word. A prompt of the last
// hour that may say something lasting counts without a common word if it has hardly a word of its own, as "yes, remember
// that", or is not in English: the agent may pass it on in English. Where no hook of the agent was called, no prompt can be
// known, and the agent is taken at its word.
func (h Heard) Origin(key, text string) Origin {
	said := words(text)
	if len(said) <= 1 {
		said = append(said, words(key)...)
	}
	shares := func(p localstate.Prompt) bool {
		wordless := p.Lasting && (len(p.Words) <= fewWords || !p.English) && h.ss.Now().Sub(p.Time) <= pendingFor
		return wordless || slices.ContainsFunc(said, func(w string) bool { return slices.Contains(p.Words, localstate.WordDigest(w)) })
	}
	if h.called && !slices.ContainsFunc(h.prompts, shares) {
		h.origin.Kind = Automatic
	}
	return h.origin
}

// OriginOfAct is Origin for an act that stores no text: the agent's own only where a program is known to prompt it.
func (h Heard) OriginOfAct() Origin {
	if h.program {
		h.origin.Kind = Automatic
	}
	return h.origin
}

// A Reply says which prompt a write of an agent answers, where it passes on the person's words.
type Reply struct {
	Day    string             // on which the person typed it, if their own words have what the write says
	Stored *localstate.Stored // what the hook stored of the prompt and the write says again; nil for none
	Fuller bool               // the write says more of what the person typed than the hook stored
}

// Reply finds the prompt that a relayed write answers. was is the value that the key has, "" for
// none: only what differs from it must be in the person's words. Where several sessions of the agent
// run, a write answers only what a hook stored in the same words.
func (h Heard) Reply(key, text string, was func() string) (r Reply) {
	prompts, alone, ss := h.prompts, h.alone, h.ss
	rule := similar.NewRule(key, text)
	for _, p := range slices.Backward(prompts) {
		for i, s := range p.Stored {
			if capture.Same(s.Key, s.Text, key, text) || rule.Retells(s.Text) {
				return Reply{p.Time.Format(time.DateOnly), &p.Stored[i], fuller(p, i, rule, text)}
			}
		}
	}
	if !alone {
		return r
	}
	for _, p := range slices.Backward(prompts) {
		if states(p, text, was()) {
			return Reply{Day: p.Time.Format(time.DateOnly)}
		}
	}
	for _, p := range slices.Backward(prompts) {
		i := slices.IndexFunc(p.Stored, func(s localstate.Stored) bool { return !s.Answered })
		if i >= 0 && ss.Now().Sub(p.Time) <= pendingFor && !(p.English && similar.English(text, sureWords)) {
			return Reply{Day: p.Time.Format(time.DateOnly), Stored: &p.Stored[i]} // the agent says it in another language
		}
	}
	return r
}

// fuller reports whether a text has all words of the prompt's i-th statement and more of those that the
// person typed. A text that joins several statements is none: each of them has a record.
func fuller(p localstate.Prompt, i int, rule similar.Rule, text string) bool {
	stored := words(p.Stored[i].Text)
	more, has := 0, 0
	for _, w := range words(text) {
		switch {
		case slices.Contains(stored, w):
			has++
		case slices.Contains(p.Words, localstate.WordDigest(w)):
			more++
		}
	}
	for j, s := range p.Stored {
		if j != i && rule.Retells(s.Text) {
			return false
		}
	}
	return more > 0 && has >= len(stored) && states(p, text, "")
}

// states reports whether a prompt has what a text says and an earlier value does not: half of the
// words, and each part of a name or a number.
func states(p localstate.Prompt, text, was string) bool {
	if p.Long || !p.Lasting {
		return false
	}
	old := words(was)
	n, has := 0, 0
	for field := range strings.FieldsSeq(text) {
		exact := strings.ContainsAny(strings.Trim(field, marks), ofNames)
		for _, w := range words(field) {
			if slices.Contains(old, w) {
				continue
			}
			n++
			if slices.Contains(p.Words, localstate.WordDigest(w)) {
				has++
			} else if exact {
				return false
			}
		}
	}
	return has > 0 && 2*has >= n
}

const (
	marks = "./:@_-#,;!?()[]'\"`"
	// firstUnspaced is where the scripts begin that set no spaces between words.
	firstUnspaced = '\u2e80'
	// ofNames are the characters within a word that make it a name or a number.
	ofNames = "./:@_0123456789"
)

// words are the words that say what a text is about, and the parts of its names.
func words(text string) (list []string) {
	for _, w := range similar.Distinctive(strings.Map(func(r rune) rune {
		if strings.ContainsRune(marks, r) {
			return ' '
		}
		return r
	}, text)) {
		if unspaced := strings.ContainsFunc(w, func(r rune) bool { return r >= firstUnspaced }); unspaced {
			for _, pair := range index.Terms(w) { // a script without spaces: pairs of letters
				if !grammatical(pair) {
					list = append(list, pair)
				}
			}
		} else {
			list = append(list, w)
		}
	}
	return list
}

// grammatical reports whether a pair of letters says nothing about the topic: Hiragana alone, and common Chinese words.
func grammatical(pair string) bool {
	hiragana := func(r rune) bool { return unicode.Is(unicode.Hiragana, r) }
	return strings.TrimFunc(pair, hiragana) == "" || strings.Contains("这个 那个 这些 我们 你们 他们 使用 一个 可以 需要 什么 怎么 请帮 帮我", pair)
}

// RecordPrompt keeps the words that a person typed, so that a write can be compared with them. Errors:
// the local state cannot be written.
func RecordPrompt(ss *store.Stores, p localstate.Prompt, own string) error {
	p.English = similar.English(own, sureWords)
	return localstate.RecordPrompt(ss, p, words(own))
}

// Answered notes that a write answered what a hook stored.
func Answered(ctx context.Context, ss *store.Stores, stored localstate.Stored) error {
	return localstate.ChangePrompts(ss, func(list []localstate.Prompt) []localstate.Prompt {
		for _, p := range list {
			for i, s := range p.Stored {
				if s == stored {
					p.Stored[i].Answered = true
				}
			}
		}
		return list
	})
}
