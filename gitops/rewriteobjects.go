package gitops

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
)

// isSignature: headers that are true of the old bytes alone.
func isSignature(name string) bool {
	return name == "gpgsig" || name == "gpgsig-sha256" || name == "mergetag"
}

func (w *rewriter) commit(id string) error {
	_, data, err := w.o.read(id)
	if err != nil {
		return damaged(id, err)
	}
	head, message, _ := bytes.Cut(data, []byte("\n\n"))
	var b bytes.Buffer
	var signed strings.Builder
	changed, skip, after := false, false, false
	for line := range strings.SplitSeq(string(head), "\n") {
		name, value, _ := strings.Cut(line, " ")
		more := name == "" // of the header above
		if !more {
			skip = isSignature(name)
		}
		if skip && (w.People || !isPerson(line)) {
			signed.WriteString(line + "\n")
		}
		if skip {
			continue
		}
		next := value
		if !more {
			if next, err = w.header(id, name, value); err != nil {
				return err
			}
		}
		changed, after = changed || next != value, after || name == "parent" && next != value
		b.WriteString(name + " " + next + "\n")
	}
	if w.Found([]byte(signed.String())) {
		changed, w.out.Holding[id] = true, true
	}
	if w.Found(message) {
		w.out.Holding[id] = true
	}
	next := w.message(message)
	if changed = changed || !bytes.Equal(next, message); !changed {
		return nil
	}
	b.WriteString("\n")
	b.Write(next)
	made, err := w.put("commit", b.Bytes())
	if err != nil {
		return err
	}
	if !after {
		w.out.First = append(w.out.First, id)
	}
	if w.out.Commits[id] = made; w.shallow[id] {
		w.out.Shallow = append(w.out.Shallow, made)
	}
	return nil
}

// header is the new value of a commit's header.
func (w *rewriter) header(commit, name, value string) (string, error) {
	switch name {
	case "tree":
		next, err := w.tree(value, "")
		if w.has[value] {
			w.out.Holding[commit] = true
		}
		if renamed, ok := w.notes[commit]; ok {
			next = renamed
		}
		return next, err
	case "parent":
		return w.mapped(value), nil
	}
	next := w.ident(commit, value)
	if next != value {
		w.out.Holding[commit] = true
	}
	return next, nil
}

// ident is "NAME <EMAIL> TIME" without it in name and address; where people keep
// their names, it notes that this object has it there.
func (w *rewriter) ident(object, value string) string {
	who, when, ok := strings.Cut(value, "> ")
	name, email, isIdent := strings.Cut(who, "<")
	if !ok || !isIdent || !w.Found([]byte(who+">")) {
		return value
	}
	if !w.People {
		w.out.Named[object] = w.out.Named[object] || !w.journal
		return value
	}
	cut := func(s string) string { return string(w.Cut([]byte(s))) }
	next := cut(strings.TrimSpace(name)) + " <" + cut(email) + ">"
	if w.Found([]byte(next)) { // over both
		next = strings.NewReplacer("<", "", ">", "").Replace(cut(next)) + " <>"
	}
	return next + " " + when
}

// message is a message without it, and with the new names of commits.
func (w *rewriter) message(src []byte) []byte {
	if w.Found(src) {
		src = w.Cut(src)
	}
	if len(w.out.Commits) == 0 {
		return src
	}
	return fullID().ReplaceAllFunc(src, func(id []byte) []byte { return []byte(w.mapped(string(id))) })
}

func fullID() *regexp.Regexp { return regexp.MustCompile(`\b[0-9a-f]{40}(?:[0-9a-f]{24})?\b`) }

