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

// readStatement returns the text of a file of SQL.
func readStatement(name string) string {
	text, err := statements.ReadFile("sql/" + name + ".sql")
	if err != nil {
		panic(err) // the name is a constant, and a test calls every one
	}
	return string(text)
}

// lastUnreleased is the last version of the builds before the first release, whose tables no memctl can change.
const lastUnreleased = 20

// migrationNames are the names of the files that change the schema, in order. The version of the first one is unreleased + 1.
func migrationNames() []string {
	files, _ := fs.Glob(statements, "sql/0*.sql")
	slices.Sort(files)
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), ".sql")
	}
	return files
}

// NewestVersion is the version of the schema that this memctl knows.
func NewestVersion() int { return lastUnreleased + len(migrationNames()) }

// MigrationSQL is the SQL that takes a schema of a version to the newest.
func MigrationSQL(from int) string {
	var b strings.Builder
	b.WriteString(readStatement("roles"))
	for i, name := range migrationNames() {
		if version := lastUnreleased + 1 + i; version > from {
			b.WriteString("\n" + recordedMigration(version, name))
		}
	}
	return b.String() + readStatement("vectors") + readStatement("finish")
}

// recordedMigration is the SQL of a migration, which notes that it was applied.
func recordedMigration(version int, name string) string {
	return fmt.Sprintf("%s\nINSERT INTO memctl.migrations (version) VALUES (%d);\n", readStatement(name), version)
}

// groupRoles are the roles of a group: those who read what it shares, and those of them who push it.
func groupRoles(group string) (readers, writers string) { return group, group + "_write" }

func quoteIdentifier(name string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(name, "\x00", ""), `"`, `""`) + `"`
}

func quoteLiteral(text string) string {
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// PersonSQL makes a role for a person or a CI job. groups are those whose repositories it reads; with write it pushes
// them too. It sets no password: psql's \password sends only a hash. A new role gets no rows of a dropped one with its name.
func PersonSQL(name string, groups []string, write bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- Run this with psql, then: \\password %s\n", quoteIdentifier(name))
	b.WriteString(makeRoleSQL(name, "LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS", "PERFORM memctl.remove_person("+quoteLiteral(name)+"); "))
	fmt.Fprintf(&b, "GRANT memctl_person TO %s;\n", quoteIdentifier(name))
	for _, group := range groups {
		readers, writers := groupRoles(group)
		if write {
			readers = writers
		}
		fmt.Fprintf(&b, "GRANT %s TO %s;\n", quoteIdentifier(readers), quoteIdentifier(name))
	}
	return b.String()
}

// GroupSQL makes the roles of a group, and shares a repository with it.
func GroupSQL(group string, t Target) string {
	readers, writers := groupRoles(group)
	var b strings.Builder
	fmt.Fprintf(&b, "-- The members of %s read %s; those of %s push it too.\n", quoteIdentifier(readers), toOneLine(t.Name), quoteIdentifier(writers))
	b.WriteString(makeRoleSQL(readers, "NOLOGIN", "") + makeRoleSQL(writers, "NOLOGIN", ""))
	fmt.Fprintf(&b, "GRANT %s TO %s;\n", quoteIdentifier(readers), quoteIdentifier(writers))
	fmt.Fprintf(&b, "INSERT INTO memctl.repositories (root, remote, readers, writers) VALUES (%s, %s, %s, %s)\n"+
		"  ON CONFLICT (root, remote) DO UPDATE SET readers = excluded.readers, writers = excluded.writers;\n",
		quoteLiteral(t.Root), quoteLiteral(t.Remote), quoteLiteral(readers), quoteLiteral(writers))
	return b.String()
}

// SchemaSQL makes the roles and the tables of memctl, for psql, which leaves out the migrations that the database has.
func SchemaSQL() string {
	var b strings.Builder
	b.WriteString("-- An administrator runs this, and again after an update of memctl: psql --single-transaction -v ON_ERROR_STOP=1\n" +
		"\\set version 0\nSELECT to_regclass('memctl.migrations') IS NOT NULL AS has_tables \\gset\n\\if :has_tables\n" +
		"SELECT coalesce(max(version), 0) AS version FROM memctl.migrations \\gset\n" +
		"\\endif\n" + readStatement("roles"))
	for i, name := range migrationNames() {
		version := lastUnreleased + 1 + i
		fmt.Fprintf(&b, "SELECT :version < %d AS missing \\gset\n\\if :missing\n%s\n\\endif\n", version, recordedMigration(version, name))
	}
	return b.String() + readStatement("vectors") + readStatement("finish")
}

// makeRoleSQL is the SQL that makes a role that may be there already. Before it makes the role, it runs the statement first.
func makeRoleSQL(name, options, first string) string {
	return fmt.Sprintf("DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = %s) THEN %sCREATE ROLE %s %s; END IF; END $$;\n",
		quoteLiteral(name), first, quoteIdentifier(name), options)
}

// toOneLine returns the text on one line, so that it cannot end a comment of SQL.
func toOneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
