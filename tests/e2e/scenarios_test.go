//go:build e2e

package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// scenario is one thing that happens in sessions, played with every client.
type scenario struct {
	name string
	play func(r *trial)
	// not says of a client why the scenario cannot be played with it.
	not map[string]string
}

func scenarios() []scenario {
	return []scenario{
		{name: "first session", play: playFirst},
		{name: "resume", play: playResume},
		{name: "resume after a change", play: playResumeChanged},
		{name: "pinned item", play: playPinned, not: map[string]string{"opencode": "memctl's plugin for OpenCode adds nothing to prompts"}},
		{name: "compaction", play: playCompaction, not: map[string]string{"qwen": "qwen -p does not compact, and memctl does not need it: Qwen Code has the briefing in its system prompt"}},
		{name: "subagent", play: playSubagent, not: map[string]string{"gemini": "Gemini CLI 0.61.0 calls no hook for a subagent", "qwen": "Qwen Code 0.24.4 takes no text for a subagent"}},
		{name: "two worktrees", play: playWorktrees},
		{name: "untrusted clone", play: playUntrusted},
		{name: "memctl.enabled is false", play: playSettingOff},
		{name: "memctl config enabled off --scope project", play: playDisabled},
		{name: "empty memory", play: playEmpty},
		{name: "before a tool", play: playBeforeTool, not: noMoment()},
		{name: "before a tool with --ask", play: playBeforeToolAsk, not: noMoment()},
		{name: "server", play: playServer, not: map[string]string{"qwen": "Qwen Code 0.24.4 shows the model a server's tools only when it searches for them"}},
		{name: "a write from the shell", play: playShellWrite},
		{name: "stop", play: playStop, not: map[string]string{"opencode": "OpenCode 1.18.33 has no such hook, and its plugin does not ask for the event"}},
	}
}

func TestScenarios(t *testing.T) {
	for _, c := range clients() {
		for _, s := range scenarios() {
			t.Run(c.name+"/"+s.name, func(t *testing.T) {
				if why := s.not[c.name]; why != "" {
					t.Skip(why)
				}
				s.play(newTrial(t, c))
			})
		}
	}
}

const (
	prompt = "which bird sits where?"
	next   = "and which one sits beside it?"
	// late is an item that is added after the first session.
	late = "project.late: a heron came later"
)

func (r *trial) add(item string, flags ...string) {
	r.t.Helper()
	key, value, _ := strings.Cut(item, ": ")
	r.scratch.run("memctl", append([]string{"add", "-q", key, value}, flags...)...)
}

// playFirst also checks that a request about something else, such as a title, holds no memory.
func playFirst(r *trial) {
	all := r.session(prompt)
	checkBriefed(r.t, r.talk(all, prompt))
	others := slices.DeleteFunc(slices.Clone(all), isTalk)
	if len(others) == 0 {
		if r.c.name == "opencode" {
			r.t.Error("OpenCode asked for no title")
		}
		return
	}
	checkUnbriefed(r.t, others)
}

func playResume(r *trial) {
	first := r.talk(r.session(prompt), prompt)
	again := r.talk(r.resume(next), next)
	checkBriefed(r.t, append(first, again...))
	checkSameStart(r.t, first[0], last(again), memoryIn(r.t, first[0]).end) // the next prompt leaves what was sent as it is
	r.talk(again, prompt)                                                   // the person's first prompt is still there
}

func playResumeChanged(r *trial) {
	first := r.talk(r.session(prompt), prompt)
	// In scope user: Claude Code's system prompt lists the last commits of the repository.
	r.add(late, "--scope", "user")
	again := r.talk(r.resume(next), next)
	checkBriefed(r.t, first)
	checkSameStart(r.t, first[0], last(again), memoryIn(r.t, first[0]).at)
	for _, a := range again {
		if n := strings.Count(a.body, late[strings.Index(late, ": "):]); n != 1 {
			r.t.Errorf("the resumed session holds the new item %d times\n%s", n, a.body)
		}
		briefings := memoryIn(r.t, a).times
		if briefings == 2 && !strings.Contains(a.body, "This replaces the memory that this session received before.") || briefings < 1 || briefings > 2 {
			r.t.Errorf("the resumed session holds %d briefings, and none says that it replaces another one\n%s", briefings, a.body)
		}
		if n := strings.Count(a.body, fact); n != briefings {
			r.t.Errorf("%d briefings have the fact %d times\n%s", briefings, n, a.body)
		}
	}
}

// playPinned looks for a pinned item: in the briefing alone, which the next prompts follow.
func playPinned(r *trial) {
	r.add(late, "--pin")
	const pinned = "Pinned in memory"
	if first := r.talk(r.session(prompt), prompt)[0]; strings.Contains(first.body, pinned) {
		r.t.Errorf("the first prompt repeats the pinned item\n%s", first.body)
	}
	again := last(r.talk(r.resume(next), next)).body
	if strings.Contains(again, pinned) {
		r.t.Errorf("the resumed prompt repeats the pinned item\n%s", again)
	}
}

