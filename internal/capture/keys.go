package capture

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/memctl/memctl/memfile"
)

const (
	// maxPart is the size of one part of a key in bytes.
	maxPart = 48
	// twoWords is the size in bytes from which two words are enough.
	twoWords = 16
	// maxWord is the size in bytes of one word: a sentence of a script without spaces is one word.
	maxWord = 30
	// mostWords is how many words a part has.
	mostWords = 3
)

// namer gives each key once.
type namer struct{ taken map[string]bool }

// newNamer returns a namer that has given no key.
func newNamer() *namer { return &namer{taken: map[string]bool{}} }

// Key returns a key for a text below a heading. If another text has that key, it adds the next words, and then a number.
func (n *namer) Key(heading, text string) string {
	area := areaOf(heading)
	key := areaKey(area, text)
	for count := mostWords + 1; n.taken[key] && count <= 2*mostWords; count++ {
		key = area + "." + part(text, count)
	}
	base := key
	for i := 2; n.taken[key]; i++ {
		key = base + "-" + strconv.Itoa(i)
	}
	n.taken[key] = true
	return key
}

// areaKey returns the key of a text in an area.
func areaKey(area, text string) string { return area + "." + part(text, mostWords) }

// firstWords returns the first words of a text as a part of a key, "" if it has none.
func firstWords(text string) string {
	if len(words(text)) == 0 {
		return ""
	}
	return part(text, mostWords)
}

// areaOf returns the first part of a key for a heading. It avoids names that mean something to memory: a heading
// "Lessons" makes no lessons.* key, whose value would have to be a map.
func areaOf(heading string) string {
	if name, rest, _ := strings.Cut(heading, " "); strings.HasSuffix(strings.ToLower(name), ".md") {
		heading = rest // the title "CLAUDE.md" says nothing
	}
	area := firstWords(heading)
	if area == "" {
		area = memfile.KeyPart(heading, maxPart) // "Do"
	}
	switch area = strings.TrimPrefix(strings.TrimLeft(area, "0123456789-_"), "key-"); area { // key-links.… would read like a key that is given
	case "":
		return "notes"
	case "lessons":
		return "lesson"
	}
	return area
}

// part joins the first words of a text: at most count, and two of the usual three if they are long. A text without
// words gets the digits of its hash.
func part(text string, count int) string {
	list, number := words(text), ""
	if n, rest, ok := strings.Cut(text, ". "); ok && len(n) <= 2 && strings.Trim(n, "0123456789") == "" && rest != "" {
		i, _ := strconv.Atoi(n)
		list, number = words(rest), fmt.Sprintf("%02d", i)
	}
	name := number
	for i, w := range list {
		if i >= count || i >= 2 && count == mostWords && len(name)-len(number) >= twoWords || len(name)+1+len(w) > maxPart {
			break
		}
		name = strings.TrimPrefix(name+"-"+w, "-")
	}
	if name == number {
		sum := sha256.Sum256([]byte(memfile.NormalText(text)))
		name = strings.TrimPrefix(number+"-x"+hex.EncodeToString(sum[:4]), "-")
	}
	return name
}

// functionWords say nothing in a name.
const functionWords = ` a an the this that these those it its it's is are was were be been being am do does did doing done has have had having
 can could will would shall should may might must need needs to of in on at by for from with and or as if so than then too also into onto
 you your we our i my me us they them their he she his her all any each every both always please just only there here what which who
 use uses used using make makes sure ensure keep let lets when whenever before after about over instead rather
 der die das den dem des ein eine einen und oder im in ist sind wird werden für mit auf von zu bitte immer ich du wir
 el la los las un una y o de del en es son con por para que se siempre le les des et ou du dans est sont avec pour toujours
 os um uma e do da dos das em na com sempre il lo gli di che sono per het een van op is zijn voor altijd
 и в на с по для не это что как w na z do i że je se v na pro `

// spelled spells words so that KeyPart does not cut them apart.
var spelled = strings.NewReplacer("'", "", "’", "", "c++", "cpp", "c#", "csharp", "f#", "fsharp", "cannot", "not", "do not ", "no ", "don't ", "no ", "don’t ", "no ")

