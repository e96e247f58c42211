package gitops

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/adler32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// objectWriter stores objects that no ref leads to yet.
type objectWriter interface {
	write(kind string, data []byte) (id string, err error)
}

// newObjectWriter writes into the object folder by itself where that is all
// there is to it, so that it costs no start of git; else git writes.
func (r *Repo) newObjectWriter(ctx context.Context) objectWriter {
	if r.objects != "" {
		return gitWriter{ctx, r}
	}
	config := r.fileConfig()
	for _, name := range []string{"GIT_OBJECT_DIRECTORY", "GIT_QUARANTINE_PATH"} {
		if os.Getenv(name) != "" {
			return gitWriter{ctx, r}
		}
	}
	if r.shareBits() != 0 {
		return gitWriter{ctx, r} // which gives them the modes
	}
	newHash := sha1.New
	switch config["extensions.objectformat"] {
	case "", "sha1":
	case "sha256":
		newHash = sha256.New
	default:
		return gitWriter{ctx, r}
	}
	return looseWriter{filepath.Join(r.CommonDir, "objects"), newHash}
}

// gitWriter asks git, once for each object.
type gitWriter struct {
	ctx context.Context
	r   *Repo
}

func (w gitWriter) write(kind string, data []byte) (string, error) {
	out, err := w.r.git(w.ctx, call{args: []string{"hash-object", "-w", "-t", kind, "--stdin"}, stdin: append([]byte{}, data...), writes: true})
	if err != nil {
		return "", w.r.explain(err)
	}
	return strings.TrimSpace(string(out)), nil
}

// looseWriter writes loose objects as git does: a temporary file in the
// object's own folder, read-only, moved to its name. Like git by default it
// does not wait for the disk.
type looseWriter struct {
	folder  string
	newHash func() hash.Hash
}

// looseMode is the mode of object files, less the umask.
const looseMode = 0o444

func (w looseWriter) write(kind string, data []byte) (string, error) {
	head := fmt.Appendf(nil, "%s %d\x00", kind, len(data))
	h := w.newHash()
	h.Write(head)
	h.Write(data)
	id := hex.EncodeToString(h.Sum(nil))
	folder := filepath.Join(w.folder, id[:2])
	name := filepath.Join(folder, id[2:])
	if info, err := os.Lstat(name); err == nil && info.Size() > 0 {
		return id, nil
	}
	packed, err := deflate(append(head, data...))
	if err != nil {
		return "", err
	}
	return id, w.place(folder, name, packed)
}

// storedMost is the size up to which an object is stored as it is: it takes one
// block of the disk either way, and the compressor's tables cost more than all
// the rest of writing it.
const storedMost = 2048

// deflate puts data into the zlib format.
func deflate(data []byte) ([]byte, error) {
	if n := uint16(len(data)); len(data) <= storedMost {
		out := append([]byte{0x78, 0x01, 1}, byte(n), byte(n>>8), byte(^n), byte(^n>>8)) // one stored block, the last
		return binary.BigEndian.AppendUint32(append(out, data...), adler32.Checksum(data)), nil
	}
	var b bytes.Buffer
	z, err := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	if err == nil {
		_, err = z.Write(data)
	}
	err = errors.Join(err, z.Close())
	return b.Bytes(), err
}

// BlobID is the id of a blob of these bytes, in the object format whose ids
// have that many digits.
func BlobID(digits int, data []byte) string {
	h := sha1.New()
	if digits == 2*sha256.Size {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// place makes the object file. "tmp_obj_" is git's own prefix: what a killed
// process leaves, git gc takes away.
func (w looseWriter) place(folder, name string, data []byte) error {
	temp := filepath.Join(folder, fmt.Sprintf("tmp_obj_m%d", os.Getpid()))
	open := func() (*os.File, error) { return os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, looseMode) }
	f, err := open()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err = os.Mkdir(folder, 0o777); err == nil || errors.Is(err, fs.ErrExist) {
			f, err = open()
		}
	case errors.Is(err, fs.ErrExist): // of a process with our id that was killed
		if err = os.Remove(temp); err == nil {
			f, err = open()
		}
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}

// writeTree stores the tree of the files (path to blob id) with its folders.
func writeTree(w objectWriter, files map[string]string) (string, error) {
	type entry struct {
		name, mode, id string
	}
	var list []entry
	folders := map[string]map[string]string{}
	for p, id := range files {
		name, rest, deep := strings.Cut(p, "/")
		if !deep {
			list = append(list, entry{name, "100644", id})
			continue
		}
		if folders[name] == nil {
			folders[name] = map[string]string{}
		}
		folders[name][rest] = id
	}
	for name, inside := range folders {
		id, err := writeTree(w, inside)
		if err != nil {
			return "", err
		}
		list = append(list, entry{name, "40000", id})
	}
	// Git sorts a folder as if its name ended in a slash.
	sortName := func(e entry) string {
		if e.mode == "40000" {
			return e.name + "/"
		}
		return e.name
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(sortName(a), sortName(b)) })
	var data []byte
	for _, e := range list {
		raw, err := hex.DecodeString(e.id)
		if err != nil {
			return "", fmt.Errorf("%q: no object id", e.id)
		}
		data = append(fmt.Appendf(data, "%s %s\x00", e.mode, e.name), raw...)
	}
	return w.write("tree", data)
}

// readTree lists the files of a tree with its folders (path to blob id).
func readTree(o objectReader, tree, prefix string, into map[string]string) error {
	kind, data, err := o.read(tree)
	if err != nil {
		return damaged(tree, err)
	}
	if kind != "tree" {
		return fmt.Errorf("%q: a %s, not a tree", tree, kind)
	}
	idLen := len(tree) / 2
	for len(data) > 0 {
		head, rest, ok := bytes.Cut(data, []byte{0})
		mode, name, whole := strings.Cut(string(head), " ")
		if !ok || !whole || len(rest) < idLen {
			return fmt.Errorf("%q: a tree that cannot be read", tree)
		}
		id := hex.EncodeToString(rest[:idLen])
		data = rest[idLen:]
		if mode == "40000" {
			if err := readTree(o, id, prefix+name+"/", into); err != nil {
				return err
			}
			continue
		}
		into[prefix+name] = id
	}
	return nil
}
