package gitops

import "strings"

const (
	notesRefs   = "refs/notes/"
	replaceRefs = "refs/replace/"
)

// noteCommits rewrites what the refs of git notes reach. Notes are texts of people's own, whatever
// the names of the files in their trees, so all of them may change; and
// what is noted of a commit that changes is noted of the new one.
func (w *rewriter) noteCommits(tips []string) error {
	w.inNotes = true
	defer func() { w.inNotes = false }()
	for _, tip := range tips {
		tree, err := w.treeOf(tip)
		if err != nil {
			return damaged(tip, err)
		}
		if err := w.renameNotes(tip, tree); err != nil {
			return err
		}
	}
	return w.commits(tips)
}

// renameNotes works out the newest tree of a notes ref under the new names of
// what it notes. A tree that has other files too is left alone.
func (w *rewriter) renameNotes(tip, tree string) error {
	if _, err := w.tree(tree, ""); err != nil {
		return err
	}
	files, renamed := map[string]string{}, map[string]string{}
	if err := readTree(w.o, tree, "", files); err != nil {
		return err
	}
	changed := false
	for path, id := range files {
		of := strings.ReplaceAll(path, "/", "")
		if !isID(of) {
			return nil
		}
		next := path
		if to := w.mapped(of); to != of {
			if next = inFolders(to, path); files[next] != "" {
				next = path // the new one has a note already
			}
		}
		changed = changed || next != path
		var err error
		if renamed[next], err = w.object(id); err != nil {
			return err
		}
	}
	if !changed {
		return nil
	}
	var err error
	w.notes[tip], err = writeTree(putter{w}, renamed)
	return err
}

// inFolders cuts an id where the path of another is cut.
func inFolders(id, as string) string {
	var b strings.Builder
	for _, part := range strings.SplitAfter(as, "/") {
		n := len(strings.TrimSuffix(part, "/"))
		b.WriteString(id[:n] + part[n:])
		id = id[n:]
	}
	return b.String()
}

// putter stores what the rewriter makes.
type putter struct{ w *rewriter }

func (p putter) write(kind string, data []byte) (string, error) { return p.w.put(kind, data) }
