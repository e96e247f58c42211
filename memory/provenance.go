package memory

import (
	"strings"

	"github.com/memctl/memctl/memfile"
)

// statedSource is the note on provenance of what a person stated or confirmed.
const statedSource = "explicit user preference"

// The notes on provenance of what agents conclude.
const (
	inferredSource = "inferred"
	repeatedSource = "repeated signal"
	relayedPrefix  = "relayed by "
)

// relayedSource is the note on provenance of what an agent passes on.
func relayedSource(o Options) string { return relayedPrefix + o.agent() }

// ofAgent reports whether an item is an agent's word, by its mark or by its note on
// provenance.
func ofAgent(it *memfile.Item) bool {
	source := memfile.NormalText(it.Source)
	return it.By != "" || source == inferredSource || source == repeatedSource || strings.HasPrefix(source, relayedPrefix)
}

// source is the note on provenance that the item gets.
func (a *adding) source() string {
	switch {
	case a.imported:
		return a.Source
	case a.Origin.Kind == Relayed && a.Source != "":
		return relayedSource(a.Options) + ": " + a.Source
	case a.Origin.Kind == Relayed:
		return relayedSource(a.Options)
	case a.Source != "" && (a.explicit() || !claimed(a.Source)):
		return a.Source
	case a.Origin.Kind == Automatic && a.Repeated:
		return repeatedSource
	case a.Origin.Kind == Automatic:
		return inferredSource
	}
	return statedSource
}

// claimed reports whether a note on provenance says what memctl itself says of
// the writes that a person stated or that an agent passed on.
func claimed(source string) bool {
	source = memfile.NormalText(source)
	return strings.HasPrefix(source, "explicit") || strings.HasPrefix(source, relayedPrefix)
}
