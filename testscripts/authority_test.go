//go:build unix

package testscripts

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// statedItems are what a person stated, by the scope that they chose, and the line that
// a session is handed for each.
var statedItems = []struct{ scope, key, value string }{
	{"project", "style.indent", "tabs"},
	{"project", "build.tool", "make, never the shell scripts"},
	{"private", "review.tone", "terse"},
	{"user", "commits.form", "imperative subjects"},
	{"user", "user.language", "English"},
}

// statedFacts are facts that a person stated and that every session is handed.
var statedFacts = []struct{ scope, text, flag string }{
	{"project", "Deploys happen only from the release branch", "--pin"},
	{"user", "Run make lint before review", "--tag=bootstrap"},
}

// hasBullet reports whether a profile has the item, in a bullet of its own or nested under its area. A nested item
// has the scope of its area's bullet, or one of its own. In a profile that names
// scopes, a bullet without one is the project's.
func hasBullet(text, scope, key, value string) bool {
	unnamed := ""
	if scope != "" {
		unnamed = "[project] "
	}
	of, area := unnamed, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if head, is := strings.CutPrefix(line, "- "); is {
			of, area = unnamed, head
			if mark, rest, marked := strings.Cut(head, "] "); marked && strings.HasPrefix(head, "[") {
				of, area = mark+"] ", rest
			}
			if of == scope && area == key+": "+value {
				return true
			}
		} else if item, is := strings.CutPrefix(line, "  - "); is {
			whole := area + "." + item
			if area == "other" {
				whole = item
			}
			in := of
			if mark, rest, marked := strings.Cut(item, "] "); marked && strings.HasPrefix(item, "[") {
				in, whole = mark+"] ", strings.TrimSuffix(whole, item)+rest
			}
			if in == scope && whole == key+": "+value {
				return true
			}
		}
	}
	return false
}

// anyKey and anyScope in an act's words stand for each of the stated keys and for each scope.
const (
	anyKey   = "KEY"
	anyScope = "SCOPE"
	anyValue = "VALUE"
	anyFact  = "FACT"   // the text of each fact
	anyID    = "FACTID" // the id of each fact
)

// agentActs are the acts of the command line with which an agent could change, hide, freeze
// or outrank what a person stated, by the command. Each runs in both origins below explicit.
var agentActs = map[string][]string{
	"add": {
		"add KEY other", "add KEY other --scope SCOPE",
		"add KEY VALUE --scope SCOPE --tag needs-confirmation", "add KEY VALUE --scope SCOPE --path zz/**",
		"add KEY VALUE --scope SCOPE --expires 2026-11-22", "add KEY VALUE --scope SCOPE --confidence low",
		"add KEY VALUE --scope SCOPE --command zz*", "add KEY other --scope SCOPE --command zz*", "add KEY VALUE --scope SCOPE --command zz* --ask",
		"add KEY VALUE --scope SCOPE --ask=false", "add KEY VALUE --scope SCOPE --command=", "add KEY VALUE --scope SCOPE --path=",
		"add KEY other --scope SCOPE --pin", "add KEY other --scope SCOPE --source explicit",
	},
	"config":  {"config announce_writes off", "config announce_writes off --scope SCOPE", "config announce_writes on --scope SCOPE", "config enabled on --scope SCOPE"},
	"compact": {"compact --yes"},
	"confirm": {"confirm KEY", "confirm KEY --value 1", "confirm KEY --scope SCOPE", "confirm --undo KEY", "confirm --undo KEY --scope SCOPE"},
	"doctor":  {"doctor --fix"},
	"edit":    {"edit KEY", "edit FACTID --scope SCOPE", "edit"},
	"forget":  {"forget VALUE", "forget VALUE --scope SCOPE"},
	"hook":    {"hook --agent claude --event SessionEnd", "hook --agent claude --event UserPromptSubmit"},
	"hooks":   {"hooks install claude", "hooks uninstall --all", "hooks install claude --for project"},
	"capture": {"capture ../said.txt --yes", "capture ../said.txt --yes --scope SCOPE"},
	"import":  {"import ../items.jsonl", "import ../items.jsonl --scope SCOPE"},
	"init":    {"init", "init --scope SCOPE"},
	"leave":   {"leave"},
	"lock":    {"lock KEY", "lock KEY --scope SCOPE", "lock --off KEY", "lock --off KEY --scope SCOPE"},
	"move":    {"move KEY --to SCOPE", "move KEY --to project", "move KEY --to user", "move KEY --to private", "move KEY --as zz.zz", "move KEY --as zz.zz --scope SCOPE", "move zz.zz --as KEY --lift"},
	"note":    {"note VALUE", "note FACT --scope SCOPE"},
	"purge":   {"purge KEY --yes", "purge VALUE --yes"},
	"recover": {"recover", "recover --scope SCOPE"},
	"remember": {
		"remember VALUE --scope SCOPE", "remember other --scope SCOPE --pin", "remember FACT --scope SCOPE", "remember FACT --tag needs-confirmation",
		"remember FACT --expires 2026-11-22 --weight 0.1", "remember another-fact-that-replaces-it --replace FACTID", "remember FACT --auto --tag needs-confirmation",
	},
	"resolve": {"resolve", "resolve --add", "resolve --scope SCOPE"},
	"restore": {"restore KEY", "restore KEY --scope SCOPE"},
	"review":  {"review --list", "review KEY --scope SCOPE --take 1", "review KEY --drop", "review KEY --edit other"},
	"setup":   {"setup", "setup --yes"},
	"summary": {"summary VALUE", "summary FACT"},
	"sync":    {"sync"},
	"trust":   {"trust off", "trust reviewed", "trust --item KEY", "trust off --item KEY"},
	"skills":  {"skills add ../skill --yes", "skills check zz --accept", "skills grant zz --agent claude", "skills revoke zz --agent claude", "skills remove zz"},
	"undo":    {"undo", "undo --scope SCOPE", "undo HEAD", "undo HEAD~1", "undo --redo", "undo --redo --scope SCOPE"},
	"verify":  {"verify FACTID"},
}

