package recall

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/memctl/memctl/internal/recall/index"
)

// timeSpan is a time that a question names: a day, a month, a year; or a month of
// whatever year.
type timeSpan struct {
	from, to            time.Time
	month               time.Month // of any year; 0 where from and to are set
	firstWord, lastWord int        // the first and the last word that name it
}

// spanScore says how well a doc of that time answers to the spans: 1 within one, less
// the farther it is.
func spanScore(spans []timeSpan, at time.Time) float64 {
	best := 0.0
	for _, s := range spans {
		if s.month != 0 {
			if at.Month() == s.month {
				best = 1
			}
			continue
		}
		off := max(s.from.Sub(at), at.Sub(s.to), 0).Hours() / 24
		best = max(best, math.Exp(-off/7))
	}
	return best
}

// timeWord is what a word says of a time: a month of that number, a unit of so many days.
type timeWord struct {
	kind string
	n    int
}

// timeTable has, on each line, a kind, a number and the words for it in English, Spanish, French, Portuguese, German and Russian. Of
// Russian words it has the first three or four letters.
const timeTable = `month 1 january jan enero janvier janeiro januar янва
month 2 february feb febrero fevrier fevereiro februar февр
month 3 march marzo mars marco marz март
month 4 april apr abril avril апре
month 5 may mayo mai maio май мая мае
month 6 june jun junio juin junho juni июнь июня июне
month 7 july jul julio juillet julho juli июль июля июле
month 8 august aug agosto aout авгу
month 9 september sep septiembre septembre setembro сент
month 10 october oct octubre octobre outubro oktober октя
month 11 november nov noviembre novembre novembro нояб
month 12 december dec diciembre decembre dezembro dezember дека
weekday 0 sunday domingo dimanche sonntag воск
weekday 1 monday lunes lundi segunda-feira montag поне
weekday 2 tuesday martes mardi terca-feira dienstag втор
weekday 3 wednesday miercoles mercredi quarta-feira mittwoch сред
weekday 4 thursday jueves jeudi quinta-feira donnerstag четв
weekday 5 friday viernes vendredi sexta-feira freitag пятн
weekday 6 saturday sabado samedi samstag субб
today 0 today hoy heute hoje сего
today 1 yesterday ayer gestern ontem вчер
today 2 anteayer vorgestern anteontem поза
unit 1 day days dia dias jour jours tag tage tagen день дня дней
unit 7 week weeks semana semanas semaine semaines woche wochen неде
unit 31 month months mes meses mois monat monate monaten меся
unit 366 year years ano anos annee annees ans jahr jahre jahren год года году лет
last 0 last past ultimo ultima pasado pasada dernier derniere passado passada letzte letzten letzter letztes letztem vergangene vergangenen прош
this 0 this este esta cette diese dieser diesen dieses этот эта этой этом эту
ago 0 ago hace il-y-a vor atras назад
number 1 a one un una une ein eine einem einer uma один одну
number 2 two couple dos deux dois duas zwei два две
number 3 three tres trois drei три
number 4 four cuatro quatre quatro vier четы
number 5 five cinco cinq funf пять
number 6 six seis sechs шест
from 0 between from since desde entre depuis seit von zwischen между
since 0 since desde depuis seit
to 0 to until till hasta ate bis до
and 0 and y et e und
on 0 on`

// timeWords are the words of the table.
var timeWords = sync.OnceValue(func() map[string][]timeWord {
	words := map[string][]timeWord{}
	for line := range strings.Lines(timeTable) {
		f := strings.Fields(line)
		n, _ := strconv.Atoi(f[1]) // a test reads each line
		for _, word := range f[2:] {
			word = index.WithoutAccents(word)
			words[word] = append(words[word], timeWord{f[0], n})
		}
	}
	return words
})

