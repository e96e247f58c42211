package memory

import (
	"slices"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
)

// ItemUnconfirmed reports whether an item waits for confirmation.
func ItemUnconfirmed(it *memfile.Item) bool {
	return it.HasTag(memfile.TagNeedsConfirmation) || it.Confidence != memfile.Medium && it.Confidence != memfile.High
}

// Confirmed reports whether an entry may reach an agent that did not ask for it.
func Confirmed(e *contents.Entry) bool {
	return e.Tier() != entry.Turn && !InDoubt(&e.Entry)
}

// InDoubt reports whether an entry waits for confirmation.
func InDoubt(e *entry.Entry) bool {
	return e.Confidence == memfile.Low || slices.Contains(e.Tags, memfile.TagNeedsConfirmation)
}

// Rank is the rank of a confidence; any other text counts as low.
func Rank(text string) int { return max(1, labels.ConfidenceRank(text)) }

// Raise sets a confidence above low; the tag goes with it.
func Raise(it *labels.Labels, confidence string) {
	it.Confidence = confidence
	it.Tags = slices.DeleteFunc(slices.Clone(it.Tags), func(t string) bool { return t == memfile.TagNeedsConfirmation })
	if len(it.Tags) == 0 {
		it.Tags = nil
	}
}
