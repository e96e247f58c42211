package committer

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
	"time"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/tests/gittest"
)

// TestBothCommittersAgree lets git and memctl commit the same acts in two repositories,
// between the same acts of a person, and compares commits, index, status and reflogs.
// MEMCTL_TORTURE=1 plays 500 acts.
func TestBothCommittersAgree(t *testing.T) {
	acts := 15
	if os.Getenv("MEMCTL_TORTURE") != "" {
		acts = 500
	}
	t.Setenv("GIT_AUTHOR_NAME", "Ada Ågren")
	t.Setenv("GIT_COMMITTER_EMAIL", "ada@example.org")
	w := newTwins(t)
	for step := range acts {
		w.step(step)
	}
	if w.plain*2 < acts {
		t.Errorf("memctl made %d of %d commits: the comparison says little", w.plain, acts)
	}
}

// twins are two repositories to which the same happens: the second one's memory is
// committed by memctl, where it can.
type twins struct {
	t       *testing.T
	rand    *rand.Rand
	git     *gittest.Box
	own     *gittest.Box
	did     []string
	plain   int
	written map[string]bool
}

func newTwins(t *testing.T) *twins {
	w := &twins{t: t, rand: rand.New(rand.NewPCG(7, 11)), written: map[string]bool{gittest.Memory: true}}
	w.at(0)
	w.git, w.own = gittest.NewBox(t), gittest.NewBox(t)
	return w
}

// at sets the time of what comes next.
func (w *twins) at(step int) {
	date := time.Unix(int64(1700000000+60*step), 0).In(time.FixedZone("", 9000)).Format(time.RFC3339)
	w.t.Setenv("GIT_AUTHOR_DATE", date)
	w.t.Setenv("GIT_COMMITTER_DATE", date)
}

func (w *twins) both(do func(b *gittest.Box)) {
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
	first, gitErr := commitNow(background, findRepo(w.git), req)
	settings, err := findRepo(w.own).Config(background)
	if err != nil {
		w.t.Fatal(err)
	}
	s := SettingsOf(settings)
	req.Settings = &s
	message, err := object.Message(req.Subject, req.Body, req.Trailers)
	if err != nil {
		w.t.Fatal(err)
	}
	second, ownErr := commitPlain(background, findRepo(w.own), fromDisk(findRepo(w.own), req), message)
	if errors.Is(ownErr, errGits) {
		second, ownErr = commitNow(background, findRepo(w.own), req)
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
func (w *twins) memory(step int) Request {
	paths := []string{gittest.Memory}
	w.both(func(b *gittest.Box) { b.Write(gittest.Memory, fmt.Sprintf("memory %d\n", step)) })
	for range w.rand.IntN(3) {
		name := []string{"memories/project/facts/", "memories/project/", "memories/", "memories.d/"}[w.rand.IntN(4)] + string(rune('a'+w.rand.IntN(8))) + ".md"
		if slices.Contains(paths, name) {
			continue
		}
		paths = append(paths, name)
		if w.written[name] && w.rand.IntN(2) == 0 {
			w.both(func(b *gittest.Box) { _ = os.Remove(filepath.Join(b.Root, name)) })
			delete(w.written, name)
			w.did = append(w.did, fmt.Sprint(step, ": removed ", name))
			continue
		}
		w.both(func(b *gittest.Box) { b.Write(name, fmt.Sprintf("fact %d\n", step)) })
		w.written[name] = true
		w.did = append(w.did, fmt.Sprint(step, ": wrote ", name))
	}
	return Request{Paths: paths, Subject: fmt.Sprintf("memory: act %d", step), Body: "why\nand how", Trailers: []object.Trailer{{Name: "Memory-Act", Value: "add"}}}
}

// person does something in both repositories.
func (w *twins) person(step int) {
	names := slices.Sorted(maps.Keys(personActs()))
	name := names[w.rand.IntN(len(names))]
	seed := w.rand.Uint64()
	w.did = append(w.did, fmt.Sprint(step, ": ", name))
	w.both(func(b *gittest.Box) { personActs()[name](b, step, rand.New(rand.NewPCG(seed, 1))) })
}

// personActs are what a person does between two acts of memory. What git refuses in a
// state, it refuses in both repositories.
func personActs() map[string]func(b *gittest.Box, step int, r *rand.Rand) {
	run := func(args ...string) func(*gittest.Box, int, *rand.Rand) {
		return func(b *gittest.Box, _ int, _ *rand.Rand) { _, _ = b.Try(args...) }
	}
	return map[string]func(b *gittest.Box, step int, r *rand.Rand){
		"edits": func(b *gittest.Box, step int, _ *rand.Rand) { b.Write("other.txt", fmt.Sprint(step, "\n")) },
		"stages": func(b *gittest.Box, step int, _ *rand.Rand) {
			b.Write("more.txt", fmt.Sprint(step, "\n"))
			b.Git("add", "more.txt")
		},
		"commits": run("commit", "-q", "-a", "-m", "work"),
		"adds with -N": func(b *gittest.Box, step int, _ *rand.Rand) {
			b.Write(fmt.Sprintf("n%d.txt", step), "n\n")
			_, _ = b.Try("add", "-N", ".")
		},
		"new folder": func(b *gittest.Box, step int, _ *rand.Rand) {
			b.Write(fmt.Sprintf("memories-%d/x", step), "n\n")
			_, _ = b.Try("add", "-A")
		},
		"branches": func(b *gittest.Box, step int, _ *rand.Rand) {
			_, _ = b.Try("checkout", "-q", "-b", fmt.Sprintf("b/%d", step))
		},
		"switches":      run("checkout", "-q", "-"),
		"detaches":      run("checkout", "-q", "--detach"),
		"packs refs":    run("pack-refs", "--all"),
		"packs objects": run("gc", "-q"),
		"ignores":       func(b *gittest.Box, _ int, _ *rand.Rand) { b.Write(".gitignore", "memories/\n") },
		"stages memory": func(b *gittest.Box, step int, _ *rand.Rand) {
			b.Write(gittest.Memory, fmt.Sprint("staged ", step, "\n"))
			b.Git("add", "-f", gittest.Memory)
		},
		"unstages it":  run("rm", "-q", "--cached", gittest.Memory),
		"untracked":    run("update-index", "--untracked-cache"),
		"no untracked": run("update-index", "--no-untracked-cache"),
		"cached trees": run("write-tree"),
		"status":       run("status"),
		"tree of memory": func(b *gittest.Box, step int, _ *rand.Rand) {
			b.Write("memories/own.txt", fmt.Sprint(step))
			_, _ = b.Try("add", "-f", "memories/own.txt")
		},
	}
}

// seen is all that git says of the repository, beside times and places of files.
func (w *twins) seen(b *gittest.Box) map[string]string {
	logs := func(name string) string {
		data, _ := os.ReadFile(filepath.Join(b.Root, ".git", "logs", name))
		return string(data)
	}
	branch, _ := b.Try("symbolic-ref", "-q", "HEAD")
	seen := map[string]string{
		"index":  b.Git("ls-files", "-s", "-v", "-f"),
		"status": b.Git("--no-optional-locks", "status", "--porcelain=v2", "--branch", "--untracked-files=all"),
		"HEAD":   branch + b.Git("rev-parse", "HEAD"),
		"logs":   logs("HEAD") + logs(strings.TrimSpace(branch)),
		"fsck":   b.Git("fsck", "--strict", "--no-dangling", "--no-progress"),
	}
	if out, err := b.Try("write-tree"); err == nil {
		seen["tree of the index"] = out
	}
	return seen
}
