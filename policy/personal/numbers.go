package personal

import (
	"strings"

	"github.com/memctl/memctl/policy/chars"
	"github.com/memctl/memctl/policy/secret"
)

// digitRun is a stretch of digits with single marks between them.
type digitRun struct {
	start, end int
	digits     string // without the marks
	groups     int
	marks      string // the distinct marks
}

// nextRun finds the first run of at least three digits from a place on.
func nextRun(text string, from int) (digitRun, bool) {
	for i := from; i < len(text); i++ {
		if chars.ClassOf(text[i])&chars.Digits == 0 {
			continue
		}
		r := digitRun{start: i, groups: 1}
		var buf [40]byte
		n := 0
		k := i
		for k < len(text) {
			if chars.ClassOf(text[k])&chars.Digits != 0 {
				if n < len(buf) {
					buf[n] = text[k]
					n++
				}
				k++
				continue
			}
			if strings.IndexByte(" -./", text[k]) >= 0 && k+1 < len(text) && chars.ClassOf(text[k+1])&chars.Digits != 0 {
				if strings.IndexByte(r.marks, text[k]) < 0 {
					r.marks += string(text[k])
				}
				r.groups++
				k++
				continue
			}
			break
		}
		r.end = k
		if n >= 3 && n < len(buf) {
			if r.digits = text[r.start:r.end]; r.groups > 1 {
				r.digits = string(buf[:n])
			}
			return r, true
		}
		i = k
	}
	return digitRun{}, false
}

// standsAlone reports whether no letter or digit touches the run.
func (r *digitRun) standsAlone(text string) bool {
	return (r.start == 0 || chars.ClassOf(text[r.start-1])&(chars.Word|chars.Dash) == 0) &&
		(r.end >= len(text) || chars.ClassOf(text[r.end])&chars.Word == 0)
}

// NumberKinds lists the kinds of identifying numbers in a text.
func NumberKinds(p *chars.Part) []string {
	var kinds []string
	for r, ok := nextRun(p.Text, 0); ok; r, ok = nextRun(p.Text, r.end+1) {
		if !r.standsAlone(p.Text) {
			continue
		}
		if kind := numberKind(p, &r); kind != "" {
			kinds = append(kinds, kind)
		}
	}
	return appendLetteredKinds(p, kinds)
}

func numberKind(p *chars.Part, r *digitRun) string {
	n := len(r.digits)
	d := r.digits
	near := func(list ...string) bool { return chars.ContainsAny(nearbyText(p.Lower, r.start, r.end), list...) }
	simple := r.marks == "" || r.marks == " " || r.marks == "-"
	switch {
	case n >= 12 && n <= 19 && simple && passesLuhn(d) && !isTestCard(d) &&
		(hasCardPrefix(d) && hasCardLength(d) && (r.groups == 1 || r.groups >= 3 && r.groups <= 5) && !near("timestamp", "epoch", "build", "imei") || near("card", "visa", "mastercard", "amex", "credit", "debit", "cc ")):
		return "payment-card"
	case n == 9 && r.marks == "-" && hasGroups(p.Text, r, 3, 2, 4) && isSSN(d):
		return "national-id"
	case n == 9 && near("ssn", "social security", "social insurance", "tax id", "tfn", "bsn", "sin ") && (isSSN(d) || passesLuhn(d) || isDutchBSN(d)):
		return "national-id"
	case n == 11 && (hasGroups(p.Text, r, 3, 3, 3, 2) && strings.Contains(r.marks, "-") || near("cpf")) && isCPF(d):
		return "national-id"
	case n == 11 && near("pesel", "steuer", "tax id", "idnr"):
		return "national-id"
	case n == 12 && near("aadhaar", "aadhar", "uidai", "my number", "マイナンバー"):
		return "national-id"
	case (n == 10 || n == 12) && near("personnummer", "personal number", "samordningsnummer") && passesLuhn(d[n-10:]):
		return "national-id"
	case n == 10 && near("nhs"), n == 13 && near("rrn", "resident registration", "주민등록"):
		return "national-id"
	case (n == 15 || n == 13) && near("sécurité sociale", "insee", "nir", "numéro de sécu") && (d[0] == '1' || d[0] == '2'):
		return "national-id"
	case n == 18 && isChineseID(d+"|"):
		return "national-id"
	case n >= 3 && n <= 8 && near("my pin", "pin code", "pin is", "pin number", "cvv", "cvc") && r.groups == 1:
		return "card-pin"
	case n >= 6 && n <= 17 && near("passport"):
		return "passport"
	case n >= 6 && n <= 14 && near("driver's lic", "driver lic", "drivers lic", "driving lic", "licence number", "license number"):
		return "driving-licence"
	case n >= 6 && n <= 17 && near("account number", "bank account", "routing number", "sort code", "iban", "kontonummer", "account no"):
		return "bank-account"
	case n >= 4 && n <= 8 && r.groups <= 3 && near("date of birth", "born on", "dob", "birthdate", "birth date", "birthday is", "geboren am", "né le", "née le"):
		return "date-of-birth"
	}
	return ""
}

