package rules

import "strings"

// Sentences that hold for a while, take something back or ask about memory state nothing lasting.
const (
	passing = "for now|until we|until i'm|until i am|until this is|until that is|this time|for this task|for this session|in this session|just this once|just for today|vorerst|diesmal|por ahora|por esta vez|esta vez"
	undoing = "do you remember|can you remember|forget what|forget that i|forget about|forget everything|never mind what|vergiss was|olvida lo que"
)

// ofPerson are the beginnings of clauses about the person, with the keys that they get.
const ofPerson = "my name is=user.name|i'm called=user.name|ich heiße=user.name|me llamo=user.name|call me=user.address|nenn mich=user.address|my time zone is=user.time-zone|my timezone is=user.time-zone|meine zeitzone ist=user.time-zone|mi zona horaria es=user.time-zone|i live in=user.home|i'm based in=user.home|ich wohne in=user.home|vivo en=user.home|i work as=user.work|i work at=user.work|ich arbeite als=user.work|trabajo como=user.work"

// ofWork are the beginnings of sentences that name a convention, where the sentence is all that is said.
const ofWork = "please avoid |avoid |please don't use |don't use |please do not use |do not use |name branches |name the branches |always name branches "

// colonAsks are the words before a colon that ask to remember what follows it.
const colonAsks = "remember|please remember|remember this|note|please note|add a rule|add this rule|new rule|merke dir|merk dir|recuerda"

const (
	// asksBefore are the beginnings of sentences that ask to remember the rest, whatever it is about.
	asksBefore = "remember that |please remember that |and remember that |keep in mind that |please keep in mind that |bear in mind that |add a rule that |make it a rule that |denk daran, dass |merk dir, dass |merke dir, dass |recuerda que |ten en cuenta que "
	// asksAfter ask to remember the words before them. They end the sentence, or are the next one.
	asksAfter = "remember that|remember this|please remember that|please remember this|keep that in mind|keep this in mind|please keep that in mind|please keep this in mind|merk dir das|merke dir das|recuérdalo"
)

// asksFor reports whether a sentence asks to remember what else it says, or the next one asks for it.
func asksFor(sentence, next string) bool {
	lower := strings.ToLower(strings.TrimRight(sentence, ".! "))
	for phrase := range strings.SplitSeq(asksBefore, "|") {
		if strings.HasPrefix(lower, phrase) {
			return true
		}
	}
	for phrase := range strings.SplitSeq(asksAfter, "|") {
		if strings.HasSuffix(lower, ", "+phrase) || strings.EqualFold(strings.TrimRight(next, ".! "), phrase) {
			return true
		}
	}
	return false
}

// notLasting reports whether a sentence says that it holds for a while, or takes something back.
func notLasting(sentence string) bool {
	lower := strings.ToLower(strings.ReplaceAll(sentence, "’", "'"))
	for phrase := range strings.SplitSeq(passing, "|") {
		if i := strings.Index(lower, phrase); i >= 0 && (i == 0 || lower[i-1] == ' ') {
			return true
		}
	}
	for phrase := range strings.SplitSeq(undoing, "|") {
		if strings.HasPrefix(lower, phrase) || strings.Contains(lower, ", "+phrase) {
			return true
		}
	}
	return false
}

// afterColon is where the text begins that a sentence asks to remember with a colon, -1 where it does not.
func afterColon(sentence string) int {
	before, _, found := strings.Cut(sentence, ":")
	for asks := range strings.SplitSeq(colonAsks, "|") {
		if found && strings.EqualFold(strings.TrimSpace(before), asks) {
			return len(before) + 1
		}
	}
	return -1
}

// personKey is the key of a clause about the person, "" where its first words say nothing of that.
func personKey(clause string) string {
	lower := strings.ToLower(strings.ReplaceAll(clause, "’", "'"))
	for entry := range strings.SplitSeq(ofPerson, "|") {
		phrase, key, _ := strings.Cut(entry, "=")
		rest, ok := strings.CutPrefix(lower, phrase+" ")
		next, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if ok && !strings.Contains(" when if once after back later as again before ", " "+next+" ") {
			return key
		}
	}
	return ""
}

// ofThird are the beginnings of an agent's sentences about the person, with the person's own words for them.
const ofThird = "the user's =my |user's =my |the user is called =i'm called |the user lives =i live |the user is based =i'm based |the user works =i work |call the user =call me |address the user as =call me "

// inFirstPerson is the text as the person would begin it.
func inFirstPerson(text string) string {
	lower := strings.ToLower(strings.ReplaceAll(text, "’", "'"))
	for entry := range strings.SplitSeq(ofThird, "|") {
		third, first, _ := strings.Cut(entry, "=")
		if rest, ok := strings.CutPrefix(lower, third); ok {
			return first + rest
		}
	}
	return text
}

// areasOfPerson are the first parts of keys under which agents store facts about the person.
const areasOfPerson = " user person personal me about-me "

// namesPerson reports whether a key is about the person: by its area, or because it names such a fact and nothing else.
func namesPerson(key string) bool {
	area, _, _ := strings.Cut(key, ".")
	if strings.Contains(areasOfPerson, " "+area+" ") {
		return true
	}
	fact := strings.NewReplacer("-", " ", "_", " ", ".", " ").Replace(strings.TrimPrefix(key, "user-"))
	return fact != "" && personKey("my "+fact+" is given") != ""
}

// namesConvention reports whether a sentence begins as a convention of how the work is done.
func namesConvention(sentence string) bool {
	lower := strings.ToLower(strings.ReplaceAll(sentence, "’", "'"))
	for phrase := range strings.SplitSeq(ofWork, "|") {
		if strings.HasPrefix(lower, phrase) {
			return true
		}
	}
	return false
}
