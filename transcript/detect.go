package transcript

import "bytes"

// Detect tells the format from the first bytes of a file, or from any whole line of it;
// Unknown where no line tells. 64 KiB are enough.
func Detect(head []byte) Format {
	head = bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF"))
	for line := range bytes.Lines(head) {
		if f := detectLine(line); f != Unknown {
			return f
		}
	}
	return Unknown
}

// detectLine tells the format from one record, of which the end may be cut off.
func detectLine(line []byte) Format {
	names := map[string][]byte{}
	members(line, func(key, value []byte) { names[string(key)] = value })
	has := func(list ...string) bool {
		for _, name := range list {
			if names[name] == nil {
				return false
			}
		}
		return true
	}
	switch {
	case has("sessionId", "type") && (has("uuid") || has("operation") || has("lastPrompt") || has("mode") || has("permissionMode")), has("type", "messageId", "snapshot"):
		return Claude
	case has("timestamp", "type") && bytes.Contains(line, []byte(`"payload"`)) && !has("uuid"):
		return Codex
	}
	return Unknown
}
