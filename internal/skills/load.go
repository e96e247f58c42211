package skills

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/skills/format"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/policy"
)

// Reasons why a skill is left out.
const (
	WhyUntrusted  = "untrusted"   // the person has not trusted the repository
	WhyUnreviewed = "unreviewed"  // trust is reviewed, and the file Detail of it is not on the default branch
	WhyInvalid    = "invalid"     // its head is not that of a skill
	WhyShadowed   = "shadowed"    // a higher tier has a skill of this name
	WhyInactive   = "inactive"    // its head says that no agent is offered it
	WhyNoAccess   = "no access"   // it is private, or internal without a grant for this reader
	WhyNotAllowed = "not allowed" // an allow-list does not have it; Detail says which
	WhyLoaded     = "loaded by the agent itself"
	WhyRefused    = "refused"     // check finds an error in it; Detail is the rule
	WhyUnchecked  = "not checked" // reading it for a check would take too long here
)

// LeftOut is a skill that the reader does not get.
type LeftOut struct {
	Skill
	Why    string
	Detail string // a rule or a file, where Why has one
}

// Reader is who asks for skills.
type Reader struct {
	Agents []string // the agent's names, for grants; none for a person
	User   []string // what the person is called: name and mail address
	Loads  []string // the folders that the agent loads by itself: its skills there are left out
	Allow  []AllowList
	// Enough ends the search for skills as soon as those found do not fit in a prompt, and reads few bytes for checks.
	Enough bool
	// Checked leaves out the skills that check refuses. Without it, Skill.RefusedBy says so.
	Checked bool
	// NoBuiltIn leaves the built-in skills out.
	NoBuiltIn bool
}

// AllowList is a list of the only skills to offer.
type AllowList struct {
	Names []string // names and globs; none allows no skill
	By    string   // whose list it is, for reasons
}

// Library is the skills of a reader.
type Library struct {
	Skills []Skill
	Out    []LeftOut
	// Unchecked says that some are left out because checking them would take too long.
	Unchecked bool
}

// Find returns the skill of that name; why says the reason where the reader does not get it,
// "" where there is none of the name.
func (l Library) Find(name string) (s Skill, why string, ok bool) {
	for _, s := range l.Skills {
		if s.Name == name {
			return s, "", true
		}
	}
	for _, o := range l.Out {
		if filepath.Base(o.Folder) == name && o.Why != WhyShadowed {
			return o.Skill, o.Why, false
		}
	}
	return Skill{}, "", false
}

// Load finds the skills of this session that the reader may use, in the order of the tiers and
// of their names. Of skills with one name it takes the one of the highest tier that it can read.
func Load(ctx context.Context, ss *store.Stores, r Reader) Library {
	l := &loading{ctx: ctx, ss: ss, reader: r, taken: map[string]bool{}}
	if r.Enough && slices.ContainsFunc(r.Allow, func(a AllowList) bool { return len(a.Names) == 0 }) {
		return l.lib // nothing is read to offer nothing
	}
	level := ss.TrustLevel(ctx)
	if level == store.TrustReviewed {
		l.reviewed = contents.LoadReviewed(ctx, ss)
	}
	l.verdicts = openVerdicts(ss)
	defer l.verdicts.save()
	for _, f := range Folders(ctx, ss) {
		if f.Tier == TierBuiltIn && !l.full {
			l.shared()
		}
		if l.full || f.Tier == TierBuiltIn && r.NoBuiltIn {
			break
		}
		l.folder(f, f.Project() && level == store.TrustOff)
	}
	return l.lib
}

// loading is one Load under way.
type loading struct {
	ctx      context.Context
	ss       *store.Stores
	reader   Reader
	reviewed *contents.Reviewed // nil where every file of a trusted project counts
	lib      Library
	taken    map[string]bool
	full     bool // Enough: more than a prompt holds
	verdicts *verdicts
	read     int64 // bytes that were read for checks
}

// folder takes the skills of one folder.
func (l *loading) folder(f Folder, untrusted bool) {
	entries := f.entries()
	if untrusted || slices.Contains(l.reader.Loads, f.Name) {
		for _, e := range entries {
			why := WhyUntrusted
			if !untrusted {
				why, l.taken[e.Name()] = WhyLoaded, true
			}
			l.leave(f.Skill(e.Name()), why)
		}
		return
	}
	buf := make([]byte, headBytes)
	for _, e := range entries {
		if l.full {
			return
		}
		l.skill(f, e.Name(), readHead(f, e, buf))
	}
}

// head is a skill's head as it was read; nil where there is no SKILL.md.
type head struct {
	format.Head
	problems []format.Problem
}

// headBytes is how much of a SKILL.md is read for its head.
const headBytes = 4 << 10

