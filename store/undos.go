package store

import (
	"bytes"
	"encoding/json"
)

// Undos returns the undos of this worktree that no redo has reversed, oldest first. last
// reports whether the newest of them is the newest act of this worktree.
func (ss *Stores) Undos() (undos []ActRecord, last bool, err error) {
	data, err := ss.session().read(actsFile)
	if err != nil {
		return nil, false, err
	}
	folder, place := ss.folder(), ss.place()
	for line := range bytes.Lines(data) {
		var rec ActRecord
		if json.Unmarshal(line, &rec) != nil || !rec.doneIn(folder, place) {
			continue
		}
		last = rec.Act == "undo"
		switch rec.Act {
		case "undo":
			undos = append(undos, rec)
		case "redo":
			undos = withoutNewest(undos, rec.Scope)
		}
	}
	return undos, last, nil
}

// withoutNewest removes the newest undo of the scope, which is the one that a redo reverses.
func withoutNewest(undos []ActRecord, scope string) []ActRecord {
	for i := len(undos) - 1; i >= 0; i-- {
		if undos[i].Scope == scope {
			return append(undos[:i], undos[i+1:]...)
		}
	}
	return undos
}
