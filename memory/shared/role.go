package shared

import (
	"context"

	"github.com/memctl/memctl/memory/briefing"
	"github.com/memctl/memctl/recall/postgres"
	"github.com/memctl/memctl/store"
)

// RoleRequest asks for the SQL of a role: a person's, of a group that shares this repository, or of all tables.
type RoleRequest struct {
	Name   string   // of a person; "" for the SQL of a group or of the tables
	Groups []string // that the person is to be in; without a name the one that shares this repository
	Write  bool     // the person may push what the groups share
	Owner  bool     // the SQL of all roles and tables
}

// RoleSQL is the SQL that an administrator runs. memctl does not run it.
func RoleSQL(ctx context.Context, ss *store.Stores, req RoleRequest) (string, error) {
	switch {
	case req.Owner:
		return postgres.SchemaSQL(), nil
	case req.Name != "":
		return postgres.PersonSQL(req.Name, req.Groups, req.Write), nil
	}
	target, err := briefing.SharedTarget(ctx, ss, store.Project)
	if err != nil {
		return "", err
	}
	return postgres.GroupSQL(req.Groups[0], target), nil
}
