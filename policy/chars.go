package policy

// What a byte is, as bits, so that an alphabet is a mask.
const (
	digits    = 1 << iota // 0-9
	lowHex                // a-f
	lowRest               // g-z
	upHex                 // A-F
	upRest                // G-Z
	underline             // _
	dash                  // -
	dot                   // .
	slash                 // /
	plus                  // +
	equals                // =
	tilde                 // ~
	colon                 // :
)

// The alphabets that credentials are written in.
const (
	lowers   = lowHex | lowRest
	uppers   = upHex | upRest
	letters  = lowers | uppers
	alnum    = letters | digits
	hexLow   = digits | lowHex
	hexAny   = digits | lowHex | upHex
	lowAlnum = lowers | digits
	upAlnum  = uppers | digits
	word     = alnum | underline
	urlSafe  = alnum | underline | dash
	dotted   = urlSafe | dot
	base64s  = alnum | plus | slash | equals
	anyToken = urlSafe | dot | plus | slash | equals
	opaques  = anyToken | tilde
)

// Further bits, for the pass that every text is read by once.
const (
	inWord  = 1 << (13 + iota) // ' @ $, which stand inside words as people write them
	marks                      // sets a value apart: = : " ' ` - / @ < and the like
	unseen                     // a control character, or no ASCII
	high                       // no ASCII
	blank                      // a space or a comma
	wordish = lowAlnum | inWord | high
)

func class(c byte) uint32 {
	if c >= 0x80 {
		return unseen | high
	}
	return classOf[c]
}

func isAlnum(c byte) bool { return class(c)&alnum != 0 }

// span is how many of the first bytes of s belong to the alphabet, at most max.
func span(s string, alphabet uint32, max int) int {
	n := 0
	for n < len(s) && n < max && class(s[n])&alphabet != 0 {
		n++
	}
	return n
}

// census counts what a token is made of.
type census struct {
	digits, lowers, uppers, others int
	distinct                       int
	hex                            bool
	longestRun                     int // of one byte
}

func count(s string) census {
	c := census{hex: true}
	var seen [4]uint64
	run := 0
	for i := 0; i < len(s); i++ {
		b := s[i]
		switch k := class(b); {
		case k&digits != 0:
			c.digits++
		case k&lowers != 0:
			c.lowers++
		case k&uppers != 0:
			c.uppers++
		default:
			c.others++
		}
		if class(b)&hexAny == 0 {
			c.hex = false
		}
		if seen[b>>6]&(1<<(b&63)) == 0 {
			seen[b>>6] |= 1 << (b & 63)
			c.distinct++
		}
		if i > 0 && s[i-1] == b {
			run++
		} else {
			run = 1
		}
		c.longestRun = max(c.longestRun, run)
	}
	return c
}
