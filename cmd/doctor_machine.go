package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/llm"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/exchange"
	"github.com/memctl/memctl/store/localstate"
	"github.com/memctl/memctl/store/pulled"
	"github.com/memctl/memctl/store/statedir"
	"github.com/memctl/memctl/store/txn"
)

// checkState looks at memctl's own folders: can they be written, and does
// somebody hold the lock.
func (d *doctor) checkState() {
	if dir := d.stores.DataDir(); dir != "" {
		d.checkWritable("data folder", dir)
	} else {
		d.add(checkFail, "data folder", "none: HOME is not an absolute path", "export XDG_DATA_HOME=FOLDER")
	}
	own, err := d.stores.Session(d.ctx)
	if err != nil {
		return
	}
	local := own.Locals()[0]
	if !filepath.IsAbs(local) { // in the data folder, which there is none of
		return
	}
	if slices.ContainsFunc(txn.DamagedState(own), statedir.IsLink) {
		return // checkUnfinished names it, and no check follows it
	}
	d.checkWritable("local state", local)
	d.checkLock(own, filepath.Join(local, "lock"))
	if names, ours := own.LocksLeft(); len(names) > 0 {
		fix := "memctl doctor --fix"
		if !ours {
			fix = "rm " + names[0]
		}
		d.warn("git's locks", names[0]+" is old: if no git is running here, a killed git command left it", fix)
	}
}

// checkWritable tries the folder, or the nearest existing one above it, with
// a file that it removes at once: permission bits alone do not tell of
// sandboxes and read-only mounts.
func (d *doctor) checkWritable(name, dir string) {
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
		d.ok(name, dir)
	case errors.Is(err, syscall.EROFS):
		d.add(checkFail, name, named(existing, "cannot be written: "+cause(err)), "run memctl outside the sandbox")
	default:
		d.add(checkFail, name, named(existing, "cannot be written: "+cause(err)), makeWritable(existing))
	}
}

// makeWritable is the command that lets the person write a file or folder.
func makeWritable(path string) string {
	if _, other := safefile.OtherOwner(path); other {
		return `sudo chown -R "$(id -u)" ` + shell.Quote(path)
	}
	return "chmod u+w " + path
}

// checkLock tries the lock once, without waiting. It makes no lock file.
func (d *doctor) checkLock(st *store.Store, path string) {
	if _, err := os.Stat(path); err != nil {
		d.ok("lock", "free")
		return
	}
	unlock, err := st.TryLock(d.ctx)
	held := fault.Find(err, fault.LockHeld)
	if err == nil {
		err = unlock()
	}
	switch {
	case held != nil:
		d.warn("lock", held.Error(), "")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		d.add(checkFail, "lock", err.Error(), makeWritable(path))
	case err != nil:
		d.fail("lock", err)
	default:
		d.ok("lock", "free")
	}
}

// checkOutside looks at the stores outside the project: whether this
// repository's private one exists, whether somebody can commit to them, and their remotes.
func (d *doctor) checkOutside() {
	if slices.Contains(d.stores.Scopes(), store.Private) {
		switch st, err := d.stores.Get(d.ctx, store.Private); {
		case err != nil:
			d.fail("private store", err)
		case st.Dir == "":
		case st.Gone():
			d.add(checkFail, "private store", st.Dir+": missing, although this repository has an id for it; restore the folder from a backup or its remote, or start a new store",
				"git config --local --unset memctl.private")
		default:
			d.ok("private store", st.Dir)
		}
	}
	for _, scope := range d.stores.Scopes() {
		if scope != store.Private && scope != store.User {
			continue
		}
		st, err := d.stores.Get(d.ctx, scope)
		if err != nil || st.Repo == nil {
			continue
		}
		d.checkMergeDriver(scope+" merge driver", st.Repo)
		if exchange.Remote(d.ctx, st) != "" {
			d.checkRemote(st)
		}
	}
	d.checkShared()
}

// checkRemote compares a store with its remote, as it was last fetched: the
// check does not use the network.
func (d *doctor) checkRemote(st *store.Store) {
	name, remote := st.Scope+" remote", exchange.Remote(d.ctx, st)
	switch ahead, err := exchange.Unsent(d.ctx, st); {
	case err != nil:
		d.fail(name, err)
	case ahead > 0:
		d.warn(name, remote+": "+count(ahead, "commit")+" not pushed", "memctl sync --scope "+st.Scope)
	default:
		d.ok(name, remote)
	}
	d.about(aboutSync)
}

