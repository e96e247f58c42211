package view

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/settings"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// SwitchedOff says that the person's own switch keeps memory from agents, where it was set,
// and which command changes it there. The file's switch, which `memctl enable` sets, does not
// matter then.
func SwitchedOff(mine settings.Value) (why, command string) {
	why = "memory is switched off by " + mine.Name + " (" + mine.Origin + ")"
	return why, cmp.Or(mine.Change("true"), "memctl config")
}

// ProfileResult is the Active Profile.
type ProfileResult struct {
	Schema   int       `json:"schema"`
	Preamble string    `json:"preamble"`
	Bullets  []Bullet  `json:"bullets"`
	LeftOut  []LeftOut `json:"left_out"`
	Bytes    int       `json:"bytes"`
	Tokens   int       `json:"tokens"`
	Warnings []string  `json:"warnings,omitempty"` // memory files that are damaged
	Text     string    `json:"-"`                  // the whole as printed: preamble, blank line, bullets
}

// ForAgent takes the keys of withheld items out of the answer, and returns how many they
// are.
func (r *ProfileResult) ForAgent() int {
	hidden := 0
	for i := range r.LeftOut {
		if r.LeftOut[i].Why == session.WhyWithheld {
			r.LeftOut[i].Key = ""
			hidden++
		}
	}
	return hidden
}

// Bullet is one line of the profile.
type Bullet struct {
	Key        string `json:"key"`
	Text       string `json:"text"`
	Scope      string `json:"scope"`
	Confidence string `json:"confidence"`
	Pinned     bool   `json:"pinned,omitempty"`
	// Items are the items that share the bullet, where there are several: Key is then the
	// first part of their keys, or "also", and Text has each with the rest of its key.
	Items []session.BulletItem `json:"items,omitempty"`
}

// Each is a bullet for each of its items.
func (b Bullet) Each() (list []Bullet) {
	for _, one := range session.Bullet(b).Each() {
		list = append(list, Bullet(one))
	}
	return list
}

// LeftOut is one item that is left out, and why.
type LeftOut struct {
	Key   string `json:"key"`
	Scope string `json:"scope"`
	Why   string `json:"why"` // low, needs-confirmation, expired, lesson, withheld, paths, shadowed, cap, disabled, untrusted
}

// LeftOutText names the items that no session is handed, by reason.
func LeftOutText(list []LeftOut) string {
	var out []session.LeftOut
	for _, l := range list {
		out = append(out, session.LeftOut{Key: l.Key, Scope: l.Scope, Why: l.Why})
	}
	return strings.TrimSpace(session.LeftOutText(out))
}

// Profile is the Active Profile of a session in this folder.
func Profile(ctx context.Context, ss *store.Stores) (ProfileResult, error) {
	return profileOf(ctx, ss, false)
}

// HookProfile is the profile that a hook hands to a session: of the project's items only
// those that the person trusts. Errors: as Profile.
func HookProfile(ctx context.Context, ss *store.Stores) (ProfileResult, error) {
	return profileOf(ctx, ss, true)
}

func profileOf(ctx context.Context, ss *store.Stores, hook bool) (ProfileResult, error) {
	memories, err := ReadShown(ctx, ss, "")
	if err != nil {
		return ProfileResult{}, err
	}
	if hook && ss.TrustLevel(ctx) == store.TrustOff {
		memories = slices.DeleteFunc(memories, func(m *contents.Memory) bool { return m.Store.Scope == store.Project })
	}
	mine, err := ss.Setting(ctx, store.Enabled)
	if err != nil {
		return ProfileResult{}, err
	}
	on := memory.HandedOut(ctx, ss, hook)
	on.Disabled = !mine.On()
	p := session.Build(memories, on)
	res := NewProfileResult(p)
	for _, m := range memories {
		res.Warnings = append(res.Warnings, memory.DamagedNote(m)...)
	}
	return res, nil
}

// NewProfileResult is the profile as the doors print it.
func NewProfileResult(p session.Profile) ProfileResult {
	res := ProfileResult{
		Schema: memory.SchemaNumber, Preamble: session.Preamble, Bullets: []Bullet{}, LeftOut: []LeftOut{},
		Bytes: len(p.Text), Tokens: session.Tokens(len(p.Text)), Text: p.Text,
	}
	for _, b := range p.Bullets {
		res.Bullets = append(res.Bullets, Bullet(b))
	}
	for _, l := range p.LeftOut {
		res.LeftOut = append(res.LeftOut, LeftOut{Key: l.Key, Scope: l.Scope, Why: l.Why})
	}
	return res
}