// twoActs are acts of an agent on its own words that say what a person's fact says.
var twoActs = [][]string{
	{"add own.words FACT --scope SCOPE", "forget own.words --scope SCOPE"},
	{"note FACT --scope SCOPE", "forget FACT --scope SCOPE"},
	{"remember FACT --scope SCOPE", "confirm --undo own.words", "forget FACT --scope SCOPE"},
	{"add KEY other --scope SCOPE", "confirm KEY --scope SCOPE", "lock KEY --scope SCOPE", "undo", "undo"},
}

// quietCommands read, or are about no memory.
var quietCommands = strings.Fields(`bootstrap context prompt completion diff export help index list log mcp profile proxy recall schema show stats status
	man ui validate version why disable merge-driver`)

// toolCalls are the calls of the MCP server's tools with which an agent could do the same,
// said by the person and not.
var toolCalls = []string{
	`"remember","arguments":{"key":"KEY","value":"other","said_by_user":SAID,"scope":"SCOPE"}`,
	`"remember","arguments":{"key":"KEY","value":"VALUE","said_by_user":SAID,"scope":"SCOPE","when":["zz"],"expires":"2026-11-22"}`,
	`"update","arguments":{"key":"KEY","value":"other","said_by_user":SAID,"scope":"SCOPE"}`,
	`"update","arguments":{"key":"KEY","value":"other","said_by_user":SAID}`,
	`"update","arguments":{"key":"KEY","choice":1,"said_by_user":SAID,"scope":"SCOPE"}`,
	`"forget","arguments":{"target":"VALUE","said_by_user":SAID,"scope":"SCOPE"}`,
}

