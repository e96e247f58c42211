package recovery

import (
	"bytes"
	"strings"

	"github.com/memctl/memctl/internal/linemerge"
)

// line is one line of the source, without its line ending.
type line struct {
	n       int    // 1-based, in the source
	indent  int    // columns of leading white space; a tab counts four
	body    string // the rest, trailing white space included
	at, end int    // its first byte in the source, and that of its line ending
	next    int    // the first byte of the line after it
	stray   bool   // memfile calls it memory below the fence
	mended  bool   // indent and body are not those of the source
}

func (l line) blank() bool { return l.body == "" }

// splitLines cuts a text into lines. LF, CR LF and a lone CR end a line; no editor counts the last.
// Bytes that are not UTF-8 become U+FFFD, so that what is salvaged can be written.
// strays are the ranges that memfile reports.
func splitLines(src []byte, strays [][2]int) (lines []line) {
	at := len(src) - len(bytes.TrimPrefix(src, []byte("\ufeff")))
	for n := 1; at < len(src); {
		end, next := len(src), len(src)
		if i := bytes.IndexAny(src[at:], "\n\r"); i >= 0 {
			end, next = at+i, at+i+1
			if bytes.HasPrefix(src[end:], []byte("\r\n")) {
				next++
			}
		}
		text := strings.ToValidUTF8(string(src[at:end]), "\ufffd")
		body := strings.TrimLeft(text, " \t")
		margin := text[:len(text)-len(body)]
		for len(strays) > 0 && strays[0][1] <= at {
			strays = strays[1:]
		}
		lines = append(lines, line{n: n, indent: len(margin) + 3*strings.Count(margin, "\t"), body: body, at: at, end: end, next: next,
			stray: len(strays) > 0 && strays[0][0] <= at})
		if src[next-1] == '\n' {
			n++
		}
		at = next
	}
	return lines
}

// sides resolves conflict markers: one list of lines where there are none, else ours and
// theirs. The base that diff3 shows is left out, because it has what both sides changed or removed.
func sides(lines []line) [][]line {
	var ours, theirs []line
	last, marked := byte('>'), false // the last marker
	for _, l := range lines {
		m := byte(0)
		if l.indent == 0 {
			m = linemerge.ConflictMarker(l.body)
		}
		switch {
		case m == '<', m == '>', m == '|' && last == '<', m == '=' && (last == '<' || last == '|'):
			last, marked = m, marked || m == '<' || m == '>'
			continue
		case last == '<':
			ours = append(ours, l)
		case last == '=':
			theirs = append(theirs, l)
		case last == '>':
			ours, theirs = append(ours, l), append(theirs, l)
		}
	}
	if !marked {
		return [][]line{lines}
	}
	return [][]line{ours, theirs}
}

// fence is the start or end of a fenced code block.
type fence struct {
	mark string
	yaml bool
	info bool // it names a language, so it ends no block
}

// fenceAt reads a line as a fence. Fences indented by four or more are text.
func fenceAt(l line) (f fence, ok bool) {
	if l.indent > 3 || l.body == "" || l.body[0] != '`' && l.body[0] != '~' {
		return f, false
	}
	rest := strings.TrimLeft(l.body, l.body[:1])
	f.mark = l.body[:len(l.body)-len(rest)]
	if words := strings.Fields(rest); len(words) > 0 {
		f.info, f.yaml = true, strings.EqualFold(words[0], "yaml") || strings.EqualFold(words[0], "yml")
	}
	return f, len(f.mark) >= 3 && (f.mark[0] == '~' || !strings.Contains(rest, "`"))
}

// bullet returns what follows a list item's mark, and its column relative to the mark.
func bullet(body string) (content string, column int, ok bool) {
	rest := strings.TrimLeft(body, "-*+")
	if len(body)-len(rest) != 1 || rest != "" && rest[0] != ' ' && rest[0] != '\t' || rest == "" && body != "-" {
		return "", 0, false
	}
	if content = strings.TrimLeft(rest, " \t"); content == "" {
		return "", 2, true
	}
	return content, len(body) - len(content), true
}

func isBullet(l line) bool {
	_, _, ok := bullet(l.body)
	return ok
}

// field cuts "name: text" where name is one plain word, as in our own format.
func field(body string) (name, text string, ok bool) {
	name, text, ok = strings.Cut(body, ":")
	const others = "_-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if !ok || name == "" || strings.Trim(name, others) != "" || text != "" && text[0] != ' ' && text[0] != '\t' {
		return "", "", false
	}
	return name, strings.TrimSpace(text), true
}

// uncomment cuts a YAML comment from the end of a simple value.
func uncomment(text string) string {
	text, _, _ = strings.Cut(" "+text, " #")
	return strings.TrimSpace(text)
}

// opensIndentedBlock reports whether what follows the line, indented, belongs to it: the line ends with a
// name without a value, or begins a block scalar, whose lines are text whatever they look like.
func opensIndentedBlock(body string) (any, scalar bool) {
	body = uncomment(body)
	if strings.HasSuffix(body, ":") || body == "-" {
		return true, false
	}
	last := body[strings.LastIndexAny(body, " \t")+1:]
	scalar = last != "" && (last[0] == '|' || last[0] == '>') && strings.Trim(last[1:], "+-123456789") == ""
	return scalar, scalar
}

// heading reports whether the line is a Markdown heading.
func heading(l line) bool {
	rest := strings.TrimLeft(l.body, "#")
	n := len(l.body) - len(rest)
	return l.indent <= 3 && n >= 1 && n <= 6 && strings.HasPrefix(rest, " ")
}
