package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// tool is one memory, as commands.
type tool struct {
	name string
	// build returns the program to measure. Errors: it is not here.
	build   func(b *box) (program, version string, err error)
	prepare func(b *box) error                  // a new repository and home; nil for nothing
	serve   func(b *box) *exec.Cmd              // what has to run beside it; nil for nothing
	fill    func(b *box, texts []string) error  // stores many
	start   func(b *box) *exec.Cmd              // a session's start; nil where nothing runs
	context func(b *box, out []byte) string     // what a start hands to the model
	store   func(b *box, text string) *exec.Cmd // stores one
	search  func(b *box, question string) *exec.Cmd
	// remove deletes a text, and returns the ways in which that was done.
	remove func(b *box, text string) error
}

// box is a person's home and repository with one tool.
type box struct {
	program, home, repo string
	n                   int // memories that were stored one by one
}

// measured is a tool and what was measured of it.
type measured struct {
	tool
	dir, program, version, size string
	few, many, one              *box
	times                       map[string]string
	context                     string
	found                       [2]string
	left, again, bytes          string
	server                      *exec.Cmd
}

func (m *measured) prepare() error {
	b, err := newBox(filepath.Join(m.dir, "build"), "")
	if err != nil {
		return err
	}
	m.program, m.version, err = m.build(b)
	if err != nil {
		return err
	}
	m.size, m.times = "–", map[string]string{"start": "–"}
	if m.program != "" {
		info, err := os.Stat(m.program)
		if err != nil {
			return err
		}
		m.size = fmt.Sprintf("%.1f", float64(info.Size())/1e6)
		if more, err := os.Stat(m.program + "-full"); err == nil {
			m.size += fmt.Sprintf(" + %.1f", float64(more.Size())/1e6)
		}
	}
	return nil
}

// box makes a home with a repository.
func (m *measured) box(name string) (*box, error) {
	b, err := newBox(filepath.Join(m.dir, name), m.program)
	if err == nil && m.tool.prepare != nil {
		err = m.tool.prepare(b)
	}
	return b, err
}

func newBox(dir, program string) (*box, error) {
	b := &box{program: program, home: filepath.Join(dir, "home"), repo: filepath.Join(dir, "shop")}
	err := errors.Join(
		os.MkdirAll(filepath.Join(b.home, ".claude"), 0o755), os.MkdirAll(b.repo, 0o755),
		os.WriteFile(filepath.Join(b.home, ".gitconfig"), []byte("[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n"), 0o644),
	)
	if err != nil {
		return nil, err
	}
	return b, run(b.command("", "git", "init", "-q"))
}

// command is a program in the box, which sees no settings of the person's.
func (b *box) command(in, name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir, c.Stdin = b.repo, strings.NewReader(in)
	c.Env = []string{"PATH=" + filepath.Dir(b.program) + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + b.home, "GIT_CONFIG_NOSYSTEM=1", "TZ=UTC", "LC_ALL=C.UTF-8", "ENGRAM_PORT=17437", "DEJA_NO_UPDATE_CHECK=1"}
	return c
}

func run(c *exec.Cmd) error {
	_, err := output(c)
	return err
}

func output(c *exec.Cmd) ([]byte, error) {
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		return out, fmt.Errorf("%s: %w\n%s", strings.Join(c.Args, " "), err, errs.String())
	}
	return out, nil
}

// stop ends the server that was started.
func (m *measured) stop() {
	if m.server != nil && m.server.Process != nil {
		_ = m.server.Process.Kill()
		_ = m.server.Wait()
	}
}

// measureAll fills the boxes and lets all tools take turns.
func measureAll(all []*measured, o options) (err error) {
	facts := make([]string, o.facts)
	for i := range facts {
		facts[i] = fact(i)
	}
	times := map[*measured]map[string][]time.Duration{}
	for _, m := range all {
		times[m] = map[string][]time.Duration{}
		var errs [5]error
		m.few, errs[0] = m.box("few")
		m.many, errs[1] = m.box("many")
		m.one, errs[2] = m.box("one")
		if err := errors.Join(errs[:]...); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		if err := errors.Join(m.fill(m.few, facts[:40]), m.fill(m.many, facts), run(m.search(m.many, word(1)))); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		if m.serve != nil {
			m.server = m.serve(m.few)
			if err := m.server.Start(); err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
			time.Sleep(time.Second)
		}
	}
	for round := -2; round < o.rounds; round++ {
		for _, m := range all {
			commands := map[string]*exec.Cmd{
				"store":  m.store(m.few, fact(o.facts+m.few.n)),
				"search": m.search(m.many, word(1)+" "+word(uint64(30+round))),
			}
			m.few.n++
			if m.start != nil {
				commands["start"] = m.start(m.few)
			}
			for what, c := range commands {
				out, err := output(c)
				if err != nil {
					return fmt.Errorf("%s: %w", m.name, err)
				}
				if round >= 0 {
					times[m][what] = append(times[m][what], c.ProcessState.UserTime()+c.ProcessState.SystemTime())
				}
				if what == "start" && round == -2 {
					m.context = fmt.Sprint(len(m.tool.context(m.few, out)))
				}
			}
			if m.start == nil && round == -2 {
				m.context = fmt.Sprint(len(m.tool.context(m.few, nil)))
			}
		}
	}
	for m, of := range times {
		for what, list := range of {
			slices.Sort(list)
			m.times[what] = fmt.Sprintf("%.1f", float64(list[len(list)/2].Microseconds())/1000)
		}
	}
	return nil
}

