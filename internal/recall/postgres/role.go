package postgres

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed sql/*.sql
var statements embed.FS

// statement is the text of a file of SQL.
func statement(name string) string {
	text, err := statements.ReadFile("sql/" + name + ".sql")
	if err != nil {
		panic(err) // the name is a constant, and a test calls every one
	}
	return string(text)
}

// unreleased is the last version of the builds before the first release, whose tables no memctl can change.
const unreleased = 20

// migrations are the names of the files that change the schema, in order. The version of the first one is unreleased + 1.
func migrations() []string {
	files, _ := fs.Glob(statements, "sql/0*.sql")
	slices.Sort(files)
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), ".sql")
	}
	return files
}

// Newest is the version of the schema that this memctl knows.
func Newest() int { return unreleased + len(migrations()) }

// MigrationSQL is the SQL that takes a schema of a version to the newest.
func MigrationSQL(from int) string {
	var b strings.Builder
	b.WriteString(statement("roles"))
	for i, name := range migrations() {
		if version := unreleased + 1 + i; version > from {
			b.WriteString("\n" + applied(version, name))
		}
	}
	return b.String() + statement("vectors") + statement("finish")
}

// applied is the SQL of a migration, which notes that it was applied.
func applied(version int, name string) string {
	return fmt.Sprintf("%s\nINSERT INTO memctl.migrations (version) VALUES (%d);\n", statement(name), version)
}

// groupRoles are the roles of a group: those who read what it shares, and those of them who push it.
func groupRoles(group string) (readers, writers string) { return group, group + "_write" }

func identifier(name string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(name, "\x00", ""), `"`, `""`) + `"`
}

func literal(text string) string {
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// PersonSQL makes a role for a person or a CI job. groups are those whose repositories it reads; with write it pushes
// them too. It sets no password: psql's \password sends only a hash. A new role gets no rows of a dropped one with its name.
func PersonSQL(name string, groups []string, write bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- Run this with psql, then: \\password %s\n", identifier(name))
	b.WriteString(makeRole(name, "LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS", "PERFORM memctl.remove_person("+literal(name)+"); "))
	fmt.Fprintf(&b, "GRANT memctl_person TO %s;\n", identifier(name))
	for _, group := range groups {
		readers, writers := groupRoles(group)
		if write {
			readers = writers
		}
		fmt.Fprintf(&b, "GRANT %s TO %s;\n", identifier(readers), identifier(name))
	}
	return b.String()
}

// GroupSQL makes the roles of a group, and shares a repository with it.
func GroupSQL(group string, t Target) string {
	readers, writers := groupRoles(group)
	var b strings.Builder
	fmt.Fprintf(&b, "-- The members of %s read %s; those of %s push it too.\n", identifier(readers), comment(t.Name), identifier(writers))
	b.WriteString(makeRole(readers, "NOLOGIN", "") + makeRole(writers, "NOLOGIN", ""))
	fmt.Fprintf(&b, "GRANT %s TO %s;\n", identifier(readers), identifier(writers))
	fmt.Fprintf(&b, "INSERT INTO memctl.repositories (root, remote, readers, writers) VALUES (%s, %s, %s, %s)\n"+
		"  ON CONFLICT (root, remote) DO UPDATE SET readers = excluded.readers, writers = excluded.writers;\n",
		literal(t.Root), literal(t.Remote), literal(readers), literal(writers))
	return b.String()
}

// SchemaSQL makes the roles and the tables of memctl, for psql, which leaves out the migrations that the database has.
func SchemaSQL() string {
	var b strings.Builder
	b.WriteString("-- An administrator runs this, and again after an update of memctl: psql --single-transaction -v ON_ERROR_STOP=1\n" +
		"\\set version 0\nSELECT to_regclass('memctl.migrations') IS NOT NULL AS has_tables \\gset\n\\if :has_tables\n" +
		"SELECT coalesce(max(version), 0) AS version FROM memctl.migrations \\gset\n" +
		"\\endif\n" + statement("roles"))
	for i, name := range migrations() {
		version := unreleased + 1 + i
		fmt.Fprintf(&b, "SELECT :version < %d AS missing \\gset\n\\if :missing\n%s\n\\endif\n", version, applied(version, name))
	}
	return b.String() + statement("vectors") + statement("finish")
}

// makeRole makes a role that may be there already. Before it makes the role, it runs the statement first.
func makeRole(name, options, first string) string {
	return fmt.Sprintf("DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = %s) THEN %sCREATE ROLE %s %s; END IF; END $$;\n",
		literal(name), first, identifier(name), options)
}

// comment is a text that ends no comment.
func comment(text string) string { return strings.Join(strings.Fields(text), " ") }
