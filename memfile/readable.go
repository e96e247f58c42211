package memfile

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/memctl/memctl/internal/spelling"
)

// readable is a text as a reader takes it, in normal form: markup off, and folded as
// spelling.Fold does.
func readable(s string) string {
	if strings.Contains(s, "<") {
		s = withoutTags(s)
	}
	for _, mark := range []string{"**", "*", "~~"} {
		s = withoutPairs(s, mark)
	}
	if !isPrintableASCII(s) {
		s = norm.NFKC.String(spelling.Fold(norm.NFKD.String(s)))
		return strings.Join(strings.Fields(s), " ")
	}
	return NormalText(s)
}

// isPrintableASCII reports whether a text has nothing but ASCII and no control characters
// other than white space.
func isPrintableASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < ' ' && (c < '\t' || c > '\r') {
			return false
		}
	}
	return true
}

// tag is one tag of HTML in a text.
type tag struct {
	from, to int
	name     string
	end      bool
}

// textTags are the elements of HTML that only format text. Others are content: "<name>" is
// a placeholder.
const textTags = " a abbr b big br cite code del div em font h1 h2 h3 h4 h5 h6 i ins kbd li mark ol p pre q s samp small span strike strong sub sup tt u ul var wbr "

// withoutTags takes off the tags that format text: those that touch a word, and those
// with a partner. One that stands alone is what the text is about ("use <b> for keys").
func withoutTags(s string) string {
	var tags []tag
	opens, ends := map[string]bool{}, map[string]bool{}
	for at := 0; ; {
		from := strings.IndexByte(s[at:], '<')
		if from < 0 {
			break
		}
		t, ok := tagAt(s, at+from)
		if at += from + 1; !ok {
			continue
		}
		tags, at = append(tags, t), t.to
		if t.end {
			ends[t.name] = true
		} else {
			opens[t.name] = true
		}
	}
	var b strings.Builder
	at := 0
	for _, t := range tags {
		touches := t.from > 0 && partOfWord(s[t.from-1]) || t.to < len(s) && partOfWord(s[t.to])
		if !touches && !(opens[t.name] && ends[t.name]) {
			continue
		}
		b.WriteString(s[at:t.from])
		if strings.Contains(" br div h1 h2 h3 h4 h5 h6 li ol p pre ul ", " "+t.name+" ") {
			b.WriteByte(' ')
		}
		at = t.to
	}
	return b.String() + s[at:]
}

// partOfWord reports whether a byte belongs to a word, or to one in another script.
func partOfWord(c byte) bool { return isASCIIAlphanumeric(c|0x20) || '0' <= c && c <= '9' || c >= 0x80 }

// maxTag is the length of the longest tag that is taken off.
const maxTag = 200

// tagAt reads the tag that begins at a "<". What it has beside its name must be
// attributes with values, so that "a <b and c> d" is none.
func tagAt(s string, from int) (t tag, ok bool) {
	length := strings.IndexByte(s[from:min(len(s), from+maxTag)], '>')
	if length < 0 {
		return t, false
	}
	t = tag{from: from, to: from + length + 1}
	inside := strings.TrimSuffix(s[from+1:from+length], "/")
	inside, t.end = strings.CutPrefix(inside, "/")
	name, rest, _ := strings.Cut(strings.TrimSpace(inside), " ")
	t.name = strings.ToLower(name)
	return t, t.name != "" && strings.Contains(textTags, " "+t.name+" ") && (strings.TrimSpace(rest) == "" || strings.Contains(rest, "="))
}

// withoutPairs takes off a mark of emphasis where one opens before a word and another
// closes behind one.
func withoutPairs(s, mark string) string {
	var b strings.Builder
	for {
		open := strings.Index(s, mark)
		if open < 0 {
			return b.String() + s
		}
		inside := s[open+len(mark):]
		end := strings.Index(inside, mark)
		if end <= 0 || open > 0 && partOfWord(s[open-1]) || inside[0] == ' ' || inside[end-1] == ' ' {
			return b.String() + s
		}
		after := inside[end+len(mark):]
		if after != "" && partOfWord(after[0]) {
			return b.String() + s
		}
		b.WriteString(s[:open] + inside[:end])
		s = after
	}
}
