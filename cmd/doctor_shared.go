package cmd

import (
	"strconv"
	"time"

	"github.com/memctl/memctl/store/pulled"
)

// oldCopy is the age from which doctor suggests a pull.
const oldCopy = 7 * 24 * time.Hour

// checkShared says how old the copy from the shared index is; nothing where there is none.
func (s *session) checkShared() []check {
	c := pulled.Read(s.ctx, s.stores)
	if c == nil {
		return nil
	}
	age := s.stores.Now().Sub(c.Pulled)
	said := count(len(c.Skills), "skill") + " and " + count(c.Files, "context file") + ", copied "
	if days := int(age.Hours() / 24); days > 0 {
		said += strconv.Itoa(days) + " days ago"
	} else {
		said += "today"
	}
	if age > oldCopy {
		return []check{{Name: "shared index", Status: checkNote, Said: said, Fix: "memctl index pull"}}
	}
	return []check{{Name: "shared index", Status: checkOK, Said: said}}
}
