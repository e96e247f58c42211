package states

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// snapshot is all that an act has to leave alone, and what it may add to.
type snapshot struct {
	head   string   // the commit, "" where there is none
	branch string   // HEAD's own text
	reflog []string // of HEAD, newest first: "ID MESSAGE"
	refs   string   // all but the branch that HEAD leads to and our own
	status string   // as the person sees it, less the memory file
	index  string   // every entry with id, stage, marks and flags, less the memory file
	forms  string   // version and extensions of the index
	files  string   // the worktree, less the memory file
	state  string   // the git folder's small files
	entry  string   // the memory file in the index
	memory string   // the memory file on disk: mode and bytes
	dirty  string   // the memory file's line in the status
}

// look takes the snapshot. Nothing that it runs writes.
func (w *world) look() snapshot {
	w.t.Helper()
	w2 := *w
	w2.uid = 0 // as whoever runs the tests: permissions are no matter here
	w2.env = append(slices.Clone(w.env), "GIT_OPTIONAL_LOCKS=0", "GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
		"GIT_CONFIG_KEY_1=core.quotePath", "GIT_CONFIG_VALUE_1=false")
	var s snapshot
	gitDir := w2.gitDir()
	s.branch = firstLine(readText(filepath.Join(gitDir, "HEAD")))
	if out, err := w2.try("rev-parse", "-q", "--verify", "HEAD"); err == nil {
		s.head = strings.TrimSpace(out)
	}
	for line := range strings.Lines(readText(filepath.Join(gitDir, "logs", "HEAD"))) {
		who, what, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		s.reflog = append(s.reflog, strings.Fields(who)[1]+" "+what)
	}
	slices.Reverse(s.reflog)
	now, _ := w2.try("rev-parse", "--symbolic-full-name", "HEAD")
	for line := range strings.SplitSeq(w2.git("for-each-ref", "--format=%(refname) %(if)%(symref)%(then)%(symref)%(else)%(objectname)%(end)"), "\n") {
		if line != "" && !strings.HasPrefix(line, "refs/memctl/") && !strings.HasPrefix(line, strings.TrimSpace(now)+" ") {
			s.refs += line + "\n"
		}
	}
	s.status, s.dirty = apart(w2.git("status", "--porcelain=v2", "--untracked-files=all", "--ignored", "--show-stash"))
	marks, own := apart(w2.git("ls-files", "-s", "-v"))
	valid, _ := apart(w2.git("ls-files", "-t", "-f"))
	s.index, s.entry = marks+valid+flags(w2.git("ls-files", "--debug")), own
	s.forms = indexForms(w.t, filepath.Join(gitDir, "index"), w2.git("rev-parse", "--show-object-format") == "sha256")
	s.files = tree(w.t, w.root, func(name string) bool { return name == memory || path.Base(name) == ".git" })
	s.state = controlFiles(w.t, gitDir, w2.git("rev-parse", "--git-common-dir"), w.root)
	if info, err := os.Lstat(filepath.Join(w.root, memory)); err == nil {
		s.memory = info.Mode().String() + "\n" + w.read(memory)
	}
	return s
}

// apart parts the lines about the memory file from the others.
func apart(out string) (rest, own string) {
	for line := range strings.SplitSeq(out, "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, "# branch"):
		case strings.HasSuffix(line, memory):
			own += line + "\n"
		default:
			rest += line + "\n"
		}
	}
	return rest, own
}

// flags keeps, of what git tells about its index, what no refresh changes.
func flags(out string) (list string) {
	name := ""
	for line := range strings.SplitSeq(out, "\n") {
		if !strings.HasPrefix(line, "  ") {
			name = line
		} else if i := strings.Index(line, "flags:"); i >= 0 && name != memory {
			list += name + " " + line[i:] + "\n"
		}
	}
	return list
}

// indexForms reads the raw index: its version, and the extensions that a
// person's settings asked for. The others are git's caches, which every commit
// drops or makes anew.
func indexForms(t *testing.T, file string, sha256 bool) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	if len(data) < 12 || string(data[:4]) != "DIRC" {
		t.Fatalf("%s: no index", file)
	}
	id := 20
	if sha256 {
		id = 32
	}
	version, count := binary.BigEndian.Uint32(data[4:]), int(binary.BigEndian.Uint32(data[8:]))
	at := 12
	for range count {
		start := at
		at += 40 + id
		extended := data[at]&0x40 != 0
		at += 2
		if extended {
			at += 2
		}
		if version == 4 {
			for ; data[at]&0x80 != 0; at++ {
			}
			at++
		}
		for ; data[at] != 0; at++ {
		}
		at++
		if version < 4 {
			at = start + (at-start+7)/8*8
		}
	}
	// Versions 2 and 3 are one form: the second has room for marks.
	forms := []string{fmt.Sprintf("version %d", max(version, 3))}
	for at+8 <= len(data)-id {
		name := string(data[at : at+4])
		if slices.Contains([]string{"link", "UNTR", "FSMN", "sdir"}, name) {
			forms = append(forms, name)
		}
		at += 8 + int(binary.BigEndian.Uint32(data[at+4:]))
	}
	return strings.Join(forms, " ")
}

// tree lists every file of a folder with its mode and a hash of its content.
func tree(t *testing.T, dir string, skip func(string) bool) string {
	t.Helper()
	var list strings.Builder
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		if skip(filepath.ToSlash(rel)) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%s %s", info.Mode(), rel)
		if d.Type().IsRegular() && d.Name() != ".git" {
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(&list, " %x", sha256.Sum256(text))
		}
		list.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list.String()
}

// controlFiles lists what stands at the top of the git folder and in a few
// folders below: settings, hooks, marks of operations, locks, half-written
// messages. The index, HEAD's branch, refs, objects and reflogs are looked at by
// other ways, and memctl's own folder is memctl's.
func controlFiles(t *testing.T, gitDir, common, root string) string {
	if !filepath.IsAbs(common) {
		common = filepath.Join(root, common)
	}
	own := func(name string) bool {
		top, _, _ := strings.Cut(name, "/")
		return slices.Contains([]string{"HEAD", "objects", "logs", "refs", "reftable", "memctl", "index", "worktrees", "modules"}, top) || strings.HasPrefix(name, "sharedindex.")
	}
	list := tree(t, gitDir, own)
	if gitDir != common {
		list += tree(t, common, own)
	}
	for _, dir := range []string{gitDir, common} {
		_ = filepath.WalkDir(filepath.Join(dir, "refs"), func(name string, _ fs.DirEntry, _ error) error {
			if strings.HasSuffix(name, ".lock") {
				list += "locked: " + name + "\n"
			}
			return nil
		})
	}
	return list
}

func readText(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return string(text)
}
