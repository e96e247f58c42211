//go:build unix

package testscripts

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memctl/memctl/tests/pgtest"
)

// team is a server and the machines of people who share an index on it. ada and ci are in the group, eve is not.
type team struct {
	*world
	pg *pgtest.Server
	db string
}

const (
	apiRemote   = "example.com/acme/api"
	groupsFact  = "zebragroup retries use exponential backoff"
	adasFact    = "zebraprivate the staging password rotates on Mondays"
	evesFact    = "evestext the deploy window is on Fridays"
	localFact   = "localtext the web project builds with pnpm"
	localSearch = "localtext builds"
)

// shareIndex makes the roles with the SQL that memctl prints, pushes the repository api as ci and her own memory as
// ada and as eve, and leaves each person in another repository, web.
func shareIndex(t *testing.T) *team {
	t.Helper()
	pg := pgtest.Start(t)
	t.Cleanup(pgtest.Stop)
	x := &team{world: machine(t, prepare(t)), pg: pg, db: pg.Database(t)}
	x.as("admin")
	x.sh("git remote add origin git@" + strings.Replace(apiRemote, "/", ":", 1) + ".git")
	x.sh("git config branch.master.remote origin", "git config branch.main.remote origin")
	for _, args := range [][]string{{"--owner"}, {"--group", "backend"}, {"ada", "--group", "backend"}, {"ci", "--group", "backend", "--write"}, {"eve"}} {
		pg.Run(t, pgtest.Superuser, x.db, x.ok(append([]string{"index", "role"}, args...)...))
	}
	x.as("ci")
	x.ok("remember", "-q", groupsFact)
	x.says("sent 2 documents, 0 removed, 0 unchanged", 0, "index", "push")
	for name, fact := range map[string]string{"ada": adasFact, "eve": evesFact} {
		x.as(name)
		x.ok("remember", "-q", "--scope", "user", fact)
		x.says("sent", 0, "index", "push", "--scope", "user")
	}
	web := filepath.Join(x.dir, "web")
	must(t, os.Mkdir(web, 0o755))
	x.cwd = web
	x.sh("git init -q")
	x.ok("init", "-q")
	x.ok("remember", "-q", localFact)
	return x
}

// as makes the next commands those of a person with a machine of their own, logged in as the role of that name.
func (x *team) as(name string) { x.on(name, x.pg.URL(name, x.db)) }

func (x *team) on(name, url string, more ...string) {
	x.t.Helper()
	x.env["HOME"] = filepath.Join(x.dir, name)
	x.env["XDG_DATA_HOME"] = filepath.Join(x.dir, name, "data")
	must(x.t, os.MkdirAll(x.env["HOME"], 0o755))
	text := gitConfig + "[memctl \"pg\"]\n\turl = " + url + "\n" + strings.Join(more, "\n") + "\n"
	must(x.t, os.WriteFile(filepath.Join(x.env["HOME"], ".gitconfig"), []byte(text), 0o644))
}

