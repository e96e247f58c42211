package policy

import "strings"

// coloned finds tokens whose structure stands on both sides of a mark: a bot's
// number and its key, a key and the data centre it is for.
func coloned(hits []hit, text string) []hit {
	if k := strings.Index(text, ":AA"); k >= 0 {
		d := 0
		for d < k && d < 12 && class(text[k-1-d])&digits != 0 {
			d++
		}
		n := span(text[k+1:], urlSafe, 60)
		if d >= 8 && d <= 10 && n >= 33 && n <= 36 {
			hits = append(hits, hit{k - d, k + 1 + n, "telegram-token"})
		}
	}
	if k := strings.Index(text, "Q~"); k >= 4 && class(text[k-1])&digits != 0 {
		n := span(text[k+2:], dotted|tilde, 40)
		b := 0
		for b < 4 && k-1-b > 0 && class(text[k-2-b])&(dotted|tilde) != 0 {
			b++
		}
		if n >= 31 && n <= 34 && b >= 3 && has(text[k+2:k+2+n], digits) {
			hits = append(hits, hit{k - 4, k + 2 + n, "azure-client-secret"})
		}
	}
	if k := strings.Index(text, ".atlasv1."); k >= 14 {
		if n := span(text[k+9:], urlSafe, 90); n >= 60 {
			hits = append(hits, hit{k - 14, k + 9 + n, "terraform-token"})
		}
	}
	hits = botTokens(hits, text)
	for i := range twoParts {
		hits = twoParts[i].find(hits, text)
	}
	return hits
}

// joint is a token in which a fixed text stands between two runs, or after one.
type joint struct {
	mark               string
	kind               string
	before             uint32 // the alphabet of what stands before the mark
	fewest, most       int    // length of it
	after              uint32
	afterMin, afterMax int
}

var twoParts = []joint{
	{mark: "!A", kind: "salesforce-session", before: alnum, fewest: 15, most: 18, after: dotted, afterMin: 60, afterMax: 200},
	{mark: ":APA91b", kind: "firebase-token", before: urlSafe, fewest: 11, most: 25, after: urlSafe, afterMin: 120, afterMax: 180},
	{mark: "JQQJ99", kind: "azure-key", before: alnum, fewest: 46, most: 60, after: alnum, afterMin: 20, afterMax: 30},
	{mark: "sntrys_eyJ", kind: "sentry-token", after: alnum | plus | slash | equals | underline, afterMin: 90, afterMax: 400},
	{mark: "p1", kind: "rapidapi-key", before: lowAlnum, fewest: 20, most: 30, after: lowAlnum, afterMin: 18, afterMax: 24},
	{mark: "_mmk", kind: "maxmind-key", before: word, fewest: 36, most: 36},
	{mark: "+ASt", kind: "azure-service-bus-key", before: alnum | plus | slash, fewest: 33, most: 33, after: base64s, afterMin: 7, afterMax: 7},
	{mark: "+AMC", kind: "azure-batch-key", before: alnum | plus | slash, fewest: 76, most: 76, after: base64s, afterMin: 7, afterMax: 7},
	{mark: "AzSe", kind: "azure-search-key", before: alnum, fewest: 42, most: 42, after: alnum, afterMin: 6, afterMax: 6},
	{mark: "AzFu", kind: "azure-function-key", before: urlSafe, fewest: 44, most: 44, after: urlSafe | equals, afterMin: 8, afterMax: 10},
	{mark: "-us", kind: "mailchimp-key", before: hexLow, fewest: 32, most: 32, after: digits, afterMin: 1, afterMax: 2},
}

func (t *joint) find(hits []hit, text string) []hit {
	for from := 0; ; {
		k := strings.Index(text[from:], t.mark)
		if k < 0 {
			return hits
		}
		at := from + k
		from = at + len(t.mark)
		start := at
		for start > 0 && at-start <= t.most && class(text[start-1])&t.before != 0 {
			start--
		}
		n := span(text[from:], t.after, t.afterMax+1)
		if at-start < t.fewest || at-start > t.most || n < t.afterMin || n > t.afterMax {
			continue
		}
		if v := text[start : from+n]; has(v, digits) && !placeholder(v) && !wordy(v) && t.fits(v) {
			hits = append(hits, hit{start, from + n, t.kind})
		}
	}
}

// fits looks closer at what the lengths alone do not tell.
func (t *joint) fits(v string) bool {
	switch t.kind {
	case "sentry-token": // its secret follows the last underline
		return len(v)-strings.LastIndexByte(v, '_')-1 == 43
	case "rapidapi-key":
		return strings.Contains(v, "msh") && strings.Contains(v, "jsn")
	}
	return true
}

// botTokens: three parts joined by dots, the first a number in base64.
func botTokens(hits []hit, text string) []hit {
	for i := 0; i < len(text); {
		n := span(text[i:], dotted, len(text))
		if n < 55 || n > 80 || strings.IndexByte("MNO", text[i]) < 0 {
			i += max(n, 1)
			continue
		}
		run := strings.Trim(text[i:i+n], ".")
		a, rest, _ := strings.Cut(run, ".")
		b, c, ok := strings.Cut(rest, ".")
		if ok && len(a) >= 23 && len(a) <= 28 && len(b) == 6 && len(c) >= 27 && len(c) <= 38 && has(a, digits) && !placeholder(run) {
			hits = append(hits, hit{i, i + len(run), "discord-token"})
		}
		i += n
	}
	return hits
}
