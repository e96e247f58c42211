package gitops

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestBothCommittersAgree lets git and memctl commit the same acts in two repositories,
// between the same acts of a person, and compares commits, index, status and reflogs.
// MEMCTL_TORTURE=1 plays 500 acts.
func TestBothCommittersAgree(t *testing.T) {
	acts := 25
	if os.Getenv("MEMCTL_TORTURE") != "" {
		acts = 500
	}
	t.Setenv("GIT_AUTHOR_NAME", "Ada Ågren")
	t.Setenv("GIT_COMMITTER_EMAIL", "ada@example.org")
	for _, version := range []string{"2", "4"} {
		t.Run("index version "+version, func(t *testing.T) {
			w := newTwins(t, version)
			for step := range acts {
				w.step(step)
			}
			if w.plain*2 < acts {
				t.Errorf("memctl made %d of %d commits: the comparison says little", w.plain, acts)
			}
		})
	}
}

// twins are two repositories to which the same happens: the second one's memory is
// committed by memctl, where it can.
type twins struct {
	t       *testing.T
	rand    *rand.Rand
	git     *box
	own     *box
	did     []string
	plain   int
	written map[string]bool
}

func newTwins(t *testing.T, version string) *twins {
	w := &twins{t: t, rand: rand.New(rand.NewPCG(7, 11)), written: map[string]bool{memory: true}}
	w.at(0)
	w.git, w.own = newBox(t), newBox(t)
	w.both(func(b *box) { b.git("update-index", "--index-version", version) })
	return w
}

// at sets the time of what comes next.
func (w *twins) at(step int) {
	date := fmt.Sprintf("%d +0230", 1700000000+60*step)
	w.t.Setenv("GIT_AUTHOR_DATE", date)
	w.t.Setenv("GIT_COMMITTER_DATE", date)
}

func (w *twins) both(do func(b *box)) {
	do(w.git)
	do(w.own)
}

// step is an act of memory, after up to two of the person's.
func (w *twins) step(step int) {
	w.t.Helper()
	w.at(step)
	for range w.rand.IntN(3) {
		w.person(step)
	}
	req := w.memory(step)
	first, gitErr := findRepo(w.git).Commit(background, req)
	settings, err := findRepo(w.own).Config(background)
	if err != nil {
		w.t.Fatal(err)
	}
	s := settings.CommitSettings()
	req.Settings = &s
	message, err := Message(req.Subject, req.Body, req.Trailers)
	if err != nil {
		w.t.Fatal(err)
	}
	second, ownErr := findRepo(w.own).commitPlain(background, req, message)
	if errors.Is(ownErr, errGits) {
		second, ownErr = findRepo(w.own).Commit(background, req)
	} else {
		w.plain++
	}
	if first != second || (gitErr == nil) != (ownErr == nil) {
		w.t.Fatalf("step %d: git %q, %v; memctl %q, %v\n%s", step, first, gitErr, second, ownErr, w.story())
	}
	git, own := w.seen(w.git), w.seen(w.own)
	for what := range git {
		if git[what] != own[what] {
			w.t.Fatalf("step %d, %s\ngit:\n%s\nmemctl:\n%s\n%s", step, what, git[what], own[what], w.story())
		}
	}
}

func (w *twins) story() string { return strings.Join(w.did[max(0, len(w.did)-12):], "\n") }

// memory writes and removes files of memory, and asks for their commit.
func (w *twins) memory(step int) CommitRequest {
	paths := []string{memory}
	w.both(func(b *box) { b.write(memory, fmt.Sprintf("memory %d\n", step)) })
	for range w.rand.IntN(3) {
		name := []string{"memories/project/facts/", "memories/project/", "memories/", "memories.d/"}[w.rand.IntN(4)] + string(rune('a'+w.rand.IntN(8))) + ".md"
		if slices.Contains(paths, name) {
			continue
		}
		paths = append(paths, name)
		if w.written[name] && w.rand.IntN(2) == 0 {
			w.both(func(b *box) { _ = os.Remove(filepath.Join(b.root, name)) })
			delete(w.written, name)
			w.did = append(w.did, fmt.Sprint(step, ": removed ", name))
			continue
		}
		w.both(func(b *box) { b.write(name, fmt.Sprintf("fact %d\n", step)) })
		w.written[name] = true
		w.did = append(w.did, fmt.Sprint(step, ": wrote ", name))
	}
	return CommitRequest{Paths: paths, Subject: fmt.Sprintf("memory: act %d", step), Body: "why\nand how", Trailers: []Trailer{{"Memory-Act", "add"}}}
}

