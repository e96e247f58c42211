package index

import (
	"encoding/binary"
	"errors"
	"sort"
	"strings"
)

// findTerm looks a term up: its postings, and in how many docs it is.
func (s *segment) findTerm(term string) (posts []byte, docs int, err error) {
	if s.hashed {
		term = hashedTerm(term)
	}
	failed := s.visitTermsFrom(term, func(name []byte, at, length, count int) bool {
		if string(name) == term {
			posts, err = s.file.readRange(secPosts, at, length)
			docs = count
		}
		return string(name) < term
	})
	return posts, docs, errors.Join(failed, err)
}

// visitPrefix visits the terms that begin so, until visit returns false.
func (s *segment) visitPrefix(prefix string, visit func(term string) bool) error {
	return s.visitTermsFrom(prefix, func(name []byte, _, _, _ int) bool {
		if strings.HasPrefix(string(name), prefix) {
			return visit(string(name))
		}
		return string(name) < prefix
	})
}

// visitTermsFrom visits terms in their order, from a block on that has no later one than the term that is looked for, until visit
// returns false. The numbers are where the postings are, how long they are, and in how many docs.
func (s *segment) visitTermsFrom(term string, visit func(name []byte, at, length, count int) bool) (err error) {
	n := len(s.blocks) / 8
	block := func(i int) (terms, posts int) {
		return int(littleEndian.Uint32(s.blocks[8*i:])), int(littleEndian.Uint32(s.blocks[8*i+4:]))
	}
	size := s.file.parts[secTerms].size
	first := sort.Search(n, func(i int) bool {
		at, _ := block(i)
		data, e := s.file.readRange(secTerms, at, min(maxTermBytes+8, max(0, size-at)))
		if e != nil {
			err = e
			return false
		}
		c := cursor{data: data}
		c.uvarint()
		return string(c.bytes()) > term
	}) - 1
	for i := max(first, 0); err == nil && i < n; i++ {
		from, at := block(i)
		to := size
		if i+1 < n {
			to, _ = block(i + 1)
		}
		data, err := s.file.readRange(secTerms, from, to-from)
		if err != nil {
			return err
		}
		c := cursor{data: data}
		var name []byte
		for len(c.data) > 0 && !c.failed {
			shared := c.uvarint()
			suffix := c.bytes()
			length, count := c.uvarint(), c.uvarint()
			if c.failed || shared > uint64(len(name)) || len(suffix) > 2*maxTermBytes || length > MaxSegmentBytes || count > uint64(s.docCount) {
				return corruptError("terms")
			}
			name = append(name[:shared], suffix...)
			if !visit(name, at, int(length), int(count)) {
				return nil
			}
			at += int(length)
		}
		if c.failed {
			return corruptError("terms")
		}
	}
	return err
}

// cursor reads numbers and strings; bad says that there were none.
type cursor struct {
	data   []byte
	failed bool
}

func (c *cursor) uvarint() uint64 {
	v, n := binary.Uvarint(c.data)
	if n <= 0 {
		c.failed, c.data = true, nil
		return 0
	}
	c.data = c.data[n:]
	return v
}

func (c *cursor) bytes() []byte {
	n := c.uvarint()
	if n > uint64(len(c.data)) {
		c.failed, c.data = true, nil
		return nil
	}
	b := c.data[:n]
	c.data = c.data[n:]
	return b
}

func (c *cursor) str() string { return string(c.bytes()) }

func (c *cursor) list() []string {
	n := c.uvarint()
	if n > uint64(len(c.data)) {
		c.failed = true
		return nil
	}
	var list []string
	for ; n > 0 && !c.failed; n-- {
		list = append(list, c.str())
	}
	return list
}
