package policy

import (
	"strings"

	"github.com/memctl/memctl/policy/chars"
	"github.com/memctl/memctl/policy/instructions"
	"github.com/memctl/memctl/policy/personal"
	"github.com/memctl/memctl/policy/secret"
)

// checkHidden objects to characters that a reader does not see and a model does, or
// that make a line read otherwise than it is written.
func (j *judge) checkHidden(p *chars.Part) {
	kind := ""
	if p.HasControlOrNonASCII {
		kind = chars.HiddenKind(p.Text)
	}
	if kind == "" && p.HasMark && !j.c.Raw && isOnOneLine(p.Where) && strings.ContainsAny(p.Text, "\n\r") {
		kind = "line-break"
	}
	if kind == "" {
		return
	}
	j.addFinding(Finding{
		Rule: RuleHidden, Kind: kind, Where: p.Where, Verdict: Refuse,
		Message: "contains " + hiddenNames[kind] + ", which a reader cannot see; remove them",
	})
}

var hiddenNames = map[string]string{
	"control":      "control characters or terminal escapes",
	"bidi":         "characters that change the direction of text",
	"zero-width":   "zero-width or invisible characters",
	"tags":         "characters of the invisible tags block",
	"line-break":   "a line break, after which the rest would be read as something else",
	"invalid-utf8": "bytes that are not UTF-8",
}

// isOnOneLine: what stands on one line of a list, of a commit's trailers or of an
// announcement.
func isOnOneLine(where string) bool {
	return where == "key" || where == "source" || strings.HasPrefix(where, "tags[") || strings.HasPrefix(where, "paths[")
}

// checkSecrets rules on one string.
func (j *judge) checkSecrets(p *chars.Part, readings []chars.Reading) {
	if p.Where == "key" && p.ASCII && !p.HasDigit {
		return
	}
	if len(readings) == 0 && p.ASCII && !p.HasDigit && !p.HasLongRun && !p.Pairs.MayContainAny("pass", "phrase", "mnemonic", "pw", "wifi") && !(p.HasMark && strings.ContainsAny(p.Text, ":=@$!#%^&*?\"`\n")) {
		// Words and spaces: only a phrase can be given in them.
		for _, h := range secret.FindSeedPhrases(nil, p.Lower) {
			j.addFinding(secretFinding(h.Kind, p.Where))
		}
		return
	}
	for _, h := range secret.Find(p, readings) {
		j.addFinding(secretFinding(h.Kind, p.Where))
	}
}

func secretFinding(kind, where string) Finding {
	return Finding{
		Rule: RuleSecret, Kind: kind, Where: where, Verdict: Refuse,
		Message: "looks like a secret (" + kind + "), which does not belong in memory",
		Hint:    "store it in a password manager or the environment, and remember only where it is",
	}
}

// checkPersonal rules on data about people: numbers that identify or pay, facts that
// can be held against somebody, and ways to reach them.
func (j *judge) checkPersonal(p *chars.Part) {
	if p.HasDigit {
		for _, kind := range personal.NumberKinds(p) {
			j.addPersonal(kind, p.Where)
		}
		if personal.HasPhone(p) {
			j.addPersonal(personal.KindPhone, p.Where)
		}
		if personal.HasAddress(p) {
			j.addPersonal(personal.KindAddress, p.Where)
		}
	}
	if personal.HasPrivateEmail(p) {
		j.addPersonal(personal.KindEmail, p.Where)
	}
}

func (j *judge) addPersonal(kind, where string) {
	f := Finding{
		Rule: RulePersonal, Kind: kind, Where: where, Verdict: Refuse,
		Message: "contains personal data (" + kind + "), which does not belong in memory",
		Hint:    "leave it out, or name only the place where it is stored",
	}
	if personal.IsMild(kind) {
		f.Message = "contains personal data (" + kind + "), which everybody with the repository could read"
		f.Hint = "leave it out, or keep it in the private or user scope"
		if j.c.Scope == scopeStore {
			f.Message = "contains personal data (" + kind + "), which everybody with the folder could read"
			f.Hint = "leave it out, or keep it in a store of your own, without --store"
		}
		if !j.isShared() {
			f.Verdict = Hold
			f.Message = "contains personal data (" + kind + "); keep it only if you want it remembered"
			f.Hint = ""
		}
	}
	j.addFinding(f)
}

