package edit

import (
	"cmp"
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

// replaced moves the fact that this one takes the place of to deleted.
func (c *candidate) replaced(d *txn.Draft) error {
	name, facts := c.path, c.facts
	switch c.e.Role {
	case entry.RoleFact:
	case entry.RoleSummary:
		return c.oldSummary(d, name)
	default:
		return nil
	}
	facts = slices.DeleteFunc(facts, func(e contents.Entry) bool { return e.Path == name })
	if c.Replace == "" {
		return nil
	}
	var old []contents.Entry
	for _, e := range facts {
		if memory.MatchesID(e.ID, c.Replace) {
			old = append(old, e)
		}
	}
	if len(old) != 1 {
		rule := map[bool]string{true: memory.RuleNotFound, false: memory.RuleAmbiguous}[len(old) == 0]
		return memory.Refuse(rule, "--replace needs the id of another fact of the same scope", "memctl list --tier fact")
	}
	if err := c.Permit("remember --replace", memory.StateOf(&old[0].Labels), "memctl "+c.act()+" "+c.replacing(old[0])); err != nil {
		return err
	}
	c.inherit(old[0].Entry)
	return d.Retire(old[0].Path, c.replaces)
}

// replaces says of an entry that this one took its place.
func (c *candidate) replaces(e *entry.Entry) {
	e.ReplacedBy, e.Deleted = c.e.ID, entry.Stamp(c.ss.Now())
}

// oldSummary keeps the summary that this one replaces below deleted, in the place of the one that was kept
// there before: the older ones are in git.
func (c *candidate) oldSummary(d *txn.Draft, name string) error {
	old, err := d.Find(name)
	if old == nil || entry.NormalText(old.Entry.Text) == entry.NormalText(c.e.Text) {
		return err
	}
	c.replaces(old.Entry)
	old.Path = entry.DeletedPath(name) // its own file gets the new text
	return d.Put(old)
}

// inherit takes over what the new fact does not say of itself.
func (c *candidate) inherit(old entry.Entry) {
	c.e.Category = cmp.Or(c.e.Category, old.Category)
	c.e.Tags, c.e.Topics = memory.Union(c.e.Tags, old.Tags), memory.Union(c.e.Topics, old.Topics)
	c.e.Weight = cmp.Or(c.e.Weight, old.Weight)
	c.e.Pinned = c.e.Pinned || old.Pinned
	if len(c.When) == 0 {
		c.e.When = old.When
	}
	if len(c.Commands) == 0 {
		c.e.Commands, c.e.Ask = old.Commands, old.Ask && !c.NoAsk
	}
}

// replacing are the words of the command that replaces the fact.
func (c *candidate) replacing(e contents.Entry) string {
	return "--replace " + memory.ShortID(e.ID) + " " + shellText(c.e.Text)
}

// shellText is a text to paste into a shell, TEXT where it is not for that.
func shellText(text string) string {
	const limit = 200
	if len(text) > limit {
		return "TEXT"
	}
	return pasteable(text, "TEXT")
}
