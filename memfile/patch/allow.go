package patch

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/memfile"
)

// lacking are the allowances that an item should have and has not, less those
// for another value than its own, which count for nothing.
func lacking(has, want memfile.Item) []memfile.Allowance {
	if len(want.Allow) == 0 {
		return nil
	}
	digest := memfile.AllowDigest(want.Value)
	return slices.DeleteFunc(slices.Clone(want.Allow), func(a memfile.Allowance) bool {
		return a.Digest != digest || slices.Contains(has.Allow, a)
	})
}

// allowLines are allowances as comments, a line each.
func allowLines(list []memfile.Allowance) (lines []string) {
	for _, a := range list {
		text := "# " + memfile.AllowMark + " " + a.Rule + " " + a.Digest + " " + a.Why
		lines = append(lines, strings.TrimRight(text, " "))
	}
	return lines
}
