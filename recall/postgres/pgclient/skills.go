package pgclient

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/memctl/memctl/recall/postgres"
	"github.com/memctl/memctl/store/pulled"
)

// readExtras adds skills and context files to what the push compares.
func (p *push) readExtras() {
	for _, s := range p.req.Extras.Skills {
		p.local[key{skillKind, postgres.SkillDocument(s.Name, s.Version)}] = &document{hash: hashOf(s), put: func(b *pgx.Batch) { p.putSkill(b, &s) }}
	}
	for _, f := range p.req.Extras.Context {
		k := key{contextKind, f.Agent + "/" + f.Person + "/" + f.Name}
		p.local[k] = &document{hash: hashOf(f), put: func(b *pgx.Batch) { p.putFile(b, k, f.Name, f.Data) }}
	}
}

func (p *push) putFile(b *pgx.Batch, k key, path string, data []byte) {
	b.Queue("INSERT INTO memctl.files (store, kind, document, path, content) VALUES ($1, $2, $3, $4, $5)", p.id, k.kind, k.path, path, data)
}

func (p *push) putSkill(b *pgx.Batch, s *postgres.Skill) {
	k := key{skillKind, postgres.SkillDocument(s.Name, s.Version)}
	b.Queue("INSERT INTO memctl.skills (store, document, name, version, description, visibility, owner) VALUES ($1, $2, $3, $4, $5, $6, $7)",
		p.id, k.path, s.Name, s.Version, storable(s.Description), s.Visibility, storable(s.Owner))
	for _, f := range s.Files {
		p.putFile(b, k, f.Path, f.Data)
	}
	if s.Version != "" {
		return
	}
	for _, g := range s.Grants {
		by := ""
		if p.req.Extras.GrantedBy != nil {
			by = p.req.Extras.GrantedBy(s.Name, g)
		}
		b.Queue(`INSERT INTO memctl.skill_grants (store, name, agent, person, version, granted_by) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (store, name, agent, person) DO UPDATE SET version = excluded.version, granted_by = excluded.granted_by`,
			p.id, s.Name, storable(g.Agent), storable(g.User), g.Version, storable(by))
	}
}

// Snapshot runs a function whose questions all see the server at one moment. Errors: its own; fault.Postgres.
func (s *Server) Snapshot(ctx context.Context, ask func() error) error {
	var asked error
	err := pgx.BeginTxFunc(ctx, s.conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(pgx.Tx) error {
		asked = ask()
		return asked
	})
	if asked != nil {
		return asked
	}
	return s.failed(err)
}

// UsableSkills lists the skills that the person may use, by repository and name. Of a version that only others may read there
// is no row.
func (s *Server) UsableSkills(ctx context.Context) (list []postgres.Usable, err error) {
	rows, err := s.conn.Query(ctx, `SELECT store, name, version, visibility, owner, encode(hash, 'hex'), scope, root, remote, repository, grants
		FROM memctl.usable_skills() ORDER BY repository, store, name, version`)
	if err != nil {
		return nil, s.failed(err)
	}
	var u postgres.Usable
	var v pulled.Version
	var grants []string
	_, err = pgx.ForEachRow(rows, []any{&u.Store, &u.Name, &v.Commit, &u.Visibility, &u.Owner, &v.Hash, &u.Scope, &u.Root, &u.Remote, &u.Repository, &grants}, func() error {
		if last := len(list) - 1; last >= 0 && list[last].Store == u.Store && list[last].Name == u.Name {
			list[last].Versions = append(list[last].Versions, v)
			return nil
		}
		next := u
		next.Versions = []pulled.Version{v}
		for _, g := range grants {
			if parts := strings.Split(g, listMark); len(parts) == 3 {
				next.Grants = append(next.Grants, pulled.Grant{Agent: parts[0], User: parts[1], Version: parts[2]})
			}
		}
		list = append(list, next)
		return nil
	})
	return list, s.failed(err)
}

// SkillFiles reads the files of a version of a skill, by path.
func (s *Server) SkillFiles(ctx context.Context, u postgres.Usable, version string) ([]pulled.File, error) {
	rows, err := s.conn.Query(ctx, `SELECT path, content FROM memctl.usable_files($1, $2) ORDER BY path COLLATE "C"`, u.Store, postgres.SkillDocument(u.Name, version))
	if err != nil {
		return nil, s.failed(err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[pulled.File])
	return list, s.failed(err)
}

// OwnContext lists the context files that the person pushed from any machine with the scope user, the latest push
// first. A file that several of these stores have comes once.
func (s *Server) OwnContext(ctx context.Context, without func(postgres.Target) bool) ([]postgres.ContextFile, error) {
	rows, err := s.conn.Query(ctx, `SELECT t.root, f.document, f.content FROM memctl.files f JOIN memctl.stores t ON t.id = f.store
		WHERE f.kind = 'context' AND t.owner = session_user AND t.scope = 'user' ORDER BY t.pushed DESC NULLS LAST, t.id, f.document`)
	if err != nil {
		return nil, s.failed(err)
	}
	var list []postgres.ContextFile
	known := map[string]bool{}
	var root, document string
	var data []byte
	_, err = pgx.ForEachRow(rows, []any{&root, &document, &data}, func() error {
		parts := strings.Split(document, "/")
		if !known[document] && len(parts) == 3 && !without(postgres.Target{Scope: "user", Root: root}) {
			known[document] = true
			list = append(list, postgres.ContextFile{Agent: parts[0], Person: parts[1], Name: parts[2], Data: slices.Clone(data)})
		}
		return nil
	})
	return list, s.failed(err)
}

// Person is the role that the server knows the person by.
func (s *Server) Person(ctx context.Context) (name string, err error) {
	err = s.conn.QueryRow(ctx, "SELECT session_user").Scan(&name)
	return name, s.failed(err)
}

// Unknown are those of the names that are no roles of the server.
func (s *Server) Unknown(ctx context.Context, names []string) (unknown []string, err error) {
	rows, err := s.conn.Query(ctx, "SELECT n FROM unnest($1::text[]) n WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = n) ORDER BY n", names)
	if err != nil {
		return nil, s.failed(err)
	}
	unknown, err = pgx.CollectRows(rows, pgx.RowTo[string])
	return unknown, s.failed(err)
}
