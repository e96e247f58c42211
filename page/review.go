package page

import (
	"crypto/sha256"
	"encoding/hex"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/memory/review"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store/localstate"
)

// waitingRow is one thing that waits for the person.
type waitingRow struct {
	DOM, Base string
	First     bool
	Together  bool // it can be kept or forgotten together with others
	Key       string
	Scope     string
	Why       string // why it waits, in words
	Rules     []string
	Values    []field      // what the decision is about
	Said      []merge.Part // the sentence that a proposal comes from; New is the part that is saved
	SaidBy    string
	From      string
	Choices   []view.Choice
	Edit      *editState
	Cancel    template.URL

	waiting view.Waiting
}

func showReview(r *request) (any, error) {
	list, err := r.waiting()
	if err != nil {
		return nil, err
	}
	if !r.page.env.ReadOnly {
		if err := localstate.SeeNews(r.Context(), r.ss); err != nil {
			return nil, err
		}
	}
	state, _ := r.state.(*editState)
	q := r.URL.Query()
	for i := range list {
		w := &list[i]
		w.First = i == 0
		switch {
		case state != nil && state.Row == w.DOM:
			w.Edit = state
		case q.Get("edit") == w.DOM:
			w.Edit = &editState{Row: w.DOM, Text: strings.TrimRight(w.waiting.Proposed(), "\n"), Base: w.Base}
		}
		if w.Edit != nil {
			w.Cancel = withoutEdit(q)
		}
	}
	return list, nil
}

// waiting lists what waits.
func (r *request) waiting() ([]waitingRow, error) {
	res, err := view.Review(r.Context(), r.ss, r.reader(), "")
	if err != nil {
		return nil, err
	}
	var list []waitingRow
	for _, w := range res.Waiting {
		list = append(list, newWaitingRow(w))
	}
	return list, nil
}

// countWaiting counts what waits, once for each state of memory. A large memory is not read for it.
func (r *request) countWaiting() int {
	if r.isLarge() {
		return 0
	}
	p, stamp := r.page, r.ss.Today()+view.Stamp(r.Context(), r.ss)
	p.mu.Lock()
	n, known := p.waiting, p.waitingStamp == stamp
	p.mu.Unlock()
	if known {
		return n
	}
	res, err := view.Review(r.Context(), r.ss, r.reader(), "")
	if err != nil {
		return 0
	}
	n = len(res.Waiting)
	p.mu.Lock()
	p.waiting, p.waitingStamp = n, stamp
	p.mu.Unlock()
	return n
}

func newWaitingRow(w view.Waiting) waitingRow {
	row := waitingRow{Key: clean([]string{w.Key})[0], Scope: w.Scope, Why: whyWaits(w), Rules: clean(slices.DeleteFunc(slices.Clone(w.Rules), func(rule string) bool { return rule == w.Why })), Together: w.Single(), Choices: w.Choices, waiting: w}
	if w.Tier != "" {
		row.Key = w.Tier + " " + row.Key
	}
	if strings.TrimSpace(row.Key) == "" {
		row.Key = "(no key)"
	}
	for _, o := range w.Options {
		row.Values = append(row.Values, field{policy.Inert(o.Name), policy.Inert(o.Value.Plain())})
	}
	if w.Said != "" {
		row.quote(policy.Inert(w.Said))
		row.SaidBy = "You said on " + policy.Inert(w.Day)
	}
	row.From = strings.Join(clean(w.Facts()), ", ")
	id := sha256.Sum256([]byte(w.ID + "\x00" + w.Scope + "\x00" + w.Tier + "\x00" + w.Key + "\x00" + w.Why))
	row.DOM = "w" + hex.EncodeToString(id[:8])
	for _, c := range w.Expected {
		row.Base += c.Version + ","
	}
	return row
}

// quote shows the sentence of a proposal. A value that is a part of it is marked there, and not shown once more.
func (row *waitingRow) quote(sentence string) {
	row.Said = []merge.Part{{Text: sentence}}
	if len(row.Values) != 1 {
		return
	}
	before, after, found := strings.Cut(sentence, row.Values[0].Text)
	switch {
	case !found:
		return
	case len(before+after) > len("."):
		row.Said = []merge.Part{{Text: before}, {Text: row.Values[0].Text, New: true}, {Text: after}}
	}
	row.Values = nil
}

// whyWaits says why something waits.
func whyWaits(w view.Waiting) string {
	says := map[string]string{
		"proposed": "A proposal from what you said", memory.Held: "Held by a rule", "conflict": "Two values are in conflict", memfile.Low: "Low confidence",
		memfile.TagNeedsConfirmation: "Needs your confirmation", view.WaitsOutranked: "Your value in another scope wins",
		view.WaitsForgotten: "You forgot this, and another branch changed it", "unreviewed": "Not reviewed yet", "new": "An agent stored it, and sessions have it",
	}
	if w.Correction() {
		return "You said it to an agent, against your own value; sessions have both"
	}
	if text := says[w.Why]; text != "" {
		return text
	}
	return strings.ToUpper(w.Why[:min(1, len(w.Why))]) + policy.Inert(w.Why[min(1, len(w.Why)):])
}

