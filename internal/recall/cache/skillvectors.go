package cache

import (
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/store"
)

// skillVectorFile has the vectors of skills' descriptions, in the form of recall.vec.
const skillVectorFile = "skills.vec"

// SimilarTo returns the cosine of each text to the query's vector. It embeds the texts whose
// vectors are not in the store's cache, and keeps those of the texts. Errors: the embedder's.
func SimilarTo(st *store.Store, model string, embed Embedder, query []float32, texts []string) ([]float64, error) {
	v := &vectors{}
	if dir, err := st.WorktreeState().Open(false); err == nil {
		data, _, _ := safefile.Read(dir, skillVectorFile, maxVectorBytes)
		v = readVectors(data, model)
		dir.Close()
	}
	if v.size != len(query) {
		v = &vectors{size: len(query)}
	}
	live, missing := map[[hashSize]byte]bool{}, []string(nil)
	for _, text := range texts {
		h := [hashSize]byte(textHash(text))
		if _, ok := v.find(h[:]); !ok && !live[h] {
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
		if row, ok := v.find(textHash(text)); ok {
			scores[i] = v.dot(row, query)
		}
	}
	return scores, nil
}

// fitting are the vectors of texts by their hash; a text without one gets zeros. Errors:
// errVectors.
func fitting(texts []string, list [][]float32, size int) (map[[hashSize]byte][]float32, error) {
	if len(list) != len(texts) {
		return nil, errVectors
	}
	added := map[[hashSize]byte][]float32{}
	for i, vec := range list {
		if vec == nil {
			vec = make([]float32, size)
		}
		if len(vec) != size {
			return nil, errVectors
		}
		added[[hashSize]byte(textHash(texts[i]))] = vec
	}
	return added, nil
}
