package memory_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/acts/undo"
	"github.com/memctl/memctl/memory/setup"
)

const (
	sequencesEnv = "MEMCTL_SEQUENCES" // how many random sequences to run
	seedEnv      = "MEMCTL_SEED"      // run this one alone
	actsEach     = 24
)

// testValue is a value with what the policy must say of it.
type testValue struct {
	v           memfile.Value
	refuse      string // the rule that refuses it from anybody
	agentRefuse string // … from anybody but a person
	agentHold   string
	passing     bool // not durable: low from an agent
	telling     bool // says enough to be the same under another key
	lesson      bool
}

// values have no rule that names what a key does: the model does not know which items
// repeat one another in other words.
var values = []testValue{
	{v: memfile.Str("concise, no filler"), telling: true},
	{v: memfile.Str("Concise,  no FILLER"), telling: true},
	{v: memfile.Str("use these blanks always")},
	{v: memfile.Str("prefer tabs")},
	{v: memfile.Str("spaces")},
	{v: memfile.Value{Kind: memfile.Number, Text: "4"}},
	{v: memfile.Str("4")},
	{v: memfile.Value{Kind: memfile.Number, Text: "1.10"}},
	{v: memfile.Value{Kind: memfile.Bool, Text: "true"}},
	{v: memfile.Value{Kind: memfile.List, List: []memfile.Value{memfile.Str("alpha one"), memfile.Str("beta two")}}},
	{v: memfile.Str("use staging for now"), passing: true},
	{v: memfile.Str("something"), agentHold: "not-specific"},
	{v: memfile.Str("sounds good"), agentRefuse: "not-useful"},
	{v: memfile.Str("AKIA" + "Q3EGRHVJQ5W7T2XZ"), refuse: "secret"},
	{v: memfile.Value{Kind: memfile.Map, Map: []memfile.Field{
		{Name: "issue", Value: memfile.Str("the suite ran for an hour")},
		{Name: "outcome", Value: memfile.Str("nobody ran it")},
		{Name: "fix", Value: memfile.Str("split it in two")},
	}}, lesson: true},
}

var modelKeys = []string{"writing.tone", "writing.indent", "tooling.editor", "a.b", "lessons.slow-suite"}

var forgetTexts = []string{"concise, no filler", "these blanks always", "spaces", "4", "alpha one, beta two", "nothing of this kind", "Writing.Tone", "tooling.none"}