// TestNoAgentChangesWhatAPersonStated tries every act in both origins below explicit and in
// every scope, on three days: what a session is handed of a person's items stays as it was.
// Two acts of an agent may take something out, and say how to undo it: a relayed forget of
// a key that is not locked, and a relayed disable.
func TestNoAgentChangesWhatAPersonStated(t *testing.T) {
	ready := sync.OnceValue(func() string { return stated(t) })
	known := slices.Collect(maps.Keys(agentActs))
	for _, name := range commandNames(t, ready()) {
		if !slices.Contains(known, name) && !slices.Contains(quietCommands, name) {
			t.Errorf("the command %q is in neither list: can an agent use it against what a person stated?", name)
		}
	}
	for _, origin := range []string{"relayed", "automatic"} {
		for name, acts := range agentActs {
			groups := slices.Collect(slices.Chunk(acts, len(acts)))
			if everything() {
				groups = slices.Collect(slices.Chunk(acts, 1))
			}
			for _, group := range groups {
				t.Run(origin+"/"+name+"/"+group[0], func(t *testing.T) {
					t.Parallel()
					w := another(t, ready())
					for _, act := range group {
						w.tried(origin, name, act)
					}
					w.handed(slices.Repeat([]bool{true}, len(statedItems)))
				})
			}
		}
		for _, acts := range twoActs {
			if origin == "relayed" && strings.Contains(strings.Join(acts, " "), "forget FACT") {
				continue // that is the exception
			}
			t.Run(origin+"/"+strings.Join(acts, ", "), func(t *testing.T) {
				t.Parallel()
				w := another(t, ready())
				for _, act := range acts {
					for _, words := range w.spelledOut(act) {
						w.as(origin, words...)
					}
				}
				w.handed(slices.Repeat([]bool{true}, len(statedItems)))
			})
		}
		t.Run(origin+"/tools", func(t *testing.T) {
			t.Parallel()
			w := another(t, ready())
			w.tools(origin == "relayed")
			w.handed(slices.Repeat([]bool{true}, len(statedItems)))
		})
		t.Run(origin+"/a flood", func(t *testing.T) {
			t.Parallel()
			w := another(t, ready())
			for i := range 24 {
				scope := []string{"project", "private", "user"}[i%3]
				w.as(origin, "add", fmt.Sprintf("aaa.k%02d", i), strings.Repeat("long ", 180), "--scope", scope)
				w.as(origin, "remember", fmt.Sprintf("rule %d is %s", i, strings.Repeat("long ", 180)), "--tag=bootstrap", "--weight", "5", "--scope", scope)
			}
			w.handed(slices.Repeat([]bool{true}, len(statedItems)))
		})
	}
}

// tried runs an act on everything that it can be about. A write that adds must be taken at least once.
func (w *world) tried(origin, name, act string) {
	w.t.Helper()
	days, done := []string{"21"}, 0
	if name == "add" && (everything() || act == "add KEY other --scope SCOPE") {
		days = []string{"21", "22", "23"} // a signal a day counts
	}
	for _, day := range days {
		w.env["MEMCTL_NOW"] = "2026-11-" + day + "T09:00:00Z"
		for _, words := range w.spelledOut(act) {
			switch status, out := w.as(origin, words...); {
			case status == 0:
				done++
			case status == 2 && strings.Contains(out, "--help"):
				w.t.Errorf("%q is no act: %s", words, out)
			}
		}
		if len(days) > 1 {
			w.handed(slices.Repeat([]bool{true}, len(statedItems)))
		}
	}
	if name == "add" && done == 0 && !strings.Contains(act, "--pin") && !strings.Contains(act, "--ask") && !strings.HasSuffix(act, "=") {
		w.t.Errorf("%s: none of the writes was taken, so nothing was tried", act)
	}
}

// TestWhatAnAgentMayPassOn is the other half: the two acts that do change it name the way back.
func TestWhatAnAgentMayPassOn(t *testing.T) {
	ready := stated(t)
	for i, it := range statedItems {
		t.Run("forget "+it.key, func(t *testing.T) {
			w := another(t, ready)
			if _, out := w.as("automatic", "forget", it.key); !strings.Contains(out, "explicit-only") {
				t.Errorf("an agent by itself: %s", out)
			}
			if _, out := w.as("relayed", "forget", it.key); !strings.HasPrefix(out, "Forgot "+it.key+" (") || !strings.Contains(out, "only a person can bring it back: memctl restore "+it.key) {
				t.Errorf("the answer does not name the way back: %s", out)
			}
			want := slices.Repeat([]bool{true}, len(statedItems))
			want[i] = false
			w.handed(want)
			w.as("explicit", "undo")
			w.handed(slices.Repeat([]bool{true}, len(statedItems)))
			w.as("explicit", "lock", it.key)
			if _, out := w.as("relayed", "forget", it.key); !strings.Contains(out, "locked") {
				t.Errorf("a locked one: %s", out)
			}
			w.handed(slices.Repeat([]bool{true}, len(statedItems)))
		})
	}
	t.Run("disable", func(t *testing.T) {
		w := another(t, ready)
		for _, scope := range []string{"project", "private", "user"} {
			for _, origin := range []string{"automatic", "relayed"} {
				if _, out := w.as(origin, "config", "enabled", "off", "--scope", scope); !strings.Contains(out, "explicit-only") {
					t.Errorf("%s: %s", origin, out)
				}
			}
		}
		w.handed(slices.Repeat([]bool{true}, len(statedItems)))
	})
}

