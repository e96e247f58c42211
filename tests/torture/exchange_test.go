package torture

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// world is three machines of one person and a remote between them.
type world struct {
	t        *testing.T
	r        *rand.Rand
	machines []*machine
	clock    time.Time
	serial   int
	commits  []string            // acknowledged, on whatever machine
	alone    map[string]string   // keys that one machine set once: they stay
	gone     map[string]bool     // keys that were forgotten and not set again
	disputed map[string][]string // keys that two machines set apart from each other
	notes    map[string]string   // entries written by hand, by path
	counts   map[string]int
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{
		t: t, r: rand.New(rand.NewPCG(seed, 7)), clock: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC),
		alone: map[string]string{}, gone: map[string]bool{}, disputed: map[string][]string{},
		notes: map[string]string{}, counts: map[string]int{},
	}
	for _, name := range []string{"Ada", "Bea", "Cleo"} {
		m := newMachine(t, name)
		if err := os.Mkdir(m.work(), 0o700); err != nil {
			t.Fatal(err)
		}
		w.machines = append(w.machines, m)
	}
	remote := filepath.Join(w.machines[0].home, "remote.git")
	w.machines[0].git(w.machines[0].home, "init", "-q", "--bare", remote)
	for i, m := range w.machines {
		if i > 0 { // their histories have nothing in common with the first one's
			w.set(m, "begin."+word(i), w.value())
		}
		w.tick(m)
		if a := m.memctl(m.work(), "sync", "--scope", "user", "--remote", remote); a.status != 0 {
			t.Fatalf("the first sync: %s%s", a.out, a.talked)
		}
	}
	return w
}

func (m *machine) work() string  { return filepath.Join(m.home, "work") }
func (m *machine) store() string { return filepath.Join(m.home, "data", "memctl", "user") }

// tick moves the one clock that all machines share.
func (w *world) tick(m *machine) {
	w.clock = w.clock.Add(time.Duration(1+w.r.IntN(6)) * time.Second)
	m.now = w.clock.Format(time.RFC3339)
}

func (w *world) some() *machine { return w.machines[w.r.IntN(len(w.machines))] }

// value is a text that stands nowhere else.
func (w *world) value() string {
	w.serial++
	return "the tool called " + word(w.serial) + " does it"
}

// act runs one act and remembers its commit. It reports whether it was done.
func (w *world) act(m *machine, args ...string) bool {
	w.t.Helper()
	w.tick(m)
	a := m.memctl(m.work(), append(args, "--scope", "user", "--json")...)
	w.counts[args[0]]++
	if a.status == 2 {
		w.t.Errorf("%q: %s%s", args, a.out, a.talked)
	}
	done := false
	for line := range strings.Lines(a.out) {
		var said struct {
			Commit  *string `json:"commit"`
			Changed bool    `json:"changed"`
		}
		if json.Unmarshal([]byte(line), &said) == nil && said.Commit != nil {
			w.commits = append(w.commits, *said.Commit)
			done = said.Changed
		}
	}
	return done
}

func (w *world) set(m *machine, key, value string) {
	w.t.Helper()
	if !w.act(m, "add", key, value) {
		w.t.Errorf("add %s %q did nothing", key, value)
	}
}

// sync exchanges; where it is killed, it may have come to any point.
func (w *world) sync(m *machine, kill bool) {
	w.t.Helper()
	w.tick(m)
	if kill {
		c := m.command(m.work(), "sync")
		if err := c.Start(); err != nil {
			w.t.Fatal(err)
		}
		time.Sleep(time.Duration(w.r.IntN(300)) * time.Millisecond)
		_ = c.Process.Kill()
		_ = c.Wait()
		w.counts["killed"]++
		return
	}
	w.counts["sync"]++
	if a := m.memctl(m.work(), "sync"); a.status != 0 {
		w.t.Errorf("sync: status %d: %s%s", a.status, a.out, a.talked)
	}
}

// together lets all machines sync at once, one of them beside an add: who
// pushes second merges again.
func (w *world) together() {
	var all sync.WaitGroup
	said := make([]answer, len(w.machines))
	for i, m := range w.machines {
		w.tick(m)
		all.Go(func() { said[i] = m.memctl(m.work(), "sync") })
	}
	key, m := "alone."+word(w.serial), w.some()
	w.alone[key] = w.value()
	w.set(m, key, w.alone[key])
	all.Wait()
	w.counts["together"]++
	for i, a := range said {
		if a.status != 0 {
			w.t.Errorf("sync of machine %d beside the others: status %d: %s%s", i, a.status, a.out, a.talked)
		}
	}
}

// step is one thing that happens somewhere.
func (w *world) step() {
	m := w.some()
	churn := "churn." + word(w.r.IntN(8))
	switch n := w.r.IntN(100); {
	case n < 25:
		w.sync(m, false)
	case n < 33:
		w.sync(m, true)
	case n < 36:
		w.together()
	case n < 43:
		key := "alone." + word(w.serial)
		w.alone[key] = w.value()
		w.set(m, key, w.alone[key])
	case n < 50:
		w.dispute()
	case n < 57:
		key := "gone." + word(w.serial)
		w.set(m, key, w.value())
		w.gone[key] = false
	case n < 64:
		w.forgetOne(m)
	case n < 70:
		w.note(m)
	case n < 84:
		w.act(m, "add", churn, w.value())
	case n < 87:
		w.act(m, "add", churn, w.value())
		w.act(m, "undo")
	default:
		w.act(m, append([][]string{{"forget"}, {"confirm"}, {"confirm", "--undo"}, {"lock"}, {"lock", "--off"}}[w.r.IntN(5)], churn)...)
	}
}

