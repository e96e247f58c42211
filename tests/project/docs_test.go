package project

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/door/agents"
)

// update rewrites the output in README.md and docs/*.md:
//
//	go test ./tests/project -run TestDocs -update
var update = flag.Bool("update", false, "rewrite the output in the docs; read the diff")

// home is where the scratch repository stands in the docs, whatever folder it
// really is in.
const home = "/home/ada"

// pages are the documents whose examples are run.
func pages(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("docs/*.md")
	if err != nil || len(list) < 8 {
		t.Fatalf("only %d pages in docs (%v): is this the project's root?", len(list), err)
	}
	return append(list, "README.md")
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// example is one command of a page and the output that the page shows.
type example struct {
	command    string // what is run, several lines where it goes on
	start, end int    // of the output, as offsets into the page
	line       int
	hidden     bool // in a comment: it is run, and its output is of no account
	fresh      bool // it begins a new repository
}

// opening is the fence of a block of examples; output that holds a fence needs
// a longer one.
var opening = regexp.MustCompile("^```+console( fresh)?$")

// Fenced blocks of the language console hold lines "$ COMMAND", lines "> MORE"
// that go on, and the output. One page is one session in one repository, unless
// a block says "console fresh". A comment "<!-- run" holds commands that
// readers need not see.
func examples(page string) []example {
	var list []example
	const outside, console, hidden = 0, 1, 2
	mode, at, fresh, fence := outside, 0, false, ""
	for n, line := range strings.SplitAfter(page, "\n") {
		text := strings.TrimRight(line, "\n")
		last := len(list) - 1
		next := at + len(line)
		switch {
		case mode == outside && opening.MatchString(text):
			mode, fresh, fence = console, strings.HasSuffix(text, " fresh"), strings.TrimRight(text, "console frsh")
		case mode == outside && strings.HasPrefix(text, "<!-- run"):
			mode, fresh = hidden, text == "<!-- run fresh"
		case mode == console && text == fence, mode == hidden && text == "-->":
			mode = outside
		case mode == console && strings.HasPrefix(text, "$ "):
			list = append(list, example{command: text[2:], start: next, end: next, line: n + 1, fresh: fresh})
			fresh = false
		case mode == console && strings.HasPrefix(text, "> ") && last >= 0 && list[last].start == at:
			list[last].command += "\n" + text[2:]
			list[last].start, list[last].end = next, next
		case mode == console && last >= 0:
			list[last].end = next
		case mode == hidden && text != "":
			list = append(list, example{command: text, line: n + 1, hidden: true, fresh: fresh})
			fresh = false
		}
		at = next
	}
	return list
}

// TestDocsShowWhatIsPrinted runs every example of every page and compares what
// it prints with what the page shows. Commit ids are not compared.
func TestDocsShowWhatIsPrinted(t *testing.T) {
	if testing.Short() {
		t.Skip("builds memctl and runs it")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the examples are for a POSIX shell")
	}
	total := 0
	for _, name := range pages(t) {
		page := readPage(t, name)
		list := examples(page)
		total += len(list)
		t.Run(name, func(t *testing.T) {
			got := play(t, programs, list)
			if changed := compare(t, name, page, list, got); *update && changed != page {
				if err := os.WriteFile(name, []byte(changed), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	if total < 20 {
		t.Fatalf("only %d examples found: the check has lost its examples", total)
	}
}

// compare reports what differs, and returns the page with the output as it is.
func compare(t *testing.T, name, page string, list []example, got []string) string {
	t.Helper()
	var b strings.Builder
	from := 0
	for i, e := range list {
		if e.hidden {
			continue
		}
		shown := page[e.start:e.end]
		b.WriteString(page[from:e.start])
		from = e.end
		if mask(shown) == mask(got[i]) {
			b.WriteString(shown)
			continue
		}
		b.WriteString(got[i])
		if !*update {
			t.Errorf("%s:%d: $ %s\nthe page shows:\n%s\nit prints:\n%s\n`go test ./tests/project -run TestDocs -update` mends the page", name, e.line, e.command, shown, got[i])
		}
	}
	b.WriteString(page[from:])
	return b.String()
}

// ids are commit ids and random ones: digits of both kinds, or 40 of any.
var ids = regexp.MustCompile(`\b[0-9a-f]{7,64}\b`)

// mask puts what differs from run to run out of the comparison.
func mask(text string) string {
	return ids.ReplaceAllStringFunc(text, func(s string) string {
		return strings.Repeat("x", min(len(s), 8))
	})
}

// play runs the commands of one page in one shell, so that a variable or a
// folder holds on, and returns what each printed.
func play(t *testing.T, bin string, list []example) []string {
	t.Helper()
	if len(list) == 0 {
		return nil
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const mark = "\036"
	var script strings.Builder
	for i, e := range list {
		if i == 0 || e.fresh {
			script.WriteString("rm -rf \"$HOME\"; mkdir -p \"$HOME/project\"; cd \"$HOME/project\"\n")
			script.WriteString("git config --global user.name 'Ada Lovelace'; git config --global user.email ada@example.com; git init -q -b main\n")
		}
		// The status stays for an example that prints it.
		fmt.Fprintf(&script, "status=$?; printf '%s'; (exit $status)\n%s\n", `\036`, e.command)
	}
	file := filepath.Join(dir, "session.sh")
	if err := os.WriteFile(file, []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	shell := exec.Command("sh", file)
	shell.Dir = dir
	shell.Env = environment(bin, filepath.Join(dir, "ada"))
	out, err := shell.CombinedOutput()
	parts := strings.Split(string(out), mark)
	if len(parts) != len(list)+1 || parts[0] != "" {
		t.Fatalf("the session ended early (%v):\n%s", err, out)
	}
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], filepath.Join(dir, "ada"), home)
		if parts[i] != "" && !strings.HasSuffix(parts[i], "\n") {
			parts[i] += "\n"
		}
	}
	return parts[1:]
}

// environment is the same on every machine, whoever runs the tests: without
// the person's settings of git and memctl, and without an agent's variables.
func environment(bin, home string) []string {
	var env []string
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		switch {
		case strings.HasPrefix(name, "MEMCTL_"), strings.HasPrefix(name, "GIT_"), strings.HasPrefix(name, "XDG_"):
		case agents.FromEnv(func(n string) string { return map[string]string{name: "1"}[n] }) != "":
		default:
			env = append(env, e)
		}
	}
	return append(env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+home,
		"MEMCTL_NOW=2026-11-21T09:00:00Z", "GIT_AUTHOR_DATE=2026-11-21T09:00:00Z", "GIT_COMMITTER_DATE=2026-11-21T09:00:00Z",
		"GIT_CONFIG_NOSYSTEM=1", "TZ=UTC", "LC_ALL=C", "NO_COLOR=1", "COLUMNS=100")
}

// TestDocsLinkToWhatIsThere checks that every linked file exists and has the linked heading.
func TestDocsLinkToWhatIsThere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`)
	seen := map[bool]int{}
	for _, name := range append(pages(t), "AGENTS.md", "CHANGELOG.md", "tests/bench/README.md", "tests/project/seeds.md", "tests/quality/README.md", "tests/states/README.md", "tests/torture/README.md") {
		for _, m := range link.FindAllStringSubmatch(readPage(t, name), -1) {
			target, anchor := name, m[2]
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(name), m[1])
			}
			seen[anchor != ""]++
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: a link to %s: %v", name, m[1], err)
			} else if anchor != "" && !slices.Contains(anchors(readPage(t, target)), anchor) {
				t.Errorf("%s: %s has no heading %q", name, target, anchor)
			}
		}
	}
	if seen[false] == 0 || seen[true] == 0 {
		t.Fatalf("%d links to pages and %d to headings were found", seen[false], seen[true])
	}
}

// TestDocsStayShort counts the words of the pages and README. Take a sentence out for each that you add.
func TestDocsStayShort(t *testing.T) {
	const most = 25_000
	words := 0
	for _, name := range pages(t) {
		words += len(strings.Fields(readPage(t, name)))
	}
	if words > most {
		t.Errorf("docs/*.md and README.md have %d words, and may have %d", words, most)
	}
}

// anchors returns the names by which a page's headings are linked, as GitHub makes them.
func anchors(page string) (list []string) {
	heading := regexp.MustCompile(`(?m)^#+ (.*)$`)
	sign := regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		list = append(list, strings.ReplaceAll(sign.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return list
}

// TestExamplesAreFound keeps the reader of pages honest.
func TestExamplesAreFound(t *testing.T) {
	page := "````console\n$ one\nout\n$ two <<E\n> more\n> E\n```\n````\n```text\n$ no\n```\n<!-- run fresh\nhidden\n-->\n"
	var got bytes.Buffer
	for _, e := range examples(page) {
		fmt.Fprintf(&got, "%q %q %v %v\n", e.command, page[e.start:e.end], e.hidden, e.fresh)
	}
	want := "\"one\" \"out\\n\" false false\n\"two <<E\\nmore\\nE\" \"```\\n\" false false\n\"hidden\" \"\" true true\n"
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}
