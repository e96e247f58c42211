package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Aims of recall: whole processes in times an empty Go program, and memory.
const (
	recallAim    = 10
	recallLarge  = 30         // at the larger size
	recallMemory = 60_000_000 // bytes, at the smaller size
)

// The stores that recall is measured in, by their facts.
const (
	someFacts = 10_000
	manyFacts = 100_000
)

// storedTurns is how many turns of a conversation one of the stores has beside someFacts, and turnsAim how much slower
// they may make recall.
const (
	storedTurns = 2_000
	turnsAim    = 1.3
	// rememberAim is how much slower remember may be than add, with someFacts.
	rememberAim = 1.3
)

// question are the words that recall and grep look for: one common, one less
// so, one rare.
func question() []string { return []string{word(3), word(200), word(2000)} }

// recallCommands are what is measured of recall and of its index.
func (b *bench) recallCommands() []*measured {
	var list []*measured
	for _, n := range []int{someFacts, manyFacts} {
		dir := b.factsAt(n)
		ask := func(more ...string) func(int) *exec.Cmd {
			args := append([]string{b.memctl, "recall", strings.Join(question(), " ")}, more...)
			return func(int) *exec.Cmd { return b.command(dir, args...) }
		}
		// What a round before has changed is read again until it is old enough.
		settle := func(round int) error { return ask()(round).Run() }
		grep := &measured{name: fmt.Sprintf("`grep -rc`, %d facts", n), slow: n == manyFacts, start: func(int) *exec.Cmd {
			args := []string{"grep", "-rc"}
			for _, w := range question() {
				args = append(args, "-e", w)
			}
			return b.command(dir, append(args, "memories")...)
		}}
		found := &measured{name: fmt.Sprintf("`memctl recall`, %d facts", n), aim: recallAim, most: recallMemory, under: grep, before: settle, start: ask()}
		list = append(list, grep, found)
		if n == manyFacts {
			found.aim, found.most = recallLarge, 0
		} else {
			list = append(list, &measured{name: fmt.Sprintf("`memctl recall`, %d facts and %d turns", n, storedTurns), aim: turnsAim, beside: found, start: func(int) *exec.Cmd {
				return b.command(b.withTurns(), b.memctl, "recall", strings.Join(question(), " "))
			}})
		}
		list = append(list,
			&measured{name: fmt.Sprintf("`memctl recall --fresh`, %d facts", n), slow: n == manyFacts, under: grep, before: settle, start: ask("--fresh")},
			&measured{name: fmt.Sprintf("`memctl recall`, %d facts, one of them changed", n), slow: n == manyFacts, under: grep, start: ask(),
				before: func(round int) error { return changeFact(dir, round) }},
			&measured{name: fmt.Sprintf("`memctl recall`, first index of %d facts", n), slow: true, each: n, start: ask(),
				before: func(int) error { return forgetIndex(dir) }})
	}
	write := func(name string, args ...string) *measured {
		return &measured{name: fmt.Sprintf("`memctl %s`, %d facts tracked", name, someFacts), start: func(round int) *exec.Cmd {
			said := append([]string{b.memctl, name}, args...)
			said = append(said, fmt.Sprintf("fact number %03d: the queue is drained by one worker a shard", round-memoryRound))
			return b.command(b.tracked(), said...)
		}}
	}
	add := write("add", "bench.round")
	remember := write("remember")
	remember.aim, remember.beside = rememberAim, add
	return append(list, add, remember)
}

func (b *bench) tracked() string { return filepath.Join(b.dir, "facts-tracked") }

