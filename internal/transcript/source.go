package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// record is a part of the file that is read at once.
type record struct {
	data       []byte // without the line's end; valid until the next record
	start, end int64
	tooLong    bool
	cut        bool // the file ends before the record does, or at least before its line
}

const byteOrderMark = "\xEF\xBB\xBF"

// lines gives the lines of a file that are not empty; io.EOF after the last one.
type lines struct {
	buf  *bufio.Reader
	off  int64
	max  int
	long []byte // a line that is longer than the buffer
}

func (l *lines) next() (record, error) {
	for {
		rec, err := l.line()
		if err != nil || rec.tooLong || len(rec.data) > 0 {
			return rec, err
		}
	}
}

// line reads a line of any length, and keeps no more than the most of it.
func (l *lines) line() (record, error) {
	rec := record{start: l.off}
	l.long = l.long[:0]
	for {
		part, err := l.buf.ReadSlice('\n')
		l.off += int64(len(part))
		full := errors.Is(err, bufio.ErrBufferFull)
		switch {
		case l.off-rec.start > int64(l.max):
			rec.tooLong = true
		case full || len(l.long) > 0:
			l.long = append(l.long, part...)
			rec.data = l.long
		default:
			rec.data = part
		}
		if full {
			continue
		}
		if err != nil && (!errors.Is(err, io.EOF) || l.off == rec.start) {
			return record{}, err
		}
		rec.end, rec.cut = l.off, err != nil
		if rec.tooLong {
			rec.data = nil
		}
		rec.data = bytes.TrimRight(rec.data, "\r\n")
		if rec.start == 0 {
			rec.data = bytes.TrimPrefix(rec.data, []byte(byteOrderMark))
		}
		return rec, nil
	}
}
