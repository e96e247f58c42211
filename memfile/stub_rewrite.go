package memfile

import "github.com/memctl/memctl/internal/yamltext"

func (f *File) Rewrite(want Document) ([]byte, error) { panic("stub") }

func (f *File) entryEnd(e yamltext.Entry) int { return e.Value.End }
