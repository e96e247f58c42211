package entry

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Root is the folder of a store that holds its entries.
const Root = "memories"

// TagBootstrap marks an entry that every session starts with.
const TagBootstrap = "bootstrap"

const (
	// TurnsFolder is the folder of a conversation that holds its turns, in a folder for each role.
	TurnsFolder  = "turns"
	entriesDir   = Root + "/entries"
	notesDir     = Root + "/notes"
	deletedDir   = "deleted"
	fileSuffix   = ".md"
	maxSlugBytes = 64
)

// PathInfo has the parts of an entry that its file's path contains.
type PathInfo struct {
	Tier         string // "" where the path does not say
	Role         string // of a turn: user or assistant
	Conversation string // the folder's name
	Day          string // of a note
	Time         string // in the file's name, as it stands there
	ID           string // in the file's name
	Deleted      bool   // the path has a component deleted
}

// ParsePath reads a path from the store's root, with slashes. ok is false if no
// entry can have that path: it is not below memories/entries or memories/notes, its file
// is not Markdown, or the file is hidden, such as the ._ files of macOS.
func ParsePath(name string) (p PathInfo, ok bool) {
	name, isMarkdown := strings.CutSuffix(name, fileSuffix)
	parts := strings.Split(name, "/")
	if !isMarkdown || len(parts) < 3 || parts[0] != Root {
		return PathInfo{}, false
	}
	var rest []string
	for _, part := range parts[2 : len(parts)-1] {
		if part == deletedDir {
			p.Deleted = true
		} else {
			rest = append(rest, part)
		}
	}
	base := parts[len(parts)-1]
	if strings.HasPrefix(base, ".") {
		return PathInfo{}, false
	}
	if stamp, id, timed := strings.Cut(base, "__"); timed {
		p.Time, p.ID = stamp, id
	} else {
		p.ID = base
	}
	switch parts[1] {
	case "notes":
		p.Tier = Note
		if len(rest) > 0 {
			p.Day = rest[0]
		} else if isDay(base) {
			p.Day = base
		}
	case "entries":
		p.parseEntriesPath(rest)
	default:
		return PathInfo{}, false
	}
	return p, true
}

// PathFromStore is the path of an entry's file from its store, where name is its path from another folder,
// with slashes; "" for a file that is in no entry's place.
func PathFromStore(name string) string {
	name = "/" + name
	i := strings.LastIndex(name, "/"+Root+"/")
	if i < 0 {
		return ""
	}
	if _, ok := ParsePath(name[i+1:]); !ok {
		return ""
	}
	return name[i+1:]
}

// HasIDInName reports whether the file's name is meant to be the entry's id: a
// summary's and a day's are not.
func (p PathInfo) HasIDInName() bool {
	return p.ID != "" && p.Tier != Summary && (p.Tier != Note || p.Time != "")
}

// IsNamedAfter reports whether the file's name is the entry's id.
func (p PathInfo) IsNamedAfter(e Entry) bool {
	return p.HasIDInName() && (p.ID == e.ID || p.ID == e.idInFileName())
}

func (p *PathInfo) parseEntriesPath(rest []string) {
	if len(rest) == 0 {
		return
	}
	p.Conversation = rest[0]
	if len(rest) < 2 {
		return
	}
	switch rest[1] {
	case "facts":
		p.Tier = Fact
	case "summaries":
		p.Tier = Summary
	case TurnsFolder:
		p.Tier = Turn
		if len(rest) > 2 && (rest[2] == RoleUser || rest[2] == RoleAssistant) {
			p.Role = rest[2]
		}
	}
}

// Path is where memctl keeps the entry, from the store's root, with slashes:
// below deleted when the entry is gone.
func (e Entry) Path() string {
	conversation := Slug(e.Conversation)
	name := conversation
	switch e.Tier() {
	case Note:
		stamp := timeInFileName(e.Created)
		day := "undated"
		if t, ok := ParseTime(e.Created); ok {
			day = t.Format("2006-01-02")
		}
		name = notesDir + "/" + day + "/" + stamp + "__" + e.idInFileName() + fileSuffix
		if e.IsSuperseded() {
			return DeletedPath(name)
		}
		return name
	case Summary:
		name += "/summaries/" + e.summaryFileName()
	case Turn:
		name += "/" + TurnsFolder + "/" + e.Role + "/" + timeInFileName(e.Created) + "__" + e.idInFileName()
	default:
		name += "/facts/" + e.idInFileName()
	}
	name = entriesDir + "/" + name + fileSuffix
	if e.IsSuperseded() {
		return DeletedPath(name)
	}
	return name
}

// OriginalPath returns the path of the file that is the entry, if the file at name is a copy of it, such as "ID (conflicted copy).md"
// or one in a copied folder; "" otherwise. read returns the bytes of another file of the store, or nil.
func (e Entry) OriginalPath(name string, read func(home string) []byte) string {
	home := e.Path()
	if p, _ := ParsePath(name); p.Deleted || strings.EqualFold(home, name) { // one file where case does not matter
		return ""
	}
	if f, _ := Parse(home, read(home)); f == nil || f.Entry().ID != e.ID {
		return ""
	}
	return home
}

// SummaryKind is the summary_kind of a conversation's own summary. Older versions of memctl wrote none.
const SummaryKind = "summary"

