package policy

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/memctl/memctl/memfile"
)

const (
	// MinFoundBytes is how long a text must be, in bytes, to be told from others at
	// all; a shorter one than minPartBytes counts only as whole words.
	MinFoundBytes = 4
	minPartBytes  = 8
	// minBase64Bytes is the length from which a text is found in base64 too: both ends of its code
	// depend on what is around it, and a shorter one has no middle.
	minBase64Bytes = 9
	// MaxFoundBytes bounds a text that is looked for, in bytes.
	MaxFoundBytes = 8 << 10
)

// PurgedMark is what stands where a purged text was. It is plain text in YAML, in
// JSON and inside quotes of both.
const PurgedMark = "(purged)"

// redactedMark is what the journal has in the place of a secret; plain text as PurgedMark is.
const redactedMark = "(redacted by memctl)"

// HasPurgedPart reports whether the value or a part of it was purged, or has lost a secret.
func HasPurgedPart(v memfile.Value) bool {
	return v.Text == PurgedMark || strings.Contains(v.Text, redactedMark) || slices.ContainsFunc(v.List, HasPurgedPart) ||
		slices.ContainsFunc(v.Map, func(f memfile.Field) bool { return HasPurgedPart(f.Value) })
}

// IsOnlyPurged reports whether nothing but PurgedMark is left of a value.
func IsOnlyPurged(v memfile.Value) bool {
	if isScalar(v) {
		return v.Text == PurgedMark
	}
	left := v.Strings()
	return len(left) > 0 && !slices.ContainsFunc(left, func(s memfile.Text) bool { return s.Text != PurgedMark })
}

// refusePurged refuses a value that is only the mark of a purge. Such values remain in the history
// and where no tombstone came, such as another branch.
func (j *judge) refusePurged() {
	if IsOnlyPurged(j.c.Value) {
		j.addFinding(Finding{
			Rule: RulePurged, Where: "value", Verdict: Refuse,
			Message: "was purged; " + PurgedMark + " marks its place and cannot be stored",
			Hint:    "forget it, or add the present value",
		})
	}
}

// TextFinder finds the places of some texts, in every form in which memctl, YAML,
// JSON or git writes them down: as they are, quoted, escaped, folded or
// indented over several lines, in base64.
type TextFinder struct {
	texts []string
	forms []textPattern
}

// textPattern is one text: an expression, and plain bytes without which it matches nothing.
type textPattern struct {
	literal     []byte
	expr        *regexp.Regexp
	filterRule  string   // the expression as git filter-repo reads it
	base64Forms [][]byte // in base64, at each of its three offsets
}

// NotFindable counts the texts that no TextFinder looks for: those under MinFoundBytes and those
// over MaxFoundBytes.
type NotFindable struct{ Short, Long int }

// NewTextFinder makes a finder of the texts in the values, and counts those that it leaves out. true,
// false and null are everywhere, so they are not counted.
func NewTextFinder(values ...memfile.Value) (t TextFinder, left NotFindable) {
	seen := map[string]bool{}
	for len(values) > 0 {
		v := values[0]
		values = values[1:]
		values = append(values, v.List...)
		for _, f := range v.Map {
			values = append(values, f.Value)
		}
		text := strings.TrimSpace(v.Text)
		switch {
		case v.Kind == memfile.List || v.Kind == memfile.Map || v.Kind == memfile.Null || v.Kind == memfile.Bool || seen[text]:
			continue
		case len(text) < MinFoundBytes:
			left.Short++
		case len(text) > MaxFoundBytes:
			left.Long++
		default:
			t.texts, t.forms = append(t.texts, text), append(t.forms, newTextPattern(text))
		}
		seen[text] = true
	}
	return t, left
}

// Empty reports whether there is nothing to look for.
func (t TextFinder) Empty() bool { return len(t.forms) == 0 }

// FindsMark reports whether the trace finds the mark of an earlier purge, and
// so would find for ever what it puts there itself.
func (t TextFinder) FindsMark() bool { return t.FoundIn([]byte(PurgedMark)) }

// Count is the number of texts.
func (t TextFinder) Count() int { return len(t.forms) }

// Texts returns the texts that the trace looks for.
func (t TextFinder) Texts() []string { return t.texts }

// With returns a trace that looks for more texts.
func (t TextFinder) With(texts ...string) TextFinder {
	var all []memfile.Value
	for _, text := range slices.Concat(t.texts, texts) {
		all = append(all, memfile.Str(text))
	}
	more, _ := NewTextFinder(all...)
	return more
}

// FoundIn reports whether one of the texts stands in the bytes.
func (t TextFinder) FoundIn(src []byte) bool {
	for i := range t.forms {
		if f := &t.forms[i]; bytes.Contains(src, f.literal) && f.expr.Match(src) {
			return true
		}
		for _, raw := range t.forms[i].base64Forms {
			if bytes.Contains(src, raw) {
				return true
			}
		}
	}
	return false
}

// Replace gives the bytes with PurgedMark in the place of every text. What stood in
// base64 becomes as many letters A, so that the rest can still be read.
func (t TextFinder) Replace(src []byte) []byte {
	for i := range t.forms {
		f := &t.forms[i]
		for range 2 { // two whole words may share the space between them
			if bytes.Contains(src, f.literal) {
				src = f.expr.ReplaceAll(src, []byte("${a}"+PurgedMark+"${z}"))
			}
		}
		for _, raw := range f.base64Forms {
			src = bytes.ReplaceAll(src, raw, bytes.Repeat([]byte("A"), len(raw)))
		}
	}
	return src
}

