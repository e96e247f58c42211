package memory

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/memfile"
)

// unstated names the fields that the write would change and that only a person changes
// of what they stated: each of them can keep the item from every session.
func (a *adding) unstated(it *memfile.Item) string {
	after := *it
	a.extras(&after)
	var fields []string
	if itemUnconfirmed(it) {
		fields = append(fields, "confidence")
	}
	if !slices.Equal(after.Tags, it.Tags) {
		fields = append(fields, "tags")
	}
	if !slices.Equal(after.Paths, it.Paths) {
		fields = append(fields, "paths")
	}
	if !slices.Equal(after.Commands, it.Commands) {
		fields = append(fields, "commands")
	}
	if after.Expires != it.Expires {
		fields = append(fields, "day of expiry")
	}
	return strings.Join(fields, " and ")
}
