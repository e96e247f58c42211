package notice

import (
	"context"
	"slices"
	"time"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
)

// hookWait bounds the wait for another writer.
const hookWait = 200 * time.Millisecond

// What becomes of what a person asked to remember, where no write answered it.
const (
	proposed = iota
	known    // memory has it
	failed   // the queue is full, or cannot be written now
)

// Expire makes proposals of what the person asked to remember in this repository, if the session has ended or an hour has
// passed and no write has answered it, or the agent took the answer back. ended is the session that has ended, "" for none, whose prompts are forgotten. The
// lines tell the person of what became a proposal since the last call for which tell is set. Errors: the local state
// cannot be read or written, or is held.
func Expire(ctx context.Context, ss *store.Stores, ended string, tell bool) (lines []string, err error) {
	over := func(p localstate.Prompt, after time.Duration) bool {
		return p.Session == ended || ss.Now().Sub(p.Time) > after
	}
	open := func(p localstate.Prompt) bool {
		heard := slices.ContainsFunc(p.Asked, func(a localstate.Asked) bool { return a.Heard })
		return len(p.Asked) > 0 && p.InRepository(ss) && (heard || over(p, memory.PromptPending))
	}
	waits := func(a localstate.Asked) bool { return a.Answer == "" }
	forgotten := func(p localstate.Prompt) bool {
		return !slices.ContainsFunc(p.Asked, waits) && over(p, memory.SessionRuns)
	}
	list, err := localstate.Prompts(ss)
	if err != nil || !slices.ContainsFunc(list, func(p localstate.Prompt) bool { return open(p) || forgotten(p) }) {
		return nil, err
	}
	err = localstate.ChangePrompts(ss, func(list []localstate.Prompt) []localstate.Prompt {
		for i := range list {
			p := &list[i]
			if !open(*p) {
				continue
			}
			var left []localstate.Asked
			for _, a := range p.Asked {
				if !waits(a) {
					if back, err := ledger.UndoneByAgent(ctx, ss, a.Answer); !back && err == nil {
						continue
					}
					a.Answer = ""
				}
				if !a.Heard {
					switch propose(ctx, ss, a, p.Agent, p.Session, p.Time.Format(time.DateOnly)) {
					case known:
						continue
					case proposed:
						a.Heard = true
					}
				}
				if a.Heard && tell {
					lines = append(lines, heardLine(a))
				} else {
					left = append(left, a)
				}
			}
			p.Asked = left
		}
		return slices.DeleteFunc(list, forgotten)
	})
	return lines, err
}

// propose puts a statement before the person, unless memory has it.
func propose(ctx context.Context, ss *store.Stores, a localstate.Asked, agent, session, day string) int {
	if _, same := nearest(ctx, ss, a); same {
		return known
	}
	st, err := ss.Get(ctx, a.Scope)
	if err != nil || ledger.Enqueue(ctx, st, proposalOf(a, agent, session, day), hookWait) != nil {
		return failed
	}
	return proposed
}

// proposalOf is a statement as it waits for the person.
func proposalOf(a localstate.Asked, agent, session, day string) ledger.Waiting {
	return ledger.Waiting{
		Act: "add", Key: a.Key, Value: memfile.Str(a.Text), Labels: labels.Labels{Confidence: memfile.Low}, Origin: memory.Automatic, Agent: agent, Why: ledger.WhyHeld,
		Said: a.Sentence, Near: a.Near, Session: session, SaidOn: day,
	}
}
