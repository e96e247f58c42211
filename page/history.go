package page

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/undo"
	"github.com/memctl/memctl/memory/view"
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
	Scopes       []string
	Days         []actDay
	Count        int
	More         template.URL // the query that shows more; "" where all is shown
	Searched     int          // how many acts were searched, where older ones exist
}

// Filtered reports whether the timeline shows less than all.
func (t timeline) Filtered() bool { return t.Query+t.Scope != "" }

// actDay is the acts of one day.
type actDay struct {
	Day  string // "" for what is not committed
	Acts []pastAct
}

// pastAct is one commit, or what is not committed yet.
type pastAct struct {
	DOM           string
	Commit, Short string // "" for what is not committed
	Time, Moment  string
	Author, Scope string
	Journal       bool // no branch has it
	CanUndo       bool
	Changes       []pastChange
	Hidden        int // changes beyond those that are shown
}

// Several reports whether the act changed more than one memory.
func (a pastAct) Several() bool { return len(a.Changes) > 1 }

// CanAct reports whether the act has a button of its own.
func (a pastAct) CanAct() bool {
	return a.CanUndo || len(a.Changes) == 1 && a.Changes[0].Restore != nil
}

func showHistory(r *request) (any, error) {
	q := r.URL.Query()
	t := timeline{Query: strings.TrimSpace(q.Get("q")), Scope: q.Get("scope"), All: q.Get("from") == "all", Scopes: r.ss.Scopes()}
	most, err := strconv.Atoi(q.Get("n"))
	if err != nil || most < actsShown {
		most = actsShown
	}
	acts, err := r.acts(&t, most+1)
	if err != nil {
		return nil, err
	}
	if len(acts) > most {
		more := withoutNotice(q)
		more.Set("n", strconv.Itoa(most+2*actsShown))
		acts, t.More = acts[:most], template.URL(more.Encode())
	}
	t.Count = len(acts)
	list, err := view.List(r.Context(), r.ss, r.reader(), view.Query{Scope: t.Scope, Tier: view.Item})
	if err != nil {
		return nil, err
	}
	now := map[string]string{} // the present values of items, by scope and key
	for _, it := range list.Records {
		now[it.Scope+" "+it.Key] = it.Value.Canonical()
	}
	seen := map[string]bool{}
	doms := map[string]int{}
	for _, list := range slices.Concat(r.uncommitted(t), acts) {
		a := pastActOf(list, now, seen)
		if doms[a.DOM]++; doms[a.DOM] > 1 {
			a.DOM += "-" + strconv.Itoa(doms[a.DOM])
		}
		day, _, _ := strings.Cut(a.Moment, "T")
		if n := len(t.Days); n == 0 || t.Days[n-1].Day != day {
			t.Days = append(t.Days, actDay{Day: day})
		}
		last := &t.Days[len(t.Days)-1]
		last.Acts = append(last.Acts, a)
	}
	return t, nil
}

// acts are the newest acts that fit the filter, each as its changes. A key or an id finds all of its
// history; another text is looked for in the newest acts.
func (r *request) acts(t *timeline, most int) ([][]view.Change, error) {
	req := view.LogRequest{Scope: t.Scope, Max: most, All: t.All}
	if memfile.KeyForm(t.Query) || memory.MatchesID(t.Query, t.Query) && len(t.Query) > 5 {
		req.Key = t.Query
		acts, err := r.log(req)
		if !fault.Is(err, memory.RuleNotFound) {
			return acts, err
		}
		req.Key = ""
	}
	if t.Query == "" {
		return r.log(req)
	}
	req.Max = actsSearched
	acts, err := r.log(req)
	if len(acts) == actsSearched {
		t.Searched = actsSearched
	}
	var fit [][]view.Change
	for _, list := range acts {
		if list = fitting(list, t.Query); len(list) > 0 && len(fit) < most {
			fit = append(fit, list)
		}
	}
	return fit, err
}