// makeTracked makes a store with someFacts in git.
func (b *bench) makeTracked() error {
	if err := b.makeStore(b.tracked(), someFacts); err != nil {
		return err
	}
	for _, args := range [][]string{{"add", "-A"}, {"commit", "-q", "-m", "facts"}} {
		if said, err := b.command(b.tracked(), append([]string{"git"}, args...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w\n%s", args[0], err, said)
		}
	}
	return nil
}

func (b *bench) factsAt(n int) string { return filepath.Join(b.dir, fmt.Sprintf("facts-%d", n)) }

// remember makes the stores of recallCommands.
func (b *bench) remember() error {
	for _, n := range []int{someFacts, manyFacts} {
		if err := b.makeFacts(n); err != nil {
			return err
		}
	}
	if err := b.makeTracked(); err != nil {
		return err
	}
	return b.makeTurns()
}

func (b *bench) withTurns() string { return filepath.Join(b.dir, "facts-turns") }

// makeTurns makes a store with someFacts, and storedTurns in the person's private store.
func (b *bench) makeTurns() error {
	if err := b.makeStore(b.withTurns(), someFacts); err != nil {
		return err
	}
	words := rand.NewZipf(rand.New(rand.NewPCG(3, 4)), 1.07, 3, 30_000)
	var lines strings.Builder
	for i := range storedTurns {
		said := make([]string, 25)
		for j := range said {
			said[j] = word(words.Uint64())
		}
		day := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * 5 * time.Minute)
		fmt.Fprintf(&lines, `{"text":"%s","role":"user","conversation":"conv-%d","created_at":"%s","id":"%s"}`+"\n", strings.Join(said, " "), i/100, day.Format(time.RFC3339), factID(manyFacts*2+i))
	}
	c := b.command(b.withTurns(), b.memctl, "import", "--format", "jsonl", "--scope", "private", "-")
	c.Stdin = strings.NewReader(lines.String())
	if said, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("import turns: %w\n%s", err, said)
	}
	for range 2 { // what has changed a moment ago is read again
		time.Sleep(2 * time.Second)
		if said, err := b.command(b.withTurns(), b.memctl, "recall", strings.Join(question(), " ")).CombinedOutput(); err != nil {
			return fmt.Errorf("recall among turns: %w\n%s", err, said)
		}
	}
	return nil
}

// makeFacts makes a store with so many facts and its index.
func (b *bench) makeFacts(n int) error { return b.makeStore(b.factsAt(n), n) }

func (b *bench) makeStore(dir string, n int) error {
	if err := b.repository(dir, 1); err != nil {
		return err
	}
	if err := b.writeFacts(dir, n); err != nil {
		return err
	}
	time.Sleep(2 * time.Second) // what has changed a moment ago is read again
	said, err := b.command(dir, b.memctl, "recall", strings.Join(question(), " ")).CombinedOutput()
	if err != nil || len(said) == 0 {
		return fmt.Errorf("recall finds nothing: %w\n%s", err, said)
	}
	return nil
}

// writeFacts makes so many facts in the repository.
func (b *bench) writeFacts(dir string, n int) error {
	folder := filepath.Join(dir, factsFolder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	words := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.07, 3, 30_000)
	for i := range n {
		if err := os.WriteFile(filepath.Join(folder, factFile(i)), fact(i, words.Uint64), 0o644); err != nil {
			return err
		}
	}
	return nil
}

var factsFolder = filepath.Join("memories", "entries", "project", "facts")

func factFile(i int) string { return factID(i) + ".md" }

// factID is spread as hashes are, so that the names do not come in order.
func factID(i int) string {
	h := uint64(i+1) * 0x9e3779b97f4a7c15
	return fmt.Sprintf("%08x-%04x-8%03x-8%03x-%012x", h>>32, h>>16&0xffff, h>>4&0xfff, i&0xfff, h&0xffffffffffff)
}

// fact is the file of one fact of about 150 characters, its words as frequent
// as a language's.
func fact(i int, next func() uint64) []byte {
	var s bytes.Buffer
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * 5 * time.Minute)
	fmt.Fprintf(&s, "---\nid: %q\nrole: memory\nconversation_id: \"project\"\ncreated_at: %q\ncategory: fact\nconfidence: high\n---\n\n", factID(i), day.Format("2006-01-02T15:04:05.000Z"))
	for text := s.Len(); s.Len() < text+150; {
		s.WriteString(word(next()) + " ")
	}
	return append(bytes.TrimRight(s.Bytes(), " "), '\n')
}

// word is a made-up word for a rank.
func word(rank uint64) string {
	const consonants, vowels = "bdfgklmnprstvz", "aiou"
	var w []byte
	for rank += 60; rank > 0; rank /= uint64(len(consonants) * len(vowels)) {
		r := rank % uint64(len(consonants)*len(vowels))
		w = append(w, consonants[r%uint64(len(consonants))], vowels[r/uint64(len(consonants))])
	}
	return string(w)
}

// changeFact adds one fact and takes away the one of the round before, as an
// edit that replaces a file does.
func changeFact(dir string, round int) error {
	_ = os.Remove(filepath.Join(dir, factsFolder, factFile(manyFacts+round-1-memoryRound)))
	name, n := filepath.Join(dir, factsFolder, factFile(manyFacts+round-memoryRound)), uint64(round-memoryRound)
	return os.WriteFile(name, fact(manyFacts+round-memoryRound, func() uint64 { n += 100; return n }), 0o644)
}

// forgetIndex removes what is cached of the store, and fails where nothing is.
func forgetIndex(dir string) error {
	cached, err := filepath.Glob(filepath.Join(dir, ".git", "memctl", "recall*"))
	if err != nil || len(cached) < 2 {
		return fmt.Errorf("%q: no index was written", dir)
	}
	return forget(cached...)
}
