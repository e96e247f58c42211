package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/memctl/memctl/internal/fault"
)

// Static is a table of word vectors in a local folder, in the form of
// Model2Vec: tokenizer.json (WordPiece), model.safetensors (a matrix
// "embeddings", and where used "weights" and "mapping") and config.json. A text's
// vector is the mean of its tokens' rows. Rows are read as they are needed, so
// that opening costs the tokenizer and no more.
type Static struct {
	words   *wordPiece
	rows    *tensor
	weights []float32 // of each token; nil weighs all alike
	mapping []int     // from token to row; nil is the token's own number
	file    *os.File
	row     []byte // room for one row
}

const (
	maxTokenizerBytes = 64 << 20
	maxHeaderBytes    = 1 << 20
	// maxTokens is where Model2Vec itself cuts a text.
	maxTokens = 512
	// maxDimensions bounds one row: the largest models in use have 1,024.
	maxDimensions = 8192
)

// OpenStatic opens the folder's table. Errors: fault.ModelFolder, and those of the
// disk. The caller closes it.
func OpenStatic(dir string) (_ *Static, err error) {
	words, err := readWordPiece(filepath.Join(dir, "tokenizer.json"))
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "model.safetensors")
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	tensors, err := readTensors(file, path)
	if err != nil {
		return nil, err
	}
	s := &Static{words: words, rows: tensors["embeddings"], file: file}
	if s.rows == nil || len(s.rows.shape) != 2 || s.rows.shape[1] > maxDimensions || s.rows.shape[0]*s.rows.shape[1] == 0 {
		return nil, fault.New(fault.ModelFolder, path, `has no matrix "embeddings"`)
	}
	if t := tensors["weights"]; t != nil {
		if s.weights, err = t.floats(file); err != nil {
			return nil, fault.New(fault.ModelFolder, path, err.Error())
		}
	}
	if t := tensors["mapping"]; t != nil {
		if s.mapping, err = t.integers(file); err != nil {
			return nil, fault.New(fault.ModelFolder, path, err.Error())
		}
	}
	s.row = make([]byte, s.rows.shape[1]*s.rows.size)
	return s, nil
}

// Close ends the use of the table.
func (s *Static) Close() error { return s.file.Close() }

// Embed returns one vector of length 1 for each text; nil for a text that has
// no known word. Not for several goroutines at once.
func (s *Static) Embed(texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		sum := make([]float32, s.rows.shape[1])
		known := false
		tokens := s.words.tokens(text)
		for _, token := range tokens[:min(len(tokens), maxTokens)] {
			ok, err := s.add(sum, token)
			if err != nil {
				return nil, err
			}
			known = known || ok
		}
		if known && unit(sum) {
			out[i] = sum
		}
	}
	return out, nil
}

// add adds one token's row; false where the table has none.
func (s *Static) add(sum []float32, token int) (bool, error) {
	weight, row := float32(1), token
	if s.weights != nil && token < len(s.weights) {
		weight = s.weights[token]
	}
	if s.mapping != nil {
		if token >= len(s.mapping) {
			return false, nil
		}
		row = s.mapping[token]
	}
	if row < 0 || row >= s.rows.shape[0] {
		return false, nil
	}
	if _, err := s.file.ReadAt(s.row, s.rows.at+int64(row)*int64(len(s.row))); err != nil {
		return false, err
	}
	for i := range sum {
		sum[i] += weight * s.rows.number(s.row[i*s.rows.size:])
	}
	return true, nil
}

// readCapped reads a whole file of at most max bytes.
func readCapped(path string, max int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, max+1))
	if err == nil && int64(len(data)) > max {
		err = fault.New(fault.ModelFolder, path, fmt.Sprintf("is over %d MB", max>>20))
	}
	return data, err
}

// readWordPiece reads the parts of a tokenizer.json that WordPiece needs.
func readWordPiece(path string) (*wordPiece, error) {
	data, err := readCapped(path, maxTokenizerBytes)
	if err != nil {
		return nil, err
	}
	var t struct {
		Model struct {
			Type    string         `json:"type"`
			Unknown string         `json:"unk_token"`
			Prefix  *string        `json:"continuing_subword_prefix"`
			MaxWord int            `json:"max_input_chars_per_word"`
			Vocab   map[string]int `json:"vocab"`
		} `json:"model"`
		Normalizer struct {
			Type      string `json:"type"`
			Lowercase bool   `json:"lowercase"`
			Strip     *bool  `json:"strip_accents"`
		} `json:"normalizer"`
	}
	if err := json.Unmarshal(data, &t); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) { // a vocabulary that is a list belongs to another kind
			return nil, fault.New(fault.ModelFolder, path, "is not a WordPiece tokenizer")
		}
		return nil, fault.New(fault.ModelFolder, path, "is not JSON")
	}
	if t.Model.Type != "WordPiece" || len(t.Model.Vocab) == 0 {
		return nil, fault.New(fault.ModelFolder, path, "is not a WordPiece tokenizer")
	}
	w := &wordPiece{vocab: t.Model.Vocab, unknown: t.Model.Unknown, prefix: "##", maxWord: t.Model.MaxWord, lower: t.Normalizer.Lowercase}
	if t.Model.Prefix != nil {
		w.prefix = *t.Model.Prefix
	}
	if w.maxWord <= 0 {
		w.maxWord = 100
	}
	w.strip = w.lower
	if t.Normalizer.Strip != nil {
		w.strip = *t.Normalizer.Strip
	}
	return w, nil
}
