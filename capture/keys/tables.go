package keys

import (
	"strings"
	"sync"
)

// tables are the words that keys depend on. Each line begins with the class of its words:
//   - limit, deny: a key has it before the word that it limits or negates, what denies as "not"; exception, condition: a denial keeps it
//   - negative: in a heading or text, it turns what follows round
//   - kind: a label such as "Note", which names no subject; generic: a noun that does not tell one rule from another
//   - trigger: it begins a condition; clause: it begins a clause that a name does not need
//   - joint: it joins two words of a key; means: a joint that says by what something is done
//   - filler: no key contains it; article: a filler that stands before a noun; noadverb: it ends in "ly" and is no adverb
//   - light: a verb that says nothing after a preposition; verb: it follows a subject, and is seldom a noun; imperative: rules begin with it
const tables = `limit avoid without unless until except only no
deny not never dont doesnt isnt arent cant cannot wont shouldnt mustnt didnt neither nor
exception without unless until except
condition if when while
means with using via by
negative not don't dont don'ts never avoid no without forbidden prohibited anti antipatterns bad wrong mistakes pitfalls
kind key core principle principles note notes important warning caution tip hint example rule critical reminder attention immediate action required forbidden prohibited allowed step phase stage
generic file files function functions code user users agent agents project repository repo app change changes task tasks prs plugin action
generic module modules endpoint endpoints package packages page pages commands thing things server client service system model sdk element component feature features claude copilot assistant
trigger if when whenever before after once while unless
article a an the its their your
clause because since so where whenever even given including following according describing showing containing
noadverb assembly monthly nightly friendly anomaly multiply
light add adding make making do doing use modify modifying touch touching
joint to like across as at in of on by for from with and or before after under through behind within between during against using via over outside inside into de en von zu auf
filler a an are be been but could did do does doing had has have he her here his how i if into it is its just let lets may me might must my once our ours
filler shall she should similar so some such than that the their know them then there these they this those too us very was we were what where which who whom why
filler will would you your please all any each every both always ever also ensure sure remember instead rather about per eg ie etc youre theyre thats
filler weve youve itself everything anything when doubt needed applicable appropriate more maybe perhaps probably already still possible s t
filler der das dem ein eine und oder im für mit bitte immer jetzt el los las una del para siempre le les une et ou du dans avec toujours
verb is are was were has have had must may should will can could go live lives runs uses get gets provide provides enable enables extend extends implement implements contain contains
verb require requires need needs belong belongs counts stay stays happen happens come comes become becomes does do apply applies mean means follow follows include includes allow
verb allows take takes keep keeps give gives make makes handle handles define defines depend depends reach touch support supports based sit sits mirrors
imperative don't never always please accept add adhere adopt allow annotate answer append apply ask assume avoid batch break build bump cache call careful catch change check choose
imperative cite clean close commit compare comply configure confirm consider consolidate consult convert copy cover create declare define delegate delete demonstrate depend deploy
imperative describe design disable do document enable enforce ensure escape exclude explain export expose extend extract fail favor favour fetch fix focus follow format freeze
imperative generate get give group guard handle hide ignore implement import include inline inspect install integrate interact introduce invoke isolate keep leave limit link lint list load log
imperative look maintain make mark match merge migrate minimize mock modify move name note offer omit only open order organize pass pin place prefer prefix preserve print
imperative prioritize propagate protect provide publish push put quote raise read rebase record reduce refactor refer regenerate register reject release remember remove rename
imperative render replace reply report request require rerun reserve resolve respect respond restart retry return reuse revert review run sanitize save select send separate set
imperative ship show simplify skip sort speak specify split squash stage start stick stop store structure submit summarize suppress tag target tell test throw touch track treat
imperative trim try type update upgrade use utilize validate verify wait wrap write`

// is reports whether a word is in a class of the tables.
func is(w, class string) bool { return classes()[class][w] }

var classes = sync.OnceValue(func() map[string]map[string]bool {
	classes := map[string]map[string]bool{}
	for line := range strings.Lines(tables) {
		words := strings.Fields(line)
		if classes[words[0]] == nil {
			classes[words[0]] = map[string]bool{}
		}
		for _, w := range words[1:] {
			classes[words[0]][w] = true
		}
	}
	return classes
})