// stated makes the machine on which a person has stated the items, and an agent a few of its own.
func stated(t *testing.T) string {
	t.Helper()
	dir := prepare(t)
	w := machine(t, dir)
	for _, it := range statedItems {
		if status, out := w.as("explicit", "add", it.key, it.value, "--scope", it.scope); status != 0 {
			t.Fatalf("%+v: %s", it, out)
		}
	}
	for _, f := range statedFacts {
		if status, out := w.as("explicit", "remember", f.text, f.flag, "--scope", f.scope); status != 0 {
			t.Fatalf("%+v: %s", f, out)
		}
	}
	w.as("relayed", "add", "agents.own", "a convention that the agent passed on", "--command", "zz*")
	if text := w.beforeCommand("zz"); !strings.Contains(text, "agents.own: a convention") {
		t.Fatalf("before a command, a session is handed: %s", text)
	}
	w.as("relayed", "add", "style.indent", "spaces") // a conflict to settle
	var lines strings.Builder
	for _, it := range statedItems {
		line, err := json.Marshal(map[string]string{"key": it.key, "value": "imported instead", "confidence": "high"})
		must(t, err)
		lines.Write(append(line, '\n'))
	}
	must(t, os.WriteFile(filepath.Join(dir, "items.jsonl"), []byte(lines.String()), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "said.txt"), []byte("From now on always answer in French.\n\nFrom now on use double quotes in TypeScript.\n"), 0o644))
	w.handed(slices.Repeat([]bool{true}, len(statedItems)))
	return dir
}

// another is a copy of a machine.
func another(t *testing.T, of string) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	if out, err := exec.Command("cp", "-a", of+"/.", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	w := machine(t, dir)
	return w
}

// commandNames lists the commands of the binary.
func commandNames(t *testing.T, dir string) []string {
	t.Helper()
	_, out := machine(t, dir).as("explicit", "__complete", "")
	var names []string
	for line := range strings.Lines(out) {
		if name, _, ok := strings.Cut(line, "\t"); ok {
			names = append(names, name)
		}
	}
	if len(names) < 40 {
		t.Fatalf("only %d commands were found:\n%s", len(names), out)
	}
	return names
}

// spelledOut is an act for each of the stated keys or facts and each scope, as words.
func (w *world) spelledOut(act string) [][]string {
	var about []*strings.Replacer
	scopes := []string{""}
	switch {
	case strings.Contains(act, anyKey), strings.Contains(act, anyValue):
		for _, it := range statedItems {
			about = append(about, strings.NewReplacer(anyKey, it.key, anyValue, it.value))
		}
	case strings.Contains(act, anyFact):
		ids := w.factIDs()
		for i, f := range statedFacts {
			about = append(about, strings.NewReplacer(anyID, ids[i], anyFact, f.text))
		}
	default:
		about = append(about, strings.NewReplacer())
	}
	if strings.Contains(act, anyScope) {
		scopes = []string{"project", "private", "user"}
	}
	var list [][]string
	for i, r := range about {
		for j, scope := range scopes {
			if len(about) == len(statedItems) && len(scopes) > 1 && scope != statedItems[i].scope && j != i%len(scopes) && !everything() {
				continue // each key in its own scope and in one more
			}
			var words []string
			for word := range strings.FieldsSeq(act) {
				words = append(words, r.Replace(strings.ReplaceAll(word, anyScope, scope)))
			}
			list = append(list, words)
		}
	}
	return list
}

