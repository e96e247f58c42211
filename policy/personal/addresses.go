package personal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memctl/memctl/policy/chars"
)

// piece is one word of a text with what an address is told by.
type piece struct {
	lower  string
	number bool // digits, perhaps with one letter; no part of a time or a version
	name   bool // begins with a capital letter
	comma  bool // a comma, line break or full stop follows
	ends   bool // its line ends
}

// address reports whether a text tells where somebody lives or works.
func HasAddress(p *chars.Part) bool {
	w := pieces(p)
	capitals := false
	for i := range w {
		capitals = capitals || w[i].name
	}
	beside := false // a number beside a name: without it there is no address
	for i := range w {
		beside = beside || w[i].number && (!capitals || i > 0 && w[i-1].name || i+1 < len(w) && (w[i+1].name || w[i+1].number))
		if w[i].number && (houseBefore(w, i, capitals) || houseAfter(w, i) || unit(w, i) || postcode(w, i) || zip(w, i)) {
			return true
		}
	}
	return beside && toldAddress(p)
}

func pieces(p *chars.Part) []piece {
	list := make([]piece, 0, min(600, 4+len(p.Text)/6))
	for i := 0; i < len(p.Text) && len(list) < 600; {
		r, n := utf8.DecodeRuneInString(p.Text[i:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			if k := len(list); k > 0 && (r == ',' || r == '\n' || r == '.' || r == ';') {
				list[k-1].comma = true
				list[k-1].ends = list[k-1].ends || r == '\n'
			}
			i += n
			continue
		}
		start := i
		for i < len(p.Text) {
			c, k := utf8.DecodeRuneInString(p.Text[i:])
			if !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '\'' && c != '-' && !unicode.IsMark(c) {
				break
			}
			i += k
		}
		word := p.Text[start:i]
		d := chars.Span(word, chars.Digits, len(word))
		part := d > 0 && timed(p.Text, start)
		if part {
			list[len(list)-1].number = false
		}
		list = append(list, piece{
			lower:  strings.ToLower(word),
			number: d > 0 && d <= 6 && len(word)-d <= 1 && !part && !listed(p.Text, start, i),
			name:   unicode.IsUpper(r),
		})
	}
	return list
}

// listed reports whether text[start:end] is the number of an entry of a list: "4. ", at the
// beginning of a line.
func listed(text string, start, end int) bool {
	if end-start > 2 || end+1 >= len(text) || text[end] != '.' && text[end] != ')' || text[end+1] != ' ' {
		return false
	}
	before := strings.TrimRight(text[:start], " \t#*-_>")
	return before == "" || before[len(before)-1] == '\n'
}

// timed reports whether the digits at i go on a time or a version: "9:45", "1.26".
func timed(text string, i int) bool {
	return i >= 2 && (text[i-1] == ':' || text[i-1] == '.') && '0' <= text[i-2] && text[i-2] <= '9'
}

// zip: a code after the word for it, which a number in code has not.
func zip(w []piece, i int) bool {
	if len(w[i].lower) != 5 {
		return false
	}
	for k := max(0, i-3); k < i; k++ {
		if w[k].lower == "zip" || w[k].lower == "postcode" || w[k].lower == "postal" {
			return true
		}
	}
	return false
}

// houseBefore: "12 Long Acre Street".
func houseBefore(w []piece, i int, capitals bool) bool {
	if w[i].ends || i > 0 && !w[i-1].comma && unitWord(w[i-1].lower) {
		return false // April 4 via …
	}
	for k := i + 1; k < len(w) && k <= i+5; k++ {
		if w[k].number && k > i+1 {
			return false
		}
		if k > i+1 && streetWord(w[k].lower) && (w[k].name || !capitals && wholeStreet(w[k].lower)) {
			return w[k-1].name || !capitals
		}
		if wordyStreet(w[k].lower) && w[k].name || streetOpening(w[k].lower) && k+1 < len(w) && w[k+1].name {
			return true
		}
		if !w[k].name && capitals && !particle(w[k].lower) || w[k].comma && k == i+1 {
			return false
		}
	}
	return false
}

// houseAfter: "Lange Straße 12", "Hammarvägen 15", "Via Roma 41".
func houseAfter(w []piece, i int) bool {
	if i == 0 || w[i-1].comma && !strings.HasPrefix(w[i-1].lower, "str") {
		return false
	}
	if i+1 < len(w) && w[i-1].name && (w[i+1].lower == "st" || w[i+1].lower == "street") {
		if i+2 == len(w) || w[i+1].comma || w[i+2].lower == "in" || w[i+2].lower == "and" {
			return true // not "Node 20 Street maps"
		}
	}
	for k := i - 1; k >= 0 && k >= i-5; k-- {
		if wordyStreet(w[k].lower) && k >= i-2 && (w[k].name || w[k].lower[0] >= 0x80 || !hasName(w)) || streetOpening(w[k].lower) && w[k].name && k < i-1 {
			return true
		}
		if !w[k].name && !particle(w[k].lower) {
			return false
		}
	}
	return false
}

func hasName(w []piece) bool {
	for i := range w {
		if w[i].name {
			return true
		}
	}
	return false
}

// unit: "Apt. 12", "P.O. Box 15", "APO AE 09012".
func unit(w []piece, i int) bool {
	if i == 0 {
		return false
	}
	switch w[i-1].lower {
	case "apt", "suite", "apartment":
		return true
	case "box":
		return i >= 2 && (w[i-2].lower == "o" || w[i-2].lower == "po" || w[i-2].number)
	case "ae", "ap", "aa":
		return i >= 2 && (w[i-2].lower == "apo" || w[i-2].lower == "fpo" || w[i-2].lower == "dpo")
	}
	return false
}

// postcode: a state and five digits, "Dallas TX 48486".
func postcode(w []piece, i int) bool {
	return i >= 2 && len(w[i].lower) == 5 && w[i-1].name && len(w[i-1].lower) == 2 && w[i-2].name && usState(w[i-1].lower)
}

func usState(s string) bool {
	return strings.Contains(" al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj nm ny nc nd oh ok or pa ri sc sd tn tx ut vt va wa wv wi wy dc ", " "+s+" ")
}

func streetWord(s string) bool {
	switch s {
	case "street", "st", "avenue", "ave", "road", "rd", "boulevard", "blvd", "lane", "ln", "drive", "dr", "court", "ct", "way",
		"place", "pl", "square", "sq", "terrace", "parkway", "pkwy", "highway", "hwy", "crescent", "close", "mews", "grove",
		"circle", "trail", "route", "alley", "gardens", "quay", "str", "straße", "strasse", "gasse", "platz", "weg", "allee", "hill":
		return true
	}
	return wordyStreet(s)
}

func wholeStreet(s string) bool {
	switch s {
	case "street", "avenue", "road", "boulevard", "lane", "blvd", "str":
		return true
	}
	return wordyStreet(s)
}

// wordyStreet: words that end as streets do where they are written as one.
func wordyStreet(s string) bool {
	if len(s) < 7 {
		return false
	}
	for _, end := range []string{"straße", "strasse", "straat", "gasse", "platz", "gatan", "gata", "gate", "vägen", "vegen", "vej", "gade", "laan", "weg", "allee", "veien", "katu", "tie", "straat", "plein", "gracht", "vænget", "utca", "ulice"} {
		if strings.HasSuffix(s, end) {
			return !strings.HasSuffix(s, "gate") || len(s) > 8 && !strings.HasSuffix(s, "egate") && !strings.HasSuffix(s, "igate")
		}
	}
	return false
}

// streetOpening: words that a street's name begins with.
func streetOpening(s string) bool {
	switch s {
	case "rue", "via", "calle", "avenida", "rua", "ulica", "ul", "chemin", "impasse", "piazza", "viale", "corso", "plaza", "paseo",
		"boulevard", "avenue", "place", "carrer", "camino", "quai", "allée", "route", "praça", "largo", "strada":
		return true
	}
	return false
}

func particle(s string) bool {
	switch s {
	case "de", "du", "des", "la", "le", "les", "da", "do", "dos", "das", "del", "della", "di", "van", "von", "den", "der", "the", "of", "el", "al", "los", "las", "st", "og", "und":
		return true
	}
	return false
}

// toldAddress: a number among names after words that an address follows.
func toldAddress(p *chars.Part) bool {
	if movedTo(p) {
		return true
	}
	for _, cue := range []string{"lives at", "live at", "address is", "address:", "address of", "addresses", "office is at", "located at", "drops you off at", "arrived at", "meet me at",
		"taxi to", "ship to", "restaurant is at", "home is at", "residence", "resides at", "meet thursday at", "mail it to", "deliver to", "billing address", "corner of", "send a new one to", "residing at", "we'll meet", "'s address", "my address"} {
		if !p.Pairs.May(cue) {
			continue
		}
		k := strings.Index(p.Lower, cue)
		if k < 0 {
			continue
		}
		rest := chars.Part{Text: p.Text[k+len(cue):], Lower: p.Lower[k+len(cue):]}
		q := pieces(&rest)
		for i := range q {
			if i > 12 {
				break
			}
			if !q[i].number || len(q[i].lower) > 5 {
				continue
			}
			if i+1 < len(q) && (q[i+1].name || q[i+1].number) && !unitWord(q[i+1].lower) || i > 0 && q[i-1].name && !q[i-1].comma {
				return true
			}
		}
	}
	return false
}

// movedTo: people move to an address, meetings to an hour and programs to a version,
// so that a town's code and name must follow: "moved to Kooli 11, 76825 Tartu".
func movedTo(p *chars.Part) bool {
	const cue = "moved to"
	k := strings.Index(p.Lower, cue)
	if k < 0 {
		return false
	}
	rest := chars.Part{Text: p.Text[k+len(cue):]}
	house := false
	for i, w := 0, pieces(&rest); i+1 < min(len(w), 12); i++ {
		if house && len(w[i].lower) == 5 && w[i].number && w[i-1].comma && w[i+1].name {
			return true
		}
		house = house || w[i].number
	}
	return false
}

func unitWord(s string) bool {
	switch s {
	case "am", "pm", "utc", "gmt", "mb", "gb", "kb", "ms", "hz", "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december":
		return true
	}
	return false
}
