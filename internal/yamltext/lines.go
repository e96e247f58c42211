package yamltext

import "strings"

// LineStart is where the line that pos is in begins.
func (s Source) LineStart(pos int) int { return strings.LastIndexByte(s.Text[:pos], '\n') + 1 }

// NextLineStart is where the line after the one that pos is in begins, or the end of the text.
func (s Source) NextLineStart(pos int) int {
	if i := strings.IndexByte(s.Text[pos:], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(s.Text)
}

// LineEnd is where the line that pos is in ends, without its line ending.
func (s Source) LineEnd(pos int) int {
	stop := len(s.Text)
	if i := strings.IndexByte(s.Text[pos:], '\n'); i >= 0 {
		stop = pos + i
	}
	if stop > pos && s.Text[stop-1] == '\r' {
		stop--
	}
	return stop
}

// Column is how many bytes stand before pos on its line.
func (s Source) Column(pos int) int { return pos - s.LineStart(pos) }

// CommentAt reports whether the line that begins at start is a comment, and how far it is
// indented.
func (s Source) CommentAt(start int) (indent int, ok bool) {
	text := strings.TrimLeft(s.Text[start:s.NextLineStart(start)], " \t")
	return s.NextLineStart(start) - start - len(text), strings.HasPrefix(text, "#")
}

// CommentsEnd is where the comment lines end that begin at the offset at and are
// indented deeper than column.
func (s Source) CommentsEnd(at, column int) int {
	for at < s.To {
		if indent, ok := s.CommentAt(at); !ok || indent <= column {
			break
		}
		at = s.NextLineStart(at)
	}
	return at
}

// HasDash reports whether a list's entry has a dash, and so lines of its own.
func (s Source) HasDash(e Entry) bool { return e.Start < e.Value.Start && s.Text[e.Start] == '-' }

// EntryEnd is where what belongs to a list's entry ends. For an entry with a dash that is
// after its last line and after the comments below that are indented deeper than the dash.
func (s Source) EntryEnd(e Entry) int {
	if !s.HasDash(e) {
		return e.Value.End
	}
	return s.CommentsEnd(s.NextLineStart(max(e.Value.End, e.Start)), s.Column(e.Start))
}

// IsInScalar reports whether the offset is inside a scalar of the node.
func (n *Node) IsInScalar(pos int) bool {
	if n.Kind == Scalar {
		return pos >= n.Start && pos < n.End
	}
	for _, e := range n.Entries {
		if e.Key != nil && e.Key.IsInScalar(pos) || e.Value.IsInScalar(pos) {
			return true
		}
	}
	return false
}

// IsNull reports whether the node is nothing: empty, or a plain null.
func (n *Node) IsNull() bool {
	return n.Kind == Scalar && (n.Style == Empty || n.Style == Plain && TypeOf(n.Text) == Null)
}
