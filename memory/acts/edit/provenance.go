package edit

import (
	"context"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/policy"
)

// statedSource is the note on provenance of what a person stated or confirmed.
const statedSource = "explicit user preference"

// The notes on provenance of what agents conclude.
const (
	inferredSource = "inferred"
	repeatedSource = "repeated signal" // in files of earlier versions
	relayedPrefix  = "relayed by "
)

// relayedSource is the note on provenance of what an agent passes on.
func relayedSource(o memory.Options) string { return relayedPrefix + o.Agent() }

// ofOthers reports whether a memory is the word of an agent or of a file, by its mark or by its note on
// provenance.
func ofOthers(it labels.Labels) bool {
	source := memfile.NormalText(it.Source)
	return it.By != "" || strings.HasPrefix(source, memfile.ImportedFrom) || source == inferredSource || source == repeatedSource || strings.HasPrefix(source, relayedPrefix)
}

// writtenSource is what somebody wrote as the source of a memory; "" where memctl itself did.
func writtenSource(source, by string) string {
	_, source = memfile.OwnAgent(source, by)
	_, written, _ := strings.Cut(source, ": ")
	switch _, said := memfile.SaidOn(source, by); {
	case strings.HasPrefix(source, relayedPrefix):
		return written
	case said, source == statedSource, source == inferredSource, source == repeatedSource:
		return ""
	}
	return source
}

// provenance is the note on provenance that the origin gives.
func (c *candidate) provenance() string {
	switch {
	case c.importer != nil:
		return c.Source
	case c.SaidOn != "":
		return memfile.SaidPrefix + c.SaidOn
	case c.typedOn != "":
		return memfile.SaidPrefix + c.typedOn
	case c.Origin.Kind == memory.Relayed && c.Source != "":
		return relayedSource(c.Options) + ": " + c.Source
	case c.Origin.Kind == memory.Relayed:
		return relayedSource(c.Options)
	case c.Source != "" && (c.Explicit() || !claimsOwnSource(c.Source)):
		return c.Source
	case c.Origin.Kind == memory.Automatic:
		return inferredSource
	}
	return statedSource
}

// claimsOwnSource reports whether a note on provenance says what memctl itself says of
// the writes that a person stated or that an agent passed on.
func claimsOwnSource(source string) bool {
	source = memfile.NormalText(source)
	return strings.HasPrefix(source, "explicit") || strings.HasPrefix(source, relayedPrefix) || strings.HasPrefix(source, memfile.SaidPrefix)
}

// lessonPrefix begins the keys whose values are lessons: a map of issue,
// outcome and fix.
const lessonPrefix = "lessons."

// checkValue refuses values that memctl does not write.
func checkValue(key string, v memfile.Value) error {
	if strings.HasPrefix(key, lessonPrefix) && !slices.EqualFunc(v.Map, []string{"issue", "outcome", "fix"}, func(f memfile.Field, name string) bool { return f.Name == name }) {
		return memory.Refuse(memory.RuleValue, "a lesson needs an issue, an outcome and a fix", "memctl add "+policy.Inert(memory.Redacted(key))+" --issue TEXT --outcome TEXT --fix TEXT")
	}
	switch {
	case slices.ContainsFunc(v.List, notScalar):
		return memory.Refuse(memory.RuleValue, "a list needs one or more plain values and cannot contain lists or maps")
	case slices.ContainsFunc(v.Map, func(f memfile.Field) bool { return notScalar(f.Value) }):
		return memory.Refuse(memory.RuleValue, "a map needs one or more plain values and cannot contain lists or maps")
	}
	return notEmpty(v)
}

// notEmpty refuses a value that says nothing.
func notEmpty(v memfile.Value) error {
	if v.Kind == memfile.Null || v.Plain() == "" {
		return memory.Refuse(memory.RuleValue, "there is no value to remember")
	}
	return nil
}

func notScalar(v memfile.Value) bool { return v.Kind == memfile.List || v.Kind == memfile.Map }

// mayWrite refuses an agent what the switches, a lock of the key in another scope or the table of authority forbid it. key is ""
// for an entry, and instead a command of the person.
func mayWrite(ctx context.Context, o memory.Options, d *txn.Draft, act string, state memory.State, key, instead string) error {
	if err := enabledFor(ctx, o, d.Store, d.Document); err != nil {
		return err
	}
	if key != "" && !o.Explicit() {
		if err := memory.NotLockedElsewhere(ctx, d.Store.Stores, d.Store.Scope, key); err != nil {
			return err
		}
	}
	return o.Permit(act, state, instead)
}

// enabledFor refuses automatic and relayed writes where memory is switched
// off, by the file or by the person.
func enabledFor(ctx context.Context, o memory.Options, st *store.Store, doc *memfile.Document) error {
	if o.Explicit() {
		return nil
	}
	mine, err := st.Stores.Setting(ctx, store.Enabled)
	if err != nil {
		return err
	}
	switch {
	case !mine.Bool():
		why, command := view.SwitchedOff(mine)
		return memory.Refuse(memory.RuleDisabled, why+": only a person can write to it", command)
	case !doc.Settings.Enabled:
		return memory.Refuse(memory.RuleDisabled, "memory is disabled: only a person can write to it", "memctl config enabled on --scope "+st.Scope)
	}
	return nil
}
