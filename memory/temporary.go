package memory

import (
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// temporaryNote tells a person who could not be asked that their own words sound temporary.
const temporaryNote = "it sounds temporary, and is kept until somebody forgets it; --expires DAY sets an end"

// Temporary reports whether a person states something for good that sounds temporary. A
// door that can ask them does so, and sets Lasts. Lessons tell of the past and are not meant.
func (req AddRequest) Temporary() bool {
	return req.explicit() && !req.Lasts && !req.Seen && req.Expires == "" && lastsFor(req.Confidence) &&
		!strings.HasPrefix(req.Key, lessonPrefix) && policy.Passing(req.Value.Plain())
}

// Temporary is AddRequest.Temporary for a fact. Notes and summaries tell of their time.
func (req RememberRequest) Temporary() bool {
	return req.explicit() && !req.Lasts && !req.Seen && req.Expires == "" && lastsFor(req.Confidence) &&
		req.Role == entry.RoleFact && policy.Passing(req.Text)
}

// lastsFor reports whether a write with this confidence, "" for none, reaches each session.
func lastsFor(confidence string) bool { return confidence == "" || confidence == memfile.High }