// words returns the content words of a text as they stand in a key, each once. Code counts as one word.
func words(text string) (list []string) {
	add := func(w string) {
		if w = strings.Trim(memfile.CutKey(memfile.KeyPart(w, maxWord), maxWord), "-"); w != "" && !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	for i, run := range strings.Split(text, "`") {
		if i%2 == 1 {
			name, _, _ := strings.Cut(run, "(") // of a call, the function
			add(strings.TrimRight(name, "/"))
			continue
		}
		for field := range strings.FieldsSeq(spelled.Replace(strings.ToLower(run))) {
			if !strings.Contains(functionWords, " "+strings.TrimFunc(field, isSeparator)+" ") {
				add(field)
			}
		}
	}
	return list
}

// isSeparator reports whether a character is no part of a word.
func isSeparator(r rune) bool { return r == utf8.RuneError || !memfile.KeyLetter(r) }

// IsFunction reports whether a word in small letters says nothing in a name.
func IsFunction(word string) bool { return strings.Contains(functionWords, " "+word+" ") }

// areas has lines "area: word, word". Where a statement has words of several, the first line wins.
//
//go:embed areas.txt
var areas string

// keyOf makes a key of a text that a sentence states: the area that the words mean, and the first words of the text.
func keyOf(text, sentence string, person bool, cues cueList) string {
	if key := personKey(sentence); key != "" {
		return key
	}
	for _, c := range cues {
		if before, after, ok := strings.Cut(text, " "+c.phrase); c.class == "ask" && ok {
			text = before + after // "from now on" is no part of a name
		}
	}
	words := strings.Fields(normal(text))
	for line := range strings.Lines(areas) {
		area, list, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for word := range strings.SplitSeq(list, ", ") {
			if slices.Contains(words, word) || word[0] >= firstUnspaced && strings.Contains(text, word) {
				if area == "language" && person {
					return "language.answers" // one key for all languages: a later wish replaces an earlier one
				}
				return areaKey(area, text)
			}
		}
	}
	if person {
		return areaKey("preferences", text)
	}
	return areaKey("conventions", text)
}

// firstUnspaced is the first byte of Chinese, Japanese and Korean in UTF-8, and firstUnspacedRune their first character.
const (
	firstUnspaced     = 0xe3
	firstUnspacedRune = '\u3000'
)

// sameRule reports whether two keys that the rules made name one rule: one area, and a word in common that says more than the
// area.
func sameRule(a, b string) bool {
	areaA, restA, _ := strings.Cut(a, ".")
	areaB, restB, _ := strings.Cut(b, ".")
	other := strings.Split(restB, "-")
	return areaA == areaB && slices.ContainsFunc(strings.Split(restA, "-"), func(w string) bool {
		return slices.Contains(other, w) && !strings.HasPrefix(areaA, strings.TrimSuffix(w, "s"))
	})
}

// ofPerson are the beginnings of sentences about the person, with the keys that they get.
const ofPerson = "my name is=user.name|i'm called=user.name|ich heiße=user.name|me llamo=user.name|the user is called=user.name|call me=user.address|call the user=user.address|address the user as=user.address|nenn mich=user.address|my time zone is=user.time-zone|my timezone is=user.time-zone|meine zeitzone ist=user.time-zone|mi zona horaria es=user.time-zone|my home is=user.home|i live in=user.home|i'm based in=user.home|the user lives in=user.home|the user is based in=user.home|ich wohne in=user.home|vivo en=user.home|my work is=user.work|i work as=user.work|i work at=user.work|the user works as=user.work|the user works at=user.work|ich arbeite als=user.work|trabajo como=user.work"

// personKey is the key of a sentence about the person, "" where its first words say nothing of that.
func personKey(sentence string) string {
	text := strings.TrimSpace(normal(sentence)) + " "
	if rest, ok := strings.CutPrefix(text, "the user's "); ok {
		text = "my " + rest
	} else if rest, ok := strings.CutPrefix(text, "user's "); ok {
		text = "my " + rest
	}
	for entry := range strings.SplitSeq(ofPerson, "|") {
		phrase, key, _ := strings.Cut(entry, "=")
		rest, ok := strings.CutPrefix(text, phrase+" ")
		next, _, _ := strings.Cut(rest, " ")
		if ok && !slices.Contains([]string{"when", "if", "once", "after", "back", "later", "as", "again", "before"}, next) {
			return key
		}
	}
	return ""
}
