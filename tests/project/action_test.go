package project

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/yamltext"
)

// actionStep is one step of action.yml that runs a script.
type actionStep struct {
	name, run string
	env       map[string]string
}

// actionSteps reads the scripts as the runner would: from the file itself.
func actionSteps(t *testing.T) []actionStep {
	t.Helper()
	src, err := os.ReadFile("action.yml")
	if err != nil {
		t.Fatal(err)
	}
	root, err := yamltext.Parse(yamltext.Source{Text: string(src), To: len(src), Line: 1})
	if err != nil {
		t.Fatal(err)
	}
	var steps []actionStep
	for _, e := range root.Field("runs").Field("steps").Entries {
		s := actionStep{name: e.Value.Field("name").Text, run: e.Value.Field("run").Text, env: map[string]string{}}
		if shell := e.Value.Field("shell"); shell == nil || shell.Text != "sh" {
			t.Errorf("%s: the shell is not sh", s.name)
		}
		if strings.Contains(s.run, "${{") {
			t.Errorf("%s: an input stands in the script, where it could be code", s.name)
		}
		for _, v := range e.Value.Field("env").Entries {
			s.env[v.Key.Text] = v.Value.Text
		}
		steps = append(steps, s)
	}
	if len(steps) != 2 {
		t.Fatalf("%d steps, want 2", len(steps))
	}
	return steps
}

// actionRun is a repository with a pull request in it, and a runner's files.
type actionRun struct {
	dir, summary, path string
	base               string
}

func newActionRun(t *testing.T) *actionRun {
	t.Helper()
	r := &actionRun{dir: t.TempDir(), path: programs + string(filepath.ListSeparator) + os.Getenv("PATH")}
	r.summary = filepath.Join(t.TempDir(), "summary")
	home := t.TempDir()
	for name, value := range map[string]string{
		"HOME": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.DevNull, "PATH": r.path,
		"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.com", "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.com",
		"GITHUB_STEP_SUMMARY": r.summary, "MEMCTL_ORIGIN": "explicit",
	} {
		t.Setenv(name, value)
	}
	r.do(t, "git", "init", "-q", "-b", "main")
	r.do(t, "memctl", "init")
	r.do(t, "memctl", "add", "a.first", "tabs | not *spaces*")
	r.do(t, "memctl", "add", "a.second", "hello there, everybody")
	r.base = strings.TrimSpace(r.do(t, "git", "rev-parse", "HEAD"))
	return r
}

func (r *actionRun) do(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = r.dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	return string(out)
}

// validate runs the action's second step. Every expression in its environment
// is replaced by what the inputs say.
func (r *actionRun) validate(t *testing.T, inputs map[string]string) (stdout string, status int) {
	t.Helper()
	step := actionSteps(t)[1]
	script := filepath.Join(t.TempDir(), "step.sh")
	if err := os.WriteFile(script, []byte(step.run), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-e", script)
	cmd.Dir, cmd.Env = r.dir, os.Environ()
	expression := regexp.MustCompile(`^\$\{\{ inputs\.([a-z]+)[^}]* \}\}$`)
	for name, value := range step.env {
		input := expression.FindStringSubmatch(value)
		if input == nil {
			t.Fatalf("%s: %q is no input", name, value)
		}
		cmd.Env = append(cmd.Env, name+"="+inputs[input[1]])
	}
	out, err := cmd.Output()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func TestActionAnnotatesAndSumsUp(t *testing.T) {
	if testing.Short() {
		t.Skip("builds memctl")
	}
	r := newActionRun(t)
	file := filepath.Join(r.dir, "memories.md")
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// The pull request takes one item out by hand, and adds a damaged field.
	text := string(src)
	cut := strings.Index(text, "    - key: a.second")
	end := strings.Index(text, "deletions:")
	text = text[:cut] + strings.Replace(text[cut:end], "confidence: high", "confidence: sure", 1) + text[end:]
	text = strings.Replace(text, "a.second", "a.other", 1)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r.do(t, "git", "commit", "-qam", "change memory by hand")

	out, status := r.validate(t, map[string]string{"base": r.base, "strict": "true", "summary": "true"})
	if status != 1 {
		t.Errorf("status %d, want 1", status)
	}
	for _, want := range []string{"::error file=memories.md,line=", "title=memctl gone-without-tombstone::a.second", "title=memctl confidence::a.other"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	summary, err := os.ReadFile(r.summary)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"### Memory\n", "    + a.other: ", "    - a.second: "} {
		if !strings.Contains(string(summary), want) {
			t.Errorf("no %q in\n%s", want, summary)
		}
	}
}

func TestActionTakesFilesAsTheyAreNamed(t *testing.T) {
	if testing.Short() {
		t.Skip("builds memctl")
	}
	r := newActionRun(t)
	odd := "a b; touch owned $(touch owned) *.md"
	if err := os.WriteFile(filepath.Join(r.dir, odd), []byte("<<<<<<< a\n=======\n>>>>>>> b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, status := r.validate(t, map[string]string{"files": "memories.md\n" + odd, "summary": "true"})
	if status != 1 || strings.Count(out, "::error file="+odd) != 2 {
		t.Errorf("status %d, want 1 and two findings:\n%s", status, out)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "owned")); err == nil {
		t.Error("a file's name was run")
	}
	if out, status := r.validate(t, nil); status != 0 || out != "" {
		t.Errorf("a sound file: status %d, %q", status, out)
	}
}
