package cmd

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/llm"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/internal/store/pulled"
	"github.com/memctl/memctl/internal/store/statedir"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memory/setup"
)

func (c *checks) git() {
	if version := gitops.GitVersion(c.ctx); version != "" {
		c.ok(version)
	} else {
		c.bad("not found on the path", "install git from https://git-scm.com/downloads")
	}
}

func (c *checks) full() {
	if problem := c.fullProblem(c.ctx); problem != nil {
		c.warn(problem.Error(), strings.Join(problem.Hints, "; "))
	}
}

// path reports whether the memctl that hooks start is this one.
func (c *checks) path() {
	own := filepath.Join(ownFolder(), "memctl"+filepath.Ext(os.Args[0]))
	here, err := os.Stat(own)
	first, notFound := exec.LookPath("memctl")
	switch there, failed := os.Stat(first); {
	case notFound != nil:
		c.warn("not on the PATH, so hooks and agents cannot start memctl", "")
	case err == nil && failed == nil && !os.SameFile(here, there):
		c.warn(first+" is first on the PATH, so hooks and agents start it and not "+own, "memctl version")
	}
}

// repository looks at the repository of this folder, and whether a commit could be made now.
func (c *checks) repository() {
	dir, err := os.Getwd()
	if err != nil {
		c.fail(err, "")
		return
	}
	repo, err := gitops.Find(dir)
	if errors.Is(err, gitops.ErrNotARepository) {
		c.warn("none here, so memory has no history", "git init")
		if c.stores != nil && c.stores.NoteNoIdentity(c.ctx) != nil {
			c.setName(checkCommit).warn("memory cannot be committed: "+gitops.WhyNoIdentity, gitops.IdentityHint)
		}
		return
	}
	if err == nil {
		err = repo.Refused(c.ctx)
	}
	if err == nil {
		_, err = repo.State()
	}
	if err != nil {
		c.fail(err, "")
		return
	}
	c.ok(repo.Root)
	cfg, err := repo.Config(c.ctx)
	if c.setName(checkCommit); err != nil {
		c.fail(err, "git config --list")
	} else if lost, fix := repo.HeadLost(c.ctx); lost != "" {
		c.bad(lost, fix)
	} else if why := cmp.Or(repo.Waits(c.ctx, 0), repo.Blocked(c.ctx, cfg.NamesSomebody())); why == "" {
		c.commitSetting()
	} else {
		level := fault.SeverityWarning
		if why == gitops.WhyNoIdentity {
			level = fault.SeverityError
		}
		c.add(level, "memory cannot be committed now: "+why, explain(gitops.Blocked(why, "")).Hints[0])
	}
}

// commitSetting reports whether a setting keeps memctl from committing the project's memory.
func (c *checks) commitSetting() {
	if c.stores != nil {
		if st, err := c.stores.Get(c.ctx, store.Project); err == nil && st.Repo != nil {
			if why, err := txn.Blocked(c.ctx, st, 0); err == nil && why != "" {
				c.note("memctl does not commit the project's memory: "+why, "memctl config --all")
			}
		}
	}
}

// settings names settings that memctl does not have.
func (c *checks) settings() {
	for _, v := range setup.UnknownSettings(c.ctx, c.stores) {
		c.warn(unknownText(v), "memctl config --all")
	}
}

// state looks at memctl's own folders: can they be written, and does somebody hold the lock.
func (c *checks) state() {
	if dir := c.stores.DataDir(); dir != "" {
		c.writable(dir)
	} else {
		c.bad("none: HOME is not an absolute path", "export XDG_DATA_HOME=FOLDER")
	}
	own, err := c.stores.Session(c.ctx)
	if err != nil {
		return
	}
	local := own.Locals()[0]
	if !filepath.IsAbs(local) || slices.ContainsFunc(txn.DamagedState(own), statedir.IsLink) {
		return // in the data folder that there is none of; or unfinished names the link, which no check follows
	}
	c.setName("local state").writable(local)
	c.setName("lock").lock(own, filepath.Join(local, "lock"))
	if names, ours := own.LocksLeft(c.ctx); len(names) > 0 {
		fix := "memctl doctor --fix"
		if !ours {
			fix = "rm " + names[0]
		}
		c.setName("git's locks").warn(names[0]+" is old: if no git is running here, a killed git command left it", fix)
	}
}

