package memory

import (
	"strings"

	"github.com/memctl/memctl/memfile"
)

// source is the note on provenance that the item gets.
func (a *adding) source() string {
	switch {
	case a.imported:
		return a.Source
	case a.Origin.Kind == Relayed && a.Source != "":
		return "relayed by " + a.agent() + ": " + a.Source
	case a.Origin.Kind == Relayed:
		return "relayed by " + a.agent()
	case a.Source != "" && (a.explicit() || !claimed(a.Source)):
		return a.Source
	case a.Origin.Kind == Automatic && a.Repeated:
		return "repeated signal"
	case a.Origin.Kind == Automatic:
		return "inferred"
	}
	return "explicit user preference"
}

// claimed reports whether a note on provenance says what memctl itself says of
// the writes that a person stated or that an agent passed on.
func claimed(source string) bool {
	source = memfile.NormalText(source)
	return strings.HasPrefix(source, "explicit") || strings.HasPrefix(source, "relayed by ")
}
