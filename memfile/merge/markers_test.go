package merge

import (
	"errors"
	"strings"
	"testing"

	"github.com/memctl/memctl/memfile"
)

func TestSides(t *testing.T) {
	for name, c := range map[string]struct {
		src, base, ours, theirs string
		hunks                   int
		err                     error
	}{
		"no markers":                  {src: "a\n=======\nb\n", ours: "a\n=======\nb\n", theirs: "a\n=======\nb\n"},
		"two-way":                     {src: "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\nd\n", ours: "a\nb\nd\n", theirs: "a\nc\nd\n", hunks: 1},
		"diff3":                       {src: "<<<<<<< HEAD\nb\n||||||| 12ab\no\n=======\nc\n>>>>>>> x\n", base: "o\n", ours: "b\n", theirs: "c\n", hunks: 1},
		"one of two shows a base":     {src: "<<<<<<<\nb\n|||||||\n=======\n>>>>>>>\n<<<<<<<\n=======\nc\n>>>>>>>\n", ours: "b\n", theirs: "c\n", hunks: 2},
		"CRLF":                        {src: "<<<<<<< HEAD\r\nb\r\n=======\r\nc\r\n>>>>>>> x\r\n", ours: "b\r\n", theirs: "c\r\n", hunks: 1},
		"a marker that is none":       {src: "<<<<<<<<\n", ours: "<<<<<<<<\n", theirs: "<<<<<<<<\n"},
		"never closed":                {src: "<<<<<<< HEAD\nb\n=======\nc\n", err: ErrMarkers},
		"never opened":                {src: "b\n=======\nc\n>>>>>>> x\n", err: ErrMarkers},
		"opened twice":                {src: "<<<<<<< a\n<<<<<<< b\n=======\n>>>>>>> b\n>>>>>>> a\n", err: ErrMarkers},
		"a heading outside a hunk":    {src: "Title\n=======\n<<<<<<< a\n=======\nc\n>>>>>>> a\n", ours: "Title\n=======\n", theirs: "Title\n=======\nc\n", hunks: 1},
		"zdiff3":                      {src: "same\n<<<<<<< HEAD\nb\n||||||| 12ab\no\n=======\nc\n>>>>>>> x\nend\n", base: "same\no\nend\n", ours: "same\nb\nend\n", theirs: "same\nc\nend\n", hunks: 1},
		"a base with a merge inside":  {src: "<<<<<<< HEAD\nb\n||||||| merged\n<<<<<<<<< one\no\n=========\np\n>>>>>>>>> two\n=======\nc\n>>>>>>> x\n", base: "<<<<<<<<< one\no\n=========\np\n>>>>>>>>> two\n", ours: "b\n", theirs: "c\n", hunks: 1},
		"no newline behind the last.": {src: "<<<<<<< a\nb\n=======\n>>>>>>> a", ours: "b\n", theirs: "", hunks: 1},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Sides([]byte(c.src))
			if !errors.Is(err, c.err) || string(got.Base) != c.base || string(got.Ours) != c.ours || string(got.Theirs) != c.theirs || got.Hunks != c.hunks {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func TestSettledMakesOneOfTwo(t *testing.T) {
	src := memory(itemText("a.b", "x", "      confidence: high\n")+itemText("c.d", "w", "      confidence: high\n")+itemText("a.b", "z", "      confidence: medium\n"), "")
	m, err := DuplicateKeys("m", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if f, problems := memfile.Parse("m", m.Bytes); f == nil || len(problems) > 0 {
		t.Errorf("problems: %v\n%s", problems, m.Bytes)
	}
	if !strings.Contains(string(m.Bytes), "- value: z") || len(m.Aside) != 1 {
		t.Errorf("%v\n%s", m.Aside, m.Bytes)
	}
	again, err := DuplicateKeys("m", m.Bytes)
	if err != nil || string(again.Bytes) != string(m.Bytes) {
		t.Errorf("settled again: %v\n%s", err, again.Bytes)
	}
}
