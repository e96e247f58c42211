package view

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// LiveEntry is an entry that stands: not deleted and not expired. Withheld ones
// are among them, and for an agent the caller leaves those out.
type LiveEntry struct {
	contents.Entry
	Usage
}

// Entries lists the live entries of the scopes, or of the one asked for, in the
// order of scopes and paths. Errors: a scope that the session does not have.
func Entries(ctx context.Context, ss *store.Stores, scope string) ([]LiveEntry, error) {
	stores, err := memory.StoresOf(ctx, ss, scope)
	if err != nil {
		return nil, err
	}
	v := contents.NewView(ctx, ss, contents.Person)
	var list []LiveEntry
	for _, st := range stores {
		live, err := liveEntries(v, st, true)
		if err != nil {
			return nil, err
		}
		list = append(list, live...)
	}
	return list, nil
}

// liveEntries are the live entries of one store; tell says what cannot be read.
func liveEntries(v *contents.View, st *store.Store, tell bool) ([]LiveEntry, error) {
	all, err := v.AllEntries(st.Scope)
	if err != nil {
		return nil, err
	}
	if tell {
		for _, u := range all.Unread {
			st.Stores.Talk(memory.QuotedPath(u.Path) + ": " + u.Problem.Message + ", so it is not read")
		}
	}
	return WithUses(st, all.Live(st.Stores.Today()), st.Stores.Now())
}

// readLiveEntries reads the live entries of some files.
func readLiveEntries(ctx context.Context, v *contents.View, ss *store.Stores, scope string, files []string) ([]LiveEntry, error) {
	st, err := ss.Get(ctx, scope)
	if err != nil {
		return nil, err
	}
	list, err := v.ReadEntries(scope, files, nil)
	if err != nil {
		return nil, err
	}
	return WithUses(st, (&contents.Entries{List: list}).Live(ss.Today()), ss.Now())
}

// ReadEntries lists the live entries in some files of a scope, except turns, as their reader may have them.
func ReadEntries(ctx context.Context, ss *store.Stores, who contents.Reader, scope string, files []string) ([]Record, error) {
	live, err := readLiveEntries(ctx, contents.NewView(ctx, ss, who), ss, scope, files)
	list := make([]Record, 0, len(live))
	for _, e := range live {
		if e.Tier() != entry.Turn {
			list = append(list, listed(ctx, ss, e))
		}
	}
	list, _ = forReader(who, list)
	return list, err
}

// entriesByID are the live entries with that id, or with one that begins so. No other file is read.
func entriesByID(ctx context.Context, ss *store.Stores, scope, id string) (found []LiveEntry, err error) {
	stores, err := memory.StoresOf(ctx, ss, scope)
	if err != nil || memfile.KeyForm(id) {
		return nil, err
	}
	v := contents.NewView(ctx, ss, contents.Person)
	for _, st := range stores {
		files, err := contents.EntryFiles(ctx, st)
		if err != nil {
			return nil, err
		}
		files = slices.DeleteFunc(files, func(name string) bool {
			place, _ := entry.ParsePath(name)
			return place.Deleted || !memory.MatchesID(place.ID, id)
		})
		list, err := readLiveEntries(ctx, v, ss, st.Scope, files)
		if err != nil {
			return nil, err
		}
		found = append(found, list...)
	}
	return found, nil
}

// OneEntry is the entry of that id, or of its beginning, as the reader may have it, who asked for it; nil
// where there is not just one, or it is a key.
func OneEntry(ctx context.Context, ss *store.Stores, who contents.Reader, scope, id string) (*Record, error) {
	found, err := entriesByID(ctx, ss, scope, id)
	found = slices.DeleteFunc(found, func(e LiveEntry) bool {
		return e.Reasons()&contents.ForPerson != 0 || who != contents.Person && e.Reasons()&contents.OtherAgent != 0
	})
	if err != nil || len(found) != 1 {
		return nil, err
	}
	r := listed(ctx, ss, found[0]).Harmless()
	return &r, nil
}

// EntryByID is the live entry of that id, or of its beginning. Errors: *memory.Refusal for none and for several.
func EntryByID(ctx context.Context, ss *store.Stores, scope, id string) (*store.Store, *LiveEntry, error) {
	list, err := entriesByID(ctx, ss, scope, id)
	if err != nil {
		return nil, nil, err
	}
	switch len(list) {
	case 0:
		return nil, nil, memory.Refuse(memory.RuleNotFound, "no fact or note has this id", "memctl list --tier fact")
	case 1:
		st, err := ss.Get(ctx, list[0].Scope)
		return st, &list[0], err
	}
	r := memory.Refuse(memory.RuleAmbiguous, "several entries have an id that begins with this")
	for _, e := range list[:min(len(list), 5)] {
		r.Hints = append(r.Hints, "--scope "+e.Scope+" "+policy.Inert(e.ID))
	}
	return nil, nil, r
}

// WithUses joins entries with how often they were used, and with their standing.
func WithUses(st *store.Store, entries []contents.Entry, now time.Time) ([]LiveEntry, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	uses, err := localstate.Uses(st)
	if err != nil {
		return nil, err
	}
	list := make([]LiveEntry, len(entries))
	for i, e := range entries {
		use := uses[e.ID]
		list[i] = LiveEntry{e, Usage{use.Count, usageScore(e.Entry, use, now)}}
	}
	return list, nil
}

// usageScore is (1+ln(1+uses))·exp(−days·ln2/30): a month without use halves it.
// Each telling after the first counts as a use.
func usageScore(e entry.Entry, use localstate.Use, now time.Time) float64 {
	last := e.Time()
	if seen, ok := entry.ParseTime(e.Seen); ok && seen.After(last) {
		last = seen
	}
	if use.Last.After(last) {
		last = use.Last
	}
	days := 0.0
	if !last.IsZero() {
		days = max(now.Sub(last).Hours()/24, 0)
	}
	return (1 + math.Log(1+float64(use.Count+max(e.Signals-1, 0)))) * math.Exp(-days*math.Ln2/30)
}

// FilesResult is the files of memory.
type FilesResult struct {
	Files []MemoryFile `json:"files"`
}

// MemoryFile is one file of memory.
type MemoryFile struct {
	Scope string `json:"scope"`
	Tier  string `json:"tier"` // memory, fact, note, summary or turn; deleted where nothing reads it any more
	Path  string `json:"path"`
}

// ListFiles lists the memory files of the scopes and the files of their entries.
func ListFiles(ctx context.Context, ss *store.Stores, scope string) (FilesResult, error) {
	res := FilesResult{Files: []MemoryFile{}}
	stores, err := memory.StoresOf(ctx, ss, scope)
	if err != nil {
		return res, err
	}
	for _, st := range stores {
		if st.HasFile() {
			res.Files = append(res.Files, MemoryFile{st.Scope, "memory", policy.Inert(st.Path())})
		}
		files, err := contents.EntryFiles(ctx, st)
		if err != nil {
			return res, err
		}
		for _, name := range files {
			place, _ := entry.ParsePath(name)
			tier := place.Tier
			if place.Deleted {
				tier = "deleted"
			}
			res.Files = append(res.Files, MemoryFile{st.Scope, tier, policy.Inert(memory.Redacted(filepath.Join(st.Dir, filepath.FromSlash(st.OnDisk(name)))))})
		}
	}
	return res, nil
}
