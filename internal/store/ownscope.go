package store

import (
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/policy"
)

// OwnScope is the scope of a file or folder that belongs to one of the person's own
// stores, whatever scope the session knows it by; "" of any other.
func (ss *Stores) OwnScope(path string) string {
	if ss.data == "" || path == "" {
		return ""
	}
	rel, err := filepath.Rel(ss.realPath(ss.data), ss.realPath(path))
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	switch first, _, _ := strings.Cut(filepath.ToSlash(rel), "/"); first {
	case Private, User:
		return first
	}
	return ""
}

// Rule asks the policy about the candidate, with what the team has added. What is in a store
// of the person's own is judged as theirs, also where the session stands in its folder or
// was given it with --store.
func (ss *Stores) Rule(c policy.Candidate) policy.Ruling {
	ss.ruling.Lock()
	c.Team = ss.TeamRules(c.Scope)
	if c.Scope == Project || c.Scope == Only {
		if ss.rootScope == nil {
			own := ss.OwnScope(ss.root)
			ss.rootScope = &own
		}
		if *ss.rootScope != "" {
			c.Scope = *ss.rootScope
		}
	}
	ss.ruling.Unlock()
	return policy.Rule(c)
}