// writable tries the folder, or the nearest existing one above it, with a file that it removes
// at once: permission bits alone do not tell of sandboxes and read-only mounts.
func (c *checks) writable(dir string) {
	existing := dir
	for {
		if _, err := os.Stat(existing); !errors.Is(err, fs.ErrNotExist) || existing == filepath.Dir(existing) {
			break
		}
		existing = filepath.Dir(existing)
	}
	probe, err := os.CreateTemp(existing, ".memctl-doctor-*")
	if err == nil {
		err = errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	switch {
	case err == nil:
		c.ok(dir)
	case errors.Is(err, syscall.EROFS):
		c.bad(named(existing, "cannot be written: "+cause(err)), "run memctl outside the sandbox")
	default:
		c.bad(named(existing, "cannot be written: "+cause(err)), makeWritable(existing))
	}
}

// makeWritable is the command that lets the person write a file or folder.
func makeWritable(path string) string {
	if _, other := safefile.OtherOwner(path); other {
		return `sudo chown -R "$(id -u)" ` + shell.Quote(path)
	}
	return "chmod u+w " + path
}

// lock tries the lock once, without waiting. It makes no lock file.
func (c *checks) lock(st *store.Store, path string) {
	if _, err := os.Stat(path); err != nil {
		c.ok("free")
		return
	}
	unlock, _, err := st.TryLock(c.ctx)
	held := fault.Find(err, fault.LockHeld)
	if err == nil {
		err = unlock()
	}
	switch {
	case held != nil:
		c.warn(held.Error(), "")
	case err != nil:
		c.fail(err, makeWritable(path))
	default:
		c.ok("free")
	}
}

// oldCopy is the age from which doctor suggests a pull.
const oldCopy = 7 * 24 * time.Hour

// shared says how old the copy from the shared index is; nothing where there is none.
func (c *checks) shared() {
	found := pulled.Read(c.ctx, c.stores)
	if found == nil {
		return
	}
	text := count(len(found.Skills), "skill") + " and " + count(found.Files, "context file") + ", copied on " + found.Pulled.Format(time.DateOnly)
	if c.stores.Now().Sub(found.Pulled) > oldCopy {
		c.note(text, "memctl index pull")
	} else {
		c.ok(text)
	}
}

// configureModel is the command that begins to configure a model.
const configureModel = "git config --global memctl-llm.local.kind openai"

// modelChain looks at the configuration of models and at the daily limit.
func (c *checks) modelChain() {
	found, err := c.stores.Providers(c.ctx)
	if err != nil {
		c.fail(err, "memctl config")
		return
	}
	for _, problem := range found.Problems {
		c.bad(problem, "git config --global --edit")
	}
	capturing, err := c.stores.Setting(c.ctx, store.Capture)
	switch none := len(found.Chain) == 0; {
	case none && err == nil && capturing.Text == store.CaptureModel:
		c.warn("memctl.capture is model, but no model is configured", configureModel)
	case none && c.models && len(found.Problems)+len(found.LiteralKeys) == 0:
		c.note("no model is configured", configureModel)
	}
	for _, name := range found.LiteralKeys {
		c.setName("model "+inert(name)).warn("its key is in git config, where every program can read it", "git config --global memctl-llm."+name+".keyCommand 'pass show NAME'")
	}
	if len(found.Chain) == 0 {
		return
	}
	answered := false
	for _, p := range found.Chain {
		if c.setName("model " + inert(p.Name)); c.models {
			answered = c.testModel(p) || answered
		} else {
			c.ok(p.Describe())
		}
	}
	if answered {
		localstate.BudgetOf(c.stores).Report(c.ctx, nil)
	}
	u, err := localstate.UseOfModels(c.ctx, c.stores)
	text := fmt.Sprintf("%s and %d of %d tokens today", count(u.Calls, "call"), u.Tokens, u.MaxTokens)
	c.setName("model use")
	switch failing := u.Failing(); {
	case err != nil:
		c.fail(err, "memctl doctor --fix")
	case failing != "":
		c.warn(failing, "memctl doctor --models")
	case u.Tokens >= u.MaxTokens:
		c.note(text, "")
	default:
		c.ok(text)
	}
}

// testModel asks a model one tiny question, which counts against the limit, and reports whether it answered.
func (c *checks) testModel(p llm.Provider) bool {
	answer, err := p.Ask(c.ctx, llm.Request{
		System:   "This is a test of the connection.",
		Messages: []llm.Message{{Role: "user", Text: "Answer with ok set to true."}},
		Schema:   &llm.Schema{Name: "test", JSON: json.RawMessage(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"],"additionalProperties":false}`)},
		// A model that reasons needs room before it answers.
		MaxTokens: 1024,
	}, localstate.BudgetOf(c.stores))
	if err != nil {
		c.bad(p.Describe()+": "+strings.ReplaceAll(err.Error(), "\n", " "), "git config --global --get-regexp 'memctl-llm\\..*\\.(kind|url|model)'")
		return false
	}
	c.ok(fmt.Sprintf("%s answered (%d tokens)", p.Describe(), answer.Usage.Total()))
	return true
}
