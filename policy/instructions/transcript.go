package instructions

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"github.com/memctl/memctl/policy/chars"
)

//go:embed transcripts.txt
var transcriptText string

var transcripts = sync.OnceValue(func() *chars.WordIndex[chars.Rule] { return chars.ParseRules(transcriptText) })

// TranscriptKind tells what a text was copied from: speaker-turns, log, stack-trace, diff,
// code, session; "" where it is a text of its own.
func TranscriptKind(p *chars.Part) string {
	const shortest = 24
	if len(p.Text) < shortest {
		return ""
	}
	lines := 0
	for line := range strings.Lines(p.Text) {
		if strings.TrimSpace(line) != "" {
			lines++
		}
	}
	for r := range transcripts().FindIn(p) {
		if (len(r.Checks) > 1 && r.Checks[1] == "line") == strings.Contains(p.Text, "\n") {
			continue
		}
		found := r.Find(p)
		least, _ := strconv.Atoi(r.Checks[0])
		counts := len(found) >= least
		for _, check := range r.Checks[1:] {
			switch check {
			case "half":
				counts = counts && len(found)*2 >= lines
			case "more":
				counts = counts && len(found) < lines
			case "speakers":
				names := map[string]bool{}
				for _, m := range found {
					names[p.Lower[m.Start:m.End]] = true
				}
				counts = counts && len(names) >= 2 && len(names)*2 <= len(found)
			}
		}
		if counts {
			return r.Kind
		}
	}
	return ""
}
