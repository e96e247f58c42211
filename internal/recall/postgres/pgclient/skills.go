package pgclient

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/memctl/memctl/internal/recall/postgres"
	"github.com/memctl/memctl/internal/store/pulled"
)

// readExtras adds skills and context files to what the push compares.
func (p *push) readExtras() {
	for _, s := range p.req.Extras.Skills {
		p.local[documentKey{skillKind, postgres.SkillDocument(s.Name, s.Version)}] = &document{hash: hashParts(s), queueRows: func(b *pgx.Batch) { p.putSkill(b, &s) }}
	}
	for _, f := range p.req.Extras.Context {
		k := documentKey{contextKind, f.Agent + "/" + f.Person + "/" + f.Name}
		p.local[k] = &document{hash: hashParts(f), queueRows: func(b *pgx.Batch) { p.putFile(b, k, f.Name, f.Data) }}
	}
}

func (p *push) putFile(b *pgx.Batch, k documentKey, path string, data []byte) {
	b.Queue("INSERT INTO memctl.files (store, kind, document, path, content) VALUES ($1, $2, $3, $4, $5)", p.storeID, k.kind, k.path, path, data)
}

func (p *push) putSkill(b *pgx.Batch, s *postgres.Skill) {
	k := documentKey{skillKind, postgres.SkillDocument(s.Name, s.Version)}
	b.Queue("INSERT INTO memctl.skills (store, document, name, version, description, visibility, owner) VALUES ($1, $2, $3, $4, $5, $6, $7)",
		p.storeID, k.path, s.Name, s.Version, storable(s.Description), s.Visibility, storable(s.Owner))
	for _, f := range s.Files {
		p.putFile(b, k, f.Path, f.Data)
	}
	if s.Version != "" {
		return
	}
	for _, g := range s.Grants {
		b.Queue(`INSERT INTO memctl.skill_grants (store, name, agent, person, version) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (store, name, agent, person) DO UPDATE SET version = excluded.version`,
			p.storeID, s.Name, storable(g.Agent), storable(g.User), g.Version)
	}
}

// UsableSkills lists the skills that the person may use, by repository and name. Of a version that only others may read there
// is no row.
func (s *Server) UsableSkills(ctx context.Context) ([]postgres.UsableSkill, error) {
	return queryRows(ctx, s, pgx.RowToStructByName[postgres.UsableSkill], `SELECT store, name, repository, scope, root, remote, visibility, owner, grants,
		jsonb_agg(jsonb_build_object('commit', version, 'hash', encode(hash, 'hex')) ORDER BY version) AS versions
		FROM memctl.usable_skills() GROUP BY store, name, repository, scope, root, remote, visibility, owner, grants ORDER BY repository, store, name`)
}

// SkillFiles reads the files of a version of a skill, by path.
func (s *Server) SkillFiles(ctx context.Context, u postgres.UsableSkill, version string) ([]pulled.File, error) {
	return queryRows(ctx, s, pgx.RowToStructByPos[pulled.File],
		`SELECT path, content FROM memctl.usable_files($1, $2) ORDER BY path COLLATE "C"`, u.Store, postgres.SkillDocument(u.Name, version))
}

// OwnContext lists the context files that the person pushed with the scope user, from stores without these first commits. Of a
// file that several stores have it gives that of the latest push.
func (s *Server) OwnContext(ctx context.Context, without []string) ([]postgres.ContextFile, error) {
	return queryRows(ctx, s, pgx.RowToStructByPos[postgres.ContextFile], `SELECT DISTINCT ON (f.document)
		split_part(f.document, '/', 1), split_part(f.document, '/', 2), f.path, f.content
		FROM memctl.files f JOIN memctl.stores t ON t.id = f.store
		WHERE f.kind = 'context' AND t.owner = session_user AND t.scope = 'user' AND NOT t.root = ANY ($1)
		ORDER BY f.document, t.pushed DESC NULLS LAST, t.id`, without)
}

// Person is the role that the server knows the person by.
func (s *Server) Person(ctx context.Context) (name string, err error) {
	err = s.conn.QueryRow(ctx, "SELECT session_user").Scan(&name)
	return name, s.statementFault(err)
}
