package policy

import (
	"slices"
	"sync"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy/chars"
)

// Verdict is the ruling on a candidate, in order of severity.
type Verdict uint8

// The verdicts.
const (
	Accept Verdict = iota
	Hold           // not in the file; waits in the queue for review
	Refuse
)

func (v Verdict) String() string { return [...]string{"accept", "hold", "refuse"}[v] }

// The names of the rules that this package judges. Other packages have rules of
// their own (duplicate-key, forgotten, locked, disabled).
const (
	RuleSecret      = "secret"
	RulePersonal    = "personal-data"
	RuleInstruction = "instruction-like"
	RuleTranscript  = "transcript"
	RuleHidden      = "hidden-text"
	RuleTooLong     = "too-long"
	RuleNotDurable  = "not-durable"
	RuleNotUseful   = "not-useful"
	RuleNotSpecific = "not-specific"
	RuleKeyForm     = "key-form"
	RulePurged      = "purged"
)

// The scopes that make a difference to the rules: in the first two the memory is a
// person's own, in every other it is shared.
const (
	scopePrivate = "private"
	scopeUser    = "user"
	scopeStore   = "store" // a folder that was named, perhaps without a repository
)

// Finding is one reason, at one place. It never repeats a secret.
type Finding struct {
	Rule    string  // one of the Rule names
	Kind    string  // what of the rule: "aws-access-key", "payment-card"; may be ""
	Where   string  // key, value, value.issue, value[0], source, tags[0], paths[0], commands[0], path, reason, message
	Message string  // names the kind and the way out; never the text
	Hint    string  // the way out: a sentence, or the nearest key that has the form
	Verdict Verdict // what this finding alone leads to (Accept: a note, such as not-durable, which lowers confidence)
	Line    int     // for Scan: 1-based
	Column  int     // for Scan: 1-based, in bytes
}

// Candidate is something proposed for memory, or an item that stands in a file.
type Candidate struct {
	labels.Labels // the policy judges those that are free text
	Key           string
	Value         memfile.Value
	Reason        string         // of a tombstone
	Message       string         // of the commit
	OtherTexts    []memfile.Text // any further strings that would be stored
	Scope         string         // project, private, user, store
	Automatic     bool           // the tests durable, useful and specific apply too
	SaidByPerson  bool           // the person said it, as their transcript shows: what it may put at risk is theirs to decide
	Allow         []memfile.Allowance
	Raw           bool  // salvaged or on load: the same rules, but key-form is not judged
	Team          *Team // rules that a team has added; nil for none
	MaxValueBytes int   // bytes that the value may have; 0 for MaxValueBytes
	IsTurn        bool  // what was said, word for word: not judged as a transcript
}

// Ruling is the policy's answer.
type Ruling struct {
	Verdict         Verdict // the severest of the findings' verdicts
	Findings        []Finding
	LowerConfidence bool // a doubt about durable alone: an automatic item becomes low
}

// Rules lists the names of findings that withhold an item: those that hold or
// refuse, each once, in the order of the findings.
func (r Ruling) Rules() []string {
	var names []string
	for _, f := range r.Findings {
		if f.Verdict == Accept || slices.Contains(names, f.Rule) {
			continue
		}
		names = append(names, f.Rule)
	}
	return names
}

// Rule rules on one candidate: on every string of it that would be stored.
func Rule(c Candidate) Ruling {
	b := workspacePool.Get().(*workspace)
	defer b.clear()
	b.candidate = c
	j := &b.judge
	j.c = &b.candidate
	j.texts = appendTexts(j.c, b.parts[:0])
	for i := range j.texts {
		j.checkText(&j.texts[i])
	}
	j.checkTogether()
	if !c.Raw && c.Key != "" {
		j.checkKeyForm()
	}
	j.checkSizes()
	j.refusePurged()
	j.checkTeamRules()
	if c.Automatic {
		j.checkWorth()
	}
	return j.ruling()
}

// workspace is what one ruling works on. The next ruling takes it over, so that an
// item with key, value, source and up to three tags costs no new memory.
type workspace struct {
	judge     judge
	candidate Candidate
	parts     [6]chars.Part
}

var workspacePool = sync.Pool{New: func() any { return new(workspace) }}

// clear wipes the workspace: nothing of a candidate outlives its ruling here.
func (b *workspace) clear() {
	*b = workspace{}
	workspacePool.Put(b)
}

// FromItem makes the candidate for an item on load or in validate. Values set
// aside in its conflict, and fields that memctl does not know, are ruled on as
// well: they stand in the same file and may be shown.
func FromItem(it memfile.Item, scope string) Candidate {
	c := Candidate{Labels: it.Labels, Key: it.Key, Value: it.Value, Scope: scope, Allow: it.Allow, Raw: true}
	for i, r := range it.Conflict {
		place := "conflict" + indexText(i)
		c.OtherTexts = append(c.OtherTexts, r.Value.StringsAt(place+".value")...)
		if r.Source != "" {
			c.OtherTexts = append(c.OtherTexts, memfile.Text{Where: place + ".source", Text: r.Source})
		}
	}
	for _, f := range it.Extra {
		c.OtherTexts = append(c.OtherTexts, memfile.Text{Where: "field", Text: f.Name})
		c.OtherTexts = append(c.OtherTexts, f.Value.StringsAt("field")...)
	}
	return c
}

// revision changes by hand whenever a verdict could: a new rule, a shape, a
// phrase, a threshold.
const revision = "44"

// Version names the rules: it changes whenever a verdict could. It keys caches
// of verdicts.
func Version() string { return "policy-" + revision }
