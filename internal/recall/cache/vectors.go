package cache

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"slices"
	"sort"

	"github.com/memctl/memctl/internal/recall"
	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/store"
)

// Embedder turns texts into vectors of length 1, all of one size; nil for a text
// that has none.
type Embedder func(texts []string) ([][]float32, error)

// The vectors of a store's texts stand in recall.vec, by the hash of their text, so
// that a text is embedded once whatever becomes of its file: the magic, the
// SHA-256 of the model's name, the vectors' size and count (4 bytes each), and then,
// sorted by hash, each text's hash and its numbers (4 bytes each). A text without a
// vector has zeros.
const (
	vectorFile     = "recall.vec"
	vectorMagic    = "memctl vectors 1\n"
	vectorHead     = len(vectorMagic) + sha256.Size + 8
	hashSize       = 16
	maxVectorBytes = 2 << 30
	maxVectorSize  = 8192
	// maxTextsPerFile is how many texts are embedded before the file is written: a call
	// that is broken off loses no more than those.
	maxTextsPerFile = 2048
)

// vectorTable is an opened file of vectors.
type vectorTable struct {
	size int    // numbers in a vector; 0 where there is none yet
	data []byte // the rows
}

func (v *vectorTable) rowSize() int { return hashSize + 4*v.size }
func (v *vectorTable) count() int {
	if v.size == 0 {
		return 0
	}
	return len(v.data) / v.rowSize()
}
func (v *vectorTable) hashAt(i int) []byte { return v.data[i*v.rowSize() : i*v.rowSize()+hashSize] }

// findRow returns the row of the hash; ok is false where there is none.
func (v *vectorTable) findRow(hash []byte) (int, bool) {
	n := v.count()
	i := sort.Search(n, func(i int) bool { return bytes.Compare(v.hashAt(i), hash) >= 0 })
	return i, i < n && bytes.Equal(v.hashAt(i), hash)
}

// dotProduct is the product of a row and a vector.
func (v *vectorTable) dotProduct(i int, q []float32) float64 {
	b := v.data[i*v.rowSize()+hashSize : (i+1)*v.rowSize()]
	sum := 0.0
	for j, x := range q {
		sum += float64(x) * float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*j:])))
	}
	return sum
}

func textHash(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:hashSize]
}

// openVectors opens the store's vectors of the model; empty where there are none
// that can be used.
func (l *Library) openVectors(st *store.Store, model string) *vectorTable {
	none := &vectorTable{}
	dir, err := st.WorktreeState().Open(false)
	if err != nil {
		return none
	}
	defer dir.Close()
	m, err := mapFile(dir, vectorFile)
	if err != nil {
		return none
	}
	l.vectorFiles = append(l.vectorFiles, m)
	return readVectors(m.data, model)
}

// closeVectors releases the files of the vectors. Embed opens them again.
func (l *Library) closeVectors() error {
	maps := l.vectorFiles
	l.vectors, l.vectorFiles = nil, nil
	return releaseAll(maps)
}

// readVectors are the vectors of a file's bytes; none where they are of another model.
func readVectors(data []byte, model string) *vectorTable {
	none := &vectorTable{}
	sum := sha256.Sum256([]byte(model))
	if len(data) < vectorHead || string(data[:len(vectorMagic)]) != vectorMagic || !bytes.Equal(data[len(vectorMagic):len(vectorMagic)+sha256.Size], sum[:]) {
		return none
	}
	size, count := binary.LittleEndian.Uint32(data[vectorHead-8:]), binary.LittleEndian.Uint32(data[vectorHead-4:])
	v := &vectorTable{size: int(size), data: data[vectorHead:]}
	if size == 0 || size > maxVectorSize || uint64(len(v.data)) != uint64(count)*uint64(v.rowSize()) {
		return none
	}
	return v
}

