package safefile

import (
	"errors"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/windows"
)

// Nonblock is for opening files. It has no effect here, where no pipe stands in a folder.
const Nonblock = 0

// patience is how long another program, such as a virus scanner, may keep a file from memctl.
const patience = time.Second

// patiently tries again while another program has the file open without sharing it, or it is about to go.
func patiently(do func() error) error {
	end := time.Now().Add(patience)
	for pause := time.Millisecond; ; pause = min(2*pause, 10*time.Millisecond) {
		err := do()
		held := slices.ContainsFunc([]error{windows.ERROR_ACCESS_DENIED, windows.ERROR_SHARING_VIOLATION, windows.ERROR_LOCK_VIOLATION},
			func(of error) bool { return errors.Is(err, of) })
		if !held || time.Now().After(end) {
			return err
		}
		time.Sleep(pause)
	}
}

// lstatOne is root.Lstat, which opens the file.
func lstatOne(root *os.Root, name string) (info os.FileInfo, err error) {
	err = patiently(func() (err error) {
		info, err = root.Lstat(name)
		return err
	})
	return info, err
}

// openShared opens a file to read so that others may replace it meanwhile, which os.Open does not allow.
func openShared(path string) (f *os.File, err error) {
	name, err := windows.UTF16PtrFromString(path)
	if err == nil {
		err = patiently(func() error {
			h, err := windows.CreateFile(name, windows.GENERIC_READ, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE,
				nil, windows.OPEN_EXISTING, windows.FILE_ATTRIBUTE_NORMAL, 0)
			if err == nil {
				f = os.NewFile(uintptr(h), path)
			}
			return err
		})
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return f, nil
}

// syncFolder: Windows cannot flush a folder, and its renames are journalled.
func syncFolder(*os.File) error { return nil }

// gone reports whether no process has this id. One that has ended keeps it as long as somebody has a handle.
func gone(pid int) bool {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return errors.Is(err, windows.ERROR_INVALID_PARAMETER)
	}
	defer func() { _ = windows.CloseHandle(h) }()
	event, err := windows.WaitForSingleObject(h, 0)
	return err == nil && event == windows.WAIT_OBJECT_0
}

// giveToOwner is for Unix, where root is another user.
func giveToOwner(*os.Root, string) error { return nil }

// OtherOwner returns who owns a file or folder, if that is another user; here that is not known.
func OtherOwner(string) (owner string, other bool) { return "", false }
