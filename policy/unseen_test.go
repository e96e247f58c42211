package policy

import (
	"testing"

	"github.com/memctl/memctl/memfile"
)

// TestUnseenTexts counts what the rules make of texts that they were not written
// for. When the rows were written, 73 secrets, 21 attacks and 5 benign texts were
// withheld; it fails below the counts that were reached since.
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
	if secrets < 107 || attacks < 57 {
		t.Errorf("%d secrets and %d attacks are withheld, want at least 107 and 57", secrets, attacks)
	}
	if secretTwins > 0 || attackTwins > 2 || benign > 2 {
		t.Errorf("%d, %d and %d benign texts are withheld, want at most 0, 2 and 2", secretTwins, attackTwins, benign)
	}
}
