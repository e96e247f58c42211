package memory

import (
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/capture"
	"github.com/memctl/memctl/similar"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/localstate"
)

// runsFor is how long after its last prompt a session counts as one that may be writing.
const runsFor = time.Hour

// sureWords is from how many words on a text shows in which language it is, if it is a plain statement.
const sureWords = 6

// AsPrompted returns the options of a write that an agent passes on as the person's words, in the
// light of the prompts that hooks saw. A text of which no prompt has a single distinctive word is the
// agent's own conclusion, and notes say so. What the agent keeps because memctl asked it goes where
// memctl itself would put it, if no scope is named. Nothing changes where hooks saw no prompt, or
// where several sessions of the agent may be the one that writes.
func AsPrompted(ss *store.Stores, o Options, text string) (as Options, notes []string) {
	if o.Origin.Kind != Relayed || o.Origin.Name == "" {
		return o, nil
	}
	prompts, latest := PromptsOf(ss, o.Origin.Name)
	if latest == nil {
		return o, nil
	}
	if o.Scope == "" && latest.Asked == localstate.Asked {
		o.Scope = SaidScope(ss, capture.ScopeOf(text) == store.User)
	}
	words := similar.Distinctive(text)
	if len(words) == 0 || latest.Answers || !similar.English(text, sureWords) {
		return o, nil
	}
	for _, p := range prompts {
		if p.Cut || !p.English || slices.ContainsFunc(words, func(w string) bool { return slices.Contains(p.Words, localstate.WordDigest(w)) }) {
			return o, nil
		}
	}
	o.Origin.Kind = Automatic
	return o, []string{"stored as the agent's own conclusion, because no prompt of this session mentions it"}
}

// PromptsOf returns the recorded prompts of the agent's sessions here, and the last prompt of the one
// that runs now. latest is nil where there is none, or more than one.
func PromptsOf(ss *store.Stores, agent string) (prompts []localstate.Prompt, latest *localstate.Prompt) {
	all, err := localstate.Prompts(ss)
	if err != nil {
		return nil, nil
	}
	for _, p := range all {
		if p.Agent != "" && strings.Contains(agent, p.Agent) { // an MCP client says "claude-code" for "claude"
			prompts = append(prompts, p)
		}
	}
	for i := range prompts {
		p := &prompts[i]
		switch {
		case !Running(ss, *p):
		case latest != nil && latest.Session != p.Session:
			return prompts, nil
		default:
			latest = p
		}
	}
	return prompts, latest
}

// Running reports whether the session of a prompt is probably still at work.
func Running(ss *store.Stores, p localstate.Prompt) bool { return ss.Now().Sub(p.Time) <= runsFor }
