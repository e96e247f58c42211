package personal

import (
	"strings"

	"github.com/memctl/memctl/policy/chars"
)

// passesLuhn does the check of payment cards and several national numbers.
func passesLuhn(d string) bool {
	sum := 0
	for i := 0; i < len(d); i++ {
		n := int(d[len(d)-1-i] - '0')
		if i%2 == 1 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0
}

// hasCardPrefix knows the ranges that card networks issue from.
func hasCardPrefix(d string) bool {
	if d[0] == '4' {
		return true
	}
	four := atoi(d[:4])
	two := four / 100
	return two >= 51 && two <= 55 || four >= 2221 && four <= 2720 || two == 34 || two == 37 || two == 36 || two == 38 || two == 39 ||
		four >= 3000 && four <= 3059 || four >= 3528 && four <= 3589 || four == 6011 || two == 65 || two == 62 || two >= 64 && two <= 69 ||
		two == 50 || two >= 56 && two <= 58 || two == 60 || two == 18 && four == 1800 || four == 2131
}

// hasCardLength knows the lengths that are a card's even with no word near them.
func hasCardLength(d string) bool {
	switch len(d) {
	case 16:
		return true
	case 15:
		return d[0] == '3' || d[:4] == "1800" || d[:4] == "2131"
	case 14:
		return d[0] == '3'
	}
	return false
}

// isTestCard knows the numbers that payment firms publish for tests.
func isTestCard(d string) bool {
	return isInList("cards-of-tests", d) || strings.Count(d, d[:1]) == len(d)
}

func atoi(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		n = n*10 + int(s[i]-'0')
	}
	return n
}

// isSSN: areas, groups and serials that the United States never issued are none.
func isSSN(d string) bool {
	area := atoi(d[:3])
	return area != 0 && area != 666 && (area < 900 || d[3] >= '5') && d[3:5] != "00" && d[5:] != "0000" && d != "123456789" && d != "078051120"
}

// isCPF: Brazil's two check digits.
func isCPF(d string) bool {
	if strings.Count(d, d[:1]) == 11 {
		return false
	}
	for _, n := range []int{9, 10} {
		sum := 0
		for i := 0; i < n; i++ {
			sum += int(d[i]-'0') * (n + 1 - i)
		}
		if sum*10%11%10 != int(d[n]-'0') {
			return false
		}
	}
	return true
}

func weightedSum(d string, weights ...int) int {
	sum := 0
	for i, w := range weights {
		sum += int(d[i]-'0') * w
	}
	return sum
}

// isDutchBSN: the Netherlands' citizen number.
func isDutchBSN(d string) bool {
	return weightedSum(d, 9, 8, 7, 6, 5, 4, 3, 2, -1)%11 == 0
}

// isChineseID: 17 digits with a birthday among them and a check sign.
func isChineseID(w string) bool {
	if len(w) < 18 || strings.Trim(w[:17], "0123456789") != "" {
		return false
	}
	year, month, day := atoi(w[6:10]), atoi(w[10:12]), atoi(w[12:14])
	if year < 1900 || year > 2030 || month < 1 || month > 12 || day < 1 || day > 31 {
		return false
	}
	sum := weightedSum(w, 7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
	return "10X98765432"[sum%11] == w[17]
}

// startsWithIBAN checks the account number that a text begins with, with or without
// spaces in groups of four.
func startsWithIBAN(s string) bool {
	var b []byte
	for i := 0; i < len(s) && len(b) < 34; i++ {
		c := s[i]
		if c == ' ' && len(b)%4 == 0 && len(b) > 0 {
			continue
		}
		if chars.ClassOf(c)&chars.UpAlnum == 0 {
			break
		}
		b = append(b, c)
	}
	if len(b) < 15 {
		return false
	}
	for n := len(b); n >= 15; n-- {
		if passesMod97(string(b[:n])) && ibanLength(string(b[:2])) == n {
			return true
		}
	}
	return false
}

func passesMod97(s string) bool {
	m := 0
	for _, c := range []byte(s[4:] + s[:4]) {
		if chars.ClassOf(c)&chars.Digits != 0 {
			m = (m*10 + int(c-'0')) % 97
		} else {
			m = (m*100 + int(c-'A') + 10) % 97
		}
	}
	return m == 1
}

// ibanLength is how long a country's account numbers are; 0 where it has none.
func ibanLength(country string) int {
	for _, c := range lists()["iban"] {
		if strings.HasPrefix(c, country) {
			return atoi(c[2:])
		}
	}
	return 0
}

// isNINO: the United Kingdom's insurance number.
func isNINO(w string) bool {
	return chars.MatchesPicture(w, "AA999999A") && w[8] <= 'D' && strings.IndexByte("DFIQUV", w[0]) < 0
}

func isCodiceFiscale(w string) bool { return chars.MatchesPicture(w, "AAAAAA99A99A999A") }

// isDNI: Spain's number and its letter, and the numbers of foreigners.
func isDNI(w string) bool {
	if len(w) != 9 {
		return false
	}
	d := w[:8]
	if k := strings.IndexByte("XYZ", w[0]); k >= 0 {
		d = string(rune('0'+k)) + w[1:8]
	}
	if strings.Trim(d, "0123456789") != "" || chars.ClassOf(w[8])&chars.Uppers == 0 {
		return false
	}
	return "TRWAGMYFPDXBNJZSQVHLCKE"[atoi(d)%23] == w[8]
}