// notesKindPrefix begins the kind of a summary of one month's notes.
const notesKindPrefix = "notes-"

// NotesKind is the summary_kind of a summary of the notes of t's month. A
// conversation has one for each month, beside its own.
func NotesKind(t time.Time) string { return notesKindPrefix + t.UTC().Format("2006-01") }

// NotesMonth is the month whose notes a summary holds, as 2026-10; "" of any other
// entry.
func (e Entry) NotesMonth() string {
	if month, ok := strings.CutPrefix(e.SummaryKind, notesKindPrefix); ok {
		if _, err := time.Parse("2006-01", month); err == nil {
			return month
		}
	}
	return ""
}

func (e Entry) summaryFileName() string {
	if e.NotesMonth() != "" {
		return e.SummaryKind
	}
	return "summary"
}

func timeInFileName(created string) string {
	t, ok := ParseTime(created)
	if !ok {
		return "undated"
	}
	return t.Format(fileTimeLayout)
}

// idInFileName is the id as a file's name carries it: ids of others may be any text.
func (e Entry) idInFileName() string { return Slug(e.ID) }

// ShortID is the beginning of an id that is a UUID, enough to name it by; another
// id whole.
func ShortID(id string) string {
	const long, short = 36, 8
	if len(id) == long && strings.Count(id, "-") == 4 {
		return id[:short]
	}
	return id
}

// DeletedPath is where the entry at a path goes when something takes its place:
// agent-cli's layout for entries, the like of it for notes. A path that is
// deleted already stays.
func DeletedPath(name string) string {
	if p, ok := ParsePath(name); !ok || p.Deleted {
		return name
	}
	for _, dir := range []string{entriesDir, notesDir} {
		if rest, ok := strings.CutPrefix(name, dir+"/"); ok {
			return dir + "/" + deletedDir + "/" + rest
		}
	}
	return name
}

// LivePath is the opposite of DeletedPath.
func LivePath(name string) string {
	parts := strings.Split(name, "/")
	kept := parts[:0]
	for _, part := range parts {
		if part != deletedDir {
			kept = append(kept, part)
		}
	}
	return path.Join(kept...)
}

// Slug is a conversation's folder: the name itself where it can be one on every
// file system, else a readable form of it and eight hex digits of its hash, so
// that no two names share a folder.
func Slug(name string) string {
	if isSlug(name) {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '.' || r == '_':
			b.WriteRune(r)
		case b.Len() > 0 && b.String()[b.Len()-1] != '-':
			b.WriteByte('-')
		}
		if b.Len() >= maxSlugBytes-11 {
			break
		}
	}
	readable := strings.Trim(b.String(), ".-_")
	if readable == "" || isDevice(readable) {
		readable = strings.TrimRight("x-"+readable, "-")
	}
	return readable + "-" + hex.EncodeToString(sum[:4])
}

func isSlug(name string) bool {
	if name == "" || len(name) > maxSlugBytes || name == deletedDir || !utf8.ValidString(name) || isDevice(name) {
		return false
	}
	if name[0] == '.' || name[len(name)-1] == '.' {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789._-") == ""
}

// isDevice knows the names that are devices on Windows, with any extension.
func isDevice(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	switch stem {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(stem) == 4 && (strings.HasPrefix(stem, "com") || strings.HasPrefix(stem, "lpt")) && stem[3] >= '0' && stem[3] <= '9'
}

// NormalizeText returns the form in which two facts are the same fact: NFC, runs of
// white space one space, trimmed.
func NormalizeText(text string) string {
	return strings.Join(strings.Fields(norm.NFC.String(text)), " ")
}

// ContentID is the id of a fact: a version 8 UUID of the SHA-256 of its text in
// normal form, so that the same fact is the same file on every branch.
func ContentID(text string) string { return hashUUID(NormalizeText(text)) }

// MaxFactIDs is how many ids a text can have: the first is ContentID. The others are used if a person
// has edited the file of that id to say something else.
const MaxFactIDs = 4

// FactID is the nth id of a fact, from 0.
func FactID(text string, n int) string { return factID(NormalizeText(text), n) }

func factID(normal string, n int) string {
	if n > 0 {
		normal += "\n" + strconv.Itoa(n+1)
	}
	return hashUUID(normal)
}

// IsFactID reports whether an id is one that the text can have.
func IsFactID(id, text string) bool {
	text = NormalizeText(text)
	for n := range MaxFactIDs {
		if id == factID(text, n) {
			return true
		}
	}
	return false
}

// isContentID reports whether an id has the form of ContentID's.
func isContentID(id string) bool {
	return len(id) == 36 && id[14] == '8' && strings.Count(id, "-") == 4
}

// TimedID is the id of what was said at one time: the same words at another
// time are another note.
func TimedID(created, text string) string { return hashUUID(created + "\n" + NormalizeText(text)) }

// SummaryID is the id of a conversation's summary of a kind: the same one in each store and on each machine.
func SummaryID(kind, conversation string) string { return TimedID(kind, conversation) }

func hashUUID(text string) string {
	sum := sha256.Sum256([]byte(text))
	b := sum[:16]
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80
	h := hex.EncodeToString(b)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// HashLines is the hash that an anchor keeps of the text it is about: of its
// lines without the white space at their ends, so that line endings and a
// formatter's blanks do not count.
func HashLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(line, " \t\r\n"))
		b.WriteByte('\n')
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:8])
}
