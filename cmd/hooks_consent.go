package cmd

import (
	"github.com/memctl/memctl/agents"
	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/settings"
	"github.com/memctl/memctl/store"
)

// consent is a setting of the person's own that install turns on.
type consent struct {
	row    settings.Row
	value  string
	effect string
}

func consents() []consent {
	return []consent{
		{store.Capture, store.CaptureRules, "memctl notes what you state in your prompts from now on"},
		{store.History, "on", "agents can search their past sessions of the same repository"},
	}
}

// beginCapture turns on what reads the person's conversations, in the person's own
// configuration. It leaves what the person has set, and turns nothing on for a person who has turned memctl.capture
// off. Where they want none of it, it says what stays on.
func (s *session) beginCapture(o *hooksOptions) error {
	if s.dryRun() || o.place() != agents.ForUser {
		return nil
	}
	stores, err := s.open(s.ctx)
	if err != nil {
		return nil // without a readable repository the hooks do without it, too
	}
	for _, c := range consents() {
		v, err := stores.Setting(s.ctx, c.row)
		switch {
		case err != nil:
			return nil
		case o.noCapture && v.Text != "off":
			s.talk("note: " + c.row.Name + " is still " + v.Text + " (" + v.Origin + ")")
		case v.Origin != settings.OriginDefault && v.Text == "off":
			return nil
		case o.noCapture || v.Origin != settings.OriginDefault:
			continue
		default:
			if err := gitops.AddGlobalConfig(s.ctx, c.row.Name, c.value); err != nil {
				return err
			}
			s.talk("note: " + c.effect + " (" + c.row.Name + " is " + c.value + ")")
		}
		s.hint("git config --global " + c.row.Name + " off")
	}
	return nil
}