// op is one act of a sequence, and the days that pass before it.
type op struct {
	act, origin   string
	keys, tags    []string
	text          string // forget
	val, days, n  int
	conf, expires string
	pin           bool
	dry, on       bool
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// sequence makes the acts of a seed. They name keys and values, not what
// stands in the file, so that a shortened sequence means the same.
func sequence(seed uint64, git bool) []op {
	r := rand.New(rand.NewPCG(seed, 7))
	acts := []string{"add", "add", "add", "add", "add", "add", "confirm", "doubt", "forget", "forget", "lock", "unlock", "enabled", "announce_writes"}
	if git {
		acts = append(acts, "undo", "undo", "undo", "restore", "restore")
	}
	list := make([]op, actsEach)
	few := r.IntN(2) == 0 // few keys and values meet more often
	for i := range list {
		o := op{act: pick(r, acts...), origin: pick(r, memory.Explicit, memory.Explicit, memory.Relayed, memory.Automatic, memory.Automatic), days: pick(r, 0, 0, 1, 1, 2), on: r.IntN(3) > 0}
		key := func() string {
			if few {
				return pick(r, modelKeys[:2]...)
			}
			return pick(r, modelKeys...)
		}
		o.keys = []string{key()}
		if o.val = r.IntN(len(values)); few {
			o.val = r.IntN(4)
		}
		if strings.HasPrefix(o.keys[0], "lessons.") && r.IntN(4) > 0 {
			o.val = len(values) - 1
		}
		o.flagsOf(r)
		switch o.act {
		case "confirm", "doubt", "lock", "unlock":
			if second := key(); r.IntN(3) == 0 && second != o.keys[0] {
				o.keys = append(o.keys, second)
			}
		case "forget":
			if o.text = o.keys[0]; r.IntN(2) == 0 {
				o.text = pick(r, forgetTexts...)
			}
		}
		if few && (o.act == "lock" || o.act == "enabled") && r.IntN(2) == 0 {
			o.act = "unlock"
		}
		list[i] = o
	}
	return list
}

func (o *op) flagsOf(r *rand.Rand) {
	if r.IntN(6) == 0 {
		o.conf = pick(r, "low", "medium", "high")
	}
	if r.IntN(6) == 0 {
		o.tags = pick(r, []string{"style"}, []string{"style", "go"})
	}
	if r.IntN(8) == 0 {
		o.expires = pick(r, "2026-11-21", "2027-01-31")
	}
	o.pin = r.IntN(10) == 0
	o.dry = r.IntN(12) == 0
	if r.IntN(3) == 0 {
		o.n = 1 + r.IntN(3)
	}
}

// world is the real thing: a store, a clock, and the model beside it.
type world struct {
	*model
	ctx context.Context
	dir string
	now time.Time
	ss  *store.Stores
	git *gitWorld // nil: not under git
}

const prose = "# Memory\n\nProse that nobody changes.\n\n"

func newWorld(dir string, git bool) (*world, error) {
	w := &world{model: newModel(), ctx: context.Background(), dir: dir, now: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)}
	w.trusted = !git
	if err := os.WriteFile(w.file(), []byte(prose+memfile.Template+"\nMore prose.\n"), 0o644); err != nil {
		return nil, err
	}
	if git {
		if err := w.beginGit(); err != nil {
			return nil, err
		}
	}
	return w, w.open()
}

func (w *world) file() string { return filepath.Join(w.dir, memfile.FileName) }

func (w *world) open() (err error) {
	env := store.Env{Dir: w.dir, StoreDir: w.dir, Now: func() time.Time { return w.now }, Getenv: func(name string) string {
		return map[string]string{"MEMCTL_ENABLED": "true"}[name]
	}}
	if w.git != nil {
		env.StoreDir = "" // the project's scope, found as a session finds it
	}
	w.ss, err = store.Open(w.ctx, env)
	return err
}

// step does one act in both and says where they differ.
func (w *world) step(o op) error {
	w.now = w.now.AddDate(0, 0, o.days)
	w.today = w.now.Format(time.DateOnly)
	before, err := os.ReadFile(w.file())
	if err != nil {
		return err
	}
	if w.git != nil {
		if err := w.open(); err != nil {
			return err
		}
	}
	expected := w.expected(o)
	answers, err := w.act(o)
	if err := compareAnswers(w, o, expected, answers, err); err != nil {
		return err
	}
	after, err := os.ReadFile(w.file())
	if err != nil {
		return err
	}
	changed := !o.dry && slices.ContainsFunc(expected, func(e expect) bool { return e.changed })
	if !changed && string(before) != string(after) {
		return errors.New("nothing was to change, and the file did")
	}
	if err := w.compareFile(after); err != nil {
		return err
	}
	if w.git != nil {
		return w.compareGit(o, changed, answers)
	}
	return nil
}

// expected is what the model answers. A dry run answers and changes nothing.
func (w *world) expected(o op) []expect {
	m := w.model
	if o.dry {
		copied := *w.model
		copied.doc, copied.acts, copied.queue = w.doc.clone(), slices.Clone(w.acts), slices.Clone(w.queue)
		copied.forgotten = map[[2]string]bool{}
		for k := range w.forgotten {
			copied.forgotten[k] = true
		}
		m = &copied
	}
	m.origin = o.origin
	switch o.act {
	case "add":
		return []expect{m.add(o)}
	case "forget":
		return []expect{m.forget(o)}
	case "enabled", "announce_writes":
		return []expect{m.setting(o)}
	case "undo":
		return m.undo(o)
	case "restore":
		return []expect{m.restore(o)}
	}
	return m.items(o)
}