// log is the history by act. Nothing is an error where there is no history yet.
func (r *request) log(req view.LogRequest) (acts [][]view.Change, err error) {
	res, err := view.Log(r.Context(), r.ss, r.reader(), req)
	if err != nil {
		return nil, err
	}
	for i, c := range res.Changes {
		if n := len(acts) - 1; i > 0 && acts[n][0].Commit == c.Commit && acts[n][0].Scope == c.Scope {
			acts[n] = append(acts[n], c)
			continue
		}
		acts = append(acts, []view.Change{c})
	}
	return acts, nil
}

// uncommitted are the changes on disk that no commit has, by scope.
func (r *request) uncommitted(t timeline) (acts [][]view.Change) {
	for _, scope := range t.Scopes {
		if t.Scope != "" && scope != t.Scope {
			continue
		}
		res, err := view.Diff(r.Context(), r.ss, r.reader(), view.DiffRequest{Scope: scope})
		if err != nil {
			continue // the log says what is wrong with the history
		}
		if list := fitting(res.Changes, t.Query); len(list) > 0 {
			acts = append(acts, list)
		}
	}
	return acts
}

// fitting are the changes whose key or value contains the text.
func fitting(list []view.Change, text string) (fit []view.Change) {
	text = strings.ToLower(text)
	for _, c := range list {
		words := c.Key + "\n" + c.Source
		for _, v := range []*memfile.Value{c.Before, c.After} {
			if v != nil {
				words += "\n" + v.Plain()
			}
		}
		if strings.Contains(strings.ToLower(words), text) {
			fit = append(fit, c)
		}
	}
	return fit
}

// pastActOf makes an act of its changes. seen are the entries that newer changes are about.
func pastActOf(list []view.Change, now map[string]string, seen map[string]bool) pastAct {
	c := list[0]
	short := c.Commit[:min(len(c.Commit), 8)]
	a := pastAct{DOM: "a" + c.Scope + short, Commit: c.Commit, Short: short, Moment: c.Date, Scope: c.Scope, Journal: c.Journal}
	if at, err := time.Parse(time.RFC3339, c.Date); err == nil {
		a.Time = at.UTC().Format("15:04")
	}
	for _, c := range list {
		a.Author = cmp.Or(a.Author, clean([]string{c.Author})[0])
	}
	// Of the commit at which a shallow clone was cut off nobody knows the author, nor the changes.
	a.CanUndo = c.Commit != "" && !c.Journal && a.Author != ""
	for i, c := range list {
		if i == changesShown {
			a.Hidden = len(list) - i
			break
		}
		a.Changes = append(a.Changes, pastChangeOf(c, now, seen))
	}
	return a
}

// digest names a text in a form, to notice that it is another one.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}

// restoreChange brings an earlier value back.
func restoreChange(r *request) (outcome, error) {
	scope, key, rev := r.Form.Get("scope"), r.Form.Get("key"), r.Form.Get("rev")
	if rev != "" {
		st, err := r.ss.Get(r.Context(), scope)
		if err != nil {
			return outcome{}, err
		}
		it, _, err := view.Earlier(r.Context(), st, key, rev, false)
		if err != nil {
			return outcome{}, err
		}
		if it == nil || digest(it.Value.Canonical()) != r.Form.Get("base") {
			return outcome{notice: notice{Text: "Not done: that commit has another value of " + clean([]string{key})[0], Refused: true}}, nil
		}
	}
	notes := r.bringIn(scope)
	w, err := undo.Restore(r.Context(), r.ss, undo.RestoreRequest{Options: r.options(scope), Key: key, Rev: rev})
	return r.toldOne(w, err, notes...)
}

// revertAct undoes one act with all of its changes.
func revertAct(r *request) (outcome, error) {
	scope, commit := r.Form.Get("scope"), r.Form.Get("commit")
	if commit == "" {
		return outcome{}, errors.New("the form names no commit")
	}
	notes := r.bringIn(scope)
	writes, err := undo.Undo(r.Context(), r.ss, undo.UndoRequest{Options: r.options(scope), Commit: commit})
	return r.told(writes, err, notes...)
}
