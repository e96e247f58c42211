package txn

import (
	"errors"
	"slices"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
)

// Draft collects what an act changes in a store: the document of the memory file, changed in
// place, and files. If the act starts again, it gets a new Draft.
type Draft struct {
	*memfile.Document
	Store   *store.Store
	Keys    []string // as those of the Write
	Subject string   // as that of the Write
	files   []store.FileChange
	at      map[string]int // where a path is in files
}

// Record is an item or an entry. Its labels are those of the Item or the Entry.
type Record struct {
	*labels.Labels
	Item  *memfile.Item // nil for an entry
	Entry *entry.Entry  // nil for an item
	Path  string        // of the entry's file, from the store's folder
	file  *entry.File
}

// NewRecord returns the record of an item.
func NewRecord(it memfile.Item) *Record { return &Record{Labels: &it.Labels, Item: &it} }

// EntryRecord returns the record of an entry in its own place.
func EntryRecord(e entry.Entry) *Record { return &Record{Labels: &e.Labels, Entry: &e, Path: e.Path()} }

// Kind is item or entry.
func (r *Record) Kind() string {
	if r.Item != nil {
		return "item"
	}
	return "entry"
}

// Value returns what the record says: the value of an item, or the text of an entry.
func (r *Record) Value() memfile.Value {
	if r.Item != nil {
		return r.Item.Value
	}
	return memfile.Str(r.Entry.Text)
}

// ReadRecord returns the entry in the file of that path as a person wrote it, nil if there is no
// such file. Errors: those of contents.EntryBytes; the entry.Problem of a file that is no entry.
func ReadRecord(st *store.Store, path string) (*Record, error) {
	return (&Draft{Store: st}).Find(path)
}

// Find returns a copy of the item of that key, or of the entry in the file of that path, nil if
// there is none. It merges items of one key. Errors: those of ReadRecord.
func (d *Draft) Find(name string) (*Record, error) {
	if _, is := entry.ParsePath(name); is {
		return d.entry(name)
	}
	doc := memfile.Document{Items: slices.Clone(d.Items)}
	i := merge.Duplicates(&doc, name)
	if i < 0 {
		return nil, nil
	}
	return NewRecord(doc.Items[i]), nil
}

func (d *Draft) entry(path string) (*Record, error) {
	src, err := d.File(path)
	if err != nil || src == nil {
		return nil, err
	}
	return ParseRecord(path, src)
}

// ParseRecord returns the entry in the bytes of a file. Errors: the entry.Problem of what is no entry.
func ParseRecord(path string, src []byte) (*Record, error) {
	f, problems := entry.Parse(path, src)
	if f == nil {
		return nil, problems[0]
	}
	r := EntryRecord(f.Entry())
	r.Path, r.file = path, f
	return r, nil
}

// File returns the bytes of a file of the store as this draft leaves it, nil if there is none. Errors: fault.NotAFile,
// fault.TooLarge.
func (d *Draft) File(path string) ([]byte, error) {
	if i, changed := d.at[path]; changed {
		return d.files[i].After, nil
	}
	if _, is := entry.ParsePath(path); is {
		return contents.EntryBytes(d.Store, path)
	}
	return contents.FileBytes(d.Store, path)
}

// WriteFile gives a file of the store these bytes; nil removes it. Errors: those of File.
func (d *Draft) WriteFile(path string, data []byte) error {
	if i, changed := d.at[path]; changed {
		d.files[i].After = data
		return nil
	}
	before, err := d.File(path)
	if err != nil {
		return err
	}
	d.add(store.FileChange{Path: path, Before: before, After: data})
	return nil
}

func (d *Draft) add(c store.FileChange) {
	if d.at == nil {
		d.at = map[string]int{}
	}
	d.at[c.Path] = len(d.files)
	d.files = append(d.files, c)
}

// Replaced returns the paths of the files that are there and that the draft changes.
func (d *Draft) Replaced() (paths []string) {
	for _, c := range d.files {
		if c.Before != nil {
			paths = append(paths, c.Path)
		}
	}
	return paths
}

// PutRecord writes the record in the place of the item of its key, or of the file of its path. An
// entry keeps the fields of its file that memctl does not know.
func (d *Draft) PutRecord(r *Record) error {
	if r.Item != nil {
		it := *r.Item
		if i := merge.Duplicates(d.Document, it.Key); i >= 0 {
			it.Line, it.Column = d.Items[i].Line, d.Items[i].Column
			d.Items[i] = it
		} else {
			it.Line, it.Column = 0, 0
			d.Items = append(d.Items, it)
		}
		return nil
	}
	write := entry.Print
	if r.file != nil {
		write = r.file.Rewrite
	}
	after, err := write(*r.Entry)
	if err != nil {
		return err
	}
	return d.WriteFile(r.Path, after)
}

// Retire moves the file of an entry to the deleted ones, with what says why.
func (d *Draft) Retire(path string, why func(*entry.Entry)) error {
	r, err := d.Find(path)
	if r == nil {
		return err
	}
	why(r.Entry)
	r.Path = entry.DeletedPath(path)
	return errors.Join(d.Remove(path), d.PutRecord(r))
}

// Remove removes every item of that key, or the file of that path. It leaves no tombstone.
func (d *Draft) Remove(name string) error {
	if _, is := entry.ParsePath(name); is {
		return d.WriteFile(name, nil)
	}
	d.Items = slices.DeleteFunc(d.Items, func(it memfile.Item) bool { return it.Key == name })
	return nil
}