// person does something in both repositories.
func (w *twins) person(step int) {
	names := slices.Sorted(maps.Keys(personActs()))
	name := names[w.rand.IntN(len(names))]
	seed := w.rand.Uint64()
	w.did = append(w.did, fmt.Sprint(step, ": ", name))
	w.both(func(b *box) { personActs()[name](b, step, rand.New(rand.NewPCG(seed, 1))) })
}

// personActs are what a person does between two acts of memory. What git refuses in a
// state, it refuses in both repositories.
func personActs() map[string]func(b *box, step int, r *rand.Rand) {
	run := func(args ...string) func(*box, int, *rand.Rand) {
		return func(b *box, _ int, _ *rand.Rand) { _, _ = b.try(args...) }
	}
	return map[string]func(b *box, step int, r *rand.Rand){
		"edits": func(b *box, step int, _ *rand.Rand) { b.write("other.txt", fmt.Sprint(step, "\n")) },
		"stages": func(b *box, step int, _ *rand.Rand) {
			b.write("more.txt", fmt.Sprint(step, "\n"))
			b.git("add", "more.txt")
		},
		"commits": run("commit", "-q", "-a", "-m", "work"),
		"adds with -N": func(b *box, step int, _ *rand.Rand) {
			b.write(fmt.Sprintf("n%d.txt", step), "n\n")
			_, _ = b.try("add", "-N", ".")
		},
		"new folder": func(b *box, step int, _ *rand.Rand) {
			b.write(fmt.Sprintf("memories-%d/x", step), "n\n")
			_, _ = b.try("add", "-A")
		},
		"branches":      func(b *box, step int, _ *rand.Rand) { _, _ = b.try("checkout", "-q", "-b", fmt.Sprintf("b/%d", step)) },
		"switches":      run("checkout", "-q", "-"),
		"detaches":      run("checkout", "-q", "--detach"),
		"packs refs":    run("pack-refs", "--all"),
		"packs objects": run("gc", "-q"),
		"ignores":       func(b *box, _ int, _ *rand.Rand) { b.write(".gitignore", "memories/\n") },
		"stages memory": func(b *box, step int, _ *rand.Rand) {
			b.write(memory, fmt.Sprint("staged ", step, "\n"))
			b.git("add", "-f", memory)
		},
		"unstages it":  run("rm", "-q", "--cached", memory),
		"untracked":    run("update-index", "--untracked-cache"),
		"no untracked": run("update-index", "--no-untracked-cache"),
		"cached trees": run("write-tree"),
		"status":       run("status"),
		"tree of memory": func(b *box, step int, _ *rand.Rand) {
			b.write("memories/own.txt", fmt.Sprint(step))
			_, _ = b.try("add", "-f", "memories/own.txt")
		},
	}
}

// seen is all that git says of the repository, beside times and places of files.
func (w *twins) seen(b *box) map[string]string {
	logs := func(name string) string {
		data, _ := os.ReadFile(filepath.Join(b.root, ".git", "logs", name))
		return string(data)
	}
	branch, _ := b.try("symbolic-ref", "-q", "HEAD")
	seen := map[string]string{
		"index":  b.git("ls-files", "-s", "-v", "-f"),
		"status": b.git("--no-optional-locks", "status", "--porcelain=v2", "--branch", "--untracked-files=all"),
		"HEAD":   branch + b.git("rev-parse", "HEAD"),
		"logs":   logs("HEAD") + logs(strings.TrimSpace(branch)),
		"fsck":   b.git("fsck", "--strict", "--no-dangling", "--no-progress"),
	}
	if out, err := b.try("write-tree"); err == nil {
		seen["tree of the index"] = out
	}
	return seen
}
