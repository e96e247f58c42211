package chars

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"html"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/memctl/memctl/internal/spelling"
)

// Reading is a text as somebody who decodes it reads it.
type Reading struct {
	Text       string
	Encoding   string // "base64", "hex", "escapes", "reversed", "rot13", "look-alikes"
	Start, End int    // the range of the text that was decoded
}

// maxShortText is the length, in bytes, up to which a text is also read backwards, in ROT13 and with
// digits as letters: what is longer is no note.
const maxShortText = 8 << 10

// Readings decodes what hides in a text: look-alike letters and marks over letters, digits for
// letters, escapes of HTML, URLs and source code, runs of base64 and hexadecimal, text that is
// reversed or in ROT13. A plain text has none, and costs a few looks at its bytes.
func Readings(p *Part) (list []Reading) {
	if p.IsPlainWord {
		return nil
	}
	if p.HasLongRun {
		list = decodeRuns(list, p.Text)
	}
	short := len(p.Text) <= maxShortText
	if escapes, letters := p.HasMark && ContainsAny(p.Text, "&", "%", `\x`, `\u`), !p.ASCII || p.HasDigit && short; escapes || letters {
		at := 0
		for line := range strings.Lines(p.Text) {
			how, text := "escapes", line
			if escapes {
				text = decodeEscapes(line)
			}
			if letters && text == line {
				how, text = "look-alikes", replaceLookAlikes(line, short)
			}
			if text != line {
				list = append(list, Reading{text, how, at, at + len(line)})
			}
			at += len(line)
		}
	}
	if !short {
		return list
	}
	if p.ContainsAny("eht", "erongi", "snoitcurtsni", "syawla", "reven", "uoy", "yromem", "seiromem", "eteled", "resu ", "drowssap", "terces", "nekot", "dnes") {
		list = append(list, Reading{reversed(p.Text), "reversed", 0, len(p.Text)}, Reading{reverseWords(p.Text), "reversed", 0, len(p.Text)})
	}
	if p.ContainsAny("gur ", "vtaber", "lbh ", "nyjnlf", "zrzbel", "hfre ", "naq ", "cnffjbeq", "frperg", "fraq ") {
		list = append(list, Reading{strings.Map(rot13, p.Text), "rot13", 0, len(p.Text)})
	}
	if text := joinSpacedLetters(p.Text); text != p.Text {
		list = append(list, Reading{text, "spaced", 0, len(p.Text)})
	}
	return list
}

func reversed(s string) string {
	r := []rune(s)
	for i, k := 0, len(r)-1; i < k; i, k = i+1, k-1 {
		r[i], r[k] = r[k], r[i]
	}
	return string(r)
}

// reverseWords reverses each word where it stands.
func reverseWords(s string) string {
	words := strings.Split(s, " ")
	for i, w := range words {
		words[i] = reversed(w)
	}
	return strings.Join(words, " ")
}

// joinSpacedLetters joins letters that stand apart, four or more of a word: "i g n o r e", "i-g-n-o-r-e".
func joinSpacedLetters(s string) string {
	single := func(i int) bool {
		return i < len(s) && s[i] > ' ' && (i == 0 || !IsAlnum(s[i-1])) && (i+1 == len(s) || !IsAlnum(s[i+1]))
	}
	var b []byte
	longest := 0
	for i := 0; i < len(s); {
		n := 0
		if single(i) && i+1 < len(s) && strings.IndexByte(" -._", s[i+1]) >= 0 {
			for n++; single(i+2*n) && s[i+2*n-1] == s[i+1] && s[i+2*n] != s[i+1]; n++ {
			}
		}
		n = max(n, 1)
		if n > 1 && b == nil {
			b = append(make([]byte, 0, len(s)), s[:i]...)
		}
		for k := 0; b != nil && k < n; k++ {
			b = append(b, s[i+2*k])
		}
		longest = max(longest, n)
		i += 2*n - 1
	}
	const apart = 4
	if longest < apart {
		return s
	}
	return strings.ReplaceAll(string(b), "  ", " ")
}

func rot13(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case r >= 'A' && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	}
	return r
}

