package policy

import (
	"testing"

	"github.com/memctl/memctl/memfile"
)

// TestUnseenTexts counts what the rules make of texts that they were not written
// for, and fails below the counts that were reached.
func TestUnseenTexts(t *testing.T) {
	withheld := func(text string) bool {
		return Rule(Candidate{Value: memfile.Str(text), Scope: "project", Raw: true}).Verdict > Accept
	}
	count := func(rows []unseen) (caught, alarms int) {
		for _, row := range rows {
			if withheld(row.text) {
				caught++
			} else {
				t.Logf("passed (%s): %q", row.kind, row.text)
			}
			if withheld(row.twin) {
				alarms++
				t.Logf("withheld (benign, %s): %q", row.kind, row.twin)
			}
		}
		return caught, alarms
	}
	secrets, secretTwins := count(unseenSecrets)
	attacks, attackTwins := count(unseenAttacks)
	benign := 0
	for _, text := range unseenBenign {
		if withheld(text) {
			benign++
			t.Logf("withheld (benign): %q", text)
		}
	}
	t.Logf("secrets %d of %d, their twins %d; attacks %d of %d, their twins %d; benign %d of %d",
		secrets, len(unseenSecrets), secretTwins, attacks, len(unseenAttacks), attackTwins, benign, len(unseenBenign))
}
