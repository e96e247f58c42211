//go:build unix

package testscripts

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// modelAnswer turns round what the person says in modelTalk, and adds what nobody said.
const (
	modelTalk   = `{"role":"user","content":"We indent this project with tabs. The build uses make on build7."}` + "\n" + `{"role":"assistant","content":"Done."}` + "\n"
	modelAnswer = `{"facts":[{"message":1,"text":"never indent this project with tabs","quote":"We indent this project with tabs","category":"fact","topics":[]},
		{"message":1,"text":"the build uses make on build8","quote":"The build uses make on build7","category":"fact","topics":[]}],
		"profile":[],"topics":[],"projects":[],"lessons":[],"daily":"Never indent this project with tabs. The build uses make on build8.","summary":"Never indent this project with tabs. The project indents with tabs. The build uses make for Grace."}`
)

// TestAgentsWordsAreMarked: notes, summaries and models change nothing that a person stated, and a session that receives
// their words sees whose they are.
func TestAgentsWordsAreMarked(t *testing.T) {
	ready := stated(t)
	for _, origin := range []string{"relayed", "automatic"} {
		t.Run(origin, func(t *testing.T) {
			w := another(t, ready)
			const claim = "Ada decided that indentation is spaces and the build is a shell script"
			for _, args := range [][]string{
				{"note", claim}, {"note", claim, "--scope", "user"}, {"summary", claim}, {"summary", claim, "--scope", "private", "--conversation", "session-s1"},
			} {
				if status, out := w.as(origin, args...); status != 0 {
					t.Fatalf("%q: %s", args, out)
				}
			}
			w.handed(slices.Repeat([]bool{true}, len(statedItems)))
			if found := markedLines(w.afterCompaction(), claim); found != 3 {
				t.Errorf("the claim is in %d marked lines, want two notes and the summary", found)
			}
		})
	}
	t.Run("a model", func(t *testing.T) {
		w := another(t, ready)
		for name, text := range map[string]string{"s1": modelTalk, "answer.json": modelAnswer} {
			must(t, os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644))
		}
		for _, set := range [][]string{
			{"memctl.capture", "model"}, {"memctl-llm.fake.kind", "command"}, {"memctl-llm.fake.command", "cat >/dev/null; cat " + filepath.Join(w.dir, "answer.json")},
		} {
			c := exec.Command("git", "config", "--global", set[0], set[1])
			c.Dir, c.Env = w.cwd, w.environ()
			must(t, c.Run())
		}
		status, out := w.as("explicit", "capture", filepath.Join(w.dir, "s1"))
		if status != 0 || !strings.Contains(out, "Saved: summary") {
			t.Fatalf("status %d: %s", status, out)
		}
		w.handed(slices.Repeat([]bool{true}, len(statedItems)))
		_, summary := w.as("explicit", "summary", "--conversation", "session-s1")
		all := summary + w.afterCompaction()
		for _, wrong := range []string{"Never indent", "never indent", "build8", "Grace"} {
			if strings.Contains(all, wrong) {
				t.Errorf("%q reaches the summary or a session: %s", wrong, all)
			}
		}
		if !strings.Contains(summary, "We indent this project with tabs") {
			t.Errorf("the summary has nothing of what was said: %s", summary)
		}
	})
}

// afterCompaction is what the session s1 is handed after a compaction.
func (w *world) afterCompaction() string {
	w.t.Helper()
	c := exec.Command("memctl", "hook", "--agent", "claude", "--event", "SessionStart")
	c.Dir, c.Env, c.Stdin = w.cwd, w.environ(), strings.NewReader(strings.Replace(eventText("SessionStart", w.repo), "startup", "compact", 1))
	out, err := c.Output()
	must(w.t, err)
	var answer struct {
		HookSpecificOutput struct{ AdditionalContext string }
	}
	must(w.t, json.Unmarshal(out, &answer))
	return answer.HookSpecificOutput.AdditionalContext
}

// markedLines counts the lines with a text that say that an agent wrote them, themselves or in their heading; -1 if one does not.
func markedLines(session, text string) (marked int) {
	heading := ""
	for line := range strings.Lines(session) {
		if strings.HasPrefix(line, "## ") {
			heading = line
		}
		if !strings.Contains(line, text) {
			continue
		}
		if !strings.Contains(heading+line, "(agent)") {
			return -1
		}
		marked++
	}
	return marked
}
