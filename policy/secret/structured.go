package secret

import (
	"strings"

	"github.com/memctl/memctl/policy/chars"
)

// structured finds secrets by the structure around them.
func Structured(hits []Hit, p *chars.Part) []Hit {
	if len(p.Text) < 8 {
		return hits
	}
	hits = doorCodes(prose(Seeds(ruled(hits, p), p.Lower), p), p)
	if p.Long && p.Digit && strings.IndexByte(p.Text, '\n') >= 0 {
		hits = wrapped(keyLines(hits, p.Text), p.Text)
	}
	return hits
}