// sh runs commands without quotes in them.
func (x *team) sh(lines ...string) {
	x.t.Helper()
	for _, line := range lines {
		words := strings.Fields(line)
		c := exec.Command(words[0], words[1:]...)
		c.Dir, c.Env = x.cwd, x.environ()
		if out, err := c.CombinedOutput(); err != nil {
			x.t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
}

// try runs memctl and gives all that it prints, and its status.
func (x *team) try(args ...string) (out string, status int) {
	x.t.Helper()
	c := exec.Command("memctl", args...)
	c.Dir, c.Env = x.cwd, x.environ()
	data, err := c.CombinedOutput()
	if _, ended := err.(*exec.ExitError); err != nil && !ended {
		x.t.Fatal(err)
	}
	return string(data), c.ProcessState.ExitCode()
}

func (x *team) ok(args ...string) string {
	x.t.Helper()
	out, status := x.try(args...)
	if status != 0 {
		x.t.Fatalf("memctl %s: status %d\n%s", strings.Join(args, " "), status, out)
	}
	return out
}

// says runs memctl, and expects a status and a text.
func (x *team) says(want string, wanted int, args ...string) {
	x.t.Helper()
	if out, status := x.try(args...); status != wanted || !strings.Contains(out, want) {
		x.t.Errorf("memctl %s: status %d, want %d and %q in\n%s", strings.Join(args, " "), status, wanted, want, out)
	}
}

// rows are the documents on the server.
func (x *team) rows() string {
	return x.pg.Run(x.t, pgtest.Superuser, x.db, "SELECT store, path, encode(hash, 'hex') FROM memctl.documents ORDER BY store, path")
}

// TestSharedIndex runs the commands against a real server.
func TestSharedIndex(t *testing.T) {
	x := shareIndex(t)
	web, api := x.cwd, x.repo
	t.Run("people find what their group shares, and their own", func(t *testing.T) {
		x.t = t
		x.as("ada")
		x.says(apiRemote, 0, "recall", "retries backoff")
		x.says(groupsFact, 0, "recall", "retries backoff")
		x.says(adasFact, 0, "recall", "--engine", "postgres", "staging password rotates")
		x.as("eve")
		x.says(evesFact, 0, "recall", "--engine", "postgres", "deploy window")
	})
	t.Run("nobody finds the memory of others", func(t *testing.T) { x.t = t; x.tries() })
	t.Run("an agent gets other repositories only where they are trusted", func(t *testing.T) {
		x.t = t
		x.as("ada")
		x.env["MEMCTL_ORIGIN"] = "automatic"
		defer delete(x.env, "MEMCTL_ORIGIN")
		if out := x.ok("recall", "retries backoff"); strings.Contains(out, "zebra") {
			t.Errorf("without trust: %s", out)
		}
		if got := x.ask(1, "retries backoff")[0]; strings.Contains(got, "zebra") {
			t.Errorf("without trust an MCP client gets: %s", got)
		}
		x.on("ada", x.pg.URL("ada", x.db), "\ttrust = "+apiRemote)
		x.says(groupsFact, 0, "recall", "retries backoff")
		if got := x.ask(1, "retries backoff")[0]; !strings.Contains(got, groupsFact) {
			t.Errorf("with trust an MCP client gets: %s", got)
		}
	})
	t.Run("push, status and drop", func(t *testing.T) {
		x.t, x.cwd = t, api
		defer func() { x.cwd = web }()
		x.as("ci")
		x.says("0 removed, 2 unchanged", 0, "index", "push")
		x.says(apiRemote, 0, "index", "status")
		x.says("search by ", 0, "index", "status") // a server with pgvector compares vectors too
		x.ok("remember", "-q", "one more fact about the tests")
		before := x.rows()
		x.says("would send 1 document, 0 removed, 2 unchanged", 0, "index", "push", "--dry-run")
		x.as("ada")
		x.says("your role may read this repository and not push it", 2, "index", "push")
		x.says("your role may read this store, and not remove it", 2, "index", "drop", "--yes")
		if x.rows() != before {
			t.Error("a dry run or a refused command changed the rows")
		}
	})
	t.Run("a removed skill leaves a reader's machine with the next recall", func(t *testing.T) {
		x.t = t
		defer func() { x.cwd = web }()
		push := func(commands ...string) {
			x.as("ci")
			x.cwd = api
			x.sh(commands...)
			x.ok("index", "push")
			x.as("ada")
			x.cwd = web
		}
		must(t, os.MkdirAll(filepath.Join(api, "skills", "release"), 0o755))
		must(t, os.WriteFile(filepath.Join(api, "skills", "release", "SKILL.md"), []byte("---\nname: release\ndescription: Make a release.\n---\n\nSteps.\n"), 0o644))
		push("git add skills", "git commit -q -m skill")
		x.ok("index", "pull")
		x.says("release", 0, "skills", "list")
		push("git rm -q -r skills", "git commit -q -m removed")
		x.says("release", 0, "skills", "list")
		x.ok("recall", "anything")
		if out := x.ok("skills", "list"); strings.Contains(out, "release") {
			t.Errorf("after a recall: %s", out)
		}
	})
	t.Run("push refuses what would take memory from others", func(t *testing.T) { x.t = t; x.refusals(); x.cwd = web })
	t.Run("what is wrong with the server costs one warning", func(t *testing.T) { x.t = t; x.broken(); x.cwd = web })
	t.Run("a clock that is days off changes nothing", func(t *testing.T) {
		x.t, x.cwd = t, api
		defer func() { x.cwd = web; x.env["MEMCTL_NOW"] = moment }()
		x.as("ci")
		x.ok("index", "push")
		for _, now := range []string{"2001-01-01T00:00:00Z", "2099-01-01T00:00:00Z"} {
			x.env["MEMCTL_NOW"] = now
			x.says("sent 0 documents, 0 removed", 0, "index", "push")
			x.says(groupsFact, 0, "recall", "--engine", "postgres", "retries backoff")
			// Of the copy on this machine it says when it was made here.
			if out, _, _ := strings.Cut(x.ok("index", "status", "--json"), `"copy":`); strings.Contains(out, now[:4]+"-01-0") {
				t.Errorf("status has this machine's clock: %s", out)
			}
		}
	})
	t.Run("drop", func(t *testing.T) {
		x.t, x.cwd = t, api
		x.as("ci")
		x.ok("index", "drop", "--yes")
		x.cwd = web
		x.as("ada")
		if out := x.ok("recall", "retries backoff"); strings.Contains(out, "zebra") {
			t.Errorf("after it: %s", out)
		}
		x.says(adasFact, 0, "recall", "--engine", "postgres", "staging password rotates")
	})
}

// tries lets eve ask for what others know, by the command line and by MCP. The same questions of ada find it.
func (x *team) tries() {
	lines, calls := 6, 20
	if everything() {
		lines, calls = 200, 1000
	}
	questions := []string{"zebraprivate", "zebragroup", "retries use exponential backoff", "staging password rotates", "zebra", "'; SELECT text FROM memctl.chunks; --", "@group backend", "@person ada zebraprivate"}
	flags := [][]string{{"--engine", "postgres"}, {"--engine", "auto"}, {"--engine", "postgres", "--scope", "user"}, {"--engine", "postgres", "--conversation", "x"}, {"--engine", "postgres", "--json"}, {"--engine", "postgres", "--tier", "fact"}}
	options := []string{"", "-c row_security=off", "-c search_path=memctl", "-c role=memctl_owner", "-c role=ada", "-c session_authorization=ada"}
	defer delete(x.env, "PGOPTIONS")
	leaks := func(out string) bool {
		return strings.Contains(out, adasFact) || strings.Contains(out, groupsFact)
	}
	for i := range lines {
		x.as("eve")
		x.env["PGOPTIONS"] = options[i%len(options)]
		args := append([]string{"recall", questions[i%len(questions)]}, flags[(i/3)%len(flags)]...)
		if out, _ := x.try(args...); leaks(out) {
			x.t.Fatalf("eve reads the memory of others by memctl %v: %s", args, out)
		}
	}
	delete(x.env, "PGOPTIONS")
	x.env["MEMCTL_ORIGIN"] = "automatic"
	defer delete(x.env, "MEMCTL_ORIGIN")
	trust := "\ttrust = " + apiRemote
	x.on("eve", x.pg.URL("eve", x.db), trust, "[memctl \"recall\"]\n\tengine = postgres")
	answers := x.ask(calls, questions...)
	for _, got := range answers {
		if leaks(got) {
			x.t.Fatalf("eve reads the memory of others by MCP: %s", got)
		}
	}
	if got := x.ask(1, "deploy window")[0]; !strings.Contains(got, evesFact) {
		x.t.Errorf("eve does not find her own memory by MCP: %s", got)
	}
	x.on("ada", x.pg.URL("ada", x.db), trust, "[memctl \"recall\"]\n\tengine = postgres")
	if got := strings.Join(x.ask(len(questions), questions...), ""); !leaks(got) {
		x.t.Errorf("ada does not find the same by MCP: %s", got)
	}
}

// ask asks an MCP server some questions in turn, n in all, and gives its answers.
func (x *team) ask(n int, questions ...string) (answers []string) {
	x.t.Helper()
	c := exec.Command("memctl", "mcp")
	c.Dir, c.Env = x.cwd, x.environ()
	in, err := c.StdinPipe()
	must(x.t, err)
	out, err := c.StdoutPipe()
	must(x.t, err)
	must(x.t, c.Start())
	defer c.Wait()
	defer in.Close()
	lines := bufio.NewReader(out)
	send := func(id int, method string, params any) string {
		text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
		must(x.t, err)
		_, err = in.Write(append(text, '\n'))
		must(x.t, err)
		for {
			line, err := lines.ReadString('\n')
			must(x.t, err)
			var answer struct{ ID *int }
			if json.Unmarshal([]byte(line), &answer) == nil && answer.ID != nil && *answer.ID == id {
				return line
			}
		}
	}
	send(1, "initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"}})
	_, err = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	must(x.t, err)
	for i := range n {
		answers = append(answers, send(i+2, "tools/call", map[string]any{"name": "recall", "arguments": map[string]any{"query": questions[i%len(questions)]}}))
	}
	return answers
}