// oldCopy is the age from which doctor suggests a pull.
const oldCopy = 7 * 24 * time.Hour

// checkShared says how old the copy from the shared index is; nothing where there is none.
func (d *doctor) checkShared() {
	c := pulled.Read(d.ctx, d.stores)
	if c == nil {
		return
	}
	age := d.stores.Now().Sub(c.Pulled)
	said := count(len(c.Skills), "skill") + " and " + count(c.Files, "context file") + ", copied "
	if days := int(age.Hours() / 24); days > 0 {
		said += strconv.Itoa(days) + " days ago"
	} else {
		said += "today"
	}
	if age > oldCopy {
		d.note(aboutShared, said, "memctl index pull")
	} else {
		d.ok(aboutShared, said)
	}
	d.about(aboutShared)
}

// configureModel is the command that begins to configure a model.
const configureModel = "git config --global memctl-llm.local.kind openai"

// checkModels looks at the configuration of models and at the daily limit. With try it asks
// each model of the chain one tiny question, which counts against the limit.
func (d *doctor) checkModels(try bool) {
	found, err := d.stores.Providers(d.ctx)
	if err != nil {
		d.add(checkFail, "models", explain(err).Error(), "memctl config")
		return
	}
	for _, problem := range found.Problems {
		d.add(checkFail, "models", problem, "git config --global --edit")
	}
	for _, name := range found.LiteralKeys {
		d.warn("model "+inert(name), "its key is in git config, where every program can read it", "git config --global memctl-llm."+name+".keyCommand 'pass show NAME'")
	}
	if len(found.Chain) == 0 {
		if capturing, err := d.stores.Setting(d.ctx, store.Capture); err == nil && capturing.Text == store.CaptureModel {
			d.warn("models", "memctl.capture is model, but no model is configured", configureModel)
		} else if try && len(found.Problems)+len(found.LiteralKeys) == 0 {
			d.note("models", "no model is configured", configureModel)
		}
		return
	}
	answered := false
	for _, p := range found.Chain {
		if try {
			answered = d.tryModel(p) || answered
		} else {
			d.ok("model "+inert(p.Name), p.Describe())
		}
	}
	if answered {
		localstate.BudgetOf(d.stores).Report(d.ctx, nil)
	}
	d.checkModelUse()
}

// tryModel asks a model one tiny question, and reports whether it answered.
func (d *doctor) tryModel(p llm.Provider) bool {
	name := "model " + inert(p.Name)
	answer, err := p.Ask(d.ctx, llm.Request{
		System:   "This is a test of the connection.",
		Messages: []llm.Message{{Role: "user", Text: "Answer with ok set to true."}},
		Schema:   &llm.Schema{Name: "test", JSON: json.RawMessage(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"],"additionalProperties":false}`)},
		// A model that reasons needs room before it answers.
		MaxTokens: 1024,
	}, localstate.BudgetOf(d.stores))
	if err != nil {
		d.add(checkFail, name, p.Describe()+": "+strings.ReplaceAll(err.Error(), "\n", " "), "git config --global --get-regexp 'memctl-llm\\..*\\.(kind|url|model)'")
		return false
	}
	d.ok(name, fmt.Sprintf("%s answered (%d tokens)", p.Describe(), answer.Usage.Total()))
	return true
}

// checkModelUse says what is left of the daily limit, and whether models fail.
func (d *doctor) checkModelUse() {
	u, err := localstate.UseOfModels(d.ctx, d.stores)
	said := fmt.Sprintf("%s and %d of %d tokens today", count(u.Calls, "call"), u.Tokens, u.MaxTokens)
	switch failing := u.Failing(); {
	case err != nil:
		d.add(checkFail, "model use", explain(err).Error(), "memctl doctor --fix")
	case failing != "":
		d.warn("model use", failing, "memctl doctor --models")
	case u.Tokens >= u.MaxTokens:
		d.note("model use", said, "")
	default:
		d.ok("model use", said)
	}
}