// FoundInState is FoundIn for a file of local state, which keeps files in base64.
func (t TextFinder) FoundInState(src []byte) bool {
	if t.FoundIn(src) {
		return true
	}
	for rest := src; ; {
		start := bytes.IndexFunc(rest, isBase64Rune)
		if start < 0 {
			return false
		}
		rest = rest[start:]
		end := bytes.IndexFunc(rest, func(r rune) bool { return !isBase64Rune(r) })
		if end < 0 {
			end = len(rest)
		}
		const least = 8
		if end >= least {
			if data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(string(rest[:end]), "=")); err == nil && t.FoundIn(data) {
				return true
			}
		}
		rest = rest[end:]
	}
}

func isBase64Rune(r rune) bool {
	return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '+' || r == '/' || r == '=')
}

func newTextPattern(text string) textPattern {
	var b strings.Builder
	for i, w := range strings.Fields(text) {
		if i > 0 {
			b.WriteString(gapPattern)
		}
		for _, r := range w {
			b.WriteString(runePattern(r))
		}
	}
	before, after, rule := "", "", b.String()
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	if whole := len(text) < minPartBytes; whole && isPlainRune(first) {
		before, rule = `^|[^0-9A-Za-z_]`, `(?<![0-9A-Za-z_])`+rule
	}
	if whole := len(text) < minPartBytes; whole && isPlainRune(last) {
		after, rule = `$|[^0-9A-Za-z_]`, rule+`(?![0-9A-Za-z_])`
	}
	f := textPattern{literal: longestPlainRun(text), expr: regexp.MustCompile(`(?P<a>` + before + `)` + b.String() + `(?P<z>` + after + `)`), filterRule: escapeNonASCII(rule)}
	if len(text) >= minBase64Bytes {
		f.base64Forms = base64FormsOf(text)
	}
	return f
}

// gapPattern is what may stand between two words: white space as it is or escaped,
// and the sign that a diff, a quote or a comment puts before a line.
const gapPattern = "(?:[\\s\v]|\u0085|\u00a0|\u1680|\u2000|\u2001|\u2002|\u2003|\u2004|\u2005|\u2006|\u2007|\u2008|\u2009|\u200a|\u2028|\u2029|\u202f|\u205f|\u3000" + `|\\[nrt ]|\\u00(?:0[9aAdD]|20|[aA]0)|\\\r?\n|\n[ \t]*[>#+|-][ \t])+`

// FilterRules are the texts as rules for --replace-text of git filter-repo, whose
// expressions are Python's, over bytes. They find what FoundIn finds.
func (t TextFinder) FilterRules() []byte {
	var b bytes.Buffer
	for _, f := range t.forms {
		fmt.Fprintf(&b, "regex:%s==>%s\n", f.filterRule, PurgedMark)
		for _, raw := range f.base64Forms {
			fmt.Fprintf(&b, "literal:%s==>%s\n", raw, bytes.Repeat([]byte("A"), len(raw)))
		}
	}
	return b.Bytes()
}

// escapeNonASCII writes the bytes of other characters than ASCII's as escapes.
func escapeNonASCII(expr string) string {
	var b strings.Builder
	for _, c := range []byte(expr) {
		if c < utf8.RuneSelf {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\x%02x`, c)
		}
	}
	return b.String()
}

func isPlainRune(r rune) bool {
	return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}

// runePattern is an expression for the ways in which a character is written.
func runePattern(r rune) string {
	plain := regexp.QuoteMeta(string(r))
	if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
		return plain // nobody escapes these
	}
	list := []string{}
	switch {
	case r == '\'':
		list = append(list, `''`)
	case r == '"' || r == '\\' || r == '/':
		list = append(list, `\\`+plain)
	}
	hex := func(form string, n rune) { list = append(list, `\\(?i:`+fmt.Sprintf(form, n)+`)`) }
	switch {
	case r > 0xffff:
		hi, lo := utf16.EncodeRune(r)
		list = append(list, fmt.Sprintf(`\\(?i:u%04x)\\(?i:u%04x)`, hi, lo))
		hex(`U%08x`, r)
	case r < 0x100:
		hex(`u%04x`, r)
		hex(`x%02x`, r)
	default:
		hex(`u%04x`, r)
	}
	return "(?:" + strings.Join(append(list, plain), "|") + ")"
}

// longestPlainRun is the longest run of letters and digits, which no form changes.
func longestPlainRun(text string) []byte {
	best := ""
	for _, run := range strings.FieldsFunc(text, func(r rune) bool { return !isPlainRune(r) || r == '_' }) {
		if len(run) > len(best) {
			best = run
		}
	}
	return []byte(best)
}

// base64FormsOf is what stands in the base64 of any bytes that hold the text,
// wherever it begins among them; with its JSON form where that differs.
func base64FormsOf(text string) [][]byte {
	texts := []string{text}
	if quoted, err := json.Marshal(text); err == nil && string(quoted[1:len(quoted)-1]) != text {
		texts = append(texts, string(quoted[1:len(quoted)-1]))
	}
	var list [][]byte
	for _, s := range texts {
		for offset := range 3 {
			for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
				code := enc.EncodeToString(append(make([]byte, offset), s...))
				// The first letters mix with what stands before, the last with what follows.
				from, to := (offset*8+5)/6, (offset+len(s))*8/6
				piece := []byte(code[from:to])
				if len(list) == 0 || !bytes.Equal(list[len(list)-1], piece) {
					list = append(list, piece)
				}
			}
		}
	}
	return list
}
