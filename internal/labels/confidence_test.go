package labels

import "testing"

func TestConfidenceRank(t *testing.T) {
	for rank, c := range []string{"certain", Low, Medium, High} {
		if got := ConfidenceRank(c); got != rank {
			t.Errorf("ConfidenceRank(%q) = %d, want %d", c, got, rank)
		}
		if got := ConfidenceAt(rank); rank > 0 && got != c {
			t.Errorf("At(%d) = %q, want %q", rank, got, c)
		}
	}
	if ConfidenceAt(-1) != Low || ConfidenceAt(9) != High {
		t.Errorf("At(-1) = %q and At(9) = %q, want low and high", ConfidenceAt(-1), ConfidenceAt(9))
	}
}
