package view

import (
	"strings"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store/contents"
)

// saidAct is one act that a commit's trailers name.
type saidAct struct{ act, source string }

// saidActs are the acts of one commit: several where it took in what waited.
type saidActs struct {
	first saidAct
	by    map[string]saidAct // by the key that each names, the last one of it
}

// actsOf reads the trailers: each act's begin with its Memory-Act.
func actsOf(v contents.Version) saidActs {
	var list []saidAct
	var keys [][]string
	for _, t := range v.Trailers {
		n := len(list) - 1
		switch name := strings.ToLower(t.Name); {
		case name == "memory-act":
			list, keys = append(list, saidAct{act: t.Value}), append(keys, nil)
		case name == "memory-key" && n >= 0:
			keys[n] = append(keys[n], t.Value)
		case name == "memory-source" && n >= 0:
			list[n].source = t.Value
		}
	}
	switch len(list) {
	case 0:
		return saidActs{}
	case 1:
		return saidActs{first: list[0]}
	}
	acts := saidActs{first: saidAct{act: list[0].act}, by: map[string]saidAct{}}
	for i, act := range list {
		for _, key := range keys[i] {
			acts.by[policy.Inert(memory.Redacted(key))] = act
		}
	}
	return acts
}

// on is the act that changed the key; the first one where none names it.
func (a saidActs) on(key string) saidAct {
	if act, ok := a.by[key]; ok {
		return act
	}
	return a.first
}
