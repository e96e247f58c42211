package statedir

import "encoding/json"

// File is a file of local state that is one JSON value.
type File[T any] struct {
	In   Dir
	Name string
	// Quick writes do not wait for the disk: they survive the end of the process, not a power cut.
	Quick bool
}

// Read returns the value; the zero value where there is no file. Errors: fault.LocalState for what is no such value; those of
// Dir.Read.
func (f File[T]) Read() (v T, err error) {
	data, err := f.In.Read(f.Name)
	if err == nil {
		v, err = f.decode(data)
	}
	return v, err
}

func (f File[T]) decode(data []byte) (v T, err error) {
	if data == nil || len(data) == 0 && f.Quick { // a power cut leaves that of a quick one
		return v, nil
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return *new(T), Damaged(f.In.Path(f.Name), err)
	}
	return v, nil
}

// Write replaces the value. A caller that read it before holds a lock. Errors: fault.TooLarge; those of Dir.Write.
func (f File[T]) Write(v T) error {
	data, err := f.encode(v)
	if err != nil {
		return err
	}
	return f.In.write(f.Name, data, f.Quick)
}

func (f File[T]) encode(v T) ([]byte, error) {
	if f.Quick {
		return json.Marshal(v)
	}
	data, err := json.MarshalIndent(v, "", "  ")
	return append(data, '\n'), err
}

// Change replaces the value with what change makes of it, while no other process can. An error of change leaves the file as it
// is. Errors: those of change; the file cannot be read or written, or is held.
func (f File[T]) Change(change func(*T) error) error {
	return f.In.change(f.Name, f.Quick, func(data []byte) ([]byte, error) {
		v, err := f.decode(data)
		if err == nil {
			err = change(&v)
		}
		if err != nil {
			return nil, err
		}
		return f.encode(v)
	})
}

// Remove takes the file away; one that is not there is no error.
func (f File[T]) Remove() error { return f.In.Remove(f.Name) }