// tree rewrites a tree.
func (w *rewriter) tree(id, prefix string) (string, error) {
	if next, ok := w.trees[id]; ok {
		return next, nil
	}
	if len(w.Blobs) == 0 && len(w.Trees) == 0 {
		return id, nil
	}
	kind, data, err := w.o.read(id)
	if err != nil || kind != "tree" {
		return "", damaged(id, err)
	}
	var b []byte
	changed := false
	for rest := data; len(rest) > 0; {
		head, after, ok := bytes.Cut(rest, []byte{0})
		mode, name, whole := strings.Cut(string(head), " ")
		if !ok || !whole || len(after) < len(id)/2 {
			return "", fmt.Errorf("%q: a tree that cannot be read", id)
		}
		child := hex.EncodeToString(after[:len(id)/2])
		rest = after[len(id)/2:]
		if w.Trees[id] && w.Found([]byte(name)) {
			w.out.Reached[id], w.out.Others[prefix+name] = true, true
		}
		next, holds, err := w.entry(mode, prefix+name, child)
		if err != nil {
			return "", err
		}
		w.has[id] = w.has[id] || holds
		changed = changed || next != child
		raw, err := hex.DecodeString(next)
		if err != nil {
			return "", err
		}
		b = append(append(append(b, head...), 0), raw...)
	}
	next := id
	if changed {
		if next, err = w.put("tree", b); err != nil {
			return "", err
		}
	}
	w.trees[id] = next
	return next, nil
}

// entry rewrites what one line of a tree names.
func (w *rewriter) entry(mode, path, id string) (next string, holds bool, err error) {
	switch {
	case mode == "40000":
		next, err = w.tree(id, path+"/")
		return next, w.has[id], err
	case mode == "160000":
		return id, false, nil // a submodule's commit
	case w.Blobs[id] && !w.mayChange(path):
		w.out.Reached[id], w.out.Others[path] = true, true
		return id, false, nil
	case w.Blobs[id]:
		next, err = w.object(id)
		return next, true, err
	}
	return id, false, nil
}

func (w *rewriter) mayChange(path string) bool { return w.Path == nil || w.inNotes || w.Path(path) }

// object rewrites what a ref may point to.
func (w *rewriter) object(id string) (string, error) {
	if next, ok := w.out.Commits[id]; ok {
		return next, nil
	}
	if next, ok := w.trees[id]; ok {
		return next, nil
	}
	kind, data, err := w.o.read(id)
	if err != nil {
		return "", damaged(id, err)
	}
	switch kind {
	case "tree":
		return w.tree(id, "")
	case "blob":
		if !w.Blobs[id] {
			return id, nil
		}
		w.out.Reached[id] = true
		if w.trees[id], err = w.put("blob", w.CutBlob(data)); err != nil {
			return "", err
		}
		return w.trees[id], nil
	case "tag":
		return w.tag(id, data)
	}
	return id, nil
}

// tag rewrites an annotated tag, without its signature where it changes.
func (w *rewriter) tag(id string, data []byte) (string, error) {
	head, message, _ := bytes.Cut(data, []byte("\n\n"))
	first, rest, _ := strings.Cut(string(head), "\n")
	target := strings.TrimPrefix(first, "object ")
	next, err := w.object(target)
	if err != nil {
		return "", err
	}
	text := w.message(message)
	lines := strings.Split(rest, "\n")
	for i, line := range lines {
		if name, value, _ := strings.Cut(line, " "); name == "tagger" {
			lines[i] = name + " " + w.ident(id, value)
		}
	}
	by := strings.Join(lines, "\n")
	w.out.Reached[id] = w.Found([]byte(by)) // the tag itself is named so
	if next == target && by == rest && bytes.Equal(text, message) {
		return id, nil
	}
	w.out.Holding[id], rest = w.Found(message) || by != rest, by
	for _, mark := range []string{"-----BEGIN PGP SIGNATURE-----", "-----BEGIN SSH SIGNATURE-----"} {
		if i := bytes.Index(text, []byte(mark)); i >= 0 {
			text = text[:i]
		}
	}
	made, err := w.put("tag", []byte("object "+next+"\n"+rest+"\n\n"+string(text)))
	w.out.Commits[id] = made
	return made, err
}

// put stores an object, or works out its id alone.
func (w *rewriter) put(kind string, data []byte) (string, error) {
	if !w.Write {
		return w.id(kind, data)
	}
	if w.w == nil {
		w.w = w.r.newObjectWriter(w.ctx)
	}
	id, err := w.w.write(kind, data)
	w.out.made = append(w.out.made, id)
	return id, err
}

func (w *rewriter) id(kind string, data []byte) (string, error) {
	h := sha1.New()
	if w.r.fileConfig()["extensions.objectformat"] == "sha256" {
		h = sha256.New()
	}
	fmt.Fprintf(h, "%s %d\x00", kind, len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil)), nil
}
