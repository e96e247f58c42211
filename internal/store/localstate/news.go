package localstate

import (
	"slices"
	"time"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/statedir"
)

// News is a memory that an agent stored in this repository, or that somebody wrote into the project's file by hand, until the
// person has looked at it.
type News struct {
	Time  time.Time `json:"time"`
	Agent string    `json:"agent"`
	Name  string    `json:"name"`           // an item's key, in whatever scope it is now, or an entry's path
	Seen  time.Time `json:"seen,omitzero"`  // when the person first looked at it
	Edit  bool      `json:"edit,omitempty"` // by hand: it stays in the list, since nothing else tells that it was told
	Near  string    `json:"near,omitempty"` // the key of the item that is closest to it, and may be what it changes
	// Before is the revision in which its key had another value, "" for none.
	Before string `json:"before,omitempty"`
}

const (
	newsFile = "news.json"
	// maxNews bounds the list; the oldest goes first.
	maxNews = 300
	// shownFor is how long a memory stays in the list after the first look, so that the person can still decide.
	shownFor = 24 * time.Hour
)

func news(ss *store.Stores) statedir.Log[News] {
	return statedir.Log[News]{In: ss.RepositoryState(), Name: newsFile, Keep: maxNews, Counts: func(n News) bool { return n.Edit || !n.isShownLongEnough(ss.Now()) }}
}

// ReadNews returns what agents stored since the person last looked, the oldest first, and what the person has looked at
// within a day. Errors: the local state cannot be read.
func ReadNews(ss *store.Stores) ([]News, error) {
	list, err := news(ss).Read("")
	return slices.DeleteFunc(list, func(n News) bool { return n.isShownLongEnough(ss.Now()) }), err
}

func (n News) isShownLongEnough(now time.Time) bool {
	return !n.Seen.IsZero() && now.Sub(n.Seen) > shownFor
}

// AddEdits adds the keys of items that were edited by hand, as who says, each once for all. Errors: those of AddNews.
func AddEdits(ss *store.Stores, who string, keys []string) error {
	known, err := news(ss).Read("")
	if err != nil {
		return err
	}
	keys = slices.DeleteFunc(keys[:min(len(keys), maxNews/2)], func(key string) bool {
		return slices.ContainsFunc(known, func(n News) bool { return n.Name == key })
	})
	if len(keys) == 0 {
		return nil
	}
	return news(ss).Change(func(list []News) []News {
		for _, key := range keys {
			list = append(list, News{Time: ss.Now().UTC().Truncate(time.Second), Agent: who, Name: key, Edit: true})
		}
		return list
	})
}

// AddNews adds a memory to the list, in the place of an earlier record of it. Errors: the local state cannot be read or
// written, or is held.
func AddNews(ss *store.Stores, n News) error {
	n.Time = ss.Now().UTC().Truncate(time.Second)
	n.Agent = n.Agent[:min(len(n.Agent), maxFaultField)]
	return news(ss).Change(func(list []News) []News {
		if i := slices.IndexFunc(list, func(old News) bool { return old.Name == n.Name }); i >= 0 {
			if list[i].Unseen() {
				n.Before = list[i].Before
			}
			list = slices.Delete(list, i, i+1)
		}
		return append(list, n)
	})
}

// SeeNews notes that the person looks at the list now. Errors: those of AddNews.
func SeeNews(ss *store.Stores) error {
	list, err := ReadNews(ss)
	if err != nil || !slices.ContainsFunc(list, News.Unseen) {
		return err
	}
	return news(ss).Change(func(list []News) []News {
		for i := range list {
			if list[i].Unseen() {
				list[i].Seen = ss.Now().UTC().Truncate(time.Second)
			}
		}
		return list
	})
}

// DropNews takes what the person does not want off the list. Errors: those of AddNews.
func DropNews(ss *store.Stores, name string) error {
	_, err := news(ss).Drop(func(n News) bool { return n.Name == name })
	return err
}

// Unseen reports whether the person has not looked at it yet.
func (n News) Unseen() bool { return n.Seen.IsZero() }
