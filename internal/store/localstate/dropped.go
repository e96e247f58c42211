package localstate

import (
	"bytes"

	"github.com/memctl/memctl/internal/store"
)

const (
	// droppedFile has the digests of the proposals that a person dropped, one a line.
	droppedFile = "noted-dropped"
	// maxDroppedBytes is where the file is cut to its newest half.
	maxDroppedBytes = 64 << 10
)

// DropStatement remembers that the person does not want a text proposed again.
func DropStatement(ss *store.Stores, text string) error {
	return ss.RepositoryState().Append(droppedFile, []byte(TextDigest(text)), maxDroppedBytes)
}

// DroppedStatements reports of a text whether the person dropped a proposal of it. Errors: the local
// state cannot be read.
func DroppedStatements(ss *store.Stores) (dropped func(text string) bool, err error) {
	names, err := ss.RepositoryState().Read(droppedFile)
	return func(text string) bool { return bytes.Contains(names, []byte(TextDigest(text))) }, err
}
