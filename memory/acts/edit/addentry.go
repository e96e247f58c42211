package edit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/session/contextfile"
	"github.com/memctl/memctl/internal/spelling"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/policy"
)

const (
	ruleCategory = "category"
	ruleAnchor   = "anchor"
	// maxAutomaticWeight is the weight of a fact that has none: what nobody asked
	// for does not come before what somebody did.
	maxAutomaticWeight = 1
)

// prepareEntry makes the entry of the request, and finds the store.
func (c *candidate) prepareEntry() error {
	c.normalise()
	if err := c.checkEntry(); err != nil {
		return err
	}
	st, err := c.target(keyPrefixFor(c.e), c.e.Text)
	if c.st = st; err != nil {
		return err
	}
	return c.complete()
}

// keyPrefixFor is the prefix of keys that go to the same store as the entry: UserPrefix for
// a fact about the person.
func keyPrefixFor(e entry.Entry) string {
	if e.Category == "personal" {
		return memory.UserPrefix
	}
	return ""
}

// kind is the category of a fact that has one, else the tier.
func (c *candidate) kind() string {
	if c.e.Role == entry.RoleFact && c.e.Category != "" && c.e.Category != "fact" {
		return c.e.Category
	}
	return c.e.Tier()
}

// normalise makes the entry of the request, as far as no store is needed.
func (c *candidate) normalise() {
	text := entry.CleanText(c.Text)
	mayBeTag := c.importer != nil // another program's word
	if name, rest, ok := entry.CutBracketedWord(text); ok && c.Role == entry.RoleFact && c.importer == nil {
		text = entry.CleanText(rest)
		mayBeTag = c.Category == ""
		c.Category = cmp.Or(c.Category, name)
	}
	if strings.EqualFold(c.Category, entry.TagBootstrap) { // mememory's word for what each session needs
		c.Category, c.Tags = "", append(slices.Clone(c.Tags), entry.TagBootstrap)
	}
	category := entry.CategoryOf(c.Category)
	if mayBeTag && category != "" && !slices.Contains(entry.Categories(), category) {
		category, c.Tags = "", append(slices.Clone(c.Tags), c.Category)
	}
	c.e = entry.Entry{
		ID: c.e.ID, Role: c.Role, Conversation: c.Conversation, Session: c.Session, Category: category,
		Labels: c.Labels, Topics: normalTags(c.Topics), Weight: c.Weight, Text: text,
	}
	said := "" // an id of what has no time is the same each time
	if !c.Created.IsZero() {
		said = entry.FormatTime(c.Created)
	}
	if c.e.Created = cmp.Or(said, entry.FormatTime(c.ss.Now())); c.importer == nil {
		said = c.e.Created
	}
	c.e.Commands, c.e.When = withoutEmpty(c.Commands), wordsOfWhen(c.When)
	c.e.Tags, c.e.Confidence, c.e.Signals, c.e.Seen, c.e.Locked, c.e.By = normalTags(c.Tags), "", 0, "", false, c.Options.By()
	if !c.Explicit() {
		c.e.Source = c.provenance()
	}
	if agent, _ := c.ss.Setting(c.ctx, store.ContextAgent); c.Automatic() && c.importer == nil && agent.Text != contextfile.Default {
		c.e.Source = memfile.OwnSource(c.e.Source, agent.Text)
	}
	if c.Automatic() {
		c.e.Weight = min(c.e.Weight, maxAutomaticWeight)
	}
	if c.e.Role == entry.RoleSummary {
		c.e.SummaryKind = cmp.Or(c.e.SummaryKind, entry.SummaryKind)
	}
	switch {
	case c.e.Role == entry.RoleFact:
		c.e.ID = entry.ContentID(text) // the same fact is the same file on every branch
	case c.e.ID != "":
	case c.e.Role == entry.RoleSummary:
		c.e.ID = entry.SummaryID(c.e.SummaryKind, c.e.Conversation)
	case c.e.Tier() == entry.Turn:
		c.e.ID = entry.TimedID(said+"\n"+c.e.Session, text)
	default:
		c.e.ID = entry.TimedID(said, text)
	}
}

