package recall

import (
	"slices"
	"testing"
)

// FuzzOpen damages a segment and then makes its checksums right again, so that what
// reads behind them is tried: an error or an answer, never a panic.
func FuzzOpen(f *testing.F) {
	data, err := Build(chat(4, 40), []Source{{"project", "gone.md"}})
	if err != nil {
		f.Fatal(err)
	}
	sound, err := openFile(data)
	if err != nil {
		f.Fatal(err)
	}
	end := len(data) - len(sound.table)
	f.Add(uint32(0), byte(0), uint32(0), byte(0))
	for i := range uint32(40) {
		f.Add(i*uint32(end)/40, byte(255), i*77, byte(1))
	}
	f.Fuzz(func(t *testing.T, at uint32, x byte, at2 uint32, y byte) {
		bad := slices.Clone(data[:end])
		body := uint32(end - headBytes)
		bad[headBytes+int(at%body)] ^= x
		bad[headBytes+int(at2%body)] ^= y
		var lens [sections]int
		for i, p := range sound.parts {
			lens[i] = p.size
		}
		bad = sealHead(bad, lens)
		tryIndex(bad)
		tryIndex(data, bad)
	})
}

// FuzzOpenBytes opens any bytes.
func FuzzOpenBytes(f *testing.F) {
	data, err := Build(chat(5, 5), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(magic))
	f.Fuzz(func(_ *testing.T, data []byte) { tryIndex(data) })
}

// tryIndex does all that an index is there for.
func tryIndex(segments ...[]byte) {
	x, err := Open(segments...)
	if err != nil {
		return
	}
	_ = x.Check()
	for range x.Docs() {
	}
	_, _ = Merge(segments)
	_, _ = Join(segments, nil, false)
	_, _ = Search(x, Query{Text: word(1) + " " + word(2) + " when did Ann say " + word(9) + " in May 2023?", Explain: true})
	_, _ = Search(x, Query{Text: word(3), Conversations: []string{"c1"}, Tags: []string{word(1)}})
}

func FuzzAnalyze(f *testing.F) {
	for _, s := range []string{"parseHTTPHeader net/http v1.2.3", "東京タワーへ行く", "don't José’s café", "_", "a/b\xff.c", "\U000e0041"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, term := range Terms(text) {
			if term == "" || len(term) > maxTerm+1 {
				t.Errorf("%q gives the term %q", text, term)
			}
		}
	})
}

func FuzzThesaurus(f *testing.F) {
	data, err := BuildThesaurus(map[string][]Weighted{"car": {{"auto", 0.9}, {"motor", 0.2}}, "auto": {{"car", 0.9}}}, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data, "car")
	f.Fuzz(func(_ *testing.T, data []byte, word string) { thesaurus(data).related(word) })
}
