package session

import "testing"

func TestMode(t *testing.T) {
	for what, test := range map[string]struct {
		client    Client
		set, want string
	}{
		"an agent with tools looks up what the index names":    {Client{}, ModeIndex, ModeIndex},
		"an agent without tools is handed what a search finds": {Client{NoTools: true}, ModeIndex, ModeFull},
		"an agent without tools is handed nothing in mode off": {Client{NoTools: true}, ModeOff, ModeOff},
		"an agent with tools has mode full where it is set":    {Client{}, ModeFull, ModeFull},
		"an agent with hooks has a shell":                      {ClientOf("gemini"), ModeIndex, ModeIndex},
	} {
		if got := test.client.Mode(test.set); got != test.want {
			t.Errorf("%s: mode %s became %s, want %s", what, test.set, got, test.want)
		}
	}
}
