package secret

import (
	_ "embed" // the table of shapes
	"strconv"
	"strings"
	"sync"

	"github.com/memctl/memctl/policy/chars"
)

// credentialShape is what one kind of credential looks like: how it begins, what it is
// made of, how long the rest is.
type credentialShape struct {
	prefix        string
	kind          string
	alphabet      uint32 // of what follows the prefix
	min, max      int    // length of what follows; a longer run is something else
	requiredBytes uint32 // at least one byte of these must follow
}

//go:embed shapes.txt
var shapeText string

// shapes are the rows of shapes.txt by the first byte of the prefix.
var shapes = sync.OnceValue(func() *[128][]credentialShape {
	var list [128][]credentialShape
	for line := range strings.Lines(shapeText) {
		f := strings.Fields(line)
		if f[0] == "#" {
			continue
		}
		least, most, _ := strings.Cut(f[3], "-")
		s := credentialShape{prefix: f[0], kind: f[1], alphabet: alphabet(f[2])}
		s.min, _ = strconv.Atoi(least)
		s.max, _ = strconv.Atoi(most)
		if len(f) > 4 {
			s.requiredBytes = alphabet(f[4])
		}
		list[f[0][0]] = append(list[f[0][0]], s)
	}
	return &list
})

// alphabets are those of package chars.
var alphabets = sync.OnceValue(func() map[string]uint32 {
	return map[string]uint32{
		"Alnum": chars.Alnum, "AnyToken": chars.AnyToken, "Base64": chars.Base64, "Dash": chars.Dash, "Digits": chars.Digits, "Dot": chars.Dot,
		"Dotted": chars.Dotted, "Equals": chars.Equals, "HexAny": chars.HexAny, "HexLow": chars.HexLow, "Letters": chars.Letters, "LowAlnum": chars.LowAlnum,
		"Slash": chars.Slash, "URLSafe": chars.URLSafe, "Underline": chars.Underline, "UpAlnum": chars.UpAlnum, "Uppers": chars.Uppers, "Word": chars.Word,
	}
})

// alphabet reads the names of alphabets, joined by "+".
func alphabet(names string) (a uint32) {
	for name := range strings.SplitSeq(names, "+") {
		a |= alphabets()[name]
	}
	return a
}