// checkInstructions rules on text that tries to steer whoever reads it: overrides,
// roles, commands to run, things to hide, markup that acts. A person is asked; an agent, which
// may only pass on what it read, is refused. how says how the text was decoded, "" where it was not.
func (j *judge) checkInstructions(p *chars.Part, how string) {
	if p.IsPlainWord {
		return
	}
	agent := j.c.Automatic && !j.c.SaidByPerson
	o := instructions.Find(p, agent && p.InValue())
	if o.Private != "" && len(p.Text) <= MaxValueBytes {
		j.addPersonal(o.Private, p.Where)
	}
	if o.Kind == "" {
		return
	}
	f := Finding{Rule: RuleInstruction, Kind: o.Kind, Where: p.Where, Verdict: Hold, Hint: instructionHints[o.Kind]}
	words := instructionNames[o.Kind]
	if len(o.Words) > 0 {
		words += ": " + strings.Join(o.Words, ", ")
	}
	switch {
	case o.Level == instructions.Risk:
		f.Message, f.Hint = "may put the project or its secrets at risk ("+words+")", "a person decides in memctl review"
		agent = false
	case o.Mark != "":
		f.Message, f.Hint = "contains `"+o.Mark+"` ("+words+")", markupHints[o.Kind]
	default:
		f.Message = "reads like an order to the agent (" + words + ") instead of a fact about how you work"
	}
	if how != "" {
		f.Message += ", once it is decoded (" + how + ")"
	}
	if agent || j.c.Raw && o.Points >= instructions.RefuseScore {
		f.Verdict = Refuse
	}
	j.addFinding(f)
}

var instructionNames = map[string]string{
	"override": "ignoring its instructions",
	"role":     "a role to play",
	"prompt":   "revealing its prompt",
	"command":  "a command to run",
	"hide":     "something to hide from the user",
	"send":     "sending data away",
	"guard":    "less protection, or more access",
	"markup":   "active markup",
	"harm":     "dropping its limits",
	"document": "orders inside a document",
}

// instructionHints are one way to say it instead, for each kind.
var instructionHints = map[string]string{
	"override": "say what is true, such as \"the style guide is docs/style.md\", without telling the agent what to ignore",
	"role":     "say how you want answers to be, such as \"answer as briefly as a reviewer\"",
	"prompt":   "leave it out",
	"command":  "name the command and when you run it yourself, such as \"make setup prepares a machine\"",
	"hide":     "say what a text contains, such as \"release notes list features only\"",
	"send":     "say where the thing is, such as \"the report is in the bucket acme-reports\"",
	"guard":    "say what the check is for and who may waive it",
	"markup":   "write it in backticks or leave it out",
	"harm":     "leave it out",
	"document": "say it as a fact about the project, without speaking to an agent",
}

// markupHints are the same for markup and commands.
var markupHints = map[string]string{
	"override": "leave it out, or name it without the brackets",
	"document": "leave it out, or name it without the brackets",
	"command":  "name the command and who runs it, without the rest of the line",
	"send":     "say where the thing is, without the line that sends it",
	"markup":   "write it in backticks or leave it out",
}

// checkTranscript objects to what was copied whole: a conversation, a log, a trace, a
// diff, a page of code.
func (j *judge) checkTranscript(p *chars.Part) {
	if !p.HasMark || j.c.IsTurn {
		return // one line, and no colon; or meant to be one
	}
	kind := instructions.TranscriptKind(p)
	if kind == "" {
		return
	}
	j.addFinding(Finding{
		Rule: RuleTranscript, Kind: kind, Where: p.Where, Verdict: Refuse,
		Message: "is " + transcriptNames[kind] + "; memory should contain only the lesson from it, in a sentence",
		Hint:    "state the lesson itself, or name the file that contains the text",
	})
}

var transcriptNames = map[string]string{
	"speaker-turns": "part of a conversation",
	"log":           "copied from a log",
	"stack-trace":   "a stack trace",
	"diff":          "a diff",
	"code":          "a page of code",
	"session":       "copied from a terminal",
}
