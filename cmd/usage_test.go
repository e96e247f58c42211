package cmd

import "testing"

// TestMeantCommands holds the words that other tools use to the commands that do it here.
func TestMeantCommands(t *testing.T) {
	var names []string
	for _, e := range commands() {
		names = append(names, e.name)
	}
	for word, want := range map[string]string{
		"ls": "show", "redo": "undo --redo", "get": "show", "search": "recall", "rm": "forget", "delete": "forget", "remove": "forget",
		"set": "add", "store": "add", "install": "hooks install", "pin": "add --pin", "shwo": "show",
	} {
		if got := commandsMeant(word, names); len(got) == 0 || got[0] != want {
			t.Errorf("%q: %v, want %q first", word, got, want)
		}
	}
}
