package transfer

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/capture"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// Instructions is the part of an instruction file that has memory.
type Instructions struct {
	Text  string
	Items int // in the text
	Left  int // had no room
	Known int // are left out, because the rest of the file has their text
}

// instructionsHead says where the lines come from, for whoever edits the file.
const instructionsHead = "## Memory\n\nmemctl writes these lines: change them with memctl, not here.\n\n"

// Instructions is the items as the part of an instruction file that agents read at every start,
// at most max bytes of them, cut at whole items. It leaves out items that nobody has confirmed, that have
// expired, or that apply to some paths or commands only, and items whose text the rest of the file has: an
// import of that file would come back twice.
func (r ExportResult) Instructions(today string, max int, rest []byte) Instructions {
	var in Instructions
	var b strings.Builder
	file := stated(rest)
	for _, it := range r.Items {
		if it.Confidence == memfile.Low || slices.Contains(it.Tags, memfile.TagNeedsConfirmation) || it.Expires != "" && it.Expires < today || !it.Everywhere() {
			continue
		}
		value := strings.Join(strings.Fields(it.Value.Plain()), " ")
		if file[memfile.NormalText(value)] {
			in.Known++
			continue
		}
		line := policy.Inert("- "+it.Key+": "+value) + "\n"
		if in.Left > 0 || len(instructionsHead)+b.Len()+len(line) > max {
			in.Left++
			continue
		}
		in.Items++
		b.WriteString(line)
	}
	if in.Items > 0 {
		in.Text = instructionsHead + b.String()
	}
	return in
}

// stated are the values that an import of the file would give its lines.
func stated(file []byte) map[string]bool {
	values := map[string]bool{}
	res, err := capture.Read(capture.Agents, []capture.File{{Name: "AGENTS.md", Data: file}})
	if err != nil {
		return values
	}
	for _, c := range res.Candidates {
		values[memfile.NormalText(c.Value.Plain())] = true
	}
	return values
}
