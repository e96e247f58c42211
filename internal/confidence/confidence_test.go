package confidence

import "testing"

func TestRank(t *testing.T) {
	for rank, c := range []string{"certain", Low, Medium, High} {
		if got := Rank(c); got != rank {
			t.Errorf("Rank(%q) = %d, want %d", c, got, rank)
		}
		if got := At(rank); rank > 0 && got != c {
			t.Errorf("At(%d) = %q, want %q", rank, got, c)
		}
	}
	if At(-1) != Low || At(9) != High {
		t.Errorf("At(-1) = %q and At(9) = %q, want low and high", At(-1), At(9))
	}
}
