package project

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/door"
	"github.com/memctl/memctl/internal/door/mcp"
	"github.com/memctl/memctl/internal/door/page"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/loopback"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/memory/setup"
	"github.com/memctl/memctl/tests/storetest"
)

// readerRounds is how many random stores the readers are compared on; MEMCTL_TORTURE takes twenty times as many.
const readerRounds = 6

// mark is in each text of the random stores, and in no other text.
var mark = regexp.MustCompile(`mark\d+x`)

// readers are random stores and their readers.
type readers struct {
	*testing.T
	r     *rand.Rand
	box   *storetest.Box
	now   time.Time
	env   map[string]string
	marks int
	scope map[string]string // of each key
}

// TestReadersShowWhatTheViewAllows makes random stores, and compares what each door hands out with what contents.View
// allows for its audience. `why` must name a reason for each item that is not in the profile.
func TestReadersShowWhatTheViewAllows(t *testing.T) {
	seen := map[contents.Reasons]int{}
	rounds := uint64(readerRounds)
	if os.Getenv("MEMCTL_TORTURE") != "" {
		rounds *= 20
	}
	for seed := range rounds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			b := newReaders(t, seed)
			b.fill([]string{"true", "reviewed", "false"}[seed%3])
			b.compare(seen)
		})
	}
	for why := contents.Off; why <= contents.Unconfirmed; why <<= 1 {
		if seen[why] == 0 && why != contents.Gone {
			t.Errorf("no store has anything that is %q", why)
		}
	}
	if seen[0] == 0 {
		t.Error("no store has anything that agents may have")
	}
}

func newReaders(t *testing.T, seed uint64) *readers {
	t.Setenv("XDG_DATA_HOME", filepath.Join(t.TempDir(), "data"))
	home := filepath.Join(t.TempDir(), "gitconfig")
	if err := os.WriteFile(home, []byte("[user]\n\tname = Ada\n\temail = ada@example.com\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", home)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	return &readers{T: t, r: rand.New(rand.NewPCG(seed, 32)), box: storetest.Git(t, memfile.Template), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), env: map[string]string{}, scope: map[string]string{}}
}

func (b *readers) open() *store.Stores {
	b.Helper()
	ss, err := store.Open(b.Context(), b.storeEnv())
	if err != nil {
		b.Fatal(err)
	}
	return ss
}

func (b *readers) storeEnv() store.Env {
	return store.Env{Dir: b.box.Root, Getenv: func(name string) string { return b.env[name] }, Now: func() time.Time { return b.now }}
}

func (b *readers) chance(percent int) bool { return b.r.IntN(100) < percent }

// text is a new text with a mark.
func (b *readers) text() string {
	b.marks++
	return fmt.Sprintf("mark%dx is built with tool %c%c%c", b.marks, 'a'+b.r.IntN(26), 'a'+b.r.IntN(26), 'a'+b.r.IntN(26))
}

