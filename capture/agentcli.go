package capture

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/entry"
)

// agentFolder reports whether files are those of agent-cli's memory: entries/CONVERSATION/facts and the like.
func agentFolder(files []File) bool {
	return slices.ContainsFunc(files, func(f File) bool {
		p, ok := agentPlace(f.Name)
		return ok && p.Tier != "" && strings.HasPrefix(f.Name, "entries/")
	})
}

// agentPlace is what a path says of an entry. memctl's own store has the same folders below memories.
func agentPlace(name string) (entry.Place, bool) { return entry.ParsePath(entry.Root + "/" + name) }

// agentCLI reads one file of agent-cli's memory: a fact, a summary or a turn. It is about the person
// and not about one project, so it goes to the user's store. What was deleted stays behind.
func (r *reading) agentCLI(f File) {
	place, ok := agentPlace(f.Name)
	switch {
	case !ok || place.Tier == "":
		r.notRead(f, "it is not an entry")
		return
	case place.Deleted:
		r.notRead(f, "it was deleted")
		return
	}
	file, problems := entry.Parse(entry.Root+"/"+f.Name, f.Data)
	if file == nil {
		why := "it cannot be read"
		if len(problems) > 0 {
			why = problems[0].Message
		}
		r.notRead(f, why)
		return
	}
	e := file.Entry()
	e.ReplacedBy, e.Deleted, e.By, e.Locked, e.Pinned, e.Anchors = "", "", "", false, false, nil
	if e.Tier() == entry.Summary {
		e.ID = "" // a conversation has one
	}
	p := Part{File: r.file, Line: 1, Last: 1 + strings.Count(strings.TrimRight(string(f.Data), "\n"), "\n"), Kind: e.Tier()}
	if r.addEntry(EntryLine{Line: 1, Entry: e, Scope: userScope}) {
		p.Entry = len(r.entries)
	}
	r.parts = append(r.parts, p)
}
