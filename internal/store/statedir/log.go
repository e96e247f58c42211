package statedir

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/memctl/memctl/internal/safefile"
)

// logWait bounds the wait for the lock of a log, which a process holds while it adds a line or replaces the log. A
// hook has two seconds in all.
const logWait = time.Second

// AppendLine adds a line to a log, which is a file of lines, and returns the size of the log. Errors: those of Lock; the system's cause.
func (d Dir) AppendLine(name string, line []byte) (size int64, err error) {
	err = d.Locked(name, func() error {
		size, err = d.appendLine(name, line)
		return err
	})
	return size, err
}

// AppendCapped is AppendLine for a log of which the newest half is kept when it has more than max bytes. Where skip is given and
// holds, which is asked under the lock, nothing is added.
func (d Dir) AppendCapped(name string, line []byte, max int64, skip func() bool) error {
	return d.Locked(name, func() error {
		if skip != nil && skip() {
			return nil
		}
		size, err := d.appendLine(name, line)
		if err != nil || size <= max {
			return err
		}
		data, err := d.Read(name)
		if err != nil {
			return err
		}
		return d.Write(name, newestHalf(data))
	})
}

// Change replaces a file with what change makes of it, and removes it if nothing is left. Nobody
// else adds to the file or changes it meanwhile, so change may not do it either. Errors: those of Lock and of change;
// the file cannot be read or written.
func (d Dir) Change(name string, change func(data []byte) ([]byte, error)) error {
	return d.change(name, change, d.Write)
}

// ChangeQuick is Change without waiting for the disk: the change survives the end of the process, not a power cut.
func (d Dir) ChangeQuick(name string, change func(data []byte) ([]byte, error)) error {
	return d.change(name, change, d.writeQuick)
}

func (d Dir) change(name string, change func(data []byte) ([]byte, error), write func(name string, data []byte) error) error {
	return d.Locked(name, func() error {
		was, err := d.Read(name)
		if err != nil {
			return err
		}
		next, err := change(was)
		switch {
		case err != nil || bytes.Equal(was, next):
			return err
		case len(next) == 0:
			return d.Remove(name)
		}
		return write(name, next)
	})
}

// Locked calls do while it holds the lock of a file. Everything that writes to a log goes this way: replacing it
// without the lock would lose the lines that others add.
func (d Dir) Locked(name string, do func() error) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), logWait)
	defer cancel()
	unlock, err := d.Lock(ctx, name+".lock", "memctl writes "+name, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return do()
}

func (d Dir) appendLine(name string, line []byte) (size int64, err error) {
	if d.ReadOnly {
		return 0, nil
	}
	err = d.use(true, func(root *os.Root) error {
		f, was, err := safefile.OpenLog(root, name, stateMode)
		if err != nil {
			return err
		}
		size = was
		// With a line end on both sides, a line that a crash tore spoils no other.
		_, err = f.Write(append(append([]byte{'\n'}, line...), '\n'))
		return errors.Join(err, f.Close())
	})
	return size + int64(len(line)) + 2, err
}

// newestHalf is the second half of the lines of a log.
func newestHalf(data []byte) []byte {
	data = data[len(data)/2:]
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		data = data[i+1:]
	}
	return data
}

// JSONLines prints the records as lines of JSON, one each. Errors: the cause.
func JSONLines[T any](list []T) ([]byte, error) {
	var b bytes.Buffer
	for _, one := range list {
		line, err := json.Marshal(one)
		if err != nil {
			return nil, err
		}
		b.Write(append(line, '\n'))
	}
	return b.Bytes(), nil
}
