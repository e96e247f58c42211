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
	gitDir string   // the worktree's own git folder
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
	known, _ := w2.command("git", "rev-parse", "--absolute-git-dir", "--git-common-dir", "--show-object-format", "-q", "HEAD", "--symbolic-full-name", "HEAD").Output()
	names := strings.Split(string(known), "\n")
	gitDir, common, format, now := names[0], names[1], names[2], ""
	s.gitDir = gitDir
	s.branch = firstLine(readText(filepath.Join(gitDir, "HEAD")))
	if len(names) > 4 && len(names[3]) >= 40 { // there is a commit
		s.head, now = names[3], names[4]
	}
	for line := range strings.Lines(readText(filepath.Join(gitDir, "logs", "HEAD"))) {
		who, what, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		s.reflog = append(s.reflog, strings.Fields(who)[1]+" "+what)
	}
	slices.Reverse(s.reflog)
	for line := range strings.SplitSeq(w2.git("for-each-ref", "--format=%(refname) %(if)%(symref)%(then)%(symref)%(else)%(objectname)%(end)"), "\n") {
		if line != "" && !strings.HasPrefix(line, "refs/memctl/") && !strings.HasPrefix(line, now+" ") {
			s.refs += line + "\n"
		}
	}
	s.status, s.dirty = apart(w2.git("status", "--porcelain=v2", "--untracked-files=all", "--ignored", "--show-stash"))
	s.index, s.entry = entries(w2.git("ls-files", "-s", "-v", "--debug"))
	s.forms = indexForms(w.t, filepath.Join(gitDir, "index"), format == "sha256")
	s.files = tree(w.t, w.root, func(name string) bool { return name == memory || path.Base(name) == ".git" })
	s.state = controlFiles(w.t, gitDir, common, w.root)
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

// entries parts the index's entries: those of other files with their flags, which tell all marks
// of git, and the memory file's. Of what git tells for debugging, only the flags survive a refresh.
func entries(out string) (rest, own string) {
	memorys := false
	for line := range strings.SplitSeq(out, "\n") {
		flags := strings.Index(line, "flags:")
		switch {
		case line == "":
		case !strings.HasPrefix(line, "  "):
			if memorys = strings.HasSuffix(line, memory); memorys {
				own += line + "\n"
			} else {
				rest += line + "\n"
			}
		case flags >= 0 && !memorys:
			rest += line[flags:] + "\n"
		}
	}
	return rest, own
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
