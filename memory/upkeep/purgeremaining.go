package upkeep

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/policy"
)

// still is what has the text yet: how each is named, and the commands that let go of it.
type still struct{ shown, commands []string }

func (s *still) add(shown, command string) {
	if s.shown = append(s.shown, shown); !slices.Contains(s.commands, command) {
		s.commands = append(s.commands, command)
	}
}

// remembered refuses if a record that the purge does not name still has the text: the
// person has to forget that record first.
func (p *purging) remembered(ctx context.Context) error {
	m, err := contents.Read(ctx, p.st)
	if err != nil {
		return err
	}
	forget := "memctl forget "
	if p.out.Own && p.st.Scope != store.Only {
		forget += "--scope " + p.st.Scope + " "
	}
	var s still
	for _, it := range plainItems(m) {
		if it.Key == p.Key || !p.trace.FoundIn([]byte(it.Value.YAML())) && !p.trace.FoundIn([]byte(it.Value.Text)) {
			continue
		}
		key := policy.Inert(memory.Redacted(it.Key))
		s.add(memory.Quoted(key), forget+key)
	}
	all, err := contents.ReadAllEntries(ctx, p.st)
	if err != nil {
		return err
	}
	for _, e := range all.List {
		if e.Deleted || memory.MatchesID(e.ID, p.Key) || !p.trace.FoundIn([]byte(e.Text)) {
			continue
		}
		if e.Tier() != entry.Fact && !memory.LosesLines(e.Entry) {
			continue // what was said in a session: it is cut out there
		}
		s.add(e.Tier()+" "+memory.Quoted(memory.ShortID(e.ID)), forget+memory.ShortID(e.ID))
	}
	if err := p.waiting(&s); err != nil || len(s.shown) == 0 {
		return err
	}
	them := "it"
	if len(s.shown) > 1 {
		them = "them"
	}
	return &fault.Error{Code: "still-remembered", Status: 1, Cause: strings.Join(s.shown, ", ") + ": still contains that text; forget " + them + " first", Hints: s.commands}
}

// waiting adds the writes in the queue that have the text and are not what the purge is
// named after: the queue is their only copy, and a person decides about each.
func (p *purging) waiting(s *still) error {
	queue, err := ledger.QueueOfAll(p.st)
	if err != nil {
		return err
	}
	for _, w := range queue {
		named := p.Key != "" && (w.Key == p.Key || w.Entry != nil && (memory.MatchesID(p.Key, w.Key) || memory.MatchesID(w.Key, p.Key)))
		if named || !w.Holds(p.trace) {
			continue
		}
		s.add("waiting "+memory.Quoted(policy.Inert(memory.Redacted(w.Key))), ledger.ReviewOf(p.st, w))
	}
	return nil
}

// minHeld is the length from which files are searched for a value: a shorter one is part of many texts.
const minHeld = 8

// Holders tells what still has values that left a store's memory.
type Holders struct {
	Store *store.Store
	Has   func(text string) bool // looks for them in a text; nil for the values that Add was given

	names  []string // what `memctl purge` calls them
	values []string
}

// Add adds a value, and the name by which `memctl purge` finds it. Notes names it if the person has to know that history has the
// value, and purge can find it: a secret, or a text of which nothing is to be left (Has).
func (h *Holders) Add(name string, v memfile.Value) {
	if policy.IsOnlyPurged(v) {
		return
	}
	if text := memfile.NormalText(v.Plain()); len(text) >= minHeld {
		h.values = append(h.values, text)
	}
	if h.Has == nil && len(policy.Scan([]byte(v.Plain()))) == 0 {
		return
	}
	if code, _ := whyUnsearchable(policy.NewTextFinder(v)); code != "" {
		return
	}
	command := "`memctl purge " + policy.Inert(name) + "`"
	if name == "-" {
		command += " (with the text on stdin)"
	}
	if !slices.Contains(h.names, command) {
		h.names = append(h.names, command)
	}
}

// Notes names each place that has the values, once, with the command for it.
func (h *Holders) Notes() (list []fault.Note) {
	if len(h.names) > 0 && h.Store.Repo != nil {
		commands := strings.Join(h.names[:min(len(h.names), 3)], ", ")
		if more := len(h.names) - 3; more > 0 {
			commands += fmt.Sprintf(", and so on for %d more", more)
		}
		list = append(list, fault.NewNote("git-history", "git still has the value in its history; if it should never have been stored, remove it with "+commands))
	}
	return slices.Concat(list, h.inFiles(), briefing.NotesOfForgotten(h.Store))
}

// inFiles names the files that people wrote and that have the values: skills, context files, and the text around the memory
// file's block. People decide about them.
func (h *Holders) inFiles() (list []fault.Note) {
	has := h.Has
	if has == nil {
		has = func(text string) bool {
			text = memfile.NormalText(text)
			return slices.ContainsFunc(h.values, func(v string) bool { return strings.Contains(text, v) })
		}
	}
	if len(h.values) > 0 && has(contents.OutsideBlock(h.Store)) {
		list = append(list, fault.NewNote("outside-block", h.Store.Name()+" has it outside the YAML block, which memctl does not read: delete it there (git has it)"))
	}
	root, err := contents.OpenRoot(h.Store)
	if root == nil || err != nil {
		return nil
	}
	defer root.Close()
	for _, folder := range append([]string{store.ContextDir}, store.SkillFolders...) {
		_ = fs.WalkDir(root.FS(), folder, func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil
			}
			data, _, err := safefile.Read(root, name, contents.MaxChanged)
			if err != nil || !has(string(data)) {
				return nil
			}
			note := "change or delete that file"
			if store.IsSkill(name) {
				skill, _, _ := strings.Cut(strings.TrimPrefix(name, folder+"/"), "/")
				note = "change the file, or `memctl skills remove " + policy.Inert(path.Base(skill)) + memory.ScopeFlag(h.Store.Scope) + "`"
			}
			list = append(list, fault.NewNote("file-has-it", memory.QuotedPath(name)+" has it: "+note))
			return nil
		})
	}
	return list
}
