package integrity

import "testing"

// What stands before the base's own rules and after them is in the scripts;
// here is what they cannot reach.
func TestUTF16Columns(t *testing.T) {
	c := &checking{src: []byte("é𝄞x\nabc\n")}
	for at, want := range map[[2]int]int{{1, 1}: 1, {1, 3}: 2, {1, 7}: 4, {2, 3}: 3, {9, 4}: 4, {2, 99}: 5} {
		if got := c.utf16(at[0], at[1]); got != want {
			t.Errorf("%v: %d, want %d", at, got, want)
		}
	}
}

func TestMarkerLines(t *testing.T) {
	for line, want := range map[string]byte{
		"<<<<<<< HEAD\n": '<', "=======\r\n": '=', ">>>>>>> a": '>', "|||||||\n": '|',
		"<<<<<<<HEAD": 0, "<<<<<<<< HEAD": 0, " <<<<<<< HEAD": 0, "<<<<<<": 0, "": 0, "=======x": 0, "<<<===> x": 0,
	} {
		if got := markerKind(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
