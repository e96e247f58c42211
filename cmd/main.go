// Package cmd is the command line: the tree of commands, their flags, what
// they print, and the exit status. The acts themselves are in package memory;
// nothing here decides what may be remembered.
//
// Words. An answer is what a command was asked for, and goes to stdout; talk is
// everything else (notes, hints, errors), and goes to stderr. A need is what a
// command wants opened before it runs.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"

	"github.com/memctl/memctl/internal/term"
)

// Main runs one command line, without the program's name, and returns the exit
// status (see Statuses). Without parts, memctl-full runs the commands that need them.
func Main(args []string, streams term.Streams, parts FullParts) (status int) {
	a := &app{streams: streams, getenv: os.Getenv, parts: parts}
	setPace(lightHeap)
	defer func() {
		if isHook(args) {
			status = statusDone // whatever happened, the agent's session goes on
		}
	}()
	defer func() {
		if cause := recover(); cause != nil {
			a.report(errors.New(fmt.Sprint(cause)))
			_, _ = streams.Err.Write(debug.Stack())
			status = statusFault
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	a.heedSignals = sync.OnceFunc(func() { cancelBySignal(cancel) })
	if !isHook(args) {
		a.heedSignals() // a hook does so before it writes: few do, and it takes a tenth of their time
	}
	return a.report(a.execute(ctx, args))
}

// cancelBySignal lets a signal end an act in good order. A second one ends the process at once.
func cancelBySignal(cancel context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), endingSignals()...)
	context.AfterFunc(ctx, func() {
		stop()
		cancel()
	})
}

// endingSignals are the signals that end an act in good order. SIGQUIT is among them because the
// runtime's own handler of it would run in a child that is not yet git too, which then
// stands still for good and keeps its parent's locks. What nohup ignores stays ignored.
func endingSignals() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// The paces of the heap, for setPace. With lightHeap the first collection comes at 16 MB, and most runs end
// before it; it was a fifth of the cost of `memctl add`. Long runs take steadyHeap. With thriftyHeap, building
// an index of 100,000 files needs a third less memory in the same time.
const (
	lightHeap   = 400
	steadyHeap  = 100
	thriftyHeap = 40
)

// setPace lets the heap grow by so many percent before it is collected. GOGC wins over it.
func setPace(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
