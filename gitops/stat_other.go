//go:build !linux

package gitops

import "io/fs"

// statRecord: what a file's times and place are called differs from system to
// system, so git is asked.
func statRecord(fs.FileInfo) (indexRecord, bool) { return indexRecord{}, false }
