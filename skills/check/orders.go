package check

import (
	"strings"
	"sync"

	"github.com/memctl/memctl/policy/chars"
	"github.com/memctl/memctl/policy/instructions"
)

// orderPhrases are what no skill has to tell an agent, in the form of package instructions.
// The kind is the rule.
func orderPhrases() []instructions.Phrase {
	const (
		not    = "not|don't|never|dont|without "
		tell   = "tell|inform|notify|alert|warn|telling|informing|notifying|alerting|warning "
		people = "user|person|human|owner|developer|reviewer|operator|maintainer|users|people|anyone|them "
	)
	return []instructions.Phrase{
		{Points: 10, Kind: RuleHide, Text: not + "*1 " + tell + "*1 " + people + "about|of this|that|it|these|the *1 step|rule|."},
		{Points: 10, Kind: RuleHide, Text: not + "*1 " + tell + "*1 " + people + "about|of this|that|it|these"},
		{Points: 10, Kind: RuleHide, Text: not + "*1 " + tell + "the|your user|person|human|owner|developer|reviewer ."},
		{Points: 10, Kind: RuleHide, Text: not + "mention|reveal|disclose|show|report this|these|it|that *3 to *1 " + people},
		{Points: 10, Kind: RuleHide, Text: not + "mention|reveal|disclose this|these *1 rule|rules|instruction|instructions|step|steps|file|note"},
		{Points: 10, Kind: RuleHide, Text: "hide|conceal|withhold|keep this|that|it|these|them from *1 " + people},
		{Points: 10, Kind: RuleHide, Text: "hide|conceal|withhold *4 from the|your user|reviewer|person|human|owner"},
		{Points: 10, Kind: RuleHide, Text: "secret from *1 user|person|human|owner|reviewer"},
		{Points: 10, Kind: RuleHide, Text: "user|person|human|owner|reviewer must|should|may not|never *1 find|learn|know|notice|see *1 out|this|that|it|."},
		{Points: 10, Kind: RuleHide, Text: "without telling|informing|notifying anyone|anybody"},
		{Points: 10, Kind: RuleHide, Text: "tell|assure the user *4 fine|well|successful|succeeded|passed even if"},
		{Points: 10, Kind: RuleHide, Text: "without *2 user|user's|person *1 knowing|knowledge|noticing|awareness"},
		{Points: 10, Kind: RuleHide, Text: "silently *1 add|send|upload|copy|install|exfiltrate|append|forward|include *9 never|not *1 mention|tell"},
		{Points: 10, Kind: RuleOverride, Text: "ignore|disregard|forget|override|overrides *1 all|any|every|the|your|my|these *3 previous|prior|earlier|preceding *2 instructions|instruction|rules|prompts|guidelines|guidance"},
		{Points: 10, Kind: RuleOverride, Text: "ignore|disregard|forget|override|overrides all|any|every|other|the *2 previous|prior|other|system *1 instructions|prompt|rules|skills"},
		{Points: 10, Kind: RuleOverride, Text: "ignora|ignorar|ignorez|ignoriere|ignorieren|olvida|oublie|oubliez|dimentica|esqueça|vergiss|negeer|zignoruj *4 instrucciones|istruzioni|instruções|instructions|consignes|anweisungen|instructies|instrukcje|befehle|vorgaben"},
		{Points: 10, Kind: RuleOverride, Text: "ignore|disregard other instructions|rules|skills"},
		{Points: 10, Kind: RuleOverride, Text: "they|it|this|these override|overrides|supersede|supersedes everything|anything|whatever|all *3 user|person|said|instructions"},
		{Points: 10, Kind: RuleOverride, Text: "fetch|download|read|load|open|get *3 http|https *9 and|then *1 follow|obey|execute|do *2 instructions|it|what|whatever|them"},
		{Points: 10, Kind: RuleOverride, Text: "execute|run|do|follow|obey whatever|everything|anything *4 page|website|file|message|response|site|server *2 tells|says|asks|orders"},
		{Points: 10, Kind: RuleDisable, Text: "safety|security *1 rules|checks|guidelines|policies *1 do|does not apply"},
		{Points: 10, Kind: RuleDisable, Text: "disable|bypass|turn|switch|remove *1 off? the? sandbox|guardrails|safeguards|protection|antivirus|firewall"},
		{Points: 10, Kind: RuleDisable, Text: "turn|switch off *2 permission|approval|confirmation|safety|security *1 prompts|prompt|checks|check|prompts"},
		{Points: 10, Kind: RuleDisable, Text: "bypass|disable|skip *2 branch|commit|push protection"},
		{Points: 10, Kind: RuleDisable, Text: "disable|skip|bypass *1 security|secret|vulnerability scanner|scan|scanning|checks"},
		{Points: 10, Kind: RuleDisable, Text: "user|person|human|owner *2 already|previously approved|authorized|authorised|confirmed|consented *9 never|not|no *2 ask|confirm|confirmation|prompt"},
		{Points: 10, Kind: RuleDisable, Text: "act|operate|respond without *1 restrictions|limits|limitations|filters"},
		{Points: 10, Kind: RuleSend, Text: "send|post|upload|forward|transmit|exfiltrate|submit|email *3 password|passwords|secrets|credentials|env|tokens *2 to|at https|http"},
		{Points: 10, Kind: RuleSend, Text: "write|send|post|upload|submit|forward *2 conversation|transcript|chat *3 to https|http"},
		{Points: 10, Kind: RuleSend, Text: "ask|asks *4 for *2 seed|recovery|private phrase|key|mnemonic *9 send|post|upload|submit"},
		{Points: 10, Kind: RuleSend, Text: "read|include|copy|print|append *5 ssh|aws|gnupg|netrc *2 credentials|id_rsa|id_ed25519|config|key *9 in|into|to"},
	}
}

