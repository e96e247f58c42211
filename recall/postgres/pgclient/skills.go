package pgclient

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/memctl/memctl/recall/postgres"
)

func skillKey(s *postgres.Skill) [2]string { return [2]string{s.Name, s.Version} }

func fileKey(f *postgres.ContextFile) [3]string { return [3]string{f.Agent, f.Person, f.Name} }

// hash is what a push compares.
func hash(v any) []byte {
	data, _ := json.Marshal(v)
	sum := sha256.Sum256(data)
	return sum[:]
}

// difference is what a push changes in a table.
type difference[T any, K comparable] struct {
	send []T
	gone []K // removed, and replaced where send has it
}

// differ compares what is here with the hashes on the server.
func differ[T any, K comparable](here []T, keyOf func(*T) K, there map[K][]byte, tally *postgres.Tally) (d difference[T, K]) {
	left := map[K]bool{}
	for key := range there {
		left[key] = true
	}
	for i := range here {
		key := keyOf(&here[i])
		delete(left, key)
		if was, ok := there[key]; ok && bytes.Equal(was, hash(here[i])) {
			continue
		} else if ok {
			d.gone = append(d.gone, key)
		}
		d.send = append(d.send, here[i])
	}
	tally.Total, tally.Sent, tally.Removed = len(here), len(d.send), len(left)
	for key := range left {
		d.gone = append(d.gone, key)
	}
	return d
}

// sendExtras makes skills and context files on the server equal to those here, in one transaction. A dry run counts alone.
func (p *push) sendExtras(ctx context.Context) error {
	if p.req.Extras == nil {
		return nil
	}
	return p.inTx(ctx, func(tx pgx.Tx) error {
		skills, err := hashes(ctx, tx, "SELECT ARRAY[name, version], hash FROM memctl.skills WHERE store = $1", p.id, func(k []string) [2]string { return [2]string(k) })
		if err != nil {
			return err
		}
		files, err := hashes(ctx, tx, "SELECT ARRAY[agent, person, name], hash FROM memctl.context_files WHERE store = $1", p.id, func(k []string) [3]string { return [3]string(k) })
		if err != nil {
			return err
		}
		changedSkills := differ(p.req.Extras.Skills, skillKey, skills, &p.out.Skills)
		changedFiles := differ(p.req.Extras.Context, fileKey, files, &p.out.Context)
		if p.req.DryRun {
			return nil
		}
		if err := p.replaceSkills(ctx, tx, changedSkills); err != nil {
			return err
		}
		return p.replaceContext(ctx, tx, changedFiles)
	})
}

// hashes reads a table's keys and hashes.
func hashes[K comparable](ctx context.Context, tx pgx.Tx, sql string, store int64, keyOf func([]string) K) (map[K][]byte, error) {
	rows, err := tx.Query(ctx, sql, store)
	if err != nil {
		return nil, err
	}
	there := map[K][]byte{}
	var key []string
	var sum []byte
	_, err = pgx.ForEachRow(rows, []any{&key, &sum}, func() error {
		there[keyOf(key)] = slices.Clone(sum)
		return nil
	})
	return there, err
}

func (p *push) replaceSkills(ctx context.Context, tx pgx.Tx, d difference[postgres.Skill, [2]string]) error {
	b := &pgx.Batch{}
	for _, key := range d.gone {
		b.Queue("DELETE FROM memctl.skills WHERE store = $1 AND name = $2 AND version = $3", p.id, key[0], key[1])
		if key[1] == "" {
			b.Queue("DELETE FROM memctl.skill_grants WHERE store = $1 AND name = $2", p.id, key[0])
		}
	}
	for _, s := range d.send {
		b.Queue("INSERT INTO memctl.skills (store, name, version, description, visibility, owner, hash, commit) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
			p.id, s.Name, s.Version, storable(s.Description), s.Visibility, storable(s.Owner), hash(s), p.req.Commit)
		for _, f := range s.Files {
			b.Queue("INSERT INTO memctl.skill_files (store, name, version, path, content) VALUES ($1, $2, $3, $4, $5)", p.id, s.Name, s.Version, f.Path, f.Data)
		}
		if s.Version != "" {
			continue
		}
		for _, g := range s.Grants {
			by := ""
			if p.req.Extras.GrantedBy != nil {
				by = p.req.Extras.GrantedBy(s.Name, g)
			}
			b.Queue(`INSERT INTO memctl.skill_grants (store, name, agent, person, version, granted_by) VALUES ($1, $2, $3, $4, $5, $6)
				ON CONFLICT (store, name, agent, person) DO UPDATE SET version = excluded.version, granted_by = excluded.granted_by`,
				p.id, s.Name, storable(g.Agent), storable(g.Person), g.Version, storable(by))
		}
	}
	return tx.SendBatch(ctx, b).Close()
}