// timeValue is what a word says of a time as that kind.
func timeValue(word, kind string) (n int, ok bool) {
	found := timeWords()[word]
	if runes := []rune(word); found == nil && len(runes) > 3 && unicode.Is(unicode.Cyrillic, runes[0]) {
		found = timeWords()[string(runes[:4])]
	}
	for _, t := range found {
		if t.kind == kind {
			return t.n, true
		}
	}
	return 0, false
}

// timeParser reads the times of a question.
type timeParser struct {
	words []string
	now   time.Time // zero: nothing is relative to it
}

// parseTimes finds the times that a question names: "7 May 2023", "in May", "2022",
// "2023-05-07", "from May to July"; and from now "last week", "two weeks ago", "last Friday".
func parseTimes(text string, now time.Time) (spans []timeSpan) {
	text = strings.ReplaceAll(index.WithoutAccents(strings.ToLower(text)), "il y a ", "il-y-a ")
	t := timeParser{strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,.?!;:'’\"()\t\n", r) }), now.UTC()}
	for i := 0; i < len(t.words); i++ {
		if s, ok := t.spanAt(i); ok {
			spans, i = append(spans, s), s.lastWord
		}
	}
	return t.joinRanges(spans)
}

func (t timeParser) wordAt(i int) string {
	if i < 0 || i >= len(t.words) {
		return ""
	}
	return t.words[i]
}

func (t timeParser) isOfKind(i int, kind string) bool {
	_, ok := timeValue(t.wordAt(i), kind)
	return ok
}

// spanAt is the time that the words from i on name.
func (t timeParser) spanAt(i int) (s timeSpan, ok bool) {
	w := t.words[i]
	if day, err := time.Parse(time.DateOnly, w); err == nil {
		return timeSpan{from: day, to: day.AddDate(0, 0, 1), firstWord: i, lastWord: i}, true
	}
	if y := boundedNumber(w, 1900, 2200); y != 0 {
		return timeSpan{from: time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC), to: time.Date(y+1, 1, 1, 0, 0, 0, 0, time.UTC), firstWord: i, lastWord: i}, true
	}
	if n, is := timeValue(w, "month"); is {
		s, last := monthSpan(t.words, i, time.Month(n))
		s.firstWord, s.lastWord = i, last
		return s, last > i || isMonth(t.words, i)
	}
	if t.now.IsZero() || t.now.Year() < 2 {
		return s, false
	}
	if n, is := timeValue(w, "today"); is {
		return t.spanAgo(i, i, n, 0), true
	}
	near := t.isOfKind(i-1, "last") || t.isOfKind(i+1, "last")
	if n, is := timeValue(w, "weekday"); is && (near || t.isOfKind(i-1, "this") || t.isOfKind(i-1, "on")) {
		ago := (int(t.now.Weekday())-n+6)%7 + 1 // today is not it
		return t.spanAgo(i, i, ago, ago-1), true
	}
	unit, is := timeValue(w, "unit")
	if !is {
		return s, false
	}
	count, counted := timeValue(t.wordAt(i-1), "number")
	if n := boundedNumber(t.wordAt(i-1), 1, 400); n > 0 {
		count, counted = n, true
	}
	switch {
	case counted && (t.isOfKind(i+1, "ago") || t.isOfKind(i-2, "ago")):
		off := count * unit
		return t.spanAgo(i, i, off+unit/2, off-unit/2), true
	case counted && t.isOfKind(i-2, "last"):
		return t.spanAgo(i, i, count*unit, 0), true
	case t.isOfKind(i-1, "this"):
		return t.spanAgo(i, i, unit, 0), unit > 1
	case near:
		return t.spanAgo(i, i, 2*unit, 0), unit > 1
	}
	return s, false
}

// spanAgo is the span from so many days ago to so many days ago, whole days.
func (t timeParser) spanAgo(at, last, from, to int) timeSpan {
	today := t.now.Truncate(24 * time.Hour)
	return timeSpan{from: today.AddDate(0, 0, -from), to: today.AddDate(0, 0, 1-to), firstWord: at, lastWord: last}
}