// playCompaction makes the client replace its history by a summary, and then goes on.
func playCompaction(r *trial) {
	r.session(prompt)
	for _, words := range []string{"a second prompt", "a third prompt", "a fourth prompt"} {
		words += strings.Repeat(" The fence has posts, and birds sit on some of them.", 200)
		checkBriefed(r.t, r.talk(r.resume(words), words))
	}
	before := len(r.m.requests(""))
	r.c.compact(r)
	r.compactOut = r.out
	after := r.talk(r.resume(next), next)
	checkBriefed(r.t, after)
	var summaries []request
	for _, a := range r.m.requests("")[before:] {
		if strings.Contains(a.body, r.c.summarises) && !strings.Contains(a.body, next) {
			summaries = append(summaries, a)
		}
	}
	if len(summaries) == 0 {
		r.t.Fatalf("%s did not compact\n%s", r.c.name, r.out)
	}
	r.checkCompaction(summaries)
}

// checkCompaction checks that memory comes into the request for a summary with the history
// alone, and that the person reads nothing of memctl's.
func (r *trial) checkCompaction(summaries []request) {
	for _, a := range summaries {
		if times := memoryIn(r.t, a).times; times > 1 || times == 1 && r.c.name == "opencode" {
			r.t.Errorf("the request for a summary holds %d briefings\n%s", times, a.body)
		}
	}
	if strings.Contains(r.compactOut, "memctl:") || strings.Contains(r.compactOut, "Receipt:") {
		r.t.Errorf("at a compaction the person reads %q", r.compactOut)
	}
	if r.c.preCompact {
		r.checkRecord("PreCompact")
	}
}

const (
	delegating = "let a helper do it"
	errand     = "look at the fence for me"
)

func playSubagent(r *trial) {
	r.answer(delegating, r.c.subagent...)
	all := r.session(delegating)
	var helper []request
	for _, a := range r.talk(all, errand) {
		if !strings.Contains(a.body, delegating) {
			helper = append(helper, a)
		}
	}
	checkBriefed(r.t, helper)
	checkBriefed(r.t, r.talk(all, delegating))
}

func playWorktrees(r *trial) {
	second := filepath.Join(filepath.Dir(r.repo), "second")
	r.scratch.run("git", "worktree", "add", "-q", "-b", "second", second)
	other := r.in(second)
	other.add(late)
	here, there := r.talk(r.session(prompt), prompt), r.talk(other.session(prompt), prompt)
	checkBriefed(r.t, here)
	checkBriefed(r.t, there)
	value := late[strings.Index(late, ": "):]
	if strings.Contains(here[0].body, value) || strings.Count(there[0].body, value) != 1 {
		r.t.Errorf("the item of the second worktree is not in its session alone\n%s\n%s", here[0].body, there[0].body)
	}
}

func playUntrusted(r *trial) {
	clone := filepath.Join(filepath.Dir(r.repo), "clone")
	r.scratch.run("git", "clone", "-q", r.repo, clone)
	other := r.in(clone)
	for _, a := range r.talk(other.session(prompt), prompt) {
		if m := memoryIn(r.t, a); m.times != 1 || strings.Contains(a.body, fact) || !strings.Contains(m.text, "the person has not trusted it") {
			r.t.Errorf("an untrusted clone's session is handed %q", m.text)
		}
	}
	other.scratch.run("git", "config", "memctl.trust", "true")
	checkBriefed(r.t, r.talk(other.session(next), next))
}

func playSettingOff(r *trial) {
	r.scratch.run("git", "config", "memctl.enabled", "false")
	r.checkNoWords(r.talk(r.session(prompt), prompt))
	r.scratch.run("git", "config", "--unset", "memctl.enabled")
	checkBriefed(r.t, r.talk(r.session(next), next))
}

func playDisabled(r *trial) {
	r.scratch.run("memctl", "config", "enabled", "off", "--scope", "project")
	for _, a := range r.talk(r.session(prompt), prompt) {
		if strings.Contains(a.body, fact) {
			r.t.Errorf("a session is handed the fact of a disabled memory\n%s", a.body)
		}
	}
	r.scratch.run("memctl", "config", "enabled", "on", "--scope", "project")
	checkBriefed(r.t, r.talk(r.session(next), next))
}

// checkNoWords checks that nothing of the hook's is in the requests.
func (r *trial) checkNoWords(requests []request) {
	r.t.Helper()
	checkUnbriefed(r.t, requests)
	for _, a := range requests {
		for _, words := range []string{"memctl config enabled on --scope project", "Receipt: ", "memctl add"} {
			if strings.Contains(parts(r.t, a, conversation), words) {
				r.t.Errorf("a session that memory is off for is handed %q\n%s", words, a.body)
			}
		}
	}
}

func playEmpty(r *trial) {
	key, _, _ := strings.Cut(fact, ": ")
	r.scratch.run("memctl", "forget", "-q", key)
	for _, a := range r.talk(r.session(prompt), prompt) {
		m := memoryIn(r.t, a)
		if m.times != 1 || strings.Contains(a.body, fact) || !strings.Contains(m.text, "When the person states something lasting") {
			r.t.Errorf("a session of an empty memory is handed %q", m.text)
		}
		r.t.Logf("the briefing of an empty memory has %d bytes", len(m.text))
	}
}

func playStop(r *trial) {
	r.session(prompt)
	r.checkRecord("SessionStart", "Stop")
	if strings.Contains(r.out, "memctl:") || !strings.Contains(r.out, reply) {
		r.t.Errorf("the person reads %q", r.out)
	}
}
