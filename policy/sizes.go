package policy

import (
	"strconv"
	"strings"
)

// The caps, in bytes. A value is small and specific, or it is a document and
// belongs in one.
const (
	MaxValueBytes = 2000 // all strings of a value together
	MaxNoteBytes  = 500  // source, reason
	MaxTagBytes   = 100  // one tag or path
	MaxTags       = 32   // tags, and paths
	maxMessage    = 4000 // a commit's message
	maxRawKey     = 500  // a key that others wrote
)

func (j *judge) checkSizes() {
	total := 0
	for i := range j.texts {
		p := &j.texts[i]
		n := len(p.Text)
		switch {
		case p.InValue():
			total += n
		case p.Where == "key":
			j.checkSize(p.Where, n, maxRawKey)
		case p.Where == "message":
			j.checkSize(p.Where, n, maxMessage)
		case p.Where == "source" || p.Where == "reason":
			j.checkSize(p.Where, n, MaxNoteBytes)
		case strings.HasPrefix(p.Where, "tags[") || strings.HasPrefix(p.Where, "paths["), strings.HasPrefix(p.Where, "commands["):
			j.checkSize(p.Where, n, MaxTagBytes)
		default:
			j.checkSize(p.Where, n, MaxValueBytes)
		}
	}
	j.checkSize("value", total, max(j.c.MaxValueBytes, MaxValueBytes))
	n := 0
	for _, f := range j.c.Labels.Fields() {
		if list, ok := f.At.(*[]string); ok {
			n = max(n, len(*list))
		}
	}
	if n > MaxTags {
		j.addFinding(Finding{Rule: RuleTooLong, Kind: "list", Where: "tags", Verdict: Refuse,
			Message: strconv.Itoa(n) + " tags, paths or commands where at most " + strconv.Itoa(MaxTags) + " make sense"})
	}
}

func (j *judge) checkSize(where string, n, most int) {
	if n <= most {
		return
	}
	j.addFinding(Finding{
		Rule: RuleTooLong, Where: where, Verdict: Refuse,
		Message: strconv.Itoa(n) + " bytes where " + strconv.Itoa(most) + " are allowed; shorten it to the main point",
		Hint:    "say it in one or two sentences, or keep the text in a document and remember where it is",
	})
}