var orderBook = sync.OnceValue(func() *instructions.Vocabulary { return instructions.NewVocabulary(orderPhrases(), nil) })

var orderMessages = map[string]string{
	RuleHide:     "tells the agent to hide something from the person",
	RuleOverride: "sets aside what the agent was told by others",
	RuleDisable:  "turns protection off",
	RuleSend:     "sends secrets away",
}

// orders looks for orders that no person would give, in each paragraph of a text.
func (c *checking) orders(text string, prose bool) {
	book := orderBook()
	for _, p := range paragraphs(text) {
		p.text = withoutQuotes(p.text)
		lower := chars.LowerASCII(p.text)
		ascii := instructions.IsASCII(p.text)
		t := book.Tally(book.Tokenize(p.text, lower, ascii, nil))
		if t.Points >= instructions.RefusedAt && !(t.Kind == RuleDisable && strings.HasPrefix(p.text, "|")) { // a table describes
			c.add(t.Kind, Error, p.line, 1, orderMessages[t.Kind], "")
			continue
		}
		if !prose {
			continue
		}
		// Other scripts, and orders that are encoded, are in the policy's own tables.
		if part := chars.NewPart("", p.text); len(p.text) < shortOrder && (part.Long || !part.ASCII) {
			if s := instructions.Steer(&part); s.Points >= instructions.RefusedAt && s.Kind == "override" {
				c.add(RuleOverride, Error, p.line, 1, orderMessages[RuleOverride], "")
			}
		}
	}
}

// shortOrder is the length, in bytes, below which the policy's rules for memory fit a paragraph
// too: a longer one explains something.
const shortOrder = 300

// paragraph is a run of lines without a blank one.
type paragraph struct {
	line int
	text string
}

// maxParagraph cuts a paragraph that no reader would take for one.
const maxParagraph = 2000

func paragraphs(text string) (list []paragraph) {
	n, first := 0, 0
	var b strings.Builder
	end := func() {
		if b.Len() > 0 {
			list = append(list, paragraph{first, b.String()})
		}
		b.Reset()
	}
	for line := range strings.Lines(text) {
		n++
		trimmed := strings.TrimSpace(line)
		item := strings.HasPrefix(trimmed, "- ") || strings.HasPrefix(trimmed, "* ") || strings.HasPrefix(trimmed, "|") || strings.HasPrefix(trimmed, "#")
		if trimmed == "" || item || b.Len() > maxParagraph {
			end()
		}
		if trimmed != "" {
			if b.Len() == 0 {
				first = n
			}
			b.WriteString(trimmed + " ")
		}
	}
	end()
	return list
}

// withoutQuotes takes what stands in double quotes out of a text that is about orders: it
// quotes them.
func withoutQuotes(text string) string {
	lower := chars.LowerASCII(text)
	if !strings.Contains(lower, "\"") || !chars.ContainsAny(lower, "injection", "attacker", "malicious", "phrase these", "for example", "e.g.", "such as", "like \"") {
		return text
	}
	var b strings.Builder
	for i, part := range strings.Split(text, "\"") {
		if i%2 == 0 {
			b.WriteString(part)
		}
	}
	return b.String()
}
