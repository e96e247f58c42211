package agents

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
)

// headless reports whether nobody is there to be asked, as in `claude -p`. Where that is not
// known, somebody is.
func (c Call) headless() bool {
	if c.Tool.Mode == "dontAsk" {
		return true
	}
	if !filepath.IsAbs(c.Transcript) {
		return false
	}
	// A session may be resumed in another way than it began: the last record decides.
	for _, line := range slices.Backward(bytes.Split(readTranscript(c.Transcript), []byte("\n"))) {
		var rec struct {
			Entrypoint string `json:"entrypoint"`
		}
		if json.Unmarshal(line, &rec) == nil && rec.Entrypoint != "" {
			return rec.Entrypoint == "sdk-cli"
		}
	}
	return false
}
