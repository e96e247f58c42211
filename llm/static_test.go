package llm

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/memctl/memctl/internal/fault"
)

// table writes a folder in Model2Vec's form: five pieces, two numbers each.
func table(t *testing.T, kind string, extra map[string]any) string {
	t.Helper()
	dir := t.TempDir()
	tokenizer := map[string]any{
		"model": map[string]any{
			"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 20,
			"vocab": map[string]int{"[UNK]": 0, "tab": 1, "##s": 2, "cafe": 3, "!": 4},
		},
		"normalizer": map[string]any{"type": "BertNormalizer", "lowercase": true},
	}
	put(t, filepath.Join(dir, "tokenizer.json"), tokenizer)
	rows := [][2]float32{{9, 9}, {1, 0}, {0, 1}, {-1, 0}, {0, -0.5}}
	var data []byte
	for _, r := range rows {
		for _, x := range r {
			switch kind {
			case "F32":
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
			case "F16":
				data = binary.LittleEndian.AppendUint16(data, map[float32]uint16{9: 0x4880, 1: 0x3c00, 0: 0, -1: 0xbc00, -0.5: 0xb800}[x])
			}
		}
	}
	header := map[string]any{"embeddings": map[string]any{"dtype": kind, "shape": []int{5, 2}, "data_offsets": []int{0, len(data)}}}
	for name, v := range extra {
		header[name] = v
	}
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	if err := os.WriteFile(filepath.Join(dir, "model.safetensors"), append(append(file, text...), data...), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func put(t *testing.T, path string, v any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestStaticVectorIsTheMeanOfItsPieces(t *testing.T) {
	for _, kind := range []string{"F32", "F16"} {
		s, err := OpenStatic(table(t, kind, nil))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r := float32(math.Sqrt2 / 2)
		for text, want := range map[string][]float32{
			"Tab":             {1, 0},
			"tabs":            {r, r},
			"tabs café":       {0, 1}, // (1,0)+(0,1)+(-1,0)
			"tab!":            {0.8944272, -0.4472136},
			"tab tabula":      {1, 0}, // a word with an unknown rest counts for nothing
			"tab\x00\u200d s": {1, 0},
			"unheard of":      nil,
			"":                nil,
			"CAFÉ":            {-1, 0},
		} {
			got, err := s.Embed([]string{text})
			if err != nil {
				t.Fatal(err)
			}
			if len(got[0]) != len(want) {
				t.Fatalf("%s %q: %v, want %v", kind, text, got[0], want)
			}
			for i := range want {
				if math.Abs(float64(got[0][i]-want[i])) > 1e-6 {
					t.Errorf("%s %q: %v, want %v", kind, text, got[0], want)
				}
			}
		}
	}
}

func TestStaticRefusesBrokenFolders(t *testing.T) {
	good := table(t, "F32", nil)
	if s, err := OpenStatic(good); err != nil {
		t.Fatalf("the sound folder: %v", err)
	} else {
		s.Close()
	}
	place := func(shape []int, from, to int) map[string]any {
		return map[string]any{"embeddings": map[string]any{"dtype": "F32", "shape": shape, "data_offsets": []int{from, to}}}
	}
	broken := map[string]string{
		"shape larger than the file": table(t, "F32", place([]int{1 << 40, 2}, 0, 40)),
		"shape that overflows":       table(t, "F32", place([]int{1 << 62, 4}, 0, 40)),
		"negative shape":             table(t, "F32", place([]int{-5, -2}, 0, 40)),
		"offsets backwards":          table(t, "F32", place([]int{5, 2}, 40, 0)),
		"offsets past the end":       table(t, "F32", place([]int{5, 2}, 8, 48)),
		"a list, no matrix":          table(t, "F32", place([]int{10}, 0, 40)),
		"unknown kind":               table(t, "F32", map[string]any{"embeddings": map[string]any{"dtype": "C64", "shape": []int{5, 2}, "data_offsets": []int{0, 40}}}),
	}
	unigram := table(t, "F32", nil)
	put(t, filepath.Join(unigram, "tokenizer.json"), map[string]any{"model": map[string]any{"type": "Unigram", "vocab": [][]any{{"a", -1.5}}}})
	broken["another tokenizer"] = unigram
	short := table(t, "F32", nil)
	if err := os.WriteFile(filepath.Join(short, "model.safetensors"), []byte{255, 255, 255, 255, 255, 255, 255, 255, '{'}, 0o600); err != nil {
		t.Fatal(err)
	}
	broken["a header longer than the file"] = short
	for name, dir := range broken {
		_, err := OpenStatic(dir)
		if !fault.Is(err, fault.ModelFolder) {
			t.Errorf("%s: error %v, want a fault of the folder", name, err)
		}
	}
}

func TestHalf(t *testing.T) {
	for bits, want := range map[uint16]float32{0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0001: 1.0 / (1 << 24), 0x8001: -1.0 / (1 << 24), 0x0400: 1.0 / (1 << 14), 0x3555: 0.33325195} {
		if got := half(bits); got != want {
			t.Errorf("half(%#x) = %v, want %v", bits, got, want)
		}
	}
	if !math.IsInf(float64(half(0x7c00)), 1) || !math.IsNaN(float64(half(0x7e00))) {
		t.Error("infinity or NaN is lost")
	}
}
