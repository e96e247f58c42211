package page

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/review"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/memory/reading/view"
)

// waitingRow is one thing that waits for the person.
type waitingRow struct {
	view.Waiting
	DOM  string
	Base string // the versions of the records that it is about
	Edit *editState
}

func showReview(r *request) (any, error) {
	list, err := r.waiting()
	if err == nil && !r.page.env.ReadOnly {
		err = localstate.SeeNews(r.ss)
	}
	q := r.URL.Query()
	for i := range list {
		row := &list[i]
		row.Edit = r.editOf(row.DOM, q.Get("edit") == row.DOM, editState{Text: strings.TrimRight(row.Proposed(), "\n"), Base: row.Base})
	}
	return list, err
}

// waiting lists what waits.
func (r *request) waiting() (list []waitingRow, err error) {
	res, err := view.Review(r.Context(), r.ss, r.reader(), "")
	for _, w := range res.Waiting {
		row := waitingRow{Waiting: w, DOM: domOf(w.ID, w.Scope, w.Tier, w.Key, w.Why)}
		for _, c := range w.Expected {
			row.Base += c.Version + ","
		}
		list = append(list, row)
	}
	return list, err
}

// countWaiting counts pending decisions and new memories as a session's start does. It counts again if memory has changed.
func (r *request) countWaiting() int {
	p, stamp := r.page, r.ss.Today()+view.Stamp(r.Context(), r.ss)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waitingStamp != stamp {
		n, err := briefing.CountWaiting(r.Context(), r.ss, r.reader())
		if err != nil {
			return 0
		}
		p.waiting, p.waitingStamp = n, stamp
	}
	return p.waiting
}

// named are the rows that the form names, with the versions that the person saw.
func (r *request) named() ([]waitingRow, error) {
	list, err := r.waiting()
	seen := r.pickedVersions()
	list = slices.DeleteFunc(list, func(row waitingRow) bool {
		base, ok := seen[row.DOM]
		versions := strings.Split(base, ",")
		for i := range row.Expected[:min(len(versions), len(row.Expected))] {
			row.Expected[i].Version = versions[i]
		}
		return !ok
	})
	return list, err
}

// decide carries out what the person decided about one row.
func decide(r *request) (outcome, error) {
	rows, err := r.named()
	if err != nil {
		return outcome{}, err
	}
	text, edits := formText(r, "text"), r.Form.Get("do") == view.ActEdit
	if len(rows) == 0 {
		n := notice{Text: "Not done: that does not wait any more", Refused: true}
		if text != "" {
			n.Text, n.Notes = n.Text+". Your text was:", strings.Split(text, "\n")
		}
		return outcome{notice: n}, nil
	}
	row := rows[0]
	i := slices.IndexFunc(row.Choices, func(c view.Choice) bool { return c.Key == r.Form.Get("key") })
	if i < 0 {
		return outcome{notice: notice{Text: "Not done: that is no choice here", Refused: true}}, nil
	}
	d := review.Decision{Options: r.options(row.Scope), Waiting: row.Waiting, Action: row.Choices[i].Act, Choice: row.Choices[i].Value}
	switch {
	case edits:
		return r.decideEdit(row, d, text)
	case d.Action == view.ActKeepSession:
		list, err := r.waiting()
		if err != nil {
			return outcome{}, err
		}
		return r.decideTogether(slices.DeleteFunc(list, func(one waitingRow) bool { return one.Session != row.Session || one.ID == "" }), view.ActKeep)
	}
	w, err := review.Decide(r.Context(), r.ss, d)
	return r.noticeOf([]memory.Write{w}, err)
}

// decideEdit keeps what waits with the value that the person made of it. What is not stored goes
// back to them, with the reason beside it.
func (r *request) decideEdit(row waitingRow, d review.Decision, text string) (outcome, error) {
	state := &editState{Row: row.DOM, Text: text, Base: r.Form.Get("base")}
	if text == "" {
		return state.refuse("The text is empty. To remove it, use Forget.")
	}
	value, err := review.EditedValue(row.Waiting, text)
	if err != nil {
		return state.refuse(r.page.refusal(err))
	}
	// Where a choice is between two values, or the item is forgotten, to keep means another value.
	if d.Value = &value; memfile.Equal(value, row.Options[0].Value) && row.Stated == nil && row.Why != view.WaitsForgotten {
		d.Action, d.Value = view.ActKeep, nil
	}
	w, err := review.Decide(r.Context(), r.ss, d)
	return r.saved(state, w, err, editable(row.Value), row.Base)
}

// decideSeveral keeps or drops the rows that are ticked.
func decideSeveral(r *request) (outcome, error) {
	list, err := r.named()
	list = slices.DeleteFunc(list, func(row waitingRow) bool { return !row.Single() })
	if err == nil && len(list) == 0 {
		return outcome{notice: notice{Text: "Not done: that does not wait any more", Refused: true}}, nil
	}
	return r.decideTogether(list, r.Form.Get("do"))
}

// decideTogether keeps or drops rows.
func (r *request) decideTogether(rows []waitingRow, action string) (outcome, error) {
	var list []view.Waiting
	for _, row := range rows {
		list = append(list, row.Waiting)
	}
	all, err := review.Several(r.Context(), r.ss, review.Decision{Options: r.options(""), Action: action}, list)
	slices.Reverse(all) // undo takes the last one back first
	return r.noticeOf(all, err)
}
