package skills

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/skills/format"
)

// The most that is read of one skill.
const (
	mostFiles = 5000
	mostBytes = 64 << 20
)

// ErrTooLarge is the error of a skill with more files or bytes than any needs.
var ErrTooLarge = errors.New("the skill has more than 5,000 files or 64 MB")

// eachFile visits the files and links of a skill's folder, sorted by path. It follows no link, and leaves out the folder
// .git. size is the bytes of the files that are not too large for check. Errors: ErrTooLarge.
func eachFile(folder fs.FS, visit func(name string, info fs.FileInfo) error) (size int64, err error) {
	files := 0
	err = fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			return nil
		case files >= mostFiles || size > mostBytes:
			return ErrTooLarge
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files++
		if info.Mode().IsRegular() && info.Size() <= format.MaxFile {
			size += info.Size()
		}
		return visit(name, info)
	})
	return size, err
}

// FilesIn reads the files of a skill's folder, as eachFile visits them.
func FilesIn(dir string) (files []format.File, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	_, err = eachFile(root.FS(), func(name string, info fs.FileInfo) error {
		f := format.File{Path: name, Large: info.Mode().IsRegular() && info.Size() > format.MaxFile}
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := root.Readlink(name)
			if err != nil {
				return err
			}
			f.Link, f.Data = true, []byte(filepath.ToSlash(target))
		case !info.Mode().IsRegular():
			return nil
		case !f.Large:
			var err error
			if f.Data, _, err = safefile.Read(root, name, format.MaxFile); err != nil {
				return err
			}
		}
		files = append(files, f)
		return nil
	})
	return files, err
}

// Files reads the files of the skill; of a version that a grant names, the SKILL.md alone.
func (s Skill) Files() ([]format.File, error) {
	if s.Folder != "" {
		return FilesIn(s.Folder)
	}
	src, err := builtinFile(s.Name, format.FileName)
	return []format.File{{Path: format.FileName, Data: src}}, err
}

// Digest names the content of a skill, so that a person's acceptance covers nothing else. dir is the folder of the
// skill: it reads the files there that are too large for check. A link counts by where it leads.
func Digest(dir string, files []format.File) (string, error) {
	sum := sha256.New()
	files = slices.Clone(files) // a folder and a commit are listed in other orders
	slices.SortFunc(files, func(a, b format.File) int { return strings.Compare(a.Path, b.Path) })
	for _, f := range files {
		inner := sha256.Sum256(f.Data)
		name := f.Path + "\x00"
		switch {
		case f.Link:
			name += "link\x00"
		case f.Large && f.Data == nil:
			large, err := largeSum(dir, f.Path)
			if err != nil {
				return "", err
			}
			inner = large
		}
		sum.Write([]byte(name))
		sum.Write(inner[:])
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
}

// largeSum is the SHA-256 of a file that is not kept in memory.
func largeSum(dir, name string) (sum [sha256.Size]byte, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return sum, err
	}
	defer root.Close()
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return sum, err
	}
	defer f.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, f)
	return [sha256.Size]byte(hash.Sum(nil)), err
}
