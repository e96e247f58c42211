package page

import (
	"errors"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/undo"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/policy"
)

const (
	// actsShown is how many acts the timeline shows at first.
	actsShown = 30
	// actsSearched is how many of the newest acts are searched for a text.
	actsSearched = 1000
	// changesShown is how many changes of one act are shown; an import can have thousands.
	changesShown = 20
)

// timeline is the data of the view.
type timeline struct {
	Query, Scope string
	All          bool // other branches and the journal too
	Selects      []selection
	Days         [][]pastAct // the acts of each day; first what is not committed
	Count        int
	More         template.URL // the address that shows more; "" where all is shown
	Searched     int          // how many acts were searched, where older ones exist
}

// pastAct is one commit, or what is not committed yet.
type pastAct struct {
	view.Act
	DOM  string
	Left int // changes beyond those that are shown
}

func showHistory(r *request) (any, error) {
	q := r.URL.Query()
	t := timeline{Query: strings.TrimSpace(q.Get("q")), Scope: q.Get("scope"), All: q.Get("from") == "all"}
	t.Selects = []selection{r.scopes(), r.choose("from", "Where to look", "", "This branch", "all", "All history")}
	most := shown(q, actsShown)
	acts, err := r.acts(&t, most+1)
	if err != nil {
		return nil, err
	}
	if len(acts) > most {
		acts, t.More = acts[:most], r.link("n", strconv.Itoa(most+2*actsShown))
	}
	t.Count = len(acts)
	t.Days = r.byDay(slices.Concat(r.uncommitted(t), acts))
	return t, nil
}

// byDay puts acts under their days, and names them in the page.
func (r *request) byDay(acts []view.Act) (days [][]pastAct) {
	doms := map[string]int{}
	for _, act := range acts {
		a := pastAct{Act: act, DOM: "a" + act.Scope + memory.ShortID(act.Commit), Left: max(len(act.Changes)-changesShown, 0)}
		a.Changes = a.Changes[:len(a.Changes)-a.Left]
		if doms[a.DOM]++; doms[a.DOM] > 1 {
			a.DOM += "-" + strconv.Itoa(doms[a.DOM])
		}
		if n := len(days) - 1; n >= 0 && days[n][0].Day() == a.Day() {
			days[n] = append(days[n], a)
		} else {
			days = append(days, []pastAct{a})
		}
	}
	return days
}

// acts are the newest acts that fit the filter. A key or an id finds all of its history; another text is looked for in the
// newest acts.
func (r *request) acts(t *timeline, most int) ([]view.Act, error) {
	req := view.LogRequest{Scope: t.Scope, Max: most, All: t.All}
	if memfile.KeyForm(t.Query) || memory.MatchesID(t.Query, t.Query) && len(t.Query) > 5 {
		req.Key = t.Query
		res, err := view.Log(r.Context(), r.ss, r.reader(), req)
		if !fault.Is(err, memory.RuleNotFound) {
			return res.Changes.Acts(), err
		}
		req.Key = ""
	}
	if t.Query != "" {
		req.Max = actsSearched
	}
	res, err := view.Log(r.Context(), r.ss, r.reader(), req)
	acts := res.Changes.Acts()
	if len(acts) == actsSearched {
		t.Searched = actsSearched
	}
	acts = slices.DeleteFunc(acts, func(a view.Act) bool { return len(fitting(a.Changes, t.Query)) == 0 })
	return acts[:min(len(acts), most)], err
}

// uncommitted are the changes on disk that no commit has, by scope.
func (r *request) uncommitted(t timeline) (acts []view.Act) {
	for _, scope := range r.ss.Scopes() {
		if t.Scope != "" && scope != t.Scope {
			continue
		}
		res, err := view.Diff(r.Context(), r.ss, r.reader(), view.DiffRequest{Scope: scope})
		if err == nil { // else the log says what is wrong with the history
			acts = append(acts, fitting(res.Changes, t.Query).Acts()...)
		}
	}
	return acts
}

// fitting are the changes whose key or value contains the text.
func fitting(list view.Changes, text string) view.Changes {
	return slices.DeleteFunc(slices.Clone(list), func(c view.Change) bool {
		words := c.Key + "\n" + c.Source
		for _, v := range []*memfile.Value{c.Before, c.After} {
			if v != nil {
				words += "\n" + v.Plain()
			}
		}
		return !strings.Contains(strings.ToLower(words), strings.ToLower(text))
	})
}

// partsOf is what a change did to the value, word by word.
func partsOf(c view.Change) []diffmatchpatch.Diff {
	text := func(v *memfile.Value) string {
		if v == nil {
			return ""
		}
		return strings.Join(linesOf(v.Plain()), "\n")
	}
	if c.Hidden() {
		return nil
	}
	return view.WordChanges(text(c.Before), text(c.After))
}

// idOf is the key or the id that the change is about.
func idOf(c view.Change) string {
	_, id, found := strings.Cut(c.Key, " ")
	if c.Kind == view.ChangeEntry && found {
		return id
	}
	return c.Key
}

// restorable reports whether a person can bring back what the change replaced. Of the journal it is what the change wrote.
func restorable(c view.Change) bool {
	was := c.Before
	if c.Journal {
		was = c.After
	}
	switch {
	case was == nil || c.Hidden() || memory.NotPurged(*was) != nil:
		return false
	case c.Kind == view.ChangeEntry:
		return c.Change == "removed" && !c.Journal
	}
	return c.Kind == memfile.DeltaItem && (c.Journal || c.After == nil || !memfile.Equal(*c.Before, *c.After))
}

// earlierRev is the revision with what the change replaced, "" for the newest earlier value.
func earlierRev(c view.Change) string {
	switch {
	case c.Commit == "" || c.Kind == view.ChangeEntry:
		return ""
	case c.Journal:
		return c.Commit
	}
	return c.Commit + "^"
}

// restoreChange brings an earlier value back.
func restoreChange(r *request) (outcome, error) {
	scope := r.Form.Get("scope")
	notes := r.bringIn(scope)
	w, err := undo.Restore(r.Context(), r.ss, undo.RestoreRequest{Options: r.options(scope), Key: r.Form.Get("key"), Rev: r.Form.Get("rev")})
	return r.noticeOf([]memory.Write{w}, err, notes...)
}

// revertAct undoes one act with all of its changes.
func revertAct(r *request) (outcome, error) {
	scope, commit := r.Form.Get("scope"), r.Form.Get("commit")
	if commit == "" {
		return outcome{}, errors.New("the form names no commit")
	}
	notes := r.bringIn(scope)
	writes, err := undo.Undo(r.Context(), r.ss, undo.UndoRequest{Options: r.options(scope), Commit: commit})
	return r.noticeOf(writes, err, notes...)
}

// linesOf are the lines of a text, safe to show.
func linesOf(text string) (lines []string) {
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		lines = append(lines, policy.Inert(strings.TrimRight(line, "\r\n")))
	}
	return lines
}
