package store

import (
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// TeamFile is the file, at the project's root, in which a team shares what can
// only tighten: it never takes a rule away, raises a cap or names a URL, a
// command or a path.
const TeamFile = ".memctl.yaml"

// maxTeamFileBytes caps it.
const maxTeamFileBytes = 64 << 10

// Team is what the team's file says. The zero value says nothing.
type Team struct {
	Label     string   // a name for the project, for people to read
	Bytes     int      // a lower cap on its bytes; 0 for none
	Protected []string // branches that memctl never commits to, as for path.Match
	Rules     *policy.Team
	// AllProtected: which branches are protected cannot be read, so all count.
	AllProtected bool
}

// Team reads the team's file, once a session. Of a file that is damaged it
// gives what can be read, on the strict side, and tells the person.
func (ss *Stores) Team() *Team {
	if ss.team != nil {
		return ss.team
	}
	ss.team = &Team{}
	src, err := ss.teamBytes()
	switch {
	case err != nil:
		ss.team = unreadableTeam()
		ss.Talk(`"` + TeamFile + `" cannot be read, so new memory waits for review: ` + err.Error())
	case src != nil:
		team, problems := ParseTeam(TeamFile, src)
		ss.team = &team
		for _, p := range problems {
			if p.Severity == memfile.Error {
				ss.Talk(`"` + TeamFile + `" is damaged, so memctl applies the strict settings; memctl validate ` + TeamFile + ` says where`)
				break
			}
		}
	}
	return ss.team
}

// TeamOf is Team where the file is vouched for, else a team that says nothing; nil
// vouches for every file.
func (ss *Stores) TeamOf(vouched func(name string, data []byte) bool) *Team {
	if vouched == nil {
		return ss.Team()
	}
	if src, err := ss.teamBytes(); err != nil || src == nil || !vouched(TeamFile, src) {
		return &Team{}
	}
	return ss.Team()
}

// teamBytes are the file's bytes; nil without an error where it is not there.
func (ss *Stores) teamBytes() ([]byte, error) {
	if ss.root == "" {
		return nil, nil
	}
	return ReadFile(ss.root, TeamFile, maxTeamFileBytes)
}

// unreadableTeam stands for a file of which nothing can be read.
func unreadableTeam() *Team { return &Team{Rules: policy.NewTeam(nil, true), AllProtected: true} }

// TeamRules are the team's rules for a scope. They hold for what the team
// shares: a repository must not be able to keep a person's own memory from
// them.
func (ss *Stores) TeamRules(scope string) *policy.Team {
	if scope != Project && scope != Only {
		return nil
	}
	return ss.Team().Rules
}

// Rule asks the policy about a candidate for this store.
func (st *Store) Rule(c policy.Candidate) policy.Ruling {
	c.Scope = st.Scope
	return st.Stores.Rule(c)
}
