package policy

import "strings"

// run is a stretch of digits with single marks between them.
type run struct {
	start, end int
	digits     string // without the marks
	groups     int
	marks      string // the distinct marks
}

// digitRuns cuts a text into runs of at least four digits.
func digitRuns(text string) []run {
	var list []run
	for i := 0; i < len(text); i++ {
		if class(text[i])&digits == 0 {
			continue
		}
		r := run{start: i, groups: 1}
		var buf [40]byte
		n := 0
		k := i
		for k < len(text) {
			if class(text[k])&digits != 0 {
				if n < len(buf) {
					buf[n] = text[k]
					n++
				}
				k++
				continue
			}
			if strings.IndexByte(" -./", text[k]) >= 0 && k+1 < len(text) && class(text[k+1])&digits != 0 {
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
			r.digits = string(buf[:n])
			list = append(list, r)
		}
		i = k
	}
	return list
}

// alone reports whether no letter or digit touches the run.
func (r *run) alone(text string) bool {
	return (r.start == 0 || class(text[r.start-1])&(word|dash) == 0) &&
		(r.end >= len(text) || class(text[r.end])&word == 0)
}

// numbers lists the kinds of identifying numbers in a text.
func numbers(p *part) []string {
	var kinds []string
	for _, r := range digitRuns(p.text) {
		if !r.alone(p.text) {
			continue
		}
		if kind := numberKind(p, &r); kind != "" {
			kinds = append(kinds, kind)
		}
	}
	return lettered(p, kinds)
}

func numberKind(p *part, r *run) string {
	n := len(r.digits)
	d := r.digits
	near := func(list ...string) bool { return containsAny(around(p.lower, r.start, r.end), list...) }
	simple := r.marks == "" || r.marks == " " || r.marks == "-"
	switch {
	case n >= 12 && n <= 19 && simple && luhn(d) && !testCard(d) &&
		(cardPrefix(d) && cardLength(d) && (r.groups == 1 || r.groups >= 3 && r.groups <= 5) && !near("timestamp", "epoch", "build", "imei") || near("card", "visa", "mastercard", "amex", "credit", "debit", "cc ")):
		return "payment-card"
	case n == 9 && r.marks == "-" && shaped3(p.text, r, 3, 2, 4) && ssn(d):
		return "national-id"
	case n == 9 && near("ssn", "social security", "social insurance", "tax id", "tfn", "bsn", "sin ") && (ssn(d) || luhn(d) || elevenTest(d)):
		return "national-id"
	case n == 11 && (shaped4(p.text, r, 3, 3, 3, 2) && strings.Contains(r.marks, "-") || near("cpf")) && cpf(d):
		return "national-id"
	case n == 11 && near("pesel") && pesel(d), n == 11 && near("steuer", "tax id", "idnr") && iso7064(d):
		return "national-id"
	case n == 12 && near("aadhaar", "aadhar", "uidai") && verhoeff(d), n == 12 && near("my number", "マイナンバー"):
		return "national-id"
	case (n == 10 || n == 12) && near("personnummer", "personal number", "samordningsnummer") && luhn(d[n-10:]):
		return "national-id"
	case n == 10 && near("nhs") && nhs(d), n == 13 && near("rrn", "resident registration", "주민등록"):
		return "national-id"
	case (n == 15 || n == 13) && near("sécurité sociale", "insee", "nir", "numéro de sécu") && (d[0] == '1' || d[0] == '2'):
		return "national-id"
	case n == 18 && chineseID(d+"|"):
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

// around is the text near a number, where a word may tell what it is.
func around(lower string, start, end int) string {
	return lower[max(0, start-48):min(len(lower), end+24)]
}

func shaped3(text string, r *run, a, b, c int) bool {
	return r.end-r.start == a+b+c+2 && class(text[r.start+a])&digits == 0 && class(text[r.start+a+1+b])&digits == 0
}

func shaped4(text string, r *run, a, b, c, d int) bool {
	return r.end-r.start == a+b+c+d+3 && class(text[r.start+a])&digits == 0 && class(text[r.start+a+1+b])&digits == 0 &&
		class(text[r.start+a+b+c+2])&digits == 0
}

// lettered adds the numbers that letters belong to.
func lettered(p *part, kinds []string) []string {
	t := p.text
	for i := 0; i < len(t); {
		if !isAlnum(t[i]) {
			i++
			continue
		}
		n := span(t[i:], alnum, len(t))
		w := t[i : i+n]
		if n >= 2 && class(w[0])&letters != 0 || n == 9 {
			if kind := letteredKind(p, w, i); kind != "" {
				kinds = append(kinds, kind)
			}
		}
		i += n
	}
	return kinds
}

func letteredKind(p *part, w string, at int) string {
	if class(w[0])&uppers != 0 && len(w) >= 4 && class(w[1])&uppers != 0 && class(w[2])&digits != 0 && class(w[3])&digits != 0 {
		if iban(p.text[at:min(len(p.text), at+44)]) {
			return "bank-account"
		}
	}
	if !has(w, digits) {
		return ""
	}
	near := func(list ...string) bool { return containsAny(around(p.lower, at, at+len(w)), list...) }
	switch {
	case nino(w):
		if near("insurance", "nino", "ni number") {
			return "national-id"
		}
	case codiceFiscale(w):
		return "national-id"
	case dni(w):
		return "national-id"
	case len(w) == 10 && pattern(w, "AAAAA9999A") && near("pan", "income tax", "permanent account"):
		return "national-id"
	case len(w) == 18 && chineseID(w):
		return "national-id"
	}
	if len(w) >= 6 && len(w) <= 12 && class(w[0])&uppers != 0 && count(w).digits >= 5 {
		if near("passport") {
			return "passport"
		}
		if near("driver's lic", "driver lic", "drivers lic", "driving lic") {
			return "driving-licence"
		}
	}
	return ""
}