// normalTags gives tags and topics our form, each once.
func normalTags(list []string) (out []string) {
	for _, s := range list {
		if s = strings.ToLower(strings.Join(strings.Fields(s), " ")); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// checkEntry refuses what no scope would take.
func (c *candidate) checkEntry() error {
	switch {
	case c.e.Text == "":
		return memory.Refuse(memory.RuleValue, "there is nothing to remember: the text is empty")
	case c.e.Category != "" && !slices.Contains(entry.Categories(), c.e.Category):
		return memory.Refuse(ruleCategory, memory.Quoted(c.e.Category)+": unknown category (use "+strings.Join(entry.Categories(), ", ")+" or bootstrap)")
	case len(c.e.Text) > entry.MaxTextBytes:
		return memory.Refuse(policy.RuleTooLong, "the text is too long to be a memory")
	case c.e.Weight < 0 || c.e.Weight > 100:
		return memory.Refuse(memory.RuleValue, "a weight must be a number from 0 to 100")
	}
	return c.checkLabels()
}

// complete fills in what depends on the store.
func (c *candidate) complete() error {
	if c.e.Tier() == entry.Turn && c.st.Scope == store.Project {
		return memory.Refuse(ruleTurns, "turns of a conversation cannot be stored in a project; use --scope private or --scope user")
	}
	c.e.Conversation = cmp.Or(c.e.Conversation, memory.OwnConversation(c.st.Scope))
	if c.e.Role == entry.RoleFact {
		c.e.Confidence = c.givenConfidence()
	}
	for _, text := range c.Anchors {
		anchor, err := contents.Anchor(c.ctx, c.ss, c.st, text)
		if err != nil {
			return memory.Refuse(ruleAnchor, err.Error())
		}
		c.e.Anchors = append(c.e.Anchors, anchor)
	}
	if c.e.Role == entry.RoleFact && len(c.Anchors) == 0 {
		c.e.Anchors = contents.TextAnchors(c.ss, c.st, c.e.Text)
	}
	return nil
}

// findPath finds the entry's file and gives the entry that file's id. For a fact it is
// the file that says the same, whatever its name, because a person may have renamed or
// edited it. Otherwise it is the first of the fact's names that no other text has.
func (c *candidate) findPath(facts []contents.Entry) (name string, err error) {
	if c.e.Role != entry.RoleFact {
		return c.e.Path(), nil
	}
	if was, err := factPlace(c.st, &c.e); was != nil || err != nil {
		return c.e.Path(), err
	}
	there := c.sameFact(facts)
	if there == nil {
		return c.e.Path(), nil
	}
	c.e.ID = there.ID
	return there.Path, nil
}

// sameFact finds the one among these that says the same, nil for none. An agent's write may differ in
// words. A person's other words are a new fact, and the answer names the similar one.
func (c *candidate) sameFact(facts []contents.Entry) *contents.Entry {
	text, said := entry.NormalizeText(c.e.Text), spelling.NewText(c.e.Text)
	var restated *contents.Entry
	for i := range facts {
		f := &facts[i]
		switch {
		case f.Deleted || f.Conversation != c.e.Conversation:
		case entry.NormalizeText(f.Text) == text:
			return f
		case restated == nil && !c.Explicit() && c.Replace == "" && !f.Hidden() && !f.Expired(c.ss.Today()) && said.Same(f.Text):
			restated = f
		}
	}
	return restated
}

// factPlace gives a fact the first of its ids whose file is not there, or says the same,
// or cannot be read, and returns the bytes of that file.
func factPlace(st *store.Store, e *entry.Entry) ([]byte, error) {
	for n := range entry.MaxFactIDs {
		e.ID = entry.FactID(e.Text, n)
		was, err := contents.EntryBytes(st, e.Path())
		if was == nil || err != nil {
			return nil, err
		}
		if f, _ := entry.Parse(e.Path(), was); f == nil || entry.NormalizeText(f.Entry().Text) == entry.NormalizeText(e.Text) {
			return was, nil
		}
	}
	return nil, memory.Refuse(memory.RuleAmbiguous, "each possible file of this fact already contains another text", "memctl validate")
}

// factsLike are those of the store's facts that the index finds most like the new one, and that which --replace names.
func (c *candidate) factsLike() ([]contents.Entry, error) {
	if c.e.Role != entry.RoleFact {
		return nil, nil
	}
	paths, err := briefing.SimilarFacts(c.ctx, c.ss, c.st, c.e.Conversation, c.e.Text)
	if err == nil && c.Replace != "" {
		var named []string
		named, err = c.factsNamed()
		paths = append(paths, named...)
	}
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	return contents.ReadEntries(c.ctx, c.st, slices.Compact(paths), nil)
}

// factsNamed returns the files of facts that --replace may mean: by their names, and else all, since a person may have
// renamed the file.
func (c *candidate) factsNamed() (paths []string, err error) {
	files, err := contents.EntryFiles(c.ctx, c.st)
	var all []string
	for _, name := range files {
		if p, ok := entry.ParsePath(name); ok && !p.Deleted && p.Tier == entry.Fact {
			if all = append(all, name); memory.MatchesID(p.ID, c.Replace) {
				paths = append(paths, name)
			}
		}
	}
	if len(paths) == 0 {
		paths = all
	}
	return paths, err
}

// findEntry returns the entry that the write meets, nil for none. The entry's id is that of its file then.
func (c *candidate) findEntry(d *txn.Draft) (*txn.Record, error) {
	var err error
	if c.facts, err = c.factsLike(); err != nil {
		return nil, err
	}
	if c.path, err = c.findPath(c.facts); err != nil {
		return nil, err
	}
	return d.Find(c.path)
}

// labelEntry adds to a stored entry the fields of entries that the request names.
func (c *candidate) labelEntry(now *entry.Entry) {
	now.Topics = memory.Union(now.Topics, c.e.Topics)
	for _, a := range c.e.Anchors {
		now.Anchors = append(slices.DeleteFunc(slices.Clone(now.Anchors), func(b entry.Anchor) bool { return a.Path == b.Path }), a)
	}
	now.Category, now.Weight = cmp.Or(c.e.Category, now.Category), cmp.Or(c.e.Weight, now.Weight)
	if c.Explicit() {
		now.ReplacedBy, now.Deleted = "", ""
	}
	own, all := memfile.OwnAgent(now.Source, now.By)
	if teller, _ := memfile.OwnAgent(c.e.Source, c.e.By); own != teller { // two know it, so it is everybody's
		now.Source = all
	}
}

func (c *candidate) entryRuling(*txn.Record) (policy.Ruling, error) {
	arrived := c.e
	arrived.Tags, arrived.Topics = c.Tags, c.Topics // lower case hides a secret
	ruling := contents.RuleEntry(c.st, arrived, c.Message, !c.Explicit() && !c.chosen, false)
	if c.mayKeep(ruling) {
		if err := c.st.Accept(c.ctx, contents.EntryDigest(c.e)); err != nil {
			return ruling, err
		}
		c.ss.Accepted(c.ctx) // the check of what is written counts it
		c.notes = append(c.notes, noteOn("agents-may-have-it", "{key}", memory.ShortID(c.e.ID))...)
		ruling.Verdict = policy.Accept
	}
	if c.e.Tier() != entry.Fact { // of its day, and nothing that a person confirms
		ruling.Findings = slices.DeleteFunc(slices.Clone(ruling.Findings), func(f policy.Finding) bool { return f.Rule == policy.RuleNotDurable })
	}
	return ruling, nil
}

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
	e.ReplacedBy, e.Deleted = c.e.ID, entry.FormatTime(c.ss.Now())
}

// oldSummary keeps the summary that this one replaces below deleted, in the place of the one that was kept
// there before: the older ones are in git.
func (c *candidate) oldSummary(d *txn.Draft, name string) error {
	old, err := d.Find(name)
	if old == nil || entry.NormalizeText(old.Entry.Text) == entry.NormalizeText(c.e.Text) {
		return err
	}
	c.replaces(old.Entry)
	if old.Entry.ReplacedBy == old.Entry.ID { // it has a summary's id as its own
		old.Entry.ReplacedBy, old.Entry.Reason = "", "replaced"
	}
	old.Path = entry.DeletedPath(name) // its own file gets the new text
	return d.PutRecord(old)
}

// inherit copies fields of the replaced fact that the new one does not set.
func (c *candidate) inherit(old entry.Entry) {
	c.e.Category, c.e.Topics = cmp.Or(c.e.Category, old.Category), memory.Union(c.e.Topics, old.Topics)
	if c.e.Weight, c.e.Locked = cmp.Or(c.e.Weight, old.Weight), old.Locked; c.Exact {
		return
	}
	c.e.Tags = memory.Union(c.e.Tags, old.Tags)
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

// shellText is a text quoted for a shell; TEXT if it is too long or must not be shown.
func shellText(text string) string {
	const limit = 200
	if len(text) > limit {
		return "TEXT"
	}
	return pasteable(text, "TEXT")
}