// encode is the file's bytes with rows added; of the others, those of live texts stay, or all.
func (v *vectorTable) encode(model string, live map[[hashSize]byte]bool, added map[[hashSize]byte][]float32) []byte {
	sum := sha256.Sum256([]byte(model))
	out := append(append([]byte(vectorMagic), sum[:]...), make([]byte, 8)...)
	hashes := make([][hashSize]byte, 0, len(added))
	for h := range added {
		hashes = append(hashes, h)
	}
	slices.SortFunc(hashes, func(a, b [hashSize]byte) int { return bytes.Compare(a[:], b[:]) })
	count, next := 0, 0
	add := func() {
		out = append(out, hashes[next][:]...)
		for _, x := range added[hashes[next]] {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
		}
		next, count = next+1, count+1
	}
	for i := range v.count() {
		for next < len(hashes) && bytes.Compare(hashes[next][:], v.hashAt(i)) < 0 {
			add()
		}
		if live == nil || live[[hashSize]byte(v.hashAt(i))] {
			out, count = append(out, v.data[i*v.rowSize():(i+1)*v.rowSize()]...), count+1
		}
	}
	for next < len(hashes) {
		add()
	}
	binary.LittleEndian.PutUint32(out[vectorHead-8:], uint32(v.size))
	binary.LittleEndian.PutUint32(out[vectorHead-4:], uint32(count))
	return out
}

// Embed brings the vectors of the stores' texts up to date and returns the
// similarity of the query's vector to what is nearest to it, at most count in each
// scope: the cosine. It is not for several goroutines at once.
// Errors: the embedder's; nothing is lost then, and what was embedded is kept.
func (l *Library) Embed(stores []*store.Store, model string, embed Embedder, query []float32, count int, progress func(done, total int)) ([]recall.Similar, error) {
	if l.vectors == nil {
		l.vectors = map[string]*vectorTable{}
		if err := l.embedAll(stores, model, len(query), embed, progress); err != nil {
			return nil, errors.Join(err, l.closeVectors())
		}
	}
	byScope := map[string][]recall.Similar{}
	for d, err := range l.Docs() {
		if err != nil {
			return nil, err
		}
		v := l.vectors[d.Scope]
		if v == nil || v.size != len(query) {
			continue
		}
		if i, ok := v.findRow(textHash(d.Text)); ok {
			near := recall.Similar{Source: index.Source{Scope: d.Scope, Path: d.Source}, ID: d.ID, Score: v.dotProduct(i, query)}
			if near.Score > 0 {
				byScope[d.Scope] = append(byScope[d.Scope], near)
			}
		}
	}
	var nearest []recall.Similar
	for _, st := range stores {
		list := byScope[st.Scope]
		slices.SortFunc(list, func(a, b recall.Similar) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Source.Path, b.Source.Path), cmp.Compare(a.ID, b.ID))
		})
		nearest = append(nearest, list[:min(len(list), count)]...)
	}
	return nearest, nil
}

// embedAll embeds the texts that have no vector yet, store by store.
func (l *Library) embedAll(stores []*store.Store, model string, size int, embed Embedder, progress func(done, total int)) error {
	texts, live := map[string][]string{}, map[[hashSize]byte]bool{}
	total := 0
	for _, st := range stores {
		l.vectors[st.Scope] = l.openVectors(st, model)
		if l.vectors[st.Scope].size != size {
			l.vectors[st.Scope] = &vectorTable{size: size}
		}
	}
	for d, err := range l.Docs() {
		if err != nil {
			return err
		}
		h := [hashSize]byte(textHash(d.Text))
		v := l.vectors[d.Scope]
		if v == nil || live[h] {
			continue
		}
		live[h] = true
		if _, ok := v.findRow(h[:]); !ok {
			texts[d.Scope] = append(texts[d.Scope], d.Text)
			total++
		}
	}
	done := 0
	for _, st := range stores {
		for list := texts[st.Scope]; len(list) > 0; {
			n := min(len(list), maxTextsPerFile)
			if err := l.embedAndWrite(st, model, embed, list[:n], live); err != nil {
				return err
			}
			list, done = list[n:], done+n
			if progress != nil {
				progress(done, total)
			}
		}
	}
	return nil
}

