package torture

import (
	"fmt"
	"syscall"
)

// What can be done at a system call that changes a file.
const (
	killAll    = "kill everything"
	killCaller = "kill the caller"
	killMemctl = "kill memctl alone"
	failCall   = "fail"
)

// streamName ends the names of the files that take stdout and stderr.
const streamName = ".stream"

// blow is what shall happen at one of an act's system calls.
type blow struct {
	kind  string
	at    int           // which call, from 1; 0 for none
	errno syscall.Errno // with failCall
	stays bool          // with failCall: nothing can be allocated from there on
}

func (b blow) String() string {
	if b.kind == failCall {
		how := ""
		if b.stays {
			how = ", from there on"
		}
		return fmt.Sprintf("%v at call %d%s", b.errno, b.at, how)
	}
	return fmt.Sprintf("%s at call %d", b.kind, b.at)
}

// traced is what became of a traced command.
type traced struct {
	status int    // -1: killed
	calls  int    // how many of its calls change files
	struck string // the call that was struck, "" where it was never reached
	byGit  bool   // a git made it
	gits   []bool // which of all calls a git made
}

// allocates tells the calls that a full disk refuses.
func allocates(call string) bool {
	switch call {
	case "write", "pwrite64", "writev", "pwritev", "pwritev2", "copy_file_range", "sendfile", "open", "openat", "creat", "mkdir", "mkdirat", "link", "linkat", "symlink", "symlinkat":
		return true
	}
	return false
}

// maxTracers is how many commands are traced at one time.
const maxTracers = 10
