package torture

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// A tracer starts memctl under ptrace, sees every system call of it and of the
// gits that it starts, counts in one order those that change files, and kills
// or makes one of them fail.

const (
	optFork     = 0x2
	optVfork    = 0x4
	optClone    = 0x8
	optExec     = 0x10
	optSeccomp  = 0x80
	optExitKill = 0x100000

	waitAll      = 0x40000000 // __WALL
	waitOwn      = 0x20000000 // __WNOTHREAD: other tests have children of their own
	seccompEvent = 7
	longestTrace = 90 * time.Second
	creates      = syscall.O_CREAT | syscall.O_TRUNC
)

// changing are the system calls that change files, and where they name one: a
// descriptor's place among the arguments, or -1 for a path.
var changing = map[uint64]struct {
	name string
	fd   int
}{
	1: {"write", 0}, 18: {"pwrite64", 0}, 20: {"writev", 0}, 296: {"pwritev", 0}, 328: {"pwritev2", 0},
	326: {"copy_file_range", 2}, 40: {"sendfile", 0},
	82: {"rename", -1}, 264: {"renameat", -1}, 316: {"renameat2", -1},
	86: {"link", -1}, 265: {"linkat", -1}, 88: {"symlink", -1}, 266: {"symlinkat", -1},
	87: {"unlink", -1}, 263: {"unlinkat", -1}, 84: {"rmdir", -1}, 83: {"mkdir", -1}, 258: {"mkdirat", -1},
	76: {"truncate", -1}, 77: {"ftruncate", 0}, 74: {"fsync", 0}, 75: {"fdatasync", 0}, 277: {"sync_file_range", 0},
	2: {"open", -1}, 257: {"openat", -1}, 85: {"creat", -1},
	90: {"chmod", -1}, 91: {"fchmod", 0}, 268: {"fchmodat", -1},
}

// filtered has the kernel stop this process and all that it starts at the
// system calls that change files: stopping at every one takes ten times as long.
func filtered() error {
	const load, ifEqual, ifBits, give = 0x20, 0x15, 0x45, 0x06
	const allow, stop = 0x7fff0000, 0x7ff00000
	program := []syscall.SockFilter{{Code: load, K: 0}}
	for nr := range changing {
		switch nr {
		case 2, 257: // open, openat: the flags, four instructions and a last one for the others
			flags := uint32(16 + 8*1)
			if nr == 257 {
				flags += 8
			}
			program = append(program,
				syscall.SockFilter{Code: ifEqual, K: uint32(nr), Jf: 4},
				syscall.SockFilter{Code: load, K: flags},
				syscall.SockFilter{Code: ifBits, K: creates, Jf: 1},
				syscall.SockFilter{Code: give, K: stop},
				syscall.SockFilter{Code: give, K: allow})
		default:
			program = append(program,
				syscall.SockFilter{Code: ifEqual, K: uint32(nr), Jf: 1},
				syscall.SockFilter{Code: give, K: stop})
		}
	}
	program = append(program, syscall.SockFilter{Code: give, K: allow})
	list := syscall.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	const setNoNewPrivileges, seccomp, setFilter, allThreads = 38, 317, 1, 1
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if _, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, setNoNewPrivileges, 1, 0, 0, 0, 0); e != 0 {
		return e
	}
	if _, _, e := syscall.RawSyscall(seccomp, setFilter, allThreads, uintptr(unsafe.Pointer(&list))); e != 0 {
		return e
	}
	return nil
}

// cannotTrace is why no process can be traced here, "" where it can.
func cannotTrace() string {
	c := exec.Command(os.Args[0], "version")
	c.Env = append(os.Environ(), asMemctl+"=1")
	ran, err := trace(c, blow{})
	switch {
	case err != nil:
		return "ptrace: " + err.Error()
	case ran.status != 0:
		return fmt.Sprintf("ptrace: a traced process ended with %d", ran.status)
	}
	return ""
}

// tracing is one command under way.
type tracing struct {
	blow   blow
	root   int          // memctl's process
	live   map[int]bool // threads
	result traced
}

// tracers are threads that trace and do nothing else: the thread that starts a
// process traces it, and a thread that had done other work may be the parent of
// other tests' processes.
var tracers = make(chan func())

func startTracers() {
	for range maxTracers {
		go func() {
			runtime.LockOSThread()
			for work := range tracers {
				work()
			}
		}()
	}
}

// trace runs the command, whose streams must be files, to the end of all that
// it started.
func trace(c *exec.Cmd, b blow) (result traced, err error) {
	done := make(chan struct{})
	tracers <- func() {
		defer close(done)
		t := &tracing{blow: b, live: map[int]bool{}}
		err = t.run(c)
		result = t.result
	}
	<-done
	return result, err
}

