package capture

import "testing"

// TestARequestOfWhatTheAgentSaid: "remember that" is about what the agent said before, and is never nothing.
func TestARequestOfWhatTheAgentSaid(t *testing.T) {
	const previous = "The lint step needs Node 22. Should I remember that?"
	for prompt, want := range map[string]string{
		"yes, please remember that":     "Should I remember that? – yes, please remember that",
		"remember that":                 "Should I remember that? – remember that",
		"Please save that to memory":    "",
		"ja, merk dir das bitte":        "",
		"yes":                           "none",
		"thanks, and now run the tests": "none",
	} {
		found := Find(prompt, previous)
		switch {
		case want == "none" && len(found.Statements) > 0:
			t.Errorf("%q: %+v", prompt, found)
		case want == "none":
		case len(found.Statements) != 1 || !found.Statements[0].Explicit || want != "" && found.Statements[0].Text != want:
			t.Errorf("%q: %+v", prompt, found)
		}
	}
	if found := Find("please remember that", "I changed the port to 8443."); len(found.Statements) != 1 || found.Statements[0].Text != "I changed the port to 8443. – please remember that" {
		t.Errorf("%+v", found)
	}
}