// errUnequalVectors is an embedder whose vectors do not fit each other.
var errUnequalVectors = errors.New("the embedder returned too few vectors, or vectors of different sizes")

// embedAndWrite embeds some texts of a store and writes its file. Vectors of texts
// that are no more stay until they are half of the file.
func (l *Library) embedAndWrite(st *store.Store, model string, embed Embedder, texts []string, live map[[hashSize]byte]bool) error {
	v := l.vectors[st.Scope]
	used := 0
	for i := range v.count() {
		if live[[hashSize]byte(v.hashAt(i))] {
			used++
		}
	}
	if used*2 >= v.count() {
		live = nil
	}
	v, err := v.addTexts(st, vectorFile, model, embed, texts, live)
	if err == nil {
		l.vectors[st.Scope] = v
	}
	return err
}

// addTexts embeds texts, writes the vectors with theirs to a file of the store's cache, and returns them. Only the vectors of
// live texts are kept; nil keeps all. Errors: the embedder's; errUnequalVectors.
func (v *vectorTable) addTexts(st *store.Store, name, model string, embed Embedder, texts []string, live map[[hashSize]byte]bool) (*vectorTable, error) {
	list, err := embed(texts)
	if err != nil {
		return nil, err
	}
	added, err := vectorsByHash(texts, list, v.size)
	if err != nil {
		return nil, err
	}
	data := v.encode(model, live, added)
	if len(data) > maxVectorBytes {
		return nil, &fs.PathError{Op: "write", Path: name, Err: errors.New("over 2 GB of vectors")}
	}
	if dir, err := st.WorktreeState().Open(true); err == nil { // a cache: else the next call embeds again
		_ = safefile.WriteCache(dir, name, data, cacheMode)
		dir.Close()
	}
	return &vectorTable{size: v.size, data: data[vectorHead:]}, nil
}

// skillVectorFile has the vectors of skills' descriptions, in the form of recall.vec.
const skillVectorFile = "skills.vec"

// SimilarTo returns the cosine of each text to the query's vector. It embeds the texts whose
// vectors are not in the store's cache, and keeps those of the texts. Errors: the embedder's.
func SimilarTo(st *store.Store, model string, embed Embedder, query []float32, texts []string) ([]float64, error) {
	v := &vectorTable{}
	if dir, err := st.WorktreeState().Open(false); err == nil {
		data, _, _ := safefile.Read(dir, skillVectorFile, maxVectorBytes)
		v = readVectors(data, model)
		dir.Close()
	}
	if v.size != len(query) {
		v = &vectorTable{size: len(query)}
	}
	live, missing := map[[hashSize]byte]bool{}, []string(nil)
	for _, text := range texts {
		h := [hashSize]byte(textHash(text))
		if _, ok := v.findRow(h[:]); !ok && !live[h] {
			missing = append(missing, text)
		}
		live[h] = true
	}
	if len(missing) > 0 {
		var err error
		if v, err = v.addTexts(st, skillVectorFile, model, embed, missing, live); err != nil {
			return nil, err
		}
	}
	scores := make([]float64, len(texts))
	for i, text := range texts {
		if row, ok := v.findRow(textHash(text)); ok {
			scores[i] = v.dotProduct(row, query)
		}
	}
	return scores, nil
}

// vectorsByHash are the vectors of texts by their hash; a text without one gets zeros. Errors:
// errUnequalVectors.
func vectorsByHash(texts []string, list [][]float32, size int) (map[[hashSize]byte][]float32, error) {
	if len(list) != len(texts) {
		return nil, errUnequalVectors
	}
	added := map[[hashSize]byte][]float32{}
	for i, vec := range list {
		if vec == nil {
			vec = make([]float32, size)
		}
		if len(vec) != size {
			return nil, errUnequalVectors
		}
		added[[hashSize]byte(textHash(texts[i]))] = vec
	}
	return added, nil
}
