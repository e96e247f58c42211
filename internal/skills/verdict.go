package skills

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/skills/format"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/policy"
)

// Verdict says whether agents may have a skill.
type Verdict struct {
	Refused string // the rule of the first error, "" for a skill that agents may have
	Digest  string // names the content of a refused skill, for acceptances; "" of one that cannot be read whole
}

// Findings are what check finds in a skill's folder, and the verdict. What cannot be read whole is a finding, and nobody
// can accept it.
func Findings(folder string) ([]fault.Finding, Verdict) {
	files, err := FilesIn(folder)
	if err == nil {
		return judge(folder, files)
	}
	rule, message := format.RuleForm, "cannot be read: "+err.Error()
	if errors.Is(err, ErrTooLarge) {
		rule, message = format.RuleSize, err.Error()
	}
	return []fault.Finding{{Rule: rule, Severity: fault.SeverityError, File: format.FileName, Line: 1, Column: 1, Message: message}}, Verdict{Refused: rule}
}

// judge checks the files of a folder.
func judge(folder string, files []format.File) (list []fault.Finding, v Verdict) {
	list = format.Check(filepath.Base(folder), files)
	if i := slices.IndexFunc(list, func(f fault.Finding) bool { return f.Severity == fault.SeverityError }); i >= 0 {
		v.Refused = list[i].Rule
		v.Digest, _ = Digest(folder, files)
	}
	return list, v
}

// RefusedBy is the rule that keeps the skill from agents; "" where they may have it: check
// finds no error in its folder, or the person accepted it as it is. Of a version that a grant
// names, the SKILL.md of the version is checked too.
func (s Skill) RefusedBy(ctx context.Context, ss *store.Stores) string {
	if s.Folder == "" {
		return ""
	}
	known := openVerdicts(ss)
	defer known.save()
	v, _, _ := known.of(s.Folder, -1)
	return s.refusedFor(ctx, ss, v)
}

// refusedFor is RefusedBy for the verdict on the folder.
func (s Skill) refusedFor(ctx context.Context, ss *store.Stores, folder Verdict) string {
	accepted := func(v Verdict) bool {
		return v.Refused == "" || v.Digest != "" && slices.Contains(ss.Accepted(ctx), v.Digest)
	}
	if !accepted(folder) {
		return folder.Refused
	}
	if s.OnDisk() {
		return ""
	}
	src, err := s.Source(ctx, ss)
	if err != nil {
		return format.RuleForm
	}
	if _, v := judge(s.Folder, []format.File{{Path: format.FileName, Data: src}}); !accepted(v) {
		return v.Refused
	}
	return ""
}

// The cache of verdicts is one file in memctl's data folder, which can be deleted at any time: a thousand skills take half a
// second to check. Its first line names the rules that the verdicts follow. Each other line is a folder, what it listed, the
// rule and the digest, with tabs between them. A row counts only while the files have the same sizes and times.
const (
	cacheFile  = "skills.cache"
	cacheMagic = "memctl skills 4"
	maxCache   = 1 << 20
)

// verdicts is the cache as one session has it.
type verdicts struct {
	ss    *store.Stores
	now   time.Time
	rows  map[string]string // by folder: the rest of its line
	fresh []string          // the folders that this session checked
}

// openVerdicts reads the cache, once a session.
func openVerdicts(ss *store.Stores) *verdicts {
	v, ok := ss.Remembered(cacheFile).(*verdicts)
	if !ok {
		v = &verdicts{ss: ss, rows: map[string]string{}}
		data, err := ss.DataState().ReadUpTo(cacheFile, maxCache)
		if body, mine := strings.CutPrefix(string(data), cacheKey()); err == nil && mine {
			for line := range strings.Lines(body) {
				folder, row, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
				v.rows[folder] = row
			}
		}
		ss.CacheValue(cacheFile, v)
	}
	v.now = time.Now()
	return v
}

// cacheKey names the rules that the verdicts follow.
func cacheKey() string { return cacheMagic + " " + policy.Version() + " " + format.Revision + "\n" }

// of is the verdict on a folder. If none is cached, it reads the folder; ok is false if that has more than budget bytes.
// A negative budget is no limit. size is how much it read.
func (v *verdicts) of(folder string, budget int64) (verdict Verdict, size int64, ok bool) {
	listing, size, settled, err := listed(folder, v.now)
	if row := strings.Split(v.rows[folder], "\t"); err == nil && len(row) == 3 && row[0] == listing {
		return Verdict{row[1], row[2]}, 0, true
	}
	if err == nil && budget >= 0 && size > budget {
		return verdict, size, false
	}
	_, verdict = Findings(folder)
	if err == nil && settled && !strings.ContainsAny(folder, "\t\n") {
		v.rows[folder] = listing + "\t" + verdict.Refused + "\t" + verdict.Digest
		v.fresh = append(v.fresh, folder)
	}
	return verdict, size, true
}

// save writes the cache if it has something new: these rows first, and others while there is room.
func (v *verdicts) save() {
	if len(v.fresh) == 0 {
		return
	}
	var text strings.Builder
	text.WriteString(cacheKey())
	write := func(folder string) {
		if line := folder + "\t" + v.rows[folder] + "\n"; text.Len()+len(line) <= maxCache {
			text.WriteString(line)
		}
	}
	for _, folder := range v.fresh {
		write(folder)
	}
	for folder := range v.rows {
		if !slices.Contains(v.fresh, folder) {
			write(folder)
		}
	}
	v.fresh = nil
	v.ss.DataState().WriteCache(cacheFile, []byte(text.String()))
}

// listed names the state of the files in a skill's folder by their sizes and times, without reading them; size is the bytes
// that check reads. settled is false where a later change could leave the same state, because a file changed within the
// clock's tick: file systems that keep whole seconds tick slowly.
func listed(dir string, now time.Time) (digest string, size int64, settled bool, err error) {
	settled = true
	var text []byte
	size, err = eachFile(os.DirFS(dir), func(name string, info fs.FileInfo) error { // faster than os.Root, and it opens no file
		written, changed := info.ModTime().UnixNano(), safefile.ChangedAt(info)
		last := written
		if changed != 0 {
			last = changed
		}
		tick := 50 * time.Millisecond
		if last%int64(time.Second) == 0 {
			tick = 2 * time.Second
		}
		if age := now.Sub(time.Unix(0, last)); age < tick && age > -tick {
			settled = false
		}
		text = append(append(text, name...), 0)
		for _, n := range []int64{info.Size(), written, changed, int64(info.Mode())} {
			text = append(strconv.AppendInt(text, n, 36), ' ')
		}
		return nil
	})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16]), size, settled, err
}