// readHead reads the beginning of a SKILL.md, or more of it where the head is longer.
func readHead(f Folder, e os.DirEntry, buf []byte) *head {
	src, err := headOf(f, e, buf)
	if err != nil {
		return nil
	}
	h := &head{}
	h.Head, h.problems = format.ParseHead(e.Name(), src)
	return h
}

// headOf reads the bytes, into buf where they fit. A link is followed only where it stays below
// the folder's root, so that a repository cannot lead to another file of the person.
func headOf(f Folder, e os.DirEntry, buf []byte) ([]byte, error) {
	if f.Dir == "" {
		return builtinFile(e.Name(), format.FileName)
	}
	path := filepath.Join(f.Dir, e.Name(), format.FileName)
	if e.IsDir() {
		n, err := safefile.ReadHead(path, buf)
		if err == nil && (n < len(buf) || bytes.Contains(buf, []byte("\n---"))) {
			return buf[:n], nil
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	root, err := os.OpenRoot(f.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	rel, err := filepath.Rel(f.Root, path)
	if err != nil {
		return nil, err
	}
	if info, err := root.Stat(rel); err != nil || !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	file, err := root.Open(rel)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, format.MaxFile))
}

func (l *loading) leave(s Skill, why string, detail ...string) {
	l.lib.Out = append(l.lib.Out, LeftOut{s, why, strings.Join(detail, "")})
}

// skill takes one skill, or says why not.
func (l *loading) skill(f Folder, name string, h *head) {
	if h == nil {
		return // a folder without a SKILL.md is no skill
	}
	s := f.Skill(name)
	if len(h.problems) > 0 {
		l.leave(s, WhyInvalid)
		return
	}
	s.Head = h.Head
	grant, access := l.access(h.Head)
	switch {
	case l.taken[name]:
		l.leave(s, WhyShadowed)
		return
	case !access:
		l.leave(s, WhyNoAccess)
		return
	}
	if f.Project() && l.reviewed != nil {
		if file, ok := l.isReviewed(s); !ok {
			l.leave(s, WhyUnreviewed, file)
			return
		}
	}
	if grant.Version != "" {
		if s = l.pinned(s, grant.Version); s.Commit == "" {
			l.leave(s, WhyNoAccess)
			return
		}
	}
	l.offer(s)
}

// offer takes a skill that the reader may use, unless it is not for agents.
func (l *loading) offer(s Skill) {
	l.taken[s.Name] = true
	fits := func(glob string) bool {
		ok, _ := filepath.Match(glob, s.Name)
		return ok
	}
	denies := slices.IndexFunc(l.reader.Allow, func(a AllowList) bool { return !slices.ContainsFunc(a.Names, fits) })
	switch {
	case s.Inactive:
		l.leave(s, WhyInactive)
	case denies >= 0:
		l.leave(s, WhyNotAllowed, l.reader.Allow[denies].By)
	case l.reader.Checked && !l.passes(s):
	default:
		l.lib.Skills = append(l.lib.Skills, s)
		l.full = l.reader.Enough && !Fits(l.lib.Skills)
	}
}

// Read returns the text of the skill's SKILL.md, in the version of the reader, with {baseDir}
// replaced by its folder. Errors: those of reading; policy has no say here.
func (s Skill) Read(ctx context.Context, ss *store.Stores) (string, error) {
	src, err := s.Source(ctx, ss)
	if err != nil {
		return "", err
	}
	if s.Folder == "" {
		return string(src), nil
	}
	return strings.ReplaceAll(string(src), "{baseDir}", policy.Inert(filepath.ToSlash(s.Folder))), nil
}

// readWhole reads a file of a skill. Errors: fault.TooLarge over format.MaxFile bytes, which nobody has checked.
func readWhole(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, format.MaxFile+1))
	if err == nil && len(src) > format.MaxFile {
		err = fault.New(fault.TooLarge, path, fmt.Sprintf("has more than %d bytes", format.MaxFile))
	}
	return src, err
}

// Source returns the bytes of the skill's SKILL.md, in the version of the reader. Errors: those of reading, and of a
// file over format.MaxFile.
func (s Skill) Source(ctx context.Context, ss *store.Stores) ([]byte, error) {
	if s.Folder == "" {
		return builtinFile(s.Name, format.FileName)
	}
	path := filepath.Join(s.Folder, format.FileName)
	if s.OnDisk() {
		return readWhole(path)
	}
	repo, name, err := ss.InRepository(path)
	if err != nil {
		return nil, err
	}
	src, ok, err := object.FileAt(ctx, repo, s.Commit, name)
	if err == nil && !ok {
		err = fs.ErrNotExist
	}
	return src, err
}