// nearbyText is the text near a number, where a word may tell what it is.
func nearbyText(lower string, start, end int) string {
	return lower[max(0, start-48):min(len(lower), end+24)]
}

// hasGroups reports whether single marks part the run into groups of these sizes.
func hasGroups(text string, r *digitRun, sizes ...int) bool {
	at := r.start
	for _, n := range sizes {
		if chars.SpanLen(text[at:r.end], chars.Digits, r.end) != n {
			return false
		}
		at = min(at+n+1, r.end)
	}
	return at == r.end
}

// appendLetteredKinds adds the numbers that letters belong to.
func appendLetteredKinds(p *chars.Part, kinds []string) []string {
	t := p.Text
	for i := 0; i < len(t); {
		if !chars.IsAlnum(t[i]) {
			i++
			continue
		}
		n := chars.SpanLen(t[i:], chars.Alnum, len(t))
		w := t[i : i+n]
		if n >= 2 && chars.ClassOf(w[0])&chars.Letters != 0 || n == 9 {
			if kind := kindOfLettered(p, w, i); kind != "" {
				kinds = append(kinds, kind)
			}
		}
		i += n
	}
	return kinds
}

func kindOfLettered(p *chars.Part, w string, at int) string {
	if chars.ClassOf(w[0])&chars.Uppers != 0 && len(w) >= 4 && chars.ClassOf(w[1])&chars.Uppers != 0 && chars.ClassOf(w[2])&chars.Digits != 0 && chars.ClassOf(w[3])&chars.Digits != 0 {
		if startsWithIBAN(p.Text[at:min(len(p.Text), at+44)]) {
			return "bank-account"
		}
	}
	if !secret.HasByteOf(w, chars.Digits) {
		return ""
	}
	near := func(list ...string) bool { return chars.ContainsAny(nearbyText(p.Lower, at, at+len(w)), list...) }
	switch {
	case isNINO(w):
		if near("insurance", "nino", "ni number") {
			return "national-id"
		}
	case isCodiceFiscale(w), isDNI(w):
		return "national-id"
	case len(w) == 10 && chars.MatchesPicture(w, "AAAAA9999A") && near("pan", "income tax", "permanent account"):
		return "national-id"
	case len(w) == 18 && isChineseID(w):
		return "national-id"
	}
	if len(w) >= 6 && len(w) <= 12 && chars.ClassOf(w[0])&chars.Uppers != 0 && chars.CountBytes(w).Digits >= 5 {
		if near("passport") {
			return "passport"
		}
		if near("driver's lic", "driver lic", "drivers lic", "driving lic") {
			return "driving-licence"
		}
	}
	return ""
}
