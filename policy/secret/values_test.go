package secret

import "testing"

func TestNamesInCodeAreToldFromWhatAMachineMade(t *testing.T) {
	tests := map[string]struct {
		value string
		want  bool
	}{
		"camel case with a number":   {"x25519WrappedKey", true},
		"a long name of a test":      {"ReadPrivateSerializeForeignV5Key", true},
		"capitals inside":            {"IMDSv2SessionTokenURL", true},
		"underlines":                 {"rename_index_of_users2", true},
		"letters and digits at once": {"abcd1234efgh5678ijkl", false},
		"random letters":             {"kT9xLm2QpR7vWz4NcB8y", false},
		"hexadecimal":                {"9f86d081884c7d659a2f", false},
		"shouting in the middle":     {"splendid21RANDOMCONTENT_token", false},
		"one word":                   {"password1", false},
	}
	for name, tt := range tests {
		if got := isCodeName(tt.value); got != tt.want {
			t.Errorf("%s: %q: %v, want %v", name, tt.value, got, tt.want)
		}
	}
}
