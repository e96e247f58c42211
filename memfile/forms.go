package memfile

import "time"

// Formed is the item as readers see it: a field of a fixed form never hands out another
// text. An invalid day is empty, and the rest is as Tidied has it. The file keeps what
// it says, and Parse reports it.
func (it Item) Formed() Item {
	for _, day := range []*string{&it.Added, &it.Updated, &it.Seen, &it.Expires} {
		*day = FormedDay(*day)
	}
	it = it.Tidied()
	formDays(it.Conflict)
	return it
}

// Tidied is the item with confidences and writers (By) that memctl knows: an unknown
// confidence counts as low, and an unknown writer as automatic.
func (it Item) Tidied() Item {
	it.Confidence, it.By = FormedConfidence(it.Confidence), FormedBy(it.By)
	it.Conflict = tidiedRivals(it.Conflict)
	return it
}

// Formed is Item.Formed of a tombstone.
func (t Tombstone) Formed() Tombstone {
	t = t.Tidied()
	t.Removed = FormedDay(t.Removed)
	formDays(t.Conflict)
	return t
}

// Tidied is Item.Tidied of a tombstone.
func (t Tombstone) Tidied() Tombstone {
	t.Conflict = tidiedRivals(t.Conflict)
	return t
}

// tidiedRivals is a copy of the list.
func tidiedRivals(list []Rival) []Rival {
	list = cloneRivals(list)
	for i := range list {
		list[i].Confidence, list[i].By = FormedConfidence(list[i].Confidence), FormedBy(list[i].By)
	}
	return list
}

func formDays(list []Rival) {
	for i := range list {
		list[i].Added, list[i].Seen = FormedDay(list[i].Added), FormedDay(list[i].Seen)
	}
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

// FormedConfidence is the confidence itself, low for an unknown one.
func FormedConfidence(s string) string {
	switch s {
	case "", Low, Medium, High:
		return s
	}
	return Low
}

// FormedBy is the writer itself, automatic for an unknown one.
func FormedBy(s string) string {
	switch s {
	case "", ByRelayed, ByAutomatic:
		return s
	}
	return ByAutomatic
}
