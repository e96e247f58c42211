package cmd

import (
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/fault"
)

func TestErrorsRepeatNoSecret(t *testing.T) {
	secret := "ghp_" + "a8Kd93jfLq0sXc7Vb2Nm5Rt1Yu6Wz4Eh3PgT"
	tests := map[string]error{
		"an argument": usage(secret, "no such key", "memctl add "+secret),
		"a revision":  fault.New(fault.UnknownRevision, secret, "unknown revision"),
		"a flag":      refusal("scope", `"`+secret+`": no such scope`, "memctl undo "+secret),
	}
	for name, err := range tests {
		for _, asJSON := range []bool{false, true} {
			a, out, talk := testApp(nil)
			a.global.json = asJSON
			a.report(err)
			if said := out.String() + talk.String(); strings.Contains(said, secret) || said == "" {
				t.Errorf("%s, JSON %t: %s", name, asJSON, said)
			}
		}
	}
}
