package exchange

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// scan looks for secrets in every file that one of the sides does not have as
// it is in the result: those that would be taken, and those that would be
// sent. Error: fault.Secret.
func (m *merging) scan(ctx context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(m.files)) {
		f := m.files[name]
		fresh, sent := f.ID != m.ours[name].ID, f.ID != m.theirs[name].ID
		if !f.Regular() || !fresh && !sent {
			continue
		}
		content, err := m.content(ctx, name)
		if err != nil {
			return err
		}
		found := policy.ScanFile(name, content)
		if len(found) == 0 {
			continue
		}
		whose := !fresh
		if fresh && m.ours[name].ID != "" && sent { // merged: whose is it?
			if own, err := m.blob(ctx, name, m.ours[name], memfile.MaxFileBytes); err == nil && len(policy.ScanFile(name, own)) > 0 {
				whose = true
			}
		}
		return secretInFile(m.st.Scope, name, found[0], whose)
	}
	return nil
}

// scanMessages looks for secrets in the messages of the commits that would be sent or
// taken. Error: fault.Secret.
func (s *syncing) scanMessages() error {
	for ours, list := range map[bool][]remotes.CommitMessage{true: s.sent, false: s.taken} {
		for _, m := range list {
			// An id beside the name Memory-Key would look like a key of an API.
			text := strings.ReplaceAll(m.Message, "Memory-Key: ", "")
			if found := policy.Scan([]byte(text)); len(found) > 0 {
				return secretInMessage(s.st.Scope, m.Commit, found[0], ours)
			}
		}
	}
	return nil
}