// joinRanges joins the spans that are the ends of a range.
func (t timeParser) joinRanges(spans []timeSpan) (list []timeSpan) {
	for i := 0; i < len(spans); i++ {
		s := spans[i]
		if i+1 < len(spans) {
			next := spans[i+1]
			first := t.wordBefore(next)
			if first == s.lastWord+1 && (t.isOfKind(first, "to") || t.isOfKind(first, "and") && t.isOfKind(t.wordBefore(s), "from")) {
				list, i = append(list, spansBetween(s, next)...), i+1
				continue
			}
		}
		if s.month == 0 && t.isOfKind(t.wordBefore(s), "since") && t.now.After(s.from) && t.now.Year() > 1 {
			s.to = t.now
		}
		list = append(list, s)
	}
	return list
}

// wordBefore is the word before a span: the day of a month is part of it.
func (t timeParser) wordBefore(s timeSpan) int {
	at := s.firstWord - 1
	if t.wordAt(at) != "" && boundedNumber(t.wordAt(at), 1, 31) != 0 {
		at--
	}
	return at
}

// spansBetween are the times from one span to another. Months without a year are of the year of the other end, or of any.
func spansBetween(a, b timeSpan) (list []timeSpan) {
	if a.month != 0 && b.month != 0 {
		for m := a.month; ; m = m%12 + 1 {
			if list = append(list, timeSpan{month: m}); m == b.month {
				return list
			}
		}
	}
	if a.month != 0 {
		a.from = time.Date(b.from.Year(), a.month, 1, 0, 0, 0, 0, time.UTC)
	}
	if b.month != 0 {
		b.to = time.Date(a.from.Year(), b.month+1, 1, 0, 0, 0, 0, time.UTC)
	}
	return []timeSpan{{from: a.from, to: b.to}}
}

// isMonth reports whether a word that is a month's name means one: "may" and "march"
// do after a word like "in" only, or with a number.
func isMonth(words []string, i int) bool {
	if words[i] == "mars" || words[i] == "mai" { // French and German, where the rest is
		return slices.ContainsFunc(words, index.IsFunctionWord)
	}
	if words[i] != "may" && words[i] != "march" {
		return true
	}
	if i == 0 {
		return false
	}
	switch words[i-1] {
	case "in", "of", "on", "since", "during", "until", "by", "from", "between", "last", "this", "early", "late", "mid":
		return true
	}
	return boundedNumber(words[i-1], 1, 31) != 0
}

// monthSpan reads the day and the year around a month, and tells which word was the
// last one.
func monthSpan(words []string, i int, month time.Month) (found timeSpan, last int) {
	day, year := 0, 0
	at := func(j int) string {
		if j < 0 || j >= len(words) {
			return ""
		}
		return words[j]
	}
	if day = boundedNumber(at(i-1), 1, 31); day == 0 && at(i-1) == "of" {
		day = boundedNumber(at(i-2), 1, 31)
	}
	next := i + 1
	if day == 0 {
		if day = boundedNumber(at(next), 1, 31); day != 0 {
			next++
		}
	}
	if (at(next) == "of" || at(next) == "de") && boundedNumber(at(next+1), 1900, 2200) != 0 {
		next++
	}
	if year = boundedNumber(at(next), 1900, 2200); year == 0 {
		return timeSpan{month: month}, next - 1
	}
	if day == 0 {
		from := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
		return timeSpan{from: from, to: from.AddDate(0, 1, 0)}, next
	}
	from := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	return timeSpan{from: from, to: from.AddDate(0, 0, 1)}, next
}

// boundedNumber is the whole number that a word is ("7", "7th"), or 0 out of bounds.
func boundedNumber(word string, low, high int) int {
	for _, end := range []string{"st", "nd", "rd", "th"} {
		word = strings.TrimSuffix(word, end)
	}
	n := 0
	for _, r := range word {
		if r < '0' || r > '9' || n > high {
			return 0
		}
		n = 10*n + int(r-'0')
	}
	if n < low || n > high {
		return 0
	}
	return n
}
