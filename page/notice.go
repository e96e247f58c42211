package page

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/undo"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store/contents"
)

// notice is the line that says what an act did.
type notice struct {
	ID      string
	Text    string
	Refused bool
	Notes   []string
	Ways    []string // commands that help
	Undone  bool     // it says what an undo did: its button is Redo
	undo    []undo.UndoRequest
}

// CanUndo reports whether the notice has an Undo button.
func (n notice) CanUndo() bool { return len(n.undo) > 0 }

// mostNotices is how many notices the page remembers, so that an Undo button of an older tab
// works.
const mostNotices = 100

// notices are the last ones. They are kept here because the page sets no cookie.
type notices struct {
	mu   sync.Mutex
	last []notice
	next int
}

// add keeps a notice and returns its id.
func (l *notices) add(n notice) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next++
	n.ID = strconv.Itoa(l.next)
	if l.last = append(l.last, n); len(l.last) > mostNotices {
		l.last = slices.Delete(l.last, 0, 1)
	}
	return n.ID
}

// get returns the notice of an id; nil where there is none any more.
func (l *notices) get(id string) *notice {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range l.last {
		if n.ID == id {
			return &n
		}
	}
	return nil
}

// spend takes the Undo button off a notice.
func (l *notices) spend(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.last {
		if l.last[i].ID == id {
			l.last[i].undo = nil
		}
	}
}

// damage warns of damaged memory files in the views that show no warnings of a session.
func (r *request) damage() (warnings []string) {
	if r.view.name != "review" && r.view.name != "history" {
		return nil
	}
	for _, scope := range r.ss.Scopes() {
		if st, err := r.ss.Get(r.Context(), scope); err == nil {
			if m, err := contents.Read(r.Context(), st); err == nil {
				warnings = append(warnings, memory.DamagedNote(m)...)
			}
		}
	}
	return clean(warnings)
}

// told makes a notice of what acts did, after notes of what was done before them.
func (r *request) told(writes []memory.Write, err error, notes ...string) (outcome, error) {
	n := notice{Notes: notes}
	var texts []string
	for _, w := range writes {
		one := r.page.noticeOf(w)
		if one.Refused {
			texts = append([]string{one.Text}, texts...)
		} else {
			texts = append(texts, one.Text)
		}
		n.Refused = n.Refused || one.Refused
		n.Notes, n.Ways = append(n.Notes, one.Notes...), append(n.Ways, one.Ways...)
		for _, u := range one.undo { // several writes can share a commit
			if !slices.ContainsFunc(n.undo, func(v undo.UndoRequest) bool { return v.Scope == u.Scope && v.Commit == u.Commit }) {
				n.undo = append(n.undo, u)
			}
		}
	}
	texts, n.Notes, n.Ways = distinct(texts), distinct(n.Notes), distinct(n.Ways)
	if more := len(texts) - mostTold; more > 0 {
		texts = append(texts[:mostTold], "and "+strconv.Itoa(more)+" more")
	}
	n.Text = strings.Join(texts, "; ")
	return outcome{notice: n}, err
}

// mostTold is how many writes a notice names.
const mostTold = 5

// distinct is a list with each text once.
func distinct(list []string) (once []string) {
	for _, s := range list {
		if !slices.Contains(once, s) {
			once = append(once, s)
		}
	}
	return once
}

// toldOne is told for one write, after notes of what was done before it.
func (r *request) toldOne(w memory.Write, err error, notes ...string) (outcome, error) {
	if err != nil {
		return outcome{}, err
	}
	return r.told([]memory.Write{w}, nil, notes...)
}

// noticeOf says what one write did.
func (p *Page) noticeOf(w memory.Write) notice {
	n := notice{Notes: clean(fault.Texts(w.Notes)), Ways: clean(w.Hints)}
	switch w.Verdict {
	case policy.Refuse.String():
		n.Text, n.Refused, n.Ways = "Not done: "+reasons(w), true, nil
		return n
	case policy.Hold.String():
		n.Text = "Waits for review: " + reasons(w)
		return n
	}
	n.Text = clean([]string{w.Saved})[0]
	switch {
	case !w.Changed && n.Text == "":
		n.Text = "Nothing changed"
	case n.Text == "":
		n.Text = "Done: " + w.Act + " " + clean([]string{w.Key})[0]
	}
	for _, c := range w.Commits() {
		n.undo = append(n.undo, undo.UndoRequest{Options: memory.Options{Scope: c.Scope, Origin: memory.Origin{Kind: memory.Explicit}}, Commit: c.Hash})
	}
	if n.CanUndo() { // the button stands for the command
		n.Text = strings.NewReplacer(" (undo: memctl undo)", "", "; undo: memctl undo)", ")").Replace(n.Text)
	}
	return n
}

// reasons are the findings of a refusal, as a sentence.
func reasons(w memory.Write) string {
	var list []string
	for _, f := range w.Findings {
		list = append(list, f.Message)
	}
	if len(list) == 0 {
		list = append(list, w.Why)
	}
	return strings.Join(clean(list), "; ")
}

// clean makes texts safe to show: one line each, without secrets.
func clean(list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, policy.Inert(memory.Redacted(s)))
	}
	return out
}

// failed is the notice of an error.
func (p *Page) failed(err error) notice {
	e := p.env.Explain(err)
	return notice{Text: clean([]string{e.Error()})[0], Refused: true, Ways: clean(e.Hints)}
}

// refusal is the text of an error beside a form, with the commands that help.
func (p *Page) refusal(err error) string {
	n := p.failed(err)
	return strings.Join(append([]string{n.Text}, n.Ways...), "; run: ")
}

// undoNotice takes back what the act of a notice did.
func undoNotice(r *request) (outcome, error) {
	id := r.Form.Get("notice")
	n := r.page.notices.get(id)
	if n == nil || !n.CanUndo() {
		return outcome{notice: notice{Text: "That change cannot be undone from here any more", Refused: true}}, nil
	}
	var all []memory.Write
	for _, req := range n.undo {
		ss, err := r.page.env.Open(r.Context())
		if err != nil {
			return outcome{}, err
		}
		writes, err := undo.Undo(r.Context(), ss, req)
		if err != nil {
			return outcome{}, err
		}
		all = append(all, writes...)
	}
	r.page.notices.spend(id)
	out, err := r.told(all, nil)
	if out.notice.Undone = !n.Undone; n.Undone {
		out.notice.Text = strings.ReplaceAll(out.notice.Text, "Undone: ", "Redone: ")
	}
	return out, err
}
