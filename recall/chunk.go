package recall

import (
	"fmt"
	"strings"
)

// Chunk is a part of a long text: whole lines, First to Last, counted from 1.
type Chunk struct {
	Text        string
	First, Last int
}

// Sizes of chunks, in bytes.
const (
	ChunkBytes    = 1000 // where a chunk ends at the latest, if a line ends before
	minChunkBytes = 500  // from where on it ends at a paragraph
)

// Chunks cuts a text at the ends of paragraphs, from 500 bytes on and at 1,000 at the
// latest. A line that is longer than that is cut at a space. Blank lines around a
// chunk are not in it. A text that fits in one is one chunk.
func Chunks(text string) []Chunk {
	var out []Chunk
	var lines []string
	first, size := 1, 0
	flush := func(next int) {
		for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
			lines, first = lines[1:], first+1
		}
		last := first + len(lines) - 1
		for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
			lines, last = lines[:len(lines)-1], last-1
		}
		if len(lines) > 0 {
			out = append(out, Chunk{strings.Join(lines, "\n"), first, last})
		}
		lines, first, size = nil, next, 0
	}
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		n++
		line = strings.TrimSuffix(line, "\r")
		blank := strings.TrimSpace(line) == ""
		heading := strings.HasPrefix(line, "#")
		if size > 0 && (size+len(line) > ChunkBytes || size >= minChunkBytes && (blank || heading)) {
			flush(n)
		}
		for len(line) > ChunkBytes {
			cut := strings.LastIndexByte(line[:ChunkBytes], ' ')
			if cut < minChunkBytes {
				cut = len(cutAt(line, ChunkBytes))
			}
			out = append(out, Chunk{line[:cut], n, n})
			line = strings.TrimPrefix(line[cut:], " ")
		}
		lines = append(lines, line)
		size += len(line) + 1
	}
	flush(n + 1)
	return out
}

// Place is the chunk's place in a file: path#L1-L9.
func (c Chunk) Place(path string) string { return fmt.Sprintf("%s#L%d-L%d", path, c.First, c.Last) }