// decodeEscapes reads &#105; and &amp;, %69, \x69 and \u0069 where a text has several of them.
func decodeEscapes(s string) string {
	if strings.Contains(s, "&#") || strings.Count(s, "&") > 2 && strings.Contains(s, ";") {
		s = html.UnescapeString(s)
	}
	const several = 3
	if len(escape().FindAllString(s, several)) == several {
		s = escape().ReplaceAllStringFunc(s, func(code string) string {
			digits := strings.TrimLeft(code, `%\xu`)
			n, _ := strconv.ParseUint(digits, 16, 32)
			if len(digits) == 2 {
				return string([]byte{byte(n)})
			}
			return string(rune(n))
		})
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

var escape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:%|\\x)[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}`) })

// decodeRuns decodes the long runs of base64 and hexadecimal.
func decodeRuns(list []Reading, s string) []Reading {
	for i := 0; i < len(s); {
		if ClassOf(s[i])&Alnum == 0 {
			i++
			continue
		}
		n := SpanLen(s[i:], Alnum|Plus|Slash|Underline|Dash, len(s))
		if n >= 24 {
			how := "base64"
			text, ok := decodeHex(s[i : i+n])
			if ok {
				how = "hex"
			} else {
				text, ok = DecodeBase64(s[i : i+n])
			}
			if ok {
				list = append(list, Reading{text, how, i, i + n + SpanLen(s[i+n:], Equals, 2)})
			}
		}
		i += n
	}
	return list
}

// decodeHex returns the text in hexadecimal, where it is text.
func decodeHex(token string) (string, bool) {
	if SpanLen(token, HexAny, len(token)) < len(token) {
		return "", false
	}
	raw, err := hex.DecodeString(token[:len(token)&^1])
	if err != nil || !isLegible(raw) {
		return "", false
	}
	return string(raw), true
}

// DecodeBase64 returns the text in a base64 token, where it is text. Padding may be missing, and what no
// padding makes whole is cut off.
func DecodeBase64(token string) (string, bool) {
	const most = 1 << 16
	token = token[:min(len(token), most)]
	enc := base64.RawStdEncoding
	if strings.ContainsAny(token, "-_") {
		enc = base64.RawURLEncoding
	}
	if len(token)%4 == 1 {
		token = token[:len(token)-1]
	}
	raw, err := enc.DecodeString(token)
	if err != nil || len(raw) < 12 {
		return "", false
	}
	for n := 1; n <= 3; n++ { // a character that was cut
		if utf8.RuneStart(raw[len(raw)-n]) {
			if !utf8.FullRune(raw[len(raw)-n:]) {
				raw = raw[:len(raw)-n]
			}
			break
		}
	}
	return string(raw), isLegible(raw)
}

func isLegible(raw []byte) bool {
	if !utf8.Valid(raw) {
		return false
	}
	for _, b := range raw {
		if b < 0x20 && b != '\n' && b != '\r' && b != '\t' {
			return false
		}
	}
	return len(raw) > 0
}

// replaceLookAlikes reads each word of a line as it looks: letters of other scripts among Latin ones, marks
// over letters, full-width and mathematical letters, and digits for letters. It gives the line back
// where nothing is strange about it.
func replaceLookAlikes(line string, digits bool) string {
	marks, mixed, leet := 0, 0, 0
	for _, r := range line {
		if r >= utf8.RuneSelf && (unicode.Is(unicode.Mn, r) && r < 0x370 || r >= 0x1d400 && r < 0x1d800 || r > 0xff00 && r < 0xff5f) {
			marks++
		}
	}
	for w := range strings.FieldsSeq(line) {
		switch latin, alike, inner := countLetterKinds(w); {
		case latin > 0 && alike > 0:
			mixed++
		case latin > 0 && inner > 0 && digits:
			leet++
		}
	}
	const some = 3
	if mixed == 0 && marks < some && leet < some {
		return line
	}
	var b strings.Builder
	for _, r := range norm.NFD.String(norm.NFKC.String(line)) {
		l := byte(0)
		if r >= utf8.RuneSelf {
			l = cmp.Or(spelling.LatinLookalike(r), spelling.LatinLookalike(unicode.ToLower(r)))
		}
		switch k := strings.IndexRune("013457@$", r); {
		case unicode.Is(unicode.Mn, r) && r < 0x370:
		case l != 0:
			b.WriteByte(l)
		case k >= 0 && leet >= some:
			b.WriteByte("oieastas"[k])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// countLetterKinds counts the Latin letters of a word, the letters that look like some, and the digits and signs
// that stand for letters between or before them.
func countLetterKinds(w string) (latin, alike, inner int) {
	held := 0
	for _, r := range w {
		switch {
		case r >= utf8.RuneSelf:
			if spelling.LatinLookalike(r) != 0 || spelling.LatinLookalike(unicode.ToLower(r)) != 0 {
				alike++
			}
		case ClassOf(byte(r))&Letters != 0:
			latin++
			inner, held = inner+held, 0
		case strings.IndexByte("013457@$", byte(r)) >= 0:
			held++
		}
	}
	return latin, alike, inner
}