func (b *readers) done(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// fill writes items and entries into all scopes, and then changes what readers may have of them.
func (b *readers) fill(trust string) {
	var forgotten []string
	for range 24 {
		o := memory.Options{Scope: []string{store.Project, store.User, store.Private}[b.r.IntN(3)], Origin: memory.Origin{Kind: memory.Explicit}}
		if b.chance(40) {
			o.Origin.Kind = memory.Automatic
		}
		expires := ""
		if b.chance(15) {
			expires = "2026-03-05"
		}
		text := b.text()
		if b.chance(50) {
			key := fmt.Sprintf("area%d.thing%d", b.r.IntN(3), b.r.IntN(6))
			req := edit.Request{Options: o, Key: key, Value: memfile.Str(text), Lasts: true}
			req.Expires, req.Pinned = expires, o.Origin.Kind == memory.Explicit && b.chance(20)
			if b.chance(15) {
				req.Confidence = memfile.Low
			}
			_, err := edit.Add(b.Context(), b.open(), req)
			b.done(err)
			b.scope[o.Scope+" "+key] = o.Scope
		} else {
			req := edit.Request{Options: o, Text: text, Role: []string{entry.RoleFact, entry.RoleNote}[b.r.IntN(2)], Lasts: true}
			req.Expires = expires
			if b.chance(30) {
				req.Tags = []string{entry.TagBootstrap}
			}
			_, err := edit.Add(b.Context(), b.open(), req)
			b.done(err)
		}
		if o.Scope == store.Project && b.chance(15) {
			forgotten = append(forgotten, text)
		}
	}
	for _, text := range forgotten { // an agent's same words in another scope are withheld
		own := memory.Options{Scope: store.Private, Origin: memory.Origin{Kind: memory.Automatic}}
		_, err := edit.Add(b.Context(), b.open(), edit.Request{Options: own, Key: fmt.Sprintf("again.thing%d", b.r.IntN(9)), Value: memfile.Str(text)})
		b.done(err)
		_, err = edit.Forget(b.Context(), b.open(), edit.ForgetRequest{Options: memory.Options{Scope: store.Project, Origin: memory.Origin{Kind: memory.Explicit}}, Targets: []string{text}})
		b.done(err)
	}
	// By hand: what the policy withholds, and what somebody else pushed.
	hand := "    - key: hand.phone\n      value: call Ada on +44 20 7946 0958, " + b.text() + "\n      added: 2026-01-01\n      source: explicit user preference\n      confidence: high\n"
	b.box.Write(memfile.FileName, regexp.MustCompile(`  items:( \[\])?\n`).ReplaceAllString(b.box.Read(memfile.FileName), "  items:\n"+hand))
	b.box.Git("config", "memctl.trust", trust)
	for _, scope := range []string{store.User, store.Private, store.Project} {
		if b.chance(20) {
			_, err := setup.SetSetting(b.Context(), b.open(), setup.SettingRequest{Options: memory.Options{Scope: scope, Origin: memory.Origin{Kind: memory.Explicit}}, Name: "enabled", On: false})
			b.done(err)
		}
	}
	if b.chance(15) {
		b.env["MEMCTL_ENABLED"] = "false"
	}
	b.now = b.now.AddDate(0, 0, 10)
}

// allowed are the marks that a View's reader may have, those apart that it may have only if it asks, and those of a
// person's who asks.
func (b *readers) allowed(unasked bool, seen map[contents.Reasons]int) (handed, asked, person map[string]bool) {
	b.Helper()
	v := contents.NewView(b.Context(), b.open(), contents.Agent.OrHook(unasked))
	handed, asked, person = map[string]bool{}, map[string]bool{}, map[string]bool{}
	note := func(text string, why contents.Reasons) {
		for _, m := range mark.FindAllString(text, -1) {
			handed[m] = handed[m] || why == 0
			asked[m] = asked[m] || why&^contents.Doubts == 0
			person[m] = person[m] || why&^(contents.Doubts|contents.Switches) == 0
		}
		for one := contents.Off; one <= contents.Unconfirmed; one <<= 1 {
			if why&one != 0 {
				seen[one]++
			}
		}
		if why == 0 {
			seen[0]++
		}
	}
	for _, scope := range []string{store.Private, store.Project, store.User} {
		m, err := v.Memory(scope)
		b.done(err)
		if m.Closed&contents.Untrusted != 0 {
			seen[contents.Untrusted]++
		}
		for i := range m.Items {
			note(m.Items[i].Value.Text, m.Items[i].Reasons())
			for _, rival := range m.Items[i].Conflict {
				why := m.Items[i].Reasons()
				if rival.By == memfile.ByAutomatic { // an agent's own conclusion, whoever stated the item
					why |= contents.Unconfirmed
				}
				note(rival.Value.Text, why)
			}
		}
		all, err := v.AllEntries(scope)
		b.done(err)
		for i := range all.List {
			note(all.List[i].Text, all.List[i].Reasons())
		}
	}
	return handed, asked, person
}

// compare asks every door, and compares the marks in its answer with the allowed ones.
func (b *readers) compare(seen map[contents.Reasons]int) {
	b.Helper()
	ctx := b.Context()
	answer := func(v any, err error) string {
		b.Helper()
		b.done(err)
		text, err := json.Marshal(v)
		b.done(err)
		return string(text)
	}
	check := func(door, text string, may map[string]bool) {
		b.Helper()
		for _, m := range mark.FindAllString(text, -1) {
			if !may[m] {
				b.Errorf("%s shows %s", door, m)
			}
		}
	}
	question := briefing.RecallRequest{Query: "what is built with which tool", K: 100}
	for _, unasked := range []bool{true, false} {
		handed, asked, person := b.allowed(unasked, seen)
		name := map[bool]string{true: " for a hook", false: " for one who asks"}[unasked]
		p, err := view.Profile(ctx, b.open(), contents.Agent, unasked)
		check("profile"+name, answer(p, err), handed)
		for _, mode := range []string{briefing.ModeIndex, briefing.ModeFull} {
			for _, event := range []string{briefing.EventSessionStart, briefing.EventPrompt} {
				s, err := briefing.Bootstrap(ctx, b.open(), briefing.BootstrapRequest{Agent: "claude", Mode: mode, Hook: unasked, Event: event, Prompt: question.Query})
				check("briefing "+mode+" "+event+name, answer(s, err), handed)
			}
		}
		hits, err := briefing.Recall(ctx, b.open(), briefing.RecallOptions{Reader: contents.Agent.OrHook(unasked), Guarded: unasked}, question)
		b.done(err)
		if unasked {
			for _, h := range hits.Hits {
				check("recall"+name, h.Text, handed)
			}
			check("the proxy", b.proxy(question.Query), handed)
		} else {
			check("recall"+name, answer(hits, nil), asked)
			for _, h := range hits.Hits {
				b.checkMark("recall", h.Record, handed)
			}
			f, err := view.Find(ctx, b.open(), view.Query{})
			check("find", answer(f, err), asked)
			for _, r := range f.Records {
				b.checkMark("find", r, handed)
			}
			hits, err = briefing.Recall(ctx, b.open(), briefing.RecallOptions{Reader: contents.Person}, question)
			check("recall for a person", answer(hits, err), person)
			check("MCP", b.mcp(), asked)
			b.checkWhy(p)
			b.checkPage()
		}
	}
}

// checkMark checks that a record has the mark "(unconfirmed)" if agents have it only because they ask.
func (b *readers) checkMark(door string, r view.Record, handed map[string]bool) {
	b.Helper()
	text := r.Text
	if r.Value != nil {
		text = r.Value.Text
	}
	if m := mark.FindString(text); m != "" && (r.Status == contents.UnconfirmedMark) == handed[m] {
		b.Errorf("%s: %s has the status %q; handed over unasked: %v", door, m, r.Status, handed[m])
	}
}

// proxy is what the proxy adds to a request with a message.
func (b *readers) proxy(message string) string {
	b.Helper()
	m, err := briefing.OpenMessages(b.Context(), b.open(), nil)
	b.done(err)
	found, err := m.Find(b.Context(), briefing.MessageRequest{Conversation: "project", Text: message})
	b.done(err)
	block := m.Profile()
	b.done(m.Close())
	return strings.Join(append(found.Memories, found.Summary, block), "\n")
}

// checkWhy checks that `why` names a reason for each item that is not in the profile.
func (b *readers) checkWhy(p view.ProfileResult) {
	b.Helper()
	v := contents.NewView(b.Context(), b.open(), contents.Agent)
	for name, scope := range b.scope {
		key := strings.TrimPrefix(name, scope+" ")
		m, err := v.Memory(scope)
		b.done(err)
		it := m.Find(key)
		if it == nil {
			continue
		}
		w, err := view.Why(b.Context(), b.open(), contents.Person, key, scope, func() (view.ProfileResult, error) { return view.Profile(b.Context(), b.open(), contents.Person, false) })
		b.done(err)
		if !w.InProfile && w.LeftOut == "" || it.Reasons() != 0 && w.LeftOut != it.Reasons().String() {
			b.Errorf("why %s in %s: in the profile %v, left out %q; the View says %q", key, scope, w.InProfile, w.LeftOut, it.Reasons())
		}
	}
}

// mcp is what a client's calls of the reading tools return.
func (b *readers) mcp() string {
	b.Helper()
	env := mcp.Env{
		Version: "test", Explain: explained,
		Open: func(ctx context.Context, _ string) (*store.Stores, error) { return store.Open(ctx, b.storeEnv()) },
	}
	ask, in := io.Pipe()
	said, out := io.Pipe()
	ctx, end := context.WithCancel(b.Context())
	served := make(chan error, 1)
	go func() { served <- env.Stdio(ctx, ask, out) }()
	lines := json.NewDecoder(said)
	var all bytes.Buffer
	call := func(id int, method, params string) {
		_, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params)
		b.done(err)
		var answer json.RawMessage
		b.done(lines.Decode(&answer))
		all.Write(answer)
	}
	call(1, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	_, err := fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	b.done(err)
	call(2, "tools/call", `{"name":"list","arguments":{}}`)
	call(3, "tools/call", `{"name":"recall","arguments":{"query":"what is built with which tool"}}`)
	call(4, "tools/call", `{"name":"profile","arguments":{}}`)
	end()
	_ = in.Close()
	<-served
	return all.String()
}

func explained(err error) *fault.Error {
	if known := fault.FindAnswer(err); known != nil {
		return known
	}
	return &fault.Error{Code: "bug", Status: 2, Cause: err.Error()}
}

// checkPage checks that the page that an agent opened shows nothing that is withheld.
func (b *readers) checkPage() {
	b.Helper()
	v := contents.NewView(b.Context(), b.open(), contents.Agent)
	p := page.New(door.PageEnv{
		Open: func(ctx context.Context) (*store.Stores, error) { return store.Open(ctx, b.storeEnv()) }, Explain: explained, ReadOnly: true,
		Agents: func(*store.Stores) []door.Agent { return nil },
	})
	l, err := loopback.Listen("127.0.0.1:0")
	b.done(err)
	ctx, end := context.WithCancel(b.Context())
	served := make(chan error, 1)
	go func() { _, err := p.Serve(ctx, l); served <- err }()
	res, err := http.Get(p.URL(l) + "memory")
	b.done(err)
	text, err := io.ReadAll(res.Body)
	b.done(err)
	_ = res.Body.Close()
	end()
	b.done(<-served)
	if res.StatusCode != http.StatusOK {
		b.Fatalf("the page answers %s", res.Status)
	}
	marks := mark.FindAllString(string(text), -1)
	for _, scope := range []string{store.Private, store.Project, store.User} {
		m, err := v.Memory(scope)
		b.done(err)
		for i := range m.Items {
			it := &m.Items[i]
			if it.Reasons()&contents.Withheld != 0 && slices.Contains(marks, mark.FindString(it.Value.Text)) {
				b.Errorf("the page of an agent shows %s, which is withheld", it.Key)
			}
		}
	}
	if len(marks) == 0 {
		b.Error("the page shows no memory")
	}
}
