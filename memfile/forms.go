package memfile

import "time"

// Formed is the item as readers see it: a field of a fixed form never hands out another
// text. A day that is none is empty, a confidence counts as low, and the word of somebody
// unknown as automatic. The file keeps what it says, and Parse reports it.
func (it Item) Formed() Item {
	for _, day := range []*string{&it.Added, &it.Updated, &it.Seen, &it.Expires} {
		*day = FormedDay(*day)
	}
	it.Confidence, it.By = formedConfidence(it.Confidence), formedBy(it.By)
	it.Conflict = formedRivals(it.Conflict)
	return it
}

// Formed is Item.Formed of a tombstone.
func (t Tombstone) Formed() Tombstone {
	t.Removed, t.Conflict = FormedDay(t.Removed), formedRivals(t.Conflict)
	return t
}

func formedRivals(list []Rival) []Rival {
	if list == nil {
		return nil
	}
	out := make([]Rival, len(list))
	for i, r := range list {
		r.Added, r.Seen = FormedDay(r.Added), FormedDay(r.Seen)
		r.Confidence, r.By = formedConfidence(r.Confidence), formedBy(r.By)
		out[i] = r
	}
	return out
}

// FormedDay is a day as 2006-01-02: the text itself, or the day that it says in a form
// that is close to it; "" where it says none.
func FormedDay(s string) string {
	if s == "" || isDay(s) {
		return s
	}
	for _, form := range [...]string{"2006-1-2", time.RFC3339, time.DateTime} {
		if t, err := time.Parse(form, s); err == nil {
			return t.Format(time.DateOnly)
		}
	}
	return ""
}

func isDay(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

func formedConfidence(s string) string {
	switch s {
	case "", Low, Medium, High:
		return s
	}
	return Low
}

func formedBy(s string) string {
	switch s {
	case "", ByRelayed, ByAutomatic:
		return s
	}
	return ByAutomatic
}
