// Package pgtest starts a PostgreSQL server for tests, in a folder of its own.
package pgtest

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// nobody is the user and group that the server runs as where the tests run as root.
const nobody = 65534

// Superuser is the role that owns the server.
const Superuser = "admin"

// Locked is the role that needs a password. A test makes it; all other roles log in without one.
const Locked = "locked"

// Server is a server that runs until the tests end.
type Server struct {
	Dir      string // of its socket
	bin      string
	data     string
	asNobody bool // PostgreSQL refuses to run as root
}

var running struct {
	sync.Once
	server *Server
	why    string
}

// Start returns the one server of this test binary, and skips the test where PostgreSQL is not installed. Stop, which TestMain
// calls, ends it.
func Start(t testing.TB) *Server {
	t.Helper()
	running.Do(func() { running.server, running.why = start() })
	if running.server == nil {
		t.Skip(running.why)
	}
	return running.server
}

// Stop ends the server, if there is one. Start then starts another one.
func Stop() {
	if s := running.server; s != nil {
		_ = s.ctl("stop", "-m", "immediate")
		_ = os.RemoveAll(filepath.Dir(s.data))
		running.server, running.Once = nil, sync.Once{}
	}
}

func start() (*Server, string) {
	bin := binaries()
	if bin == "" {
		return nil, "PostgreSQL is not installed"
	}
	dir, err := os.MkdirTemp("", "pg")
	if err != nil {
		return nil, err.Error()
	}
	s := &Server{Dir: dir, bin: bin, data: filepath.Join(dir, "data")}
	if os.Getuid() == 0 {
		s.asNobody = true
		if err := os.Chown(dir, nobody, nobody); err != nil {
			return nil, err.Error()
		}
	}
	if out, err := s.command("initdb", "-D", s.data, "-U", Superuser, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync").CombinedOutput(); err != nil {
		return nil, "initdb: " + err.Error() + ": " + string(out)
	}
	for _, line := range []string{"fsync=off", "full_page_writes=off", "listen_addresses=''", "unix_socket_directories='" + dir + "'", "max_connections=100"} {
		if err := appendLine(filepath.Join(s.data, "postgresql.conf"), line); err != nil {
			return nil, err.Error()
		}
	}
	if err := os.WriteFile(filepath.Join(s.data, "pg_hba.conf"), []byte("local all "+Locked+" scram-sha-256\nlocal all all trust\n"), 0o600); err != nil {
		return nil, err.Error()
	}
	if err := s.Launch(); err != nil {
		return nil, err.Error()
	}
	return s, ""
}

func appendLine(name, line string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// binaries is the folder of initdb, the newest version's; "" where there is none.
func binaries() string {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path)
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	slices.SortFunc(found, func(a, b string) int { return version(a) - version(b) })
	if len(found) == 0 {
		return ""
	}
	return filepath.Dir(found[len(found)-1])
}

func version(path string) int {
	return number(strings.Split(path, "/")[4])
}

func (s *Server) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(filepath.Join(s.bin, name), args...)
	c.Dir = s.Dir
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	if s.asNobody {
		runAsNobody(c)
	}
	return c
}

func (s *Server) ctl(args ...string) error {
	c := s.command("pg_ctl", append([]string{"-D", s.data, "-w", "-t", "30", "-l", filepath.Join(s.Dir, "log")}, args...)...)
	if err := c.Run(); err != nil {
		log, _ := os.ReadFile(filepath.Join(s.Dir, "log"))
		return fmt.Errorf("pg_ctl %v: %w: %s", args, err, log)
	}
	return nil
}

// Launch starts the server, after Kill again.
func (s *Server) Launch() error { return s.ctl("start") }

// Kill ends the server as a crash does.
func (s *Server) Kill() error { return s.ctl("stop", "-m", "immediate") }

// Database makes a database of its own for a test.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("t%d", time.Now().UnixNano())
	s.Run(t, Superuser, "postgres", "CREATE DATABASE "+name)
	return name
}

// URL is the address of a database for a role.
func (s *Server) URL(role, database string) string {
	return "postgres://" + url.PathEscape(role) + "@/" + database + "?host=" + url.QueryEscape(s.Dir)
}

// Run runs SQL with psql as a role, and fails the test where it fails.
func (s *Server) Run(t testing.TB, role, database, sql string) string {
	t.Helper()
	out, err := s.Try(role, database, sql)
	if err != nil {
		t.Fatalf("%s: %s", sql, out)
	}
	return out
}

// Try runs SQL with psql as a role, and gives what it prints.
func (s *Server) Try(role, database, sql string) (string, error) {
	c := s.command("psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", s.Dir, "-U", role, "-d", database)
	c.Stdin = strings.NewReader(sql)
	out, err := c.CombinedOutput()
	return string(out), err
}

// Dump is every row of memctl's tables that a role can read.
func (s *Server) Dump(t testing.TB, role, database string) string {
	t.Helper()
	return s.Run(t, role, database, `SELECT format('COPY memctl.%I TO STDOUT', relname) FROM pg_class
		WHERE relnamespace = 'memctl'::regnamespace AND relkind = 'r' AND has_table_privilege(oid, 'SELECT') \gexec`)
}

// CPU is the time that all processes of the server have used, by the clock of Linux; 0 on other systems.
func (s *Server) CPU() time.Duration {
	pidFile, err := os.ReadFile(filepath.Join(s.data, "postmaster.pid"))
	if err != nil {
		return 0
	}
	main, _, _ := strings.Cut(string(pidFile), "\n")
	ticks := 0
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it ended
		}
		pid, rest, _ := strings.Cut(string(text), " ")
		fields := strings.Fields(rest[strings.LastIndexByte(rest, ')')+1:]) // state, parent, ...
		switch {
		case len(fields) < 15:
		case pid == main:
			ticks += number(fields[13]) + number(fields[14]) // of children that ended
		case fields[1] == main:
			ticks += number(fields[11]) + number(fields[12])
		}
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}
