package entry

import (
	"errors"
	"strings"

	"github.com/memctl/memctl/internal/linemerge"
	"github.com/memctl/memctl/internal/yamltext"
)

// ErrFrontMatter says that one side of a merge removed the front matter of a file.
var ErrFrontMatter = errors.New("one side of the merge removed the front matter")

// MergeMarkdown merges two changes of a Markdown file as linemerge does, the front matter and the text each on
// its own, so that no line moves from one to the other. Line endings never make two lines differ. The result has
// Windows line endings only where both sides have them. Errors: ErrFrontMatter.
func MergeMarkdown(base, a, b string) (merged string, clean bool, err error) {
	windows := strings.Contains(a, "\r\n") && strings.Contains(b, "\r\n")
	headO, textO, hasO := yamltext.CutFrontMatter(base)
	headA, textA, hasA := yamltext.CutFrontMatter(a)
	headB, textB, hasB := yamltext.CutFrontMatter(b)
	if hasO && hasA != hasB {
		return "", false, ErrFrontMatter
	}
	merged, clean = linemerge.UnionMerge(textO, textA, textB)
	if hasA || hasB {
		head, same := linemerge.UnionMerge(headO, headA, headB)
		merged, clean = "---\n"+head+"---\n"+merged, clean && same
	}
	if windows {
		merged = strings.ReplaceAll(merged, "\n", "\r\n")
	}
	return merged, clean, nil
}
