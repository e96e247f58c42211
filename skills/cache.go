package skills

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash/crc32"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/skills/check"
	"github.com/memctl/memctl/skills/format"
	"github.com/memctl/memctl/store"
)

// The cache is one file in memctl's data folder: the heads of skills, and what check found in
// their folders. It can be deleted at any time. A row counts only while the files are as they
// were when it was written, by size and times. The file is replaced as a whole, so of two
// writers the last one wins and the other's rows are read again.
const (
	cacheMagic = "memctl skills 1\n"
	maxCache   = 8 << 20
	maxRows    = 4000
	// maxKept is how many bytes of findings are kept of one skill.
	maxKept = 16 << 10
	// columns is how many fields a row has.
	columns = 11
)

// row is what is kept of one skill, by its folder.
type row struct {
	stamp    string // of the SKILL.md that head was read from; "" without a head
	head     format.Head
	listing  string // of the folder that was checked; "" where it was not
	refused  string
	digest   string
	findings string // in JSON; "" for none
	used     bool   // in this session
}

// verdicts is the cache as one session has it.
type verdicts struct {
	ss    *store.Stores
	now   time.Time
	rows  map[string]*row
	fresh bool // a row differs from the file
}

// openVerdicts reads the cache, once a session. A damaged one is empty.
func openVerdicts(ss *store.Stores) *verdicts {
	v, ok := ss.Remembered(store.CachedSkills).(*verdicts)
	if !ok {
		v = &verdicts{ss: ss, rows: map[string]*row{}}
		data, err := ss.DataState().ReadUpTo(store.SkillsCacheFile, maxCache)
		if err == nil {
			v.decode(string(data))
		}
		ss.Remember(store.CachedSkills, v)
	}
	v.now = time.Now()
	return v
}

// cacheKey names the rules that the verdicts follow.
func cacheKey() string { return cacheMagic + policy.Version() + " " + check.Revision + "\x00" }

func (v *verdicts) decode(text string) {
	text, sum, ok := cutLast(text, "\x00")
	body, mine := strings.CutPrefix(text, cacheKey())
	if !ok || !mine || sum != checksum(text) {
		return
	}
	n := strings.Count(body, "\x00") / columns
	rows := make([]row, n)
	v.rows = make(map[string]*row, n)
	for i := range rows {
		var fields [columns]string
		for c := range fields {
			fields[c], body, _ = strings.Cut(body, "\x00")
		}
		r := &rows[i]
		*r = row{stamp: fields[1], listing: fields[2], refused: fields[3], digest: fields[4], findings: fields[5]}
		r.head = format.Head{Name: fields[6], Description: fields[7], Visibility: fields[8], Owner: fields[9]}
		if more := fields[10]; more != "" {
			var rest headRest
			if json.Unmarshal([]byte(more), &rest) != nil {
				continue
			}
			r.head.Inactive, r.head.Grants = rest.Inactive, rest.Grants
		}
		v.rows[fields[0]] = r
	}
}

// headRest is what few heads have.
type headRest struct {
	Inactive bool           `json:"inactive,omitempty"`
	Grants   []format.Grant `json:"grants,omitempty"`
}

func (r *row) fields(folder string) []string {
	more := ""
	if r.head.Inactive || len(r.head.Grants) > 0 {
		data, _ := json.Marshal(headRest{r.head.Inactive, r.head.Grants})
		more = string(data)
	}
	return []string{folder, r.stamp, r.listing, r.refused, r.digest, r.findings, r.head.Name, r.head.Description, r.head.Visibility, r.head.Owner, more}
}

// save writes the cache where it has something new. Rows that this session did not use go
// first where there are too many. A failure is of no account.
func (v *verdicts) save() {
	if !v.fresh {
		return
	}
	v.fresh = false
	folders := make([]string, 0, len(v.rows))
	for folder := range v.rows {
		folders = append(folders, folder)
	}
	slices.SortFunc(folders, func(a, b string) int {
		if ua, ub := v.rows[a].used, v.rows[b].used; ua != ub {
			if ua {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	var text strings.Builder
	text.WriteString(cacheKey())
	for _, folder := range folders[:min(len(folders), maxRows)] {
		fields := v.rows[folder].fields(folder)
		if slices.ContainsFunc(fields, func(f string) bool { return strings.Contains(f, "\x00") }) {
			continue
		}
		line := strings.Join(fields, "\x00") + "\x00"
		if text.Len()+len(line) > maxCache-100 {
			break
		}
		text.WriteString(line)
	}
	v.ss.DataState().WriteCache(store.SkillsCacheFile, []byte(text.String()+"\x00"+checksum(text.String())))
}

func checksum(text string) string {
	return strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(text))), 16)
}

// cutLast is strings.Cut at the last separator.
func cutLast(text, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(text, sep)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(sep):], true
}

func (v *verdicts) row(folder string) *row {
	r := v.rows[folder]
	if r == nil {
		r = &row{}
		v.rows[folder] = r
	}
	r.used = true
	return r
}

// head is the head that is kept of a skill whose SKILL.md has this stamp; nil where none is.
func (v *verdicts) head(folder, stamp string) *head {
	r := v.rows[folder]
	if r == nil || stamp == "" || r.stamp != stamp {
		return nil
	}
	return &head{Head: r.head}
}

// keepHead keeps a head that was read from a file with this stamp.
func (v *verdicts) keepHead(folder, stamp string, h format.Head) {
	r := v.row(folder)
	r.stamp, r.head = stamp, h
	v.fresh = true
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
