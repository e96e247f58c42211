package managed

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func block() Block {
	return Block{Begin: "# begin", End: "# end", Body: "one\ntwo\n", EarlierBodies: []string{"old\n"}}
}

func TestInstallAndRemove(t *testing.T) {
	cases := map[string]struct {
		src  []byte
		want string
	}{
		"no file":                  {nil, "# begin\none\ntwo\n# end\n"},
		"an empty file":            {[]byte{}, "\n# begin\none\ntwo\n# end\n"},
		"no line end at the end":   {[]byte("text"), "text\n# begin\none\ntwo\n# end\n"},
		"a line end":               {[]byte("text\n"), "text\n\n# begin\none\ntwo\n# end\n"},
		"line ends of Windows":     {[]byte("text\r\n"), "text\r\n\r\n# begin\r\none\r\ntwo\r\n# end\r\n"},
		"a lone return at the end": {[]byte("text\nmore\r"), "text\nmore\r\n# begin\none\ntwo\n# end\n"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			once, err := block().Install(c.src)
			if err != nil || string(once) != c.want {
				t.Fatalf("installed %q (%v), want %q", once, err, c.want)
			}
			if twice, err := block().Install(once); err != nil || !bytes.Equal(twice, once) {
				t.Errorf("twice: %q (%v)", twice, err)
			}
			back, err := block().Remove(once)
			if err != nil || !bytes.Equal(back, c.src) || (back == nil) != (c.src == nil) {
				t.Errorf("back: %q (%v), want %q", back, err, c.src)
			}
		})
	}
}

func TestWhatOthersWriteStays(t *testing.T) {
	cases := map[string]struct{ src, want string }{
		"text behind":                        {"a\n\n# begin\none\ntwo\n# end\nb\n", "a\nb\n"},
		"text before the end mark":           {"a\n\n# begin\none\ntwo\n\n[b]\n# end\n", "a\n\n[b]\n"},
		"the block first, and text behind":   {"# begin\none\ntwo\n# end\nb\n", "b\n"},
		"an earlier text of ours":            {"a\n\n# begin\nold\n# end\n", "a\n"},
		"no line end behind the end mark":    {"a\n\n# begin\none\ntwo\n# end", "a\n"},
		"the begin mark is lost":             {"a\n\none\ntwo\n# end\nb\n", "a\nb\n"},
		"the end mark is lost":               {"a\n\n# begin\none\ntwo\nb\n", "a\nb\n"},
		"both marks are lost":                {"a\r\none\r\ntwo\r\nb\r\n", "a\r\nb\r\n"},
		"no line end before, text behind":    {"a\n# begin\none\ntwo\n# end\nb\n", "a\nb\n"},
		"no block":                           {"a\n", "a\n"},
		"marks inside a line are no marks":   {"a # begin\nb # end\n", "a # begin\nb # end\n"},
		"indented marks are no marks either": {" # begin\n # end\n", " # begin\n # end\n"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got, err := block().Remove([]byte(c.src)); err != nil || string(got) != c.want {
				t.Errorf("got %q (%v), want %q", got, err, c.want)
			}
			once, err := block().Install([]byte(c.src))
			if err != nil || bytes.Count(once, []byte("one")) > 1 {
				t.Errorf("installed %q (%v)", once, err)
			}
		})
	}
}

func TestAnEarlierTextIsMadeCurrent(t *testing.T) {
	src := "a\r\n\r\n# begin\r\nold\r\nmine\r\n# end\r\n"
	there, current, err := block().Status([]byte(src))
	if !there || current || err != nil {
		t.Errorf("there %v, current %v, %v", there, current, err)
	}
	got, err := block().Install([]byte(src))
	if want := strings.Replace(src, "old\r\n", "one\r\ntwo\r\n", 1); err != nil || string(got) != want {
		t.Errorf("got %q (%v), want %q", got, err, want)
	}
}

func TestBrokenMarksAreLeftAlone(t *testing.T) {
	cases := map[string]struct {
		src  string
		want error
	}{
		"a begin alone":        {"# begin\none\n", ErrBadMarks}, // half of the text
		"an end alone":         {"one\n# end\n", ErrBadMarks},
		"two blocks":           {"# begin\none\ntwo\n# end\n# begin\none\ntwo\n# end\n", ErrBadMarks},
		"the wrong way round":  {"# end\none\ntwo\n# begin\n", ErrBadMarks},
		"text changed by hand": {"# begin\none\n# end\n", ErrChangedByHand},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			src := []byte(c.src)
			_, installErr := block().Install(src)
			_, removeErr := block().Remove(src)
			_, _, hasErr := block().Status(src)
			for _, err := range []error{installErr, removeErr, hasErr} {
				if !errors.Is(err, c.want) {
					t.Errorf("got %v, want %v", err, c.want)
				}
			}
		})
	}
}