func (t *tracing) run(c *exec.Cmd) error {
	c.Env = append(c.Env, asTraced+"=1")
	c.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := c.Start(); err != nil {
		return err
	}
	t.root = c.Process.Pid
	defer c.Process.Release()
	var ws syscall.WaitStatus
	if _, err := syscall.Wait4(t.root, &ws, waitAll, nil); err != nil {
		return err
	}
	if err := syscall.PtraceSetOptions(t.root, optFork|optVfork|optClone|optExec|optSeccomp|optExitKill); err != nil {
		_ = syscall.Kill(t.root, syscall.SIGKILL)
		_, _ = syscall.Wait4(t.root, &ws, waitAll, nil)
		return err
	}
	t.live[t.root] = true
	t.result.status = -1
	over := time.AfterFunc(longestTrace, func() { _ = syscall.Kill(t.root, syscall.SIGKILL) })
	defer over.Stop()
	t.goOn(t.root, 0)
	for {
		tid, err := syscall.Wait4(-1, &ws, waitAll|waitOwn, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if errors.Is(err, syscall.ECHILD) {
			return nil
		}
		if err != nil {
			return err
		}
		t.stopped(tid, ws)
	}
}

func (t *tracing) goOn(tid, signal int) { _ = syscall.PtraceCont(tid, signal) }

func (t *tracing) stopped(tid int, ws syscall.WaitStatus) {
	switch {
	case ws.Exited() || ws.Signaled():
		delete(t.live, tid)
		if tid == t.root && ws.Exited() {
			t.result.status = ws.ExitStatus()
		}
	case !ws.Stopped():
	case ws.TrapCause() == seccompEvent:
		t.call(tid)
		t.goOn(tid, 0)
	case ws.StopSignal() == syscall.SIGTRAP:
		t.live[tid] = true
		t.goOn(tid, 0)
	case !t.live[tid] && ws.StopSignal() == syscall.SIGSTOP:
		t.live[tid] = true // a new one begins stopped
		t.goOn(tid, 0)
	default:
		t.goOn(tid, int(ws.StopSignal()))
	}
}

// call is at the entry of a system call that the filter stops at.
func (t *tracing) call(tid int) {
	var regs syscall.PtraceRegs
	if syscall.PtraceGetRegs(tid, &regs) != nil {
		return
	}
	name, ok := changes(tid, &regs)
	if !ok {
		return
	}
	t.result.calls++
	if t.blow.at == 0 {
		t.result.gits = append(t.result.gits, groupOf(tid) != t.root)
	}
	if t.result.calls == t.blow.at {
		t.strike(tid, name, &regs)
	} else if t.blow.stays && t.blow.at > 0 && t.result.calls > t.blow.at && allocates(name) {
		t.refuse(tid, &regs)
	}
}

// strike does what the blow is, at its call.
func (t *tracing) strike(tid int, name string, regs *syscall.PtraceRegs) {
	process := groupOf(tid)
	t.result.struck, t.result.byGit = name, process != t.root
	switch t.blow.kind {
	case killAll:
		for other := range t.live {
			_ = syscall.Kill(other, syscall.SIGKILL)
		}
	case killCaller:
		_ = syscall.Kill(process, syscall.SIGKILL)
	case killMemctl:
		_ = syscall.Kill(t.root, syscall.SIGKILL)
	case failCall:
		t.refuse(tid, regs)
	}
}

// refuse takes the call away, and gives its caller the error.
func (t *tracing) refuse(tid int, regs *syscall.PtraceRegs) {
	regs.Orig_rax, regs.Rax = ^uint64(0), -uint64(t.blow.errno)
	_ = syscall.PtraceSetRegs(tid, regs)
}

// changes reports whether the call changes a file, and its name.
func changes(tid int, regs *syscall.PtraceRegs) (string, bool) {
	c, ok := changing[regs.Orig_rax]
	if !ok || c.fd < 0 {
		return c.name, ok
	}
	fd := []uint64{regs.Rdi, regs.Rsi, regs.Rdx}[c.fd]
	to, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", tid, int32(fd)))
	return c.name, err == nil && strings.HasPrefix(to, "/") && to != os.DevNull && !strings.HasSuffix(to, streamName)
}

// groupOf is the process of a thread.
func groupOf(tid int) int {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", tid))
	pid := tid
	if _, rest, ok := strings.Cut(string(data), "Tgid:"); ok {
		fmt.Sscan(rest, &pid)
	}
	return pid
}
