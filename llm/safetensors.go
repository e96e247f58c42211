package llm

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/memctl/memctl/internal/fault"
)

// tensor is one array of a safetensors file.
type tensor struct {
	kind  string // F64, F32, F16, BF16, I8, I32, I64
	shape []int
	size  int   // bytes a number
	at    int64 // where its first byte stands in the file
}

// sizes of the kinds that word vectors come in.
func sizeOf(kind string) int {
	switch kind {
	case "F64", "I64":
		return 8
	case "F32", "I32":
		return 4
	case "F16", "BF16":
		return 2
	case "I8":
		return 1
	}
	return 0
}

// readTensors reads the header of a safetensors file: its length in eight
// bytes, then JSON that says of each array its kind, shape and place.
func readTensors(f *os.File, path string) (map[string]*tensor, error) {
	bad := func(why string) error { return fault.New(fault.ModelFolder, path, why) }
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var length [8]byte
	if _, err := io.ReadFull(f, length[:]); err != nil {
		return nil, bad("is not a safetensors file")
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > maxHeaderBytes || int64(n) > info.Size()-8 {
		return nil, bad("is not a safetensors file")
	}
	header := make([]byte, n)
	if _, err := io.ReadFull(f, header); err != nil {
		return nil, err
	}
	var raw map[string]struct {
		Kind    string   `json:"dtype"`
		Shape   []int    `json:"shape"`
		Offsets [2]int64 `json:"data_offsets"`
	}
	if err := json.Unmarshal(header, &raw); err != nil {
		return nil, bad("has a header that is not JSON")
	}
	out := map[string]*tensor{}
	for name, r := range raw {
		if name == "__metadata__" {
			continue
		}
		t := &tensor{kind: r.Kind, shape: r.Shape, size: sizeOf(r.Kind), at: 8 + int64(n) + r.Offsets[0]}
		bytes, ok := int64(t.size), t.size > 0
		for _, d := range r.Shape {
			ok = ok && d >= 0 && (d == 0 || bytes <= info.Size()/int64(d))
			bytes *= int64(d)
		}
		if !ok || r.Offsets[0] < 0 || r.Offsets[0] > info.Size() || r.Offsets[1]-r.Offsets[0] != bytes || t.at+bytes > info.Size() {
			return nil, bad(fmt.Sprintf("describes data of %q that the file does not contain", name))
		}
		out[name] = t
	}
	return out, nil
}

// number decodes the first number of b.
func (t *tensor) number(b []byte) float32 {
	switch t.kind {
	case "F64":
		return float32(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	case "F32":
		return math.Float32frombits(binary.LittleEndian.Uint32(b))
	case "F16":
		return half(binary.LittleEndian.Uint16(b))
	case "BF16":
		return math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16)
	case "I8":
		return float32(int8(b[0]))
	case "I32":
		return float32(int32(binary.LittleEndian.Uint32(b)))
	}
	return float32(int64(binary.LittleEndian.Uint64(b)))
}

// half decodes IEEE 754 binary16.
func half(h uint16) float32 {
	sign, exponent, fraction := uint32(h&0x8000)<<16, uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch exponent {
	case 0: // zero, or a fraction of 2^-14
		f := float32(fraction) / (1 << 24)
		if sign != 0 {
			f = -f
		}
		return f
	case 0x1f:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

// raw reads all of the tensor's bytes.
func (t *tensor) raw(f *os.File) ([]byte, int, error) {
	if len(t.shape) != 1 {
		return nil, 0, fmt.Errorf("has a list of the wrong shape")
	}
	data := make([]byte, t.shape[0]*t.size)
	_, err := f.ReadAt(data, t.at)
	return data, t.shape[0], err
}

func (t *tensor) floats(f *os.File) ([]float32, error) {
	data, n, err := t.raw(f)
	if err != nil {
		return nil, err
	}
	out := make([]float32, n)
	for i := range out {
		out[i] = t.number(data[i*t.size:])
	}
	return out, nil
}

func (t *tensor) integers(f *os.File) ([]int, error) {
	data, n, err := t.raw(f)
	switch {
	case err != nil:
		return nil, err
	case t.kind != "I32" && t.kind != "I64":
		return nil, fmt.Errorf("has a mapping with values that are not whole numbers")
	}
	out := make([]int, n)
	for i := range out {
		if t.kind == "I32" {
			out[i] = int(int32(binary.LittleEndian.Uint32(data[i*4:])))
		} else {
			out[i] = int(int64(binary.LittleEndian.Uint64(data[i*8:])))
		}
	}
	return out, nil
}
