package skills

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/skills/check"
	"github.com/memctl/memctl/store"
)

// The cache is one file in memctl's data folder: what check found in the folders of skills. It can
// be deleted at any time. A row counts only while the files are as they were when it was written, by size and times. The file is replaced as a whole, so of two
// writers the last one wins and the other's rows are read again. Its first line names the rules
// that the verdicts follow; each other line is a folder, a tab and a row in JSON.
const (
	cacheMagic = "memctl skills 3"
	maxCache   = 8 << 20
	maxRows    = 4000
	// maxKept is how many findings are kept of one skill.
	maxKept = 100
)

// row is what is kept of one skill, by its folder.
type row struct {
	Listing  string          `json:"listing,omitempty"` // of the folder that was checked; "" where it was not
	Refused  string          `json:"refused,omitempty"`
	Digest   string          `json:"digest,omitempty"`
	Findings []check.Finding `json:"findings,omitempty"`
	used     bool            // in this session
}

// verdicts is the cache as one session has it.
type verdicts struct {
	ss    *store.Stores
	now   time.Time
	lines map[string]string // of the file, by folder; a row is decoded when it is used
	rows  map[string]*row
	fresh bool // a row differs from the file
}

// openVerdicts reads the cache, once a session. A damaged line is as none.
func openVerdicts(ss *store.Stores) *verdicts {
	v, ok := ss.Remembered(store.CachedSkills).(*verdicts)
	if !ok {
		v = &verdicts{ss: ss, lines: map[string]string{}, rows: map[string]*row{}}
		data, err := ss.DataState().ReadUpTo(store.SkillsCacheFile, maxCache)
		if body, mine := strings.CutPrefix(string(data), cacheKey()); err == nil && mine {
			for line := range strings.Lines(body) {
				folder, text, _ := strings.Cut(line, "\t")
				v.lines[folder] = text
			}
		}
		ss.Remember(store.CachedSkills, v)
	}
	v.now = time.Now()
	return v
}

// cacheKey names the rules that the verdicts follow.
func cacheKey() string { return cacheMagic + " " + policy.Version() + " " + check.Revision + "\n" }

// find is the row of a folder; nil where there is none.
func (v *verdicts) find(folder string) *row {
	if r := v.rows[folder]; r != nil {
		return r
	}
	r := &row{}
	if text, ok := v.lines[folder]; !ok || json.Unmarshal([]byte(text), r) != nil {
		return nil
	}
	v.rows[folder] = r
	return r
}

// save writes the cache where it has something new. Rows that this session did not use go
// first where there are too many. A failure is of no account.
func (v *verdicts) save() {
	if !v.fresh {
		return
	}
	v.fresh = false
	for folder, r := range v.rows {
		if data, err := json.Marshal(r); err == nil && !strings.ContainsAny(folder, "\t\n") {
			v.lines[folder] = string(data) + "\n"
		}
	}
	unused := func(folder string) int {
		if r := v.rows[folder]; r != nil && r.used {
			return 0
		}
		return 1
	}
	folders := slices.SortedFunc(maps.Keys(v.lines), func(a, b string) int { return cmp.Or(unused(a)-unused(b), strings.Compare(a, b)) })
	var text strings.Builder
	text.WriteString(cacheKey())
	for _, folder := range folders[:min(len(folders), maxRows)] {
		if line := folder + "\t" + v.lines[folder]; text.Len()+len(line) <= maxCache {
			text.WriteString(line)
		}
	}
	v.ss.DataState().WriteCache(store.SkillsCacheFile, []byte(text.String()))
}

func (v *verdicts) row(folder string) *row {
	r := v.find(folder)
	if r == nil {
		r = &row{}
		v.rows[folder] = r
	}
	r.used = true
	return r
}

// listing is what a skill's folder has, without what is in its files.
type listing struct {
	digest  string
	bytes   int64 // of the files that check reads
	settled bool  // a later change cannot leave the same listing
}

// listed lists a skill's folder as FilesIn does. Errors: ErrTooLarge.
func listed(dir string, now time.Time) (l listing, err error) {
	l.settled = true
	var text []byte
	l.bytes, err = eachFile(os.DirFS(dir), func(name string, info fs.FileInfo) error { // faster than os.Root, and it opens no file
		stamp, settled := stampOf(info, now)
		l.settled = l.settled && settled
		text = append(append(append(text, name...), 0), stamp...)
		text = append(text, info.Mode().String()...)
		return nil
	})
	sum := sha256.Sum256(text)
	l.digest = hex.EncodeToString(sum[:16])
	return l, err
}

// stampOf tells one state of a file from another; settled is false where a change within the
// clock's tick could leave the same one. File systems that keep whole seconds tick slowly.
func stampOf(info fs.FileInfo, now time.Time) (stamp string, settled bool) {
	written, changed := info.ModTime(), safefile.ChangedAt(info)
	last := written
	if changed != 0 {
		last = time.Unix(0, changed)
	}
	tick := 50 * time.Millisecond
	if last.Nanosecond() == 0 {
		tick = 2 * time.Second
	}
	age := now.Sub(last)
	b := strconv.AppendInt(nil, info.Size(), 36)
	b = strconv.AppendInt(append(b, ' '), written.UnixNano(), 36)
	b = strconv.AppendInt(append(b, ' '), changed, 36)
	return string(b), age >= tick || age <= -tick
}