func (p *push) replaceContext(ctx context.Context, tx pgx.Tx, d difference[postgres.ContextFile, [3]string]) error {
	b := &pgx.Batch{}
	for _, key := range d.gone {
		b.Queue("DELETE FROM memctl.context_files WHERE store = $1 AND agent = $2 AND person = $3 AND name = $4", p.id, key[0], key[1], key[2])
	}
	for _, f := range d.send {
		b.Queue("INSERT INTO memctl.context_files (store, agent, person, name, content, hash, commit) VALUES ($1, $2, $3, $4, $5, $6, $7)",
			p.id, f.Agent, f.Person, f.Name, f.Data, hash(f), p.req.Commit)
	}
	return tx.SendBatch(ctx, b).Close()
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

// UsableSkills lists the skills that the person may use, by repository, name and version. Of a version that only others may
// read there is no row.
func (s *Server) UsableSkills(ctx context.Context) ([]postgres.Usable, error) {
	rows, err := s.conn.Query(ctx, `WITH grants AS MATERIALIZED (SELECT * FROM memctl.usable_grants())
		SELECT k.store, k.name, k.version, k.description, k.visibility, k.owner, encode(k.hash, 'hex'), t.scope, t.root, t.remote, t.name,
		ARRAY(SELECT g.agent || E'\x1f' || g.person || E'\x1f' || g.version FROM grants g WHERE g.store = k.store AND g.name = k.name ORDER BY g.agent, g.person)
		FROM memctl.usable_skills() k JOIN memctl.stores t ON t.id = k.store ORDER BY t.name, t.id, k.name, k.version`)
	if err != nil {
		return nil, s.failed(err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (u postgres.Usable, err error) {
		var grants []string
		err = row.Scan(&u.Store, &u.Skill.Name, &u.Version, &u.Description, &u.Visibility, &u.Owner, &u.Hash, &u.Scope, &u.Root, &u.Remote, &u.Target.Name, &grants)
		for _, g := range grants {
			if parts := strings.Split(g, listMark); len(parts) == 3 {
				u.Grants = append(u.Grants, postgres.Grant{Agent: parts[0], Person: parts[1], Version: parts[2]})
			}
		}
		return u, err
	})
	return list, s.failed(err)
}

// SkillFiles reads the files of a skill, by path.
func (s *Server) SkillFiles(ctx context.Context, u postgres.Usable) ([]postgres.File, error) {
	rows, err := s.conn.Query(ctx, `SELECT path, content FROM memctl.usable_files($1, $2, $3) ORDER BY path COLLATE "C"`, u.Store, u.Skill.Name, u.Version)
	if err != nil {
		return nil, s.failed(err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[postgres.File])
	return list, s.failed(err)
}

// OwnContext lists the context files that the person pushed from any machine with the scope user, the latest push
// first. A file that several of these stores have comes once.
func (s *Server) OwnContext(ctx context.Context, without func(postgres.Target) bool) ([]postgres.ContextFile, error) {
	rows, err := s.conn.Query(ctx, `SELECT t.root, f.agent, f.person, f.name, f.content FROM memctl.context_files f JOIN memctl.stores t ON t.id = f.store
		WHERE t.owner = session_user AND t.scope = 'user' ORDER BY t.pushed DESC NULLS LAST, t.id, f.agent, f.person, f.name`)
	if err != nil {
		return nil, s.failed(err)
	}
	var list []postgres.ContextFile
	known := map[[3]string]bool{}
	var root string
	var f postgres.ContextFile
	_, err = pgx.ForEachRow(rows, []any{&root, &f.Agent, &f.Person, &f.Name, &f.Data}, func() error {
		if !known[fileKey(&f)] && !without(postgres.Target{Scope: "user", Root: root}) {
			known[fileKey(&f)] = true
			f.Data = slices.Clone(f.Data)
			list = append(list, f)
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

// ExtraCounts counts the skills and context files of each store that the person may read.
func (s *Server) ExtraCounts(ctx context.Context) (skills, files map[int64]int, err error) {
	count := func(table string) (map[int64]int, error) {
		rows, err := s.conn.Query(ctx, "SELECT store, count(*) FROM memctl."+table+" GROUP BY store")
		if err != nil {
			return nil, s.failed(err)
		}
		counts := map[int64]int{}
		var id int64
		var n int
		_, err = pgx.ForEachRow(rows, []any{&id, &n}, func() error {
			counts[id] = n
			return nil
		})
		return counts, s.failed(err)
	}
	if skills, err = count("usable_skills() WHERE version = ''"); err == nil {
		files, err = count("context_files")
	}
	return skills, files, err
}
