package term

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestTableLinesUpItsColumns(t *testing.T) {
	tests := map[string]struct {
		table Table
		rows  [][]string
		want  string
	}{
		"the last cell is not padded": {
			rows: [][]string{{"a", "first"}, {"long", "b"}},
			want: "a     first\nlong  b\n",
		},
		"an indent stands before every row": {
			table: Table{Indent: "  "},
			rows:  [][]string{{"a", "b"}},
			want:  "  a  b\n",
		},
		"characters are counted, not bytes": {
			rows: [][]string{{"für", "x"}, {"four", "y"}},
			want: "für   x\nfour  y\n",
		},
		"a wide character takes two columns, and a mark that joins it none": {
			rows: [][]string{{"日本", "x"}, {"four", "y"}, {"cafe\u0301", "z"}, {"🎉", "party"}},
			want: "日本  x\nfour  y\ncafe\u0301  z\n🎉    party\n",
		},
		"a heading of one cell does not push the columns": {
			rows: [][]string{{"a long heading"}, {"a", "b"}},
			want: "a long heading\na  b\n",
		},
		"a cell over the limit does not push the others": {
			table: Table{MaxWidth: 4},
			rows:  [][]string{{"a", "x"}, {"much-too-long", "y"}},
			want:  "a  x\nmuch-too-long  y\n",
		},
		"empty cells at the end leave no spaces": {
			rows: [][]string{{"a", "", ""}, {"b", "c", "d"}},
			want: "a\nb  c  d\n",
		},
		"no rows print nothing": {want: ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, row := range test.rows {
				test.table.AddRow(row...)
			}
			if got := test.table.Text(false); got != test.want {
				t.Errorf("got\n%swant\n%s", got, test.want)
			}
		})
	}
}

func TestPaint(t *testing.T) {
	tests := map[string]struct {
		style  Style
		colour bool
		text   string
		want   string
	}{
		"colour wraps the text":          {Bad, true, "x", "\x1b[31mx\x1b[0m"},
		"without colour the text stands": {Bad, false, "x", "x"},
		"no style, no escape":            {"", true, "x", "x"},
		"no text, no escape":             {Bad, true, "", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := test.style.Paint(test.colour, test.text); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestShowsColour(t *testing.T) {
	tests := map[string]struct {
		env  map[string]string
		want bool
	}{
		"a terminal with a name":          {map[string]string{"TERM": "xterm"}, true},
		"a dumb one":                      {map[string]string{"TERM": "dumb"}, false},
		"one without a name":              {nil, false},
		"Windows Terminal":                {map[string]string{"WT_SESSION": "1"}, true},
		"NO_COLOR wins over everything":   {map[string]string{"TERM": "xterm", "WT_SESSION": "1", "NO_COLOR": "1"}, false},
		"an empty NO_COLOR means nothing": {map[string]string{"TERM": "xterm", "NO_COLOR": ""}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := showsColour(func(k string) string { return test.env[k] }); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestReadLineLeavesWhatFollows(t *testing.T) {
	in := strings.NewReader("first\r\n\nlast")
	s := Streams{In: in}
	for _, want := range []string{"first", "", "last"} {
		got, err := s.ReadLine(context.Background())
		if err != nil || got != want {
			t.Fatalf("got %q, %v; want %q", got, err, want)
		}
	}
	if _, err := s.ReadLine(context.Background()); !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want io.EOF", err)
	}
}

func TestReadKeyTakesTheFirstCharacterOfALine(t *testing.T) {
	s := Streams{In: strings.NewReader("keep\n\nü\n")}
	for _, want := range []rune{'k', '\n', 'ü'} {
		got, err := s.ReadKey(context.Background())
		if err != nil || got != want {
			t.Fatalf("got %q, %v; want %q", got, err, want)
		}
	}
	if _, err := s.ReadKey(context.Background()); !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want io.EOF", err)
	}
}

func TestReadRune(t *testing.T) {
	in := strings.NewReader("kü日\xff")
	for _, want := range []rune{'k', 'ü', '日', '\uFFFD'} {
		got, err := readRune(in)
		if err != nil || got != want {
			t.Fatalf("got %q, %v; want %q", got, err, want)
		}
	}
}

func TestWidth(t *testing.T) {
	if got := (Streams{}).Width(); got != 80 {
		t.Errorf("without a terminal: got %d, want 80", got)
	}
	if got := (Streams{Columns: 132}).Width(); got != 132 {
		t.Errorf("got %d, want 132", got)
	}
}

func TestReadsEndWithTheirContext(t *testing.T) {
	in, out := io.Pipe() // nobody writes
	defer out.Close()
	s := Streams{In: in}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.ReadLine(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("ReadLine: got %v", err)
	}
	if _, err := s.ReadKey(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("ReadKey: got %v", err)
	}
	if _, err := s.ReadAll(ctx, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("ReadAll: got %v", err)
	}
}

func TestReadAllStopsAtItsLimit(t *testing.T) {
	s := Streams{In: strings.NewReader("0123456789")}
	got, err := s.ReadAll(context.Background(), 4)
	if string(got) != "0123" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}
