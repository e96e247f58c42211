package object

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memctl/memctl/tests/gittest"
)

// deltaBox has one file in many versions, packed as deltas in two packs, and a
// file that is all in one piece.
func deltaBox(t *testing.T) (b *gittest.Box, versions []string) {
	t.Helper()
	b = gittest.NewBox(t)
	var lines []string
	for i := range 300 {
		lines = append(lines, fmt.Sprintf("line %d of a file that is long enough for deltas: %x", i, i*i*i*7919))
	}
	for i := range 40 {
		lines[i*7] = fmt.Sprintf("changed %d", i)
		text := strings.Join(lines, "\n") + "\n"
		versions = append(versions, text)
		b.Step(fmt.Sprint(i), text)
		if i == 20 {
			b.Git("repack", "-q", "-d", "-f", "--depth=30", "--window=30")
		}
	}
	b.Git("-c", "repack.useDeltaBaseOffset=false", "repack", "-q", "-d")
	return b, versions
}

// TestPackedVersions reads every version of a file out of chains of deltas.
func TestPackedVersions(t *testing.T) {
	t.Parallel()
	b, versions := deltaBox(t)
	if out := b.Git("count-objects"); !strings.HasPrefix(out, "0 objects") {
		t.Fatalf("not packed: %s", out)
	}
	r := findRepo(b)
	p := plainReader(r)
	if p == nil {
		t.Fatal("not read in this process")
	}
	n := len(versions)
	err := History(background, r, "", gittest.Memory, n, func(v Version) bool {
		n--
		kind, data, err := p.Read(v.After) // no way out to git
		if err != nil || kind != "blob" || string(data) != versions[n] {
			t.Errorf("version %d: %s of %d bytes, %v", n, kind, len(data), err)
		}
		return true
	})
	if err != nil || n != 0 {
		t.Errorf("%d versions missing, %v", n, err)
	}
	if _, _, err := p.Read(strings.Repeat("1", 40)); !errors.Is(err, ErrMissing) {
		t.Errorf("an unknown id: %v", err)
	}
	p.close()
}

// TestPackOfManyObjects finds each of them, so that every path of the search
// is gone.
func TestPackOfManyObjects(t *testing.T) {
	t.Parallel()
	b := gittest.NewBox(t)
	var blobs strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&blobs, "blob\ndata 5\n%05d\n", i)
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin = b.Root, strings.NewReader(blobs.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := plainReader(findRepo(b))
	ids := strings.Fields(b.Git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)"))
	for _, id := range ids {
		kind, data, err := p.Read(id)
		if err != nil || fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "%s %d\x00%s", kind, len(data), data))) != id {
			t.Errorf("%s: %s %q, %v", id, kind, data, err)
		}
	}
	if len(ids) < 3000 {
		t.Errorf("%d objects", len(ids))
	}
}

// TestDamagedPacks: any byte may be wrong. No panic, and what is read is
// either an error or the truth.
func TestDamagedPacks(t *testing.T) {
	t.Parallel()
	b, versions := deltaBox(t)
	id := b.Git("rev-parse", "HEAD~3:"+gittest.Memory)
	want := versions[len(versions)-4]
	dir := filepath.Join(b.Root, ".git", "objects", "pack")
	files, err := filepath.Glob(filepath.Join(dir, "pack-*"))
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	failed := 0
	for _, file := range files {
		if err := os.Chmod(file, 0o600); err != nil {
			t.Fatal(err)
		}
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(whole); at += 1 + len(whole)/150 {
			broken := bytes.Clone(whole)
			broken[at] ^= 0xff
			if at%3 == 0 {
				broken = broken[:at]
			}
			if err := os.WriteFile(file, broken, 0o600); err != nil {
				t.Fatal(err)
			}
			p := &fileReader{folder: filepath.Dir(dir)}
			_, data, err := p.Read(id)
			p.close()
			if err == nil && string(data) != want {
				t.Errorf("%s, byte %d: read %d wrong bytes", filepath.Base(file), at, len(data))
			}
			if err != nil {
				failed++
			}
		}
		if err := os.WriteFile(file, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if failed == 0 {
		t.Error("no damage was noticed")
	}
}

// FuzzInflateLoose: no input hurts, and what was written is read.
func FuzzInflateLoose(f *testing.F) {
	pack := func(text string) []byte {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		_, _ = z.Write([]byte(text))
		_ = z.Close()
		return b.Bytes()
	}
	f.Add(pack("blob 5\x00hello"), "hello")
	f.Add(pack("blob 99999999999\x00hello"), "")
	f.Add(pack("blob"), "x")
	f.Fuzz(func(t *testing.T, raw []byte, text string) {
		_, _, _ = inflateLoose(bytes.NewReader(raw))
		kind, data, err := inflateLoose(bytes.NewReader(pack(fmt.Sprintf("blob %d\x00%s", len(text), text))))
		if err != nil || kind != "blob" || string(data) != text {
			t.Errorf("%q read as %s %q, %v", text, kind, data, err)
		}
	})
}
