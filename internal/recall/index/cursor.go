package index

import "encoding/binary"

// cursor reads numbers and strings; bad says that there were none.
type cursor struct {
	data []byte
	bad  bool
}

func (c *cursor) uvarint() uint64 {
	v, n := binary.Uvarint(c.data)
	if n <= 0 {
		c.bad, c.data = true, nil
		return 0
	}
	c.data = c.data[n:]
	return v
}

func (c *cursor) bytes() []byte {
	n := c.uvarint()
	if n > uint64(len(c.data)) {
		c.bad, c.data = true, nil
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
		c.bad = true
		return nil
	}
	var list []string
	for ; n > 0 && !c.bad; n-- {
		list = append(list, c.str())
	}
	return list
}
