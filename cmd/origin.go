package cmd

import (
	"github.com/memctl/memctl/agents"
	"github.com/memctl/memctl/memory"
)

// origin tells on whose behalf this run writes: what MEMCTL_ORIGIN says, else
// automatic where the command was told so, else relayed where a known agent
// runs us, else explicit.
func (a *app) origin(automatic bool) (memory.Origin, error) {
	agent := agents.FromEnv(a.getenv)
	switch kind := a.getenv(envOrigin); kind {
	case memory.Explicit, memory.Relayed, memory.Automatic:
		return memory.Origin{Kind: kind, Name: agent}, nil
	case "":
	default:
		return memory.Origin{}, usage(envOrigin+"="+kind, "use explicit, relayed or automatic")
	}
	switch {
	case automatic:
		return memory.Origin{Kind: memory.Automatic, Name: agent}, nil
	case agent != "":
		return memory.Origin{Kind: memory.Relayed, Name: agent}, nil
	}
	return memory.Origin{Kind: memory.Explicit}, nil
}

// hideFromAgent takes what is withheld from agents out of an answer, where an
// agent runs us, and says so.
func (a *app) hideFromAgent(hide func() int) error {
	o, err := a.origin(false)
	if err != nil || o.Kind == memory.Explicit {
		return err
	}
	if n := hide(); n > 0 {
		a.talk("note: " + count(n, "item") + " withheld from agents; a person can see them with memctl show")
	}
	return nil
}