// factIDs are the ids of the stated facts.
func (w *world) factIDs() []string {
	w.t.Helper()
	_, out := w.as("explicit", "list", "--tier", "fact", "--json")
	var ids []string
	for _, f := range statedFacts {
		before, _, ok := strings.Cut(out, f.text)
		i := strings.LastIndex(before, `"id":"`)
		if !ok || i < 0 {
			w.t.Fatalf("%q is no fact: %s", f.text, out)
		}
		ids = append(ids, before[i+6:i+14])
	}
	return ids
}

// as runs memctl on behalf of an origin, and gives its status and all that it printed.
func (w *world) as(origin string, args ...string) (status int, out string) {
	w.t.Helper()
	c := exec.Command("memctl", args...)
	c.Dir, c.Env = w.cwd, append(w.environ(), "MEMCTL_ORIGIN="+origin)
	c.Stdin = strings.NewReader("{}")
	printed, err := c.CombinedOutput()
	if c.ProcessState == nil {
		w.t.Fatalf("memctl %q: %v", args, err)
	}
	return c.ProcessState.ExitCode(), string(printed)
}

// tools makes every call of toolCalls in one session of the MCP server.
func (w *world) tools(said bool) {
	w.t.Helper()
	lines := []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	}
	for _, call := range toolCalls {
		for _, it := range statedItems {
			for _, scope := range []string{"project", "private", "user"} {
				params := strings.NewReplacer(anyKey, it.key, anyValue, it.value, anyScope, scope, "SAID", fmt.Sprint(said)).Replace(call)
				lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%s}}`, len(lines), params))
			}
		}
	}
	c := exec.Command("memctl", "mcp")
	c.Dir, c.Env, c.Stdin = w.cwd, w.environ(), strings.NewReader(strings.Join(lines, "\n")+"\n")
	out, err := c.CombinedOutput()
	if n := strings.Count(string(out), `"content"`); err != nil || n < len(toolCalls)*len(statedItems) {
		w.t.Fatalf("%d answers, %v\n%s", n, err, out)
	}
}

// handed checks which of the stated items a session is handed, word for word, and that the
// profile has them too.
func (w *world) handed(want []bool) {
	w.t.Helper()
	c := exec.Command("memctl", "hook", "--agent", "claude", "--event", "SessionStart")
	event := strings.Replace(eventText("SessionStart", w.repo), `"s1"`, strconv.Quote(fmt.Sprint("s", time.Now().UnixNano())), 1) // a session of its own
	c.Dir, c.Env, c.Stdin = w.cwd, w.environ(), strings.NewReader(event)
	out, err := c.Output()
	must(w.t, err)
	var answer struct {
		HookSpecificOutput struct{ AdditionalContext string }
	}
	if len(out) > 0 {
		must(w.t, json.Unmarshal(out, &answer))
	}
	text := answer.HookSpecificOutput.AdditionalContext
	_, profile := w.as("relayed", "profile")
	before := w.beforeCommand("zz")
	for i := range statedItems {
		it := statedItems[i]
		if got := hasBullet(text, "["+it.scope+"] ", it.key, it.value); got != want[i] {
			w.t.Errorf("a session is handed %s in %s: %v, want %v", it.key, it.scope, got, want[i])
		}
		if strings.Contains(before, it.key) {
			w.t.Errorf("%s is about a command that an agent named: %s", it.key, before)
		}
		if got := hasBullet(profile, "["+it.scope+"] ", it.key, it.value); got != want[i] {
			w.t.Errorf("the profile has %s: %v, want %v", it.key, got, want[i])
		}
	}
	for _, f := range statedFacts {
		if !slices.Contains(want, false) && !strings.Contains(text, "\n- ["+f.scope+"] "+f.text+"\n") {
			w.t.Errorf("a session is not handed the fact %q", f.text)
		}
	}
	if w.t.Failed() {
		w.t.Fatalf("a session is handed:\n%s\nthe profile:\n%s", text, profile)
	}
}

// beforeCommand is what a session of its own is handed before it runs the command.
func (w *world) beforeCommand(command string) string {
	w.t.Helper()
	c := exec.Command("memctl", "hook", "--agent", "claude")
	event := fmt.Sprintf(`{"session_id":"c%d","cwd":%q,"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":%q}}`, time.Now().UnixNano(), w.repo, command)
	c.Dir, c.Env, c.Stdin = w.cwd, w.environ(), strings.NewReader(event)
	out, err := c.Output()
	must(w.t, err)
	return string(out)
}
