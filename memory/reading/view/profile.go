package view

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/settings"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memory"
)

// SwitchedOff says that the person's own switch keeps memory from agents, where it was set,
// and which command changes it there. The file's switch, which `memctl config enabled --scope` sets, does not
// matter then.
func SwitchedOff(mine settings.Value) (why, command string) {
	why = "memory is switched off by " + mine.Name + " (" + mine.Origin + ")"
	return why, cmp.Or(mine.ChangeCommand("true"), "memctl config")
}

// ProfileResult is the Active Profile.
type ProfileResult struct {
	Schema   int               `json:"schema"`
	Preamble string            `json:"preamble"`
	Bullets  []session.Bullet  `json:"bullets"`
	LeftOut  []session.LeftOut `json:"left_out"`
	Listed   []session.Bullet  `json:"-"` // what the agent reads in its own instruction files
	Bytes    int               `json:"bytes"`
	Tokens   int               `json:"tokens"`
	Warnings []string          `json:"warnings,omitempty"` // memory files that are damaged
	Text     string            `json:"-"`                  // the whole as printed: preamble, blank line, bullets
	memory.Withheld
}

// fewLeftOut is how many items one line names.
const fewLeftOut = 6

// LeftOutText counts the items that no session receives, by reason, and names them where they are few.
func (r ProfileResult) LeftOutText() string {
	list := r.LeftOut
	if r.Crowded() {
		list = slices.Clone(list)
		for i := range list {
			list[i].Key = ""
		}
	}
	return strings.TrimSpace(session.LeftOutText(list))
}

// Crowded reports whether more items are left out than one line names.
func (r ProfileResult) Crowded() bool { return len(r.LeftOut) > fewLeftOut }

// Profile is the Active Profile of a session in this folder, as the reader may have it. With hook it is the one that a
// hook hands to a session: of the project's items only those that the person trusts.
func Profile(ctx context.Context, ss *store.Stores, who contents.Reader, hook bool) (ProfileResult, error) {
	memories, _, err := ReadShown(ctx, ss, "", who.OrHook(hook))
	if err != nil {
		return ProfileResult{}, err
	}
	res := NewProfileResult(who, session.Build(memories, memory.HandedOut(ctx, ss, hook)))
	for _, m := range memories {
		res.Warnings = append(res.Warnings, memory.DamagedNote(m)...)
	}
	return res, nil
}

// NewProfileResult is the profile as the doors print it. Only a person gets the keys of withheld items.
func NewProfileResult(who contents.Reader, p session.Profile) ProfileResult {
	res := ProfileResult{
		Schema: memory.SchemaNumber, Preamble: session.Preamble, Bullets: append([]session.Bullet{}, p.Bullets...), LeftOut: append([]session.LeftOut{}, p.LeftOut...), Listed: p.Listed,
		Bytes: len(p.Text), Tokens: session.Tokens(len(p.Text)), Text: p.Text,
	}
	for i := range res.LeftOut {
		if l := &res.LeftOut[i]; who != contents.Person && l.Why == session.WhyWithheld {
			l.Key = ""
			res.WithheldCount++
		}
	}
	return res
}
