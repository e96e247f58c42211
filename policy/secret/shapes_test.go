package secret

import (
	"strings"
	"testing"

	"github.com/memctl/memctl/policy/chars"
)

func TestShapesAreWrittenAsTheirReaderExpects(t *testing.T) {
	n := 0
	for _, list := range shapes() {
		for _, s := range list {
			n++
			if s.alphabet == 0 || s.min < 0 || s.max < s.min || s.kind == "" {
				t.Errorf("%+v", s)
			}
			if len(s.prefix)+s.min < chars.MinCredential {
				t.Errorf("%q may be shorter than %d bytes, which are passed over", s.prefix, chars.MinCredential)
			}
		}
	}
	if n < 300 {
		t.Errorf("%d shapes", n)
	}
	for line := range strings.Lines(shapeText) {
		f := strings.Fields(line)
		for _, names := range f[2:] {
			for name := range strings.SplitSeq(names, "+") {
				if f[0] != "#" && strings.Trim(name, "0123456789-") != "" && alphabet(name) == 0 {
					t.Errorf("%s: %q is no alphabet", f[0], name)
				}
			}
		}
	}
}
