package managed

import (
	"bytes"
	"errors"
	"testing"
)

func TestTextChangesAndGoes(t *testing.T) {
	part := HashedBlock{Begin: "<!-- begin ", AfterHash: " -->", End: "<!-- end -->"}
	for name, src := range map[string][]byte{
		"no file": nil, "an empty file": {}, "a file": []byte("# Theirs\n"), "no line end": []byte("# Theirs"), "line ends of Windows": []byte("# Theirs\r\n\r\ntext\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			once, err := part.Set(src, "one\n")
			if err != nil || !bytes.HasPrefix(once, src) {
				t.Fatalf("set %q (%v)", once, err)
			}
			behind := append(bytes.Clone(once), "theirs, too"...)
			twice, err := part.Set(behind, "two\nlines\n")
			if err != nil || !bytes.HasSuffix(twice, []byte("theirs, too")) || bytes.Contains(twice, []byte("one")) || !bytes.Contains(twice, []byte("lines")) {
				t.Fatalf("set again %q (%v)", twice, err)
			}
			if again, err := part.Set(twice, "two\nlines\n"); err != nil || !bytes.Equal(again, twice) {
				t.Errorf("the same text changed %q to %q (%v)", twice, again, err)
			}
			back, err := part.Set(bytes.TrimSuffix(twice, []byte("theirs, too")), "")
			if err != nil || !bytes.Equal(back, src) || (back == nil) != (src == nil) {
				t.Errorf("back: %q (%v), want %q", back, err, src)
			}
			if _, err := part.Set(bytes.Replace(twice, []byte("two"), []byte("2"), 1), "three\n"); !errors.Is(err, ErrChangedByHand) {
				t.Errorf("a text changed by hand: %v", err)
			}
		})
	}
}

func TestTextWantsOnePairOfMarks(t *testing.T) {
	part := HashedBlock{Begin: "<!-- begin ", AfterHash: " -->", End: "<!-- end -->"}
	for _, src := range []string{"<!-- begin 1 -->\n", "<!-- end -->\n", "<!-- begin 1 -->\n<!-- begin 2 -->\n<!-- end -->\n", "<!-- end -->\n<!-- begin 1 -->\n"} {
		if _, err := part.Set([]byte(src), "one\n"); !errors.Is(err, ErrBadMarks) {
			t.Errorf("%q: %v", src, err)
		}
	}
}
