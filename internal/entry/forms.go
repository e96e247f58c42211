package entry

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/memfile"
)

// Formed is the entry as readers see it: a field of a fixed form never hands out another
// text. A time that is none is empty, a confidence counts as low, the word of somebody
// unknown as automatic, a role as a fact's, and an id is one word. The file keeps what it
// says, and Parse reports it.
func (e Entry) Formed() Entry {
	for _, t := range []*string{&e.Created, &e.Deleted} {
		if _, ok := ParseTime(*t); !ok {
			*t = ""
		}
	}
	e.Confidence, e.By = memfile.FormedConfidence(e.Confidence), memfile.FormedBy(e.By)
	e.Seen, e.Expires = memfile.FormedDay(e.Seen), memfile.FormedDay(e.Expires)
	if !roleForm(e.Role) {
		e.Role = RoleFact
	}
	e.ID, e.ReplacedBy = FormedID(e.ID), FormedID(e.ReplacedBy)
	for i, a := range e.Anchors {
		if strings.Trim(a.Commit+a.Hash, "0123456789abcdefABCDEF") != "" {
			e.Anchors = slices.Clone(e.Anchors)
			e.Anchors[i].Commit, e.Anchors[i].Hash = "", ""
		}
	}
	return e
}

func roleForm(s string) bool {
	return s == "" || slices.Contains([]string{RoleFact, RoleUser, RoleAssistant, RoleSummary, RoleNote}, s)
}

func timeForm(s string) bool {
	_, ok := ParseTime(s)
	return s == "" || ok
}

// FormedID is the id itself where it is one word, else the name of the file that it
// would have.
func FormedID(id string) string {
	const most = 100
	if len(id) <= most && strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-") == "" {
		return id
	}
	return Slug(id)
}
