package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy/chars"
	"github.com/memctl/memctl/policy/personal"
)

// judge collects the findings on one candidate.
type judge struct {
	c        *Candidate
	texts    []chars.Part
	findings []Finding
	digest   string // of the value, worked out when an allowance asks for it
}

// isShared reports whether others than this person read the scope.
func (j *judge) isShared() bool {
	return j.c.Scope != scopePrivate && j.c.Scope != scopeUser
}

// addFinding records a finding unless an allowance in the file covers it. One rule and
// kind is said once a place.
func (j *judge) addFinding(f Finding) {
	if f.Verdict != Accept && canBeAllowed(f) && j.isAllowed(f.Rule) {
		return
	}
	for _, g := range j.findings {
		if g.Rule == f.Rule && g.Kind == f.Kind && g.Where == f.Where {
			return
		}
	}
	j.findings = append(j.findings, f)
}

// canBeAllowed reports whether a comment in the file may lift the finding: only a nuisance, and never
// a secret, whoever wrote the comment.
func canBeAllowed(f Finding) bool {
	switch f.Rule {
	case RuleTooLong, RuleNotSpecific:
		return true
	case RulePersonal:
		return personal.IsMild(f.Kind)
	}
	return false
}

func (j *judge) isAllowed(rule string) bool {
	for _, a := range j.c.Allow {
		if a.Rule != rule {
			continue
		}
		if j.digest == "" {
			sum := sha256.Sum256([]byte(j.c.Value.Canonical()))
			j.digest = hex.EncodeToString(sum[:4])
		}
		if a.Digest == j.digest {
			return true
		}
	}
	return false
}

// checkText rules on one string by every rule that looks at one string alone.
func (j *judge) checkText(p *chars.Part) {
	readings := chars.Readings(p)
	j.checkHidden(p)
	j.checkSecrets(p, readings)
	j.checkPersonal(p)
	j.checkOrders(p, readings)
	if p.Where != "key" {
		j.checkTranscript(p)
	}
}

// checkOrders rules on a text's orders, and on those in what decoding it gives.
func (j *judge) checkOrders(p *chars.Part, readings []chars.Reading) {
	if j.checkInstructions(p, ""); j.hasFinding(RuleInstruction) {
		return
	}
	// The words of a key, a tag or a path are joined by signs; an order has three or more.
	if t := p.Text; !strings.Contains(t, " ") && strings.Count(t, "-")+strings.Count(t, "_")+strings.Count(t, ".")+strings.Count(t, "/") >= 2 {
		apart := chars.NewPart(p.Where, withoutJoints().Replace(t))
		j.checkInstructions(&apart, "")
	}
	for _, r := range readings {
		inside := chars.NewPart(p.Where, r.Text)
		j.checkInstructions(&inside, r.Encoding)
	}
}

// withoutJoints puts spaces between words that signs join.
var withoutJoints = sync.OnceValue(func() *strings.Replacer { return strings.NewReplacer("-", " ", "_", " ", ".", " ", "/", " ") })

// RuleText rules on a text that is no memory, such as a paragraph of a skill: on characters that nobody
// sees, on secrets, and on orders that nobody may give, as they are written and as they read once they
// are decoded. Its length and its form are not judged. An order is held, and refused if it leaves no
// doubt.
func RuleText(text string) Ruling {
	p := chars.NewPart("", text)
	readings := chars.Readings(&p)
	j := judge{c: &Candidate{Raw: true}}
	j.checkHidden(&p)
	j.checkSecrets(&p, readings)
	j.checkOrders(&p, readings)
	return j.ruling()
}

func (j *judge) ruling() Ruling {
	r := Ruling{Findings: j.findings}
	durable := true
	for _, f := range j.findings {
		if f.Verdict > r.Verdict {
			r.Verdict = f.Verdict
		}
		if f.Rule == RuleNotDurable {
			durable = false
		}
	}
	if r.Verdict == Refuse { // what is refused waits for nothing
		r.Findings = slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return f.Rule == RuleNotDurable })
	}
	r.LowerConfidence = !durable && r.Verdict == Accept
	return r
}

func (j *judge) checkKeyForm() {
	if memfile.KeyForm(j.c.Key) {
		return
	}
	f := Finding{
		Rule: RuleKeyForm, Where: "key", Verdict: Refuse,
		Message: "a key needs two or more parts of letters, digits, - and _, separated by dots, such as writing.tone",
	}
	// A near key is made of the key's own letters, which may be what another
	// rule objects to.
	for _, g := range j.findings {
		if g.Where == "key" {
			j.addFinding(f)
			return
		}
	}
	_, f.Hint = memfile.NormalKey(j.c.Key)
	j.addFinding(f)
}
