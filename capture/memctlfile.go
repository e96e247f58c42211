package capture

import (
	"bytes"
	"slices"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
)

// memctl reads another memory file: its items, without their history, locks,
// pins and ask. A damaged one is not read: there `memctl recover` comes first.
func (r *reading) memctl(f File) error {
	file, problems := memfile.Parse(f.Name, f.Data)
	if file == nil {
		if len(problems) > 0 {
			return unreadable(f.Name, problems[0].Line, "is not a valid memory file: "+problems[0].Message)
		}
		return unreadable(f.Name, 0, "is not a valid memory file")
	}
	doc := file.Document()
	for _, it := range doc.Items {
		if memfile.ForgottenBy(doc, it) != nil {
			continue
		}
		c := Candidate{
			Line: it.Line, Key: it.Key, Value: it.Value, Labels: it.Only(labels.Exported),
		}
		c.Confidence = memfile.Low
		if (it.Confidence == memfile.High || it.Confidence == memfile.Medium) && !it.HasTag(memfile.TagNeedsConfirmation) {
			c.Confidence = memfile.Medium
		}
		r.add(c)
	}
	return nil
}

// pointer is the line that `import --take-out` of an older memctl left in a file.
const pointer = "This file continues in `" + memfile.FileName + "`: memctl gives its rules to agents when a session starts; without memctl, read it."

// Unpointed returns the file without that line.
func Unpointed(file []byte) []byte {
	before, after, there := bytes.Cut(file, []byte(pointer))
	if !there {
		return file
	}
	if before = bytes.TrimRight(before, "\r\n"); len(before) == 0 {
		after = bytes.TrimLeft(after, "\r\n")
	}
	return slices.Concat(before, after)
}