// refusals pushes from a machine that has less than the server.
func (x *team) refusals() {
	x.cwd = x.repo
	x.as("ci")
	x.ok("index", "push")
	before := x.rows()
	memory := x.file("memories.md")
	sound, err := os.ReadFile(memory)
	must(x.t, err)

	x.sh("git commit -q --allow-empty -m ahead")
	x.ok("index", "push")
	x.sh("git reset -q --hard HEAD~1")
	x.says("which this branch does not have", 2, "index", "push")
	x.sh("git reset -q --hard ORIG_HEAD")

	must(x.t, os.WriteFile(memory, []byte(strings.Replace(string(sound), "items:", "items: [", 1)), 0o644))
	x.says("is damaged, so a push would remove what cannot be read", 1, "index", "push")
	must(x.t, os.Remove(memory))
	x.says("the memory file is in git but not on disk", 2, "index", "push")
	must(x.t, os.WriteFile(memory, sound, 0o644))
	if x.rows() != before {
		x.t.Error("a refused push changed the rows")
	}
	x.says("0 removed", 0, "index", "push")
}

// broken lets ada recall and push where something is wrong with the server. The index on disk answers each time.
func (x *team) broken() {
	good := x.pg.URL("ada", x.db)
	x.pg.Run(x.t, pgtest.Superuser, x.db, "CREATE ROLE "+pgtest.Locked+" LOGIN PASSWORD 'right-password'; CREATE DATABASE empty"+x.db)
	const secret = "wrong-password"
	schema := func(change string) { x.pg.Run(x.t, pgtest.Superuser, x.db, change) }
	for _, c := range []struct {
		why, url, want string
		begin, end     func()
	}{
		{"a URL that cannot be read", "postgres://ada:" + secret + "@h:port/d", "memctl.pg.url", nil, nil},
		{"a wrong password", strings.Replace(x.pg.URL(pgtest.Locked, x.db), "@", ":"+secret+"@", 1), "refuses the login", nil, nil},
		{"no tables", x.pg.URL("ada", "empty"+x.db), "the database has no schema memctl", nil, nil},
		{"a newer schema", good, "a newer memctl is needed", func() { schema("INSERT INTO memctl.migrations VALUES (1000)") }, func() { schema("DELETE FROM memctl.migrations WHERE version = 1000") }},
		{"an older schema", good, "this memctl needs version", func() {
			schema("CREATE TABLE public.kept AS SELECT max(version) AS version FROM memctl.migrations; DELETE FROM memctl.migrations WHERE version = (SELECT version FROM public.kept)")
		}, func() {
			schema("INSERT INTO memctl.migrations SELECT version FROM public.kept; DROP TABLE public.kept")
		}},
		{"a server that is down", good, "does not answer", func() { must(x.t, x.pg.Kill()) }, func() { must(x.t, x.pg.Launch()) }},
	} {
		before := x.rows()
		if c.begin != nil {
			c.begin()
		}
		x.on("ada", c.url)
		for _, args := range [][]string{{"recall", localSearch}, {"recall", "--engine", "postgres", localSearch}} {
			out, status := x.try(args...)
			if status != 0 || !strings.Contains(out, localFact) || strings.Count(out, "warning:") != 1 || !strings.Contains(out, c.want) || strings.Contains(out, secret) {
				x.t.Errorf("%s: memctl %v: status %d, want %q in\n%s", c.why, args, status, c.want, out)
			}
		}
		for _, args := range [][]string{{"index", "push", "--scope", "user"}, {"index", "status"}, {"index", "drop", "--scope", "user", "--yes"}} {
			out, status := x.try(args...)
			// Without tables status says so, and there is nothing to drop or to check.
			if c.why != "no tables" && (status == 0 || !strings.Contains(out, c.want)) || strings.Contains(out, secret) {
				x.t.Errorf("%s: memctl %v: status %d, want %q in\n%s", c.why, args, status, c.want, out)
			}
		}
		if c.end != nil {
			c.end()
		}
		if after := x.rows(); after != before {
			x.t.Errorf("%s changed the rows:\n%s\n%s", c.why, before, after)
		}
	}
	x.as("ada")
	x.says(groupsFact, 0, "recall", "retries backoff")
}