// dispute lets two machines set one key, neither knowing of the other.
func (w *world) dispute() {
	first := w.r.IntN(len(w.machines))
	key := "disputed." + word(w.serial)
	for _, i := range []int{first, (first + 1) % len(w.machines)} {
		value := w.value()
		w.set(w.machines[i], key, value)
		w.disputed[key] = append(w.disputed[key], value)
	}
}

// forgetOne forgets, for good, a key that this machine knows.
func (w *world) forgetOne(m *machine) {
	for key, forgotten := range w.gone {
		if !forgotten && w.act(m, "forget", key) {
			w.gone[key] = true
			return
		}
	}
}

// note writes an entry by hand.
func (w *world) note(m *machine) {
	w.tick(m)
	value := w.value()
	name := "memories/notes/2026-11-21/" + w.clock.Format("20060102T150405.000Z") + "__" + word(w.serial) + ".md"
	text := "---\nid: \"" + word(w.serial) + "\"\nrole: note\nconversation_id: \"project\"\ncreated_at: \"" + m.now + "\"\n---\n" + value + "\n"
	path := filepath.Join(m.store(), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.notes[name] = text
	w.counts["notes"]++
}

func TestThreeMachines(t *testing.T) {
	rounds := either(1, 3)
	for round := range rounds {
		t.Run(fmt.Sprint("world ", round), func(t *testing.T) {
			seed := uint64(round + 1)
			w := newWorld(t, seed)
			// An hour on the machines' clocks; a sample ends sooner.
			begin := w.clock
			for steps := 0; w.clock.Sub(begin) < time.Hour && (all() || steps < 36); steps++ {
				w.step()
				if t.Failed() {
					t.Fatalf("seed %d, step %d", seed, steps)
				}
			}
			for range 2 {
				for _, m := range w.machines {
					w.sync(m, false)
				}
			}
			w.check()
			t.Logf("seed %d: %v of the machines' time, %v, %d commits acknowledged", seed, w.clock.Sub(begin), w.counts, len(w.commits))
		})
	}
}

// file is the memory as one machine has it in the end.
type file struct {
	items      map[string][]string // all values, the item's own first
	tombstones map[string]bool
}

func (w *world) read(m *machine) file {
	w.t.Helper()
	a := m.memctl(m.work(), "show", "--scope", "user", "--json")
	var shown struct {
		Scopes []struct {
			Items []struct {
				Key      string `json:"key"`
				Value    string `json:"value"`
				Conflict []struct {
					Value string `json:"value"`
				} `json:"conflict"`
			} `json:"items"`
			Deletions []struct {
				Key string `json:"key"`
			} `json:"deletions"`
		} `json:"scopes"`
	}
	if err := json.Unmarshal([]byte(a.out), &shown); err != nil || len(shown.Scopes) != 1 {
		w.t.Fatalf("show: %v\n%s%s", err, a.out, a.talked)
	}
	f := file{map[string][]string{}, map[string]bool{}}
	for _, it := range shown.Scopes[0].Items {
		f.items[it.Key] = append(f.items[it.Key], it.Value)
		for _, rival := range it.Conflict {
			f.items[it.Key] = append(f.items[it.Key], rival.Value)
		}
	}
	for _, d := range shown.Scopes[0].Deletions {
		f.tombstones[d.Key] = true
	}
	return f
}

// check: all three have the same, and it is all there.
func (w *world) check() {
	w.t.Helper()
	first := w.machines[0]
	want, err := os.ReadFile(filepath.Join(first.store(), "memories.md"))
	if err != nil {
		w.t.Fatal(err)
	}
	tree := first.git(first.store(), "rev-parse", "HEAD")
	for _, m := range w.machines {
		m.sound(m.store(), true)
		if got, err := os.ReadFile(filepath.Join(m.store(), "memories.md")); err != nil || string(got) != string(want) {
			w.t.Errorf("the machines do not end equal: %v\n%s\n%s", err, want, got)
		}
		if got := m.git(m.store(), "rev-parse", "HEAD"); got != tree {
			w.t.Errorf("the machines end at different commits")
		}
		for name, text := range w.notes {
			if got, err := os.ReadFile(filepath.Join(m.store(), filepath.FromSlash(name))); err != nil || string(got) != text {
				w.t.Errorf("%s: %v", name, err)
			}
		}
	}
	kept := strings.Fields(first.git(first.store(), "rev-list", "HEAD"))
	for _, commit := range w.commits {
		if !slices.Contains(kept, commit) {
			w.t.Errorf("an acknowledged commit is not in the history: %s", commit)
		}
	}
	w.checkItems(w.read(first))
	if a := first.memctl(first.work(), "validate", "--scope", "user"); a.status != 0 {
		w.t.Errorf("validate: %s%s", a.out, a.talked)
	}
}

func (w *world) checkItems(f file) {
	w.t.Helper()
	for key, value := range w.alone {
		if got := f.items[key]; !slices.Equal(got, []string{value}) {
			w.t.Errorf("%s: %q, and %q was written", key, got, value)
		}
	}
	for key, values := range w.disputed {
		got := slices.Clone(f.items[key])
		slices.Sort(got)
		slices.Sort(values)
		if !slices.Equal(got, values) {
			w.t.Errorf("%s: %q, and %q were written", key, got, values)
		}
	}
	for key, forgotten := range w.gone {
		if _, there := f.items[key]; there == forgotten || f.tombstones[key] != forgotten {
			w.t.Errorf("%s: forgotten %v, an item %v, a tombstone %v", key, forgotten, there, f.tombstones[key])
		}
	}
}
