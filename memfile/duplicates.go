package memfile

// Duplicates lists, by key, the indexes into doc.Items of keys that stand more than once.
func Duplicates(doc Document) map[string][]int {
	all := make(map[string][]int, len(doc.Items))
	for i, it := range doc.Items {
		all[it.Key] = append(all[it.Key], i)
	}
	for key, list := range all {
		if len(list) < 2 {
			delete(all, key)
		}
	}
	return all
}

// ForgottenBy returns the tombstone of the item's key whose day is the item's or later, if any.
func ForgottenBy(doc Document, it Item) *Tombstone {
	return forgottenBy(tombstonesByKey(doc)[it.Key], it)
}

func tombstonesByKey(doc Document) map[string][]*Tombstone {
	m := make(map[string][]*Tombstone, len(doc.Deletions))
	for i := range doc.Deletions {
		if t := &doc.Deletions[i]; t.Key != "" {
			m[t.Key] = append(m[t.Key], t)
		}
	}
	return m
}

// Forgets reports whether the tombstone is of the item's key, and its day the item's or later.
func (t Tombstone) Forgets(it Item) bool {
	return t.Key != "" && t.Key == it.Key && t.Removed >= it.Day()
}

func forgottenBy(list []*Tombstone, it Item) *Tombstone {
	for _, t := range list {
		if t.Forgets(it) {
			return t
		}
	}
	return nil
}
