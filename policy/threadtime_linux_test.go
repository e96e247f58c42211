package policy

import (
	"syscall"
	"testing"
	"time"
)

// threadTime is the time that the processor has worked for this thread. Unlike the
// clock it does not depend on what else the machine does.
func threadTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
