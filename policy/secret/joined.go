package secret

import (
	"strings"

	"github.com/memctl/memctl/policy/chars"
)

// coloned finds tokens whose structure stands on both sides of a mark: a bot's
// number and its key, a key and the data centre it is for.
func coloned(hits []Hit, text string) []Hit {
	if k := strings.Index(text, ":AA"); k >= 0 {
		d := 0
		for d < k && d < 12 && chars.Class(text[k-1-d])&chars.Digits != 0 {
			d++
		}
		n := chars.Span(text[k+1:], chars.URLSafe, 60)
		if d >= 8 && d <= 10 && n >= 33 && n <= 36 {
			hits = append(hits, Hit{k - d, k + 1 + n, "telegram-token"})
		}
	}
	for from := 0; ; {
		k := strings.IndexByte(text[from:], ':')
		if k < 0 {
			break
		}
		k += from
		from = k + 1
		d := 0
		for d < k && d < 12 && chars.Class(text[k-1-d])&chars.Digits != 0 {
			d++
		}
		if d < 8 || d > 10 || chars.Span(text[from:], chars.URLSafe, 60) != 35 {
			continue
		}
		if c := chars.Count(text[from : from+35]); c.Digits >= 3 && c.Uppers >= 3 && c.Lowers >= 3 {
			hits = append(hits, Hit{k - d, from + 35, "telegram-token"})
		}
	}
	if k := strings.Index(text, "Q~"); k >= 4 && chars.Class(text[k-1])&chars.Digits != 0 {
		n := chars.Span(text[k+2:], chars.Dotted|chars.Tilde, 40)
		b := 0
		for b < 4 && k-1-b > 0 && chars.Class(text[k-2-b])&(chars.Dotted|chars.Tilde) != 0 {
			b++
		}
		if n >= 31 && n <= 34 && b >= 3 && Has(text[k+2:k+2+n], chars.Digits) {
			hits = append(hits, Hit{k - 4, k + 2 + n, "azure-client-secret"})
		}
	}
	if k := strings.Index(text, ".atlasv1."); k >= 14 {
		if n := chars.Span(text[k+9:], chars.URLSafe, 90); n >= 60 {
			hits = append(hits, Hit{k - 14, k + 9 + n, "terraform-token"})
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
	{mark: "!A", kind: "salesforce-session", before: chars.Alnum, fewest: 15, most: 18, after: chars.Dotted, afterMin: 60, afterMax: 200},
	{mark: ":APA91b", kind: "firebase-token", before: chars.URLSafe, fewest: 11, most: 25, after: chars.URLSafe, afterMin: 120, afterMax: 180},
	{mark: "JQQJ99", kind: "azure-key", before: chars.Alnum, fewest: 46, most: 60, after: chars.Alnum, afterMin: 20, afterMax: 30},
	{mark: "sntrys_eyJ", kind: "sentry-token", after: chars.Alnum | chars.Plus | chars.Slash | chars.Equals | chars.Underline, afterMin: 90, afterMax: 400},
	{mark: "p1", kind: "rapidapi-key", before: chars.LowAlnum, fewest: 20, most: 30, after: chars.LowAlnum, afterMin: 18, afterMax: 24},
	{mark: "_mmk", kind: "maxmind-key", before: chars.Word, fewest: 36, most: 36},
	{mark: "+ASt", kind: "azure-service-bus-key", before: chars.Alnum | chars.Plus | chars.Slash, fewest: 33, most: 33, after: chars.Base64, afterMin: 7, afterMax: 7},
	{mark: "+AMC", kind: "azure-batch-key", before: chars.Alnum | chars.Plus | chars.Slash, fewest: 76, most: 76, after: chars.Base64, afterMin: 7, afterMax: 7},
	{mark: "AzSe", kind: "azure-search-key", before: chars.Alnum, fewest: 42, most: 42, after: chars.Alnum, afterMin: 6, afterMax: 6},
	{mark: "AzFu", kind: "azure-function-key", before: chars.URLSafe, fewest: 44, most: 44, after: chars.URLSafe | chars.Equals, afterMin: 8, afterMax: 10},
	{mark: "-us", kind: "mailchimp-key", before: chars.HexLow, fewest: 32, most: 32, after: chars.Digits, afterMin: 1, afterMax: 2},
}

func (t *joint) find(hits []Hit, text string) []Hit {
	for from := 0; ; {
		k := strings.Index(text[from:], t.mark)
		if k < 0 {
			return hits
		}
		at := from + k
		from = at + len(t.mark)
		start := at
		for start > 0 && at-start <= t.most && chars.Class(text[start-1])&t.before != 0 {
			start--
		}
		n := chars.Span(text[from:], t.after, t.afterMax+1)
		if at-start < t.fewest || at-start > t.most || n < t.afterMin || n > t.afterMax {
			continue
		}
		if v := text[start : from+n]; Has(v, chars.Digits) && !placeholder(v) && !wordy(v) && t.fits(v) {
			hits = append(hits, Hit{start, from + n, t.kind})
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
func botTokens(hits []Hit, text string) []Hit {
	for i := 0; i < len(text); {
		n := chars.Span(text[i:], chars.Dotted, len(text))
		if n < 55 || n > 80 || strings.IndexByte("MNO", text[i]) < 0 {
			i += max(n, 1)
			continue
		}
		run := strings.Trim(text[i:i+n], ".")
		a, rest, _ := strings.Cut(run, ".")
		b, c, ok := strings.Cut(rest, ".")
		if ok && len(a) >= 23 && len(a) <= 28 && len(b) == 6 && len(c) >= 27 && len(c) <= 38 && Has(a, chars.Digits) && !placeholder(run) {
			hits = append(hits, Hit{i, i + len(run), "discord-token"})
		}
		i += n
	}
	return hits
}
