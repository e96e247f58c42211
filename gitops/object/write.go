package object

import (
	"bytes"
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
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/safefile"
)

// Writer stores objects that no ref leads to yet.
type Writer interface {
	Write(kind string, data []byte) (id string, err error)
}

// NewWriter writes into the object folder by itself where that is all
// there is to it, so that it costs no start of git; else git writes.
func NewWriter(ctx context.Context, r *gitops.Repo) Writer {
	if r.Shared() {
		return gitWriter{ctx, r} // which gives them the modes
	}
	newHash := sha1.New
	switch r.FileConfig()["extensions.objectformat"] {
	case "", "sha1":
	case "sha256":
		newHash = sha256.New
	default:
		return gitWriter{ctx, r}
	}
	return looseWriter{filepath.Join(r.CommonDir, "objects"), newHash}
}

// PlainObjects reports whether no git is needed to read objects, and to write them with w.
func PlainObjects(r *gitops.Repo, w Writer) bool {
	_, loose := w.(looseWriter)
	return loose && plainReader(r) != nil
}

// gitWriter asks git, once for each object.
type gitWriter struct {
	ctx context.Context
	r   *gitops.Repo
}

func (w gitWriter) Write(kind string, data []byte) (string, error) {
	out, err := w.r.Git(w.ctx, gitops.Call{Args: []string{"hash-object", "-w", "-t", kind, "--stdin"}, Stdin: append([]byte{}, data...), Writes: true})
	if err != nil {
		return "", w.r.Explain(err)
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

func (w looseWriter) Write(kind string, data []byte) (string, error) {
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
	open := func() (*os.File, error) {
		return os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL|safefile.Nonblock, looseMode)
	}
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
		err = safefile.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}
