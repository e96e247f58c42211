package page

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/undo"
	"github.com/memctl/memctl/policy"
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

// noticeOf makes a notice of what acts did, the refusals first, after notes of what was done before them.
func (r *request) noticeOf(writes []memory.Write, err error, notes ...string) (outcome, error) {
	n := notice{Notes: notes}
	var refused, done []string
	for _, w := range writes {
		n.Notes = append(n.Notes, clean(fault.Texts(w.Notes))...)
		if w.Verdict == policy.Refuse.String() {
			refused = append(refused, "Not done: "+reasons(w))
			continue
		}
		n.Ways = append(n.Ways, clean(w.Hints)...)
		text := cleaned(w.Saved)
		switch {
		case w.Verdict == policy.Hold.String():
			text = "Waits for review: " + reasons(w)
		case !w.Changed && text == "":
			text = "Nothing changed"
		case text == "":
			text = "Done: " + w.Act + " " + cleaned(w.Key)
		}
		for _, c := range w.Commits() {
			if !slices.ContainsFunc(n.undo, func(u undo.UndoRequest) bool { return u.Scope == c.Scope && u.Commit == c.Hash }) { // several writes can share one
				n.undo = append(n.undo, undo.UndoRequest{Options: memory.Options{Scope: c.Scope, Origin: memory.Origin{Kind: memory.Explicit}}, Commit: c.Hash})
			}
			text = strings.NewReplacer(" (undo: memctl undo)", "", "; undo: memctl undo)", ")").Replace(text) // the button stands for the command
		}
		done = append(done, text)
	}
	n.Refused = len(refused) > 0
	texts := distinct(append(refused, done...))
	if more := len(texts) - mostTold; more > 0 {
		texts = append(texts[:mostTold], "and "+strconv.Itoa(more)+" more")
	}
	n.Text, n.Notes, n.Ways = strings.Join(texts, "; "), distinct(n.Notes), distinct(n.Ways)
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
		out = append(out, cleaned(s))
	}
	return out
}

func cleaned(s string) string { return policy.Inert(memory.Redacted(s)) }

// failed is the notice of an error.
func (p *Page) failed(err error) notice {
	e := p.env.Explain(err)
	return notice{Text: cleaned(e.Error()), Refused: true, Ways: clean(e.Hints)}
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
	out, err := r.noticeOf(all, nil)
	if out.notice.Undone = !n.Undone; n.Undone {
		out.notice.Text = strings.ReplaceAll(out.notice.Text, "Undone: ", "Redone: ")
	}
	return out, err
}
