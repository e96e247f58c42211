//go:build unix

package safefile

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/fault"
)

// TestPipesAndSockets: reading never blocks on them, writing never replaces them.
func TestPipesAndSockets(t *testing.T) {
	root, dir := open(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	// A socket's path has to be short.
	t.Chdir(dir)
	socket, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	done := make(chan struct{})
	go func() {
		defer close(done)
		for name, kind := range map[string]string{"pipe": "a named pipe", "socket": "a socket"} {
			if _, _, err := Read(root, name, 10); !fault.Is(err, fault.NotAFile) || !strings.Contains(err.Error(), kind) {
				t.Errorf("Read(%s): %v", name, err)
			}
			if err := Write(root, name, nil, 0o600); !fault.Is(err, fault.NotAFile) {
				t.Errorf("Write(%s): %v", name, err)
			}
			if fi, err := os.Lstat(name); err != nil || fi.Mode().IsRegular() {
				t.Errorf("%s was replaced: %v", name, err)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("blocked")
	}
}

// TestModes: an old file keeps its mode whatever the umask says; a new one
// obeys the umask.
func TestModes(t *testing.T) {
	root, dir := open(t)
	umask := syscall.Umask(0o027)
	t.Cleanup(func() { syscall.Umask(umask) })
	for _, mode := range []fs.FileMode{0o600, 0o644, 0o666, 0o755, 0o640} {
		file := put(t, dir, "f.md", "old")
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		if err := Write(root, "f.md", []byte("new"), 0o600); err != nil {
			t.Fatal(err)
		}
		wantMode(t, file, mode)
	}
	for perm, want := range map[fs.FileMode]fs.FileMode{0o666: 0o640, 0o600: 0o600} {
		_ = os.Remove(filepath.Join(dir, "n.md"))
		if err := Write(root, "n.md", nil, perm); err != nil {
			t.Fatal(err)
		}
		wantMode(t, filepath.Join(dir, "n.md"), want)
	}
}

func wantMode(t *testing.T, file string, want fs.FileMode) {
	t.Helper()
	if fi, err := os.Stat(file); err != nil || fi.Mode() != want {
		t.Errorf("%s: mode %v, %v; want %v", filepath.Base(file), fi.Mode(), err, want)
	}
}

// TestReadOnly: neither a folder nor a file that is closed to writing is
// written, and nothing is left behind.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	root, dir := open(t)
	file := put(t, dir, "f.md", "old")
	if err := os.Chmod(file, 0o444); err != nil {
		t.Fatal(err)
	}
	if err := Write(root, "f.md", []byte("new"), 0o600); !errors.Is(err, fs.ErrPermission) || !strings.HasPrefix(err.Error(), `"f.md": read-only file`) {
		t.Errorf("a read-only file: %v", err)
	}
	wantFile(t, dir, "f.md", "old")
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	file = put(t, dir, "sub/f.md", "old")
	if err := os.Chmod(filepath.Dir(file), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Dir(file), 0o755) })
	if err := Write(root, "sub/f.md", []byte("new"), 0o600); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a read-only folder: %v", err)
	}
	wantFile(t, dir, "sub/f.md", "old")
}

// TestFullDisk: the old file stays whole, and the cause is told. The limit on
// file sizes stands in for the disk: the write fails half-way as it would there.
func TestFullDisk(t *testing.T) {
	if dir := os.Getenv("SAFEFILE_TEST_FULL"); dir != "" {
		fullDiskChild(t, dir)
		return
	}
	t.Parallel()
	_, dir := open(t)
	put(t, dir, "f.md", "old")
	cmd := exec.Command(os.Args[0], "-test.run=^TestFullDisk$")
	cmd.Env = append(os.Environ(), "SAFEFILE_TEST_FULL="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	wantFile(t, dir, "f.md", "old")
}

// TestKilled: a writer that is killed over and over leaves the old file or the
// new one, whole, and never hinders the next.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("SAFEFILE_TEST_KILLED"); dir != "" {
		killedChild(t, dir)
		return
	}
	t.Parallel()
	root, dir := open(t)
	put(t, dir, "f.md", strings.Repeat("a", 1<<16))
	for i := range 20 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), "SAFEFILE_TEST_KILLED="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(10+i*3) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		data, _, err := Read(root, "f.md", 1<<20)
		if err != nil || len(data) != 1<<16 || strings.Trim(string(data), string(data[:1])) != "" {
			t.Fatalf("after kill %d: %d bytes, %v", i, len(data), err)
		}
	}
	if err := Write(root, "f.md", []byte("after"), 0o600); err != nil {
		t.Error(err)
	}
}

func killedChild(t *testing.T, dir string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; ; i++ {
		if err := Write(root, "f.md", []byte(strings.Repeat(string(rune('a'+i%26)), 1<<16)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhatRootMakesBelongsToTheOwnerOfTheFolder(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make files for others")
	}
	const owner = 12345
	root, dir := open(t)
	if err := os.Chown(dir, owner, owner); err != nil {
		t.Fatal(err)
	}
	below, err := OpenBelow(dir, filepath.Join(dir, "a", "b"), true)
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := Lock(t.Context(), below, "lock", "test", nil)
	if err = errors.Join(err, unlock(), Write(root, "written", []byte("x"), 0o600), WriteCache(below, "cache", []byte("x"), 0o600), below.Close()); err != nil {
		t.Fatal(err)
	}
	log, _, err := OpenLog(root, "log", 0o600)
	if err = errors.Join(err, log.Close()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "a/b", "a/b/lock", "a/b/cache", "written", "log"} {
		info, err := os.Lstat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Sys().(*syscall.Stat_t); got.Uid != owner || got.Gid != owner {
			t.Errorf("%s belongs to %d:%d", name, got.Uid, got.Gid)
		}
		if _, other := OtherOwner(filepath.Join(dir, name)); !other {
			t.Errorf("%s counts as root's", name)
		}
	}
	if err := Write(root, "a/again", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if owner, other := OtherOwner(t.TempDir()); other {
		t.Errorf("a folder of ours belongs to %s", owner)
	}
}
