package integrity

import (
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
)

// whose names the item or entry that stands between two lines as the one that a secret
// found there by the scan of the whole file is of, with what takes it out.
func (c *checking) whose(from, to int, key string, forgotten bool) {
	for i := range c.list {
		f := &c.list[i]
		if f.Rule == policy.RuleSecret && f.Key == "" && f.Line >= from && f.Line < max(to, from+1) {
			f.Key, f.Hint = policy.Inert(memory.Redacted(key)), c.takeOut(key, forgotten)+f.Hint
		}
	}
}

// takeOut are the commands that take a value out of memory, where it is not a tombstone's,
// and out of git; "" where its key cannot be shown.
func (c *checking) takeOut(key string, forgotten bool) string {
	shown := policy.Inert(memory.Redacted(key))
	if key == "" || shown != key {
		return ""
	}
	if c.scope == store.User || c.scope == store.Private {
		shown += " --scope " + c.scope
	}
	if forgotten {
		return "remove it with memctl purge " + shown + "; "
	}
	return "remove it with memctl forget " + shown + ", or, if git has it already, with memctl purge " + shown + " then; "
}