// act does the real thing.
func (w *world) act(o op) ([]memory.Write, error) {
	opt := memory.Options{Origin: memory.Origin{Kind: o.origin}}
	if o.origin != memory.Explicit {
		opt.Origin.Name = "claude"
	}
	ss := w.ss
	if o.dry {
		ss = ss.Trial()
	}
	one := func(a memory.Write, err error) ([]memory.Write, error) { return []memory.Write{a}, err }
	switch o.act {
	case "add":
		if o.origin == memory.Relayed && opt.Scope == "" && !ss.IsSingleStore() {
			opt.Scope = store.Project
		}
		return one(edit.Add(w.ctx, ss, edit.Request{
			Options: opt, Key: o.keys[0], Value: values[o.val].v, Labels: labels.Labels{Confidence: o.conf, Tags: slices.Clone(o.tags), Expires: o.expires, Pinned: o.pin},
		}))
	case "confirm":
		return edit.Confirm(w.ctx, ss, edit.ConfirmRequest{Options: opt, Keys: slices.Clone(o.keys), Value: o.n})
	case "doubt":
		return edit.Doubt(w.ctx, ss, edit.KeysRequest{Options: opt, Keys: slices.Clone(o.keys)})
	case "lock":
		return edit.Lock(w.ctx, ss, edit.KeysRequest{Options: opt, Keys: slices.Clone(o.keys)})
	case "unlock":
		return edit.Unlock(w.ctx, ss, edit.KeysRequest{Options: opt, Keys: slices.Clone(o.keys)})
	case "forget":
		return edit.Forget(w.ctx, ss, edit.ForgetRequest{Options: opt, Targets: []string{o.text}})
	case "enabled", "announce_writes":
		return one(setup.SetSetting(w.ctx, ss, setup.SettingRequest{Options: opt, Name: o.act, On: o.on}))
	case "undo":
		return undo.Undo(w.ctx, ss, undo.UndoRequest{Options: opt, Commit: w.git.commitOf(o.n)})
	case "restore":
		return one(undo.Restore(w.ctx, ss, undo.RestoreRequest{Options: opt, Key: o.keys[0]}))
	}
	return nil, fmt.Errorf("no act %q", o.act)
}

// run plays a sequence in a folder of its own.
func run(root string, ops []op, git bool) (err error) {
	dir, err := os.MkdirTemp(root, "sequence-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w, err := newWorld(dir, git)
	if err != nil {
		return err
	}
	for i, o := range ops {
		if err := w.step(o); err != nil {
			return fmt.Errorf("act %d, %+v: %w", i+1, o, err)
		}
	}
	if git {
		return w.endGit()
	}
	return nil
}

// minimise leaves out acts for as long as the sequence fails without them.
func minimise(root string, ops []op, git bool) []op {
	for shorter := true; shorter; {
		shorter = false
		for i := len(ops) - 1; i >= 0; i-- {
			fewer := slices.Delete(slices.Clone(ops), i, i+1)
			if run(root, fewer, git) != nil {
				ops, shorter = fewer, true
			}
		}
	}
	return ops
}

func numberFrom(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

func play(t *testing.T, count int, git bool) {
	root, err := os.MkdirTemp("", "sequences-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(root)
	first := numberFrom(seedEnv, 0)
	if first > 0 {
		count = 1
	}
	for i := range count {
		seed := uint64(max(first, i+1))
		ops := sequence(seed, git)
		if run(root, ops, git) == nil {
			continue
		}
		ops = minimise(root, ops, git)
		var b strings.Builder
		for _, o := range ops {
			fmt.Fprintf(&b, "  %+v\n", o)
		}
		t.Fatalf("the acts and the model differ; %s=%d replays it, and so does\n%s%v", seedEnv, seed, b.String(), run(root, ops, git))
	}
}

func TestSequencesOfActsMatchTheModel(t *testing.T) {
	play(t, numberFrom(sequencesEnv, 60), false)
}

func TestSequencesOfActsMatchTheModelUnderGit(t *testing.T) {
	play(t, max(numberFrom(sequencesEnv, 60)/40, 2), true)
}
