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
		return memory.Origin{}, &usageError{
			thing: envOrigin + "=" + kind,
			cause: "an origin is explicit, relayed or automatic",
		}
	}
	switch {
	case automatic:
		return memory.Origin{Kind: memory.Automatic, Name: agent}, nil
	case agent != "":
		return memory.Origin{Kind: memory.Relayed, Name: agent}, nil
	}
	return memory.Origin{Kind: memory.Explicit}, nil
}