// ask counts the questions whose answer is among the first five, asked whole and with their longer words alone.
func (m *measured) ask(texts []string, asked []question) error {
	if len(asked) == 0 {
		return nil
	}
	b, err := m.box("asked")
	if err != nil {
		return err
	}
	if err := m.fill(b, texts); err != nil {
		return err
	}
	for i, form := range []func(string) string{func(q string) string { return q }, longer} {
		right := 0
		for _, q := range asked {
			out, _ := m.search(b, form(q.Question)).Output() // a tool that finds nothing may fail
			if slices.ContainsFunc(q.Evidence, func(n int) bool { return within(string(out), texts, n-1, 5) }) {
				right++
			}
		}
		m.found[i] = fmt.Sprintf("%.0f%%", 100*float64(right)/float64(len(asked)))
	}
	return nil
}

// within reports whether a text is among the first so many texts of an answer.
func within(answer string, texts []string, n, first int) bool {
	at := place(answer, texts[n])
	before := 0
	for i, text := range texts {
		if p := place(answer, text); i != n && p >= 0 && p < at {
			before++
		}
	}
	return at >= 0 && before < first
}

// place is where an answer has the beginning of a text; -1 where it has not.
func place(answer, text string) int {
	text = strings.ReplaceAll(text, `"`, "")
	return strings.Index(strings.NewReplacer(`\"`, "", `"`, "", "\n", " ", `\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(answer), text[:min(len(text), 40)])
}

// longer has the words of four letters and more.
func longer(question string) string {
	words := strings.FieldsFunc(question, func(r rune) bool { return strings.ContainsRune(" ?,.'’\"()", r) })
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return len(w) < 4 }), " ")
}

const canary = "the kestrel relay of the lab is called vantablack7"

// remove stores one memory, looks at the repository, and deletes the memory.
func (m *measured) remove() error {
	b := m.one
	if err := run(m.store(b, canary)); err != nil {
		return err
	}
	out, err := output(b.command("", "git", "status", "--porcelain", "--untracked-files=all"))
	if err != nil {
		return err
	}
	stat, _ := output(b.command("", "git", "show", "--format=", "--shortstat", "HEAD")) // no commit, no lines
	switch {
	case strings.TrimSpace(string(stat)) != "" && bytes.Contains(history(b.repo), []byte("vantablack7")):
		m.left = "a commit:" + strings.TrimRight(string(stat), "\n")
	case len(out) > 0:
		m.left = fmt.Sprintf("%d files, not committed", bytes.Count(out, []byte("\n")))
	default:
		m.left = "nothing"
	}
	if err := m.tool.remove(b, canary); err != nil {
		return err
	}
	found, _ := m.search(b, "vantablack7").Output()
	m.again = "no"
	if strings.Contains(string(found), canary) {
		m.again = "yes"
	}
	m.bytes = strings.Join(places(b), ", ")
	if m.bytes == "" {
		m.bytes = "nothing"
	}
	return nil
}

// places names the files, and the history, in which the canary still is.
func places(b *box) (names []string) {
	for _, root := range []string{b.home, b.repo} {
		_ = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil
			}
			if d.Name() == "HEAD" && filepath.Base(filepath.Dir(name)) == ".git" && bytes.Contains(history(filepath.Dir(filepath.Dir(name))), []byte("vantablack7")) {
				names = append(names, "git's history")
			}
			if data, err := os.ReadFile(name); err == nil && bytes.Contains(data, []byte("vantablack7")) && !strings.Contains(name, ".git"+string(filepath.Separator)+"objects") {
				names = append(names, "`"+d.Name()+"`")
			}
			return nil
		})
	}
	return names
}

// history is the text of all objects of a repository.
func history(repo string) []byte {
	out, _ := exec.Command("git", "-C", repo, "cat-file", "--batch-all-objects", "--unordered", "--batch").Output()
	return out
}

// fact is a made-up sentence of about 100 letters: common words, less common ones and a rare one.
func fact(i int) string {
	n := uint64(i)*2654435761 + 12345
	next := func(most uint64) uint64 {
		n = n*6364136223846793005 + 1442695040888963407
		return (n >> 33) % most
	}
	var s strings.Builder
	for w := range 16 {
		s.WriteString(word(next([]uint64{40, 400, 4000, 40000}[w%4])) + " ")
	}
	return strings.TrimSpace(s.String())
}

// word is a made-up word. It begins with x, so that none is a word of a language, which a rule against personal data may know.
func word(rank uint64) string {
	const consonants, vowels = "bdfgklmnprstvz", "aiou"
	w := []byte{'x'}
	for rank += 60; rank > 0; rank /= uint64(len(consonants) * len(vowels)) {
		r := rank % uint64(len(consonants)*len(vowels))
		w = append(w, consonants[r%uint64(len(consonants))], vowels[r/uint64(len(consonants))])
	}
	return string(w)
}
