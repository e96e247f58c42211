package memfile

import (
	"bytes"
	_ "embed" // the schema
)

//go:embed schema.json
var schemaJSON []byte

// Schema is the JSON Schema (draft 2020-12) of the block, for editors and other
// languages. It holds what a schema can say; validate also knows of duplicate
// keys, tombstones and the policy.
func Schema() []byte { return bytes.Clone(schemaJSON) }
