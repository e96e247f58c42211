package briefing

import (
	"context"
	"fmt"
	"slices"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
)

// Forgotten is a memory that a person stated and an agent has forgotten.
type Forgotten struct {
	Agent, Name string
	Restore     string // the command that brings it back
}

// Said says what happened, to the person who stated it.
func (f Forgotten) Said() string {
	return f.Agent + " forgot " + memory.Quoted(f.Name) + ", which you stated"
}

// ForgottenByAgents lists what agents have forgotten of the person's word since they last read what memctl says at a
// start. What memory has again is not among it. Errors: the local state cannot be read.
func ForgottenByAgents(ctx context.Context, ss *store.Stores) (list []Forgotten, err error) {
	records, err := localstate.ForgottenSinceStart(ss)
	for _, rec := range records {
		for _, g := range rec.Given {
			if isForgotten(ctx, ss, g) {
				list = append(list, Forgotten{rec.Agent, g.Key, "memctl restore " + g.Key + memory.ScopeFlag(g.Scope)})
			}
		}
	}
	return list, err
}

// isForgotten reports whether a memory is still forgotten: the item of that key, or the entry of that id.
func isForgotten(ctx context.Context, ss *store.Stores, g localstate.Given) bool {
	if memfile.KeyForm(g.Key) {
		st, err := memory.AlreadyForgotten(ctx, ss, g.Key, g.Scope)
		return st != nil && err == nil
	}
	e, err := view.OneEntry(ctx, ss, contents.Person, g.Scope, g.Key)
	return e == nil && err == nil
}

// maxForgotten is how many forgotten memories a start names.
const maxForgotten = 3

// forgottenByAgents are the words for the person about what agents have forgotten. Without tombstones in memory there is
// nothing to look for.
func (b *briefer) forgottenByAgents() (said []string) {
	if !slices.ContainsFunc(b.memories, func(m *contents.Memory) bool { return len(m.Deletions) > 0 }) {
		return nil
	}
	list, err := ForgottenByAgents(b.ctx, b.ss)
	b.warn(err)
	for _, f := range list[:min(len(list), maxForgotten)] {
		said = append(said, f.Said()+" (bring it back: "+f.Restore+")")
	}
	if more := len(list) - len(said); more > 0 {
		said = append(said, fmt.Sprintf("agents forgot %d more of your memories (memctl status)", more))
	}
	return said
}