// decide carries out what the person decided.
func decide(r *request) (outcome, error) {
	list, err := r.waiting()
	if err != nil {
		return outcome{}, err
	}
	var row *waitingRow
	for i := range list {
		if list[i].DOM == r.Form.Get("row") {
			row = &list[i]
		}
	}
	action, _, _ := strings.Cut(r.Form.Get("do"), " ")
	text := strings.TrimSpace(strings.ReplaceAll(r.Form.Get("text"), "\r\n", "\n"))
	switch {
	case row == nil:
		n := notice{Text: "Not done: that does not wait any more", Refused: true}
		if text != "" {
			n.Text, n.Notes = n.Text+". Your text was:", strings.Split(text, "\n")
		}
		return outcome{notice: n}, nil
	case action == view.ActEdit && text == "":
		state := &editState{Row: row.DOM, Base: row.Base, Refused: "The text is empty. To remove it, use Forget."}
		return outcome{status: http.StatusUnprocessableEntity, state: state}, nil
	}
	row.expect(r.Form.Get("base"))
	for _, c := range row.Choices {
		if c.Key != r.Form.Get("key") {
			continue
		}
		if c.Act == view.ActKeepSession {
			return r.decideTogether(slices.DeleteFunc(list, func(one waitingRow) bool {
				return one.waiting.Session != row.waiting.Session || one.waiting.ID == ""
			}), view.ActKeep)
		}
		d := review.Decision{Options: r.options(row.Scope), Waiting: row.waiting, Action: c.Act, Choice: c.Value}
		if action == view.ActEdit {
			return r.decideEdit(*row, d, text)
		}
		return r.toldOne(review.Decide(r.Context(), r.ss, d))
	}
	return outcome{notice: notice{Text: "Not done: that is no choice here", Refused: true}}, nil
}

// decideEdit keeps what waits with the value that the person made of it. What is not stored goes
// back to them, with the reason beside it.
func (r *request) decideEdit(row waitingRow, d review.Decision, text string) (outcome, error) {
	value, err := editedValue(row.waiting, text)
	d.Action, d.Value = view.ActEdit, &value
	// Where a choice is between two values, or the item is forgotten, to keep means another value.
	if memfile.Equal(value, row.waiting.Value) && row.waiting.Stated == nil && row.waiting.Why != view.WaitsForgotten {
		d.Action, d.Value = view.ActKeep, nil
	}
	var w memory.Write
	if err == nil {
		w, err = review.Decide(r.Context(), r.ss, d)
	}
	state := &editState{Row: row.DOM, Text: text, Base: row.Base}
	switch {
	case err != nil:
		state.Refused = r.page.refusal(err)
	case changed(w):
		state.Theirs = editable(row.waiting.Value)
		return outcome{status: http.StatusConflict, state: state}, nil
	case w.Verdict == policy.Refuse.String():
		state.Refused = reasons(w)
	default:
		return r.toldOne(w, nil)
	}
	return outcome{status: http.StatusUnprocessableEntity, state: state}, nil
}

// editedValue is the value that an editor's text stands for. A text that nobody changed is the
// value itself.
func editedValue(w view.Waiting, text string) (memfile.Value, error) {
	switch {
	case text == strings.TrimSpace(editable(w.Value)):
		return w.Value, nil
	case w.Value.Kind == memfile.String:
		return memfile.Str(text), nil
	}
	return edit.ParseYAML(w.Key, text)
}

// expect sets the versions of the records that the person saw.
func (row *waitingRow) expect(base string) {
	shown := strings.Split(base, ",")
	for i := range row.waiting.Expected[:min(len(shown), len(row.waiting.Expected))] {
		row.waiting.Expected[i].Version = shown[i]
	}
}

// decideSeveral keeps or forgets the rows that are ticked.
func decideSeveral(r *request) (outcome, error) {
	list, err := r.waiting()
	if err != nil {
		return outcome{}, err
	}
	shown := r.picked()
	list = slices.DeleteFunc(list, func(row waitingRow) bool {
		_, ticked := shown[row.DOM]
		return !ticked || !row.Together
	})
	if len(list) == 0 {
		return outcome{notice: notice{Text: "Not done: that does not wait any more", Refused: true}}, nil
	}
	for i := range list {
		list[i].expect(shown[list[i].DOM])
	}
	return r.decideTogether(list, r.Form.Get("do"))
}

// decideTogether keeps or drops rows.
func (r *request) decideTogether(rows []waitingRow, action string) (outcome, error) {
	var list []view.Waiting
	for _, row := range rows {
		list = append(list, row.waiting)
	}
	all, err := review.Several(r.Context(), r.ss, review.Decision{Options: r.options(""), Action: action}, list)
	slices.Reverse(all) // undo takes the last one back first
	return r.told(all, err)
}
