package store

import (
	"net/url"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/settings"
)

// The settings of the shared index.
var (
	SharedURL = settings.Setting{Name: "memctl.pg.url", Personal: true, Secret: true,
		Help: "The PostgreSQL server with the shared index, such as postgres://ada@db.example.com/memory. Only global and system git config count."}
	SharedTrust = settings.Setting{Name: "memctl.pg.trust", Personal: true,
		Help: "Repositories whose memory and skills agents may get from the shared index, beside those that you trust here: remotes such as github.com/acme/api, separated by spaces."}
)

// fromPerson reports whether a setting of this level was made by the person: what git's -c or a variable says could
// come from an agent.
func fromPerson(level string) bool { return level == "global" || level == "system" }

// sharedServer names the server and the person of the shared index, without the password, so that the name can be cached.
func sharedServer(config *gitops.Config) string {
	entries := config.All(SharedURL.Name)
	for i := len(entries) - 1; i >= 0; i-- {
		switch e := entries[i]; {
		case e.Scope == "local" || e.Scope == "worktree":
		case fromPerson(e.Scope):
			return ServerName(e.Value)
		default:
			return ""
		}
	}
	return ""
}

// ServerName is the address of a server without its password and options; "" where it is no URL of
// PostgreSQL, because a parser of URLs takes a text such as "host=db password=…" as a path.
func ServerName(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return ""
	}
	host := u.Host
	if h := u.Query().Get("host"); h != "" {
		host = h
	}
	return u.User.Username() + "@" + host + u.Path
}
