package personal

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memctl/memctl/policy/chars"
	"github.com/memctl/memctl/policy/secret"
)

// phonePattern is a stretch of digits in groups, with what stands in telephone numbers.
var phonePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\+?\(?\d(?:[+() ./-]{0,2}\d){6,14}(?:x\d+)?`)
})

// HasPhone reports whether a text holds a number to call somebody at.
func HasPhone(p *chars.Part) bool {
	const fewest = 7
	digits, marks := 0, 0
	for i := 0; i < len(p.Text) && digits < fewest; i++ {
		switch c := p.Text[i]; {
		case chars.ClassOf(c)&chars.Digits != 0:
			digits, marks = digits+1, 0
		case strings.IndexByte("+() ./-", c) < 0 || marks == 2:
			digits = 0
		default:
			marks++
		}
	}
	return digits == fewest && slices.ContainsFunc(phonePattern().FindAllStringIndex(p.Text, -1), func(at []int) bool { return isPhone(p, at[0], at[1]) })
}

func isPhone(p *chars.Part, start, end int) bool {
	t := p.Text
	if start > 0 && chars.ClassOf(t[start-1])&(chars.Word|chars.Dash|chars.Slash|chars.Dot|chars.Colon|chars.Equals|chars.Plus) != 0 || end < len(t) && chars.ClassOf(t[end])&(chars.Word|chars.Slash|chars.Colon) != 0 {
		return false
	}
	body, _, _ := strings.Cut(t[start:end], "x")
	groups := strings.FieldsFunc(body, func(r rune) bool { return r < '0' || r > '9' })
	digits := strings.Join(groups, "")
	n := len(digits)
	if isDateLike(body) || isIPv4Address(body) || secret.IsVersion(body) && !strings.ContainsAny(body, " -(") ||
		isPublicLine(p.Lower, start) || isFictionalNumber(body, n) {
		return false
	}
	words := p.Lower[max(0, start-44):start]
	if chars.ContainsAny(words, "ticket", "issue", "port", "pid", "version", "build", "commit", "card", "id ", "code", "callback", "error", "timeout", "revision", "order", "invoice", "isbn") {
		return false
	}
	switch {
	case body[0] == '+':
		return isPlannedNumber(digits)
	case strings.HasPrefix(digits, "00") && n >= 11 && len(groups) >= 2:
		return isPlannedNumber(digits[2:])
	case n == 10 && len(groups) == 3 && isNorthAmerican(digits) && (body[0] == '(' || len(groups[0]) == 3 && len(groups[1]) == 3),
		n == 11 && len(groups) == 4 && digits[0] == '1' && isNorthAmerican(digits[1:]), strings.HasPrefix(body, "001-") && len(groups) >= 4,
		digits[0] == '0' && body[0] == '(' && n >= 9 && len(groups) >= 2: // an area code of a plan with a 0 before it
		return true
	}
	return chars.ContainsAny(words, "phone", "call", "tel", "mobile", "fax", "reach", "answering", "desk", "cell", "whatsapp", "text me", "number is", "ring ", "dial", "sms", "contact", "office", "home:", "work:", "messages to", "registered") ||
		chars.ContainsAny(p.Lower[end:min(len(p.Lower), end+12)], " office", " fax", " mobile", " cell", " home", "\noffice", " desk")
}

// isPlannedNumber reports whether digits are a number of some country: its code, and as many digits as its plan has.
// A country that the table lacks has from seven to twelve in all.
func isPlannedNumber(digits string) bool {
	for n := 1; n <= 3 && n < len(digits); n++ {
		k := slices.IndexFunc(lists()["calling"], func(c string) bool { return strings.HasPrefix(c, digits[:n]+":") })
		if k < 0 {
			continue
		}
		least, most, _ := strings.Cut(lists()["calling"][k][n+1:], "-")
		left := len(strings.TrimPrefix(digits[n:], "0")) // as in +49 (0)30 …
		return left >= atoi(least) && left <= atoi(most)
	}
	return len(digits) >= 8 && len(digits) <= 12 && digits[0] >= '2'
}

// isNorthAmerican reports whether digits can be a number of North America: its area and its exchange begin with two or more.
func isNorthAmerican(digits string) bool { return digits[0] >= '2' && digits[3] >= '2' }

// isIPv4Address reports whether a text is four numbers up to 255 with dots between, perhaps with a port or in brackets.
func isIPv4Address(body string) bool {
	parts := strings.Split(strings.Trim(body, "()"), ".")
	for _, part := range parts {
		if part == "" || len(part) > 3 || strings.Trim(part, "0123456789") != "" || atoi(part) > 255 {
			return false
		}
	}
	return len(parts) == 4
}

// isFictionalNumber: 555-0100 to 555-0199, which no telephone has.
func isFictionalNumber(body string, n int) bool {
	k := strings.Index(body, "555")
	if k < 0 || n > 11 {
		return false
	}
	rest := strings.TrimLeft(body[k+3:], "- .")
	return len(rest) >= 4 && rest[:2] == "01" && chars.SpanLen(rest, chars.Digits, 9) == 4
}

func isDateLike(s string) bool {
	d := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("-./ ", r) })
	if len(d) < 2 {
		return false
	}
	year := func(p string) bool { return len(p) == 4 && (p[:2] == "19" || p[:2] == "20") }
	return year(d[0]) && len(d[1]) <= 2 || len(d) >= 3 && len(d[0]) <= 2 && len(d[1]) <= 2 && (len(d[2]) == 4 && year(d[2]) || len(d[2]) == 2 && len(d) == 3)
}

// isPublicLine reports whether a number is there to be called by anybody.
func isPublicLine(lower string, start int) bool {
	return chars.ContainsAny(lower[max(0, start-40):start], "support", "hotline", "helpline", "help line", "emergency", "customer service", "toll-free", "toll free")
}

// emailPattern is an address, with a path if one follows it as in git@host:path.
var emailPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([\w.+\x{80}-\x{10ffff}-]+)@([\w.-]+)(:(?:[^ ]|$))?`)
})

// HasPrivateEmail reports whether a text holds the address of a person. Addresses
// of roles, of examples and of machines are none.
func HasPrivateEmail(p *chars.Part) bool {
	if l := p.Lower; strings.Contains(l, "@") {
		for _, m := range emailPattern().FindAllStringSubmatchIndex(l, -1) {
			start, follows := m[0], m[6] >= 0
			if !follows && (start == 0 || strings.IndexByte("/:$>}%", l[start-1]) < 0) && !endsInLoginCommand(l[max(0, start-60):start]) &&
				isEmailDomain(strings.TrimRight(l[m[4]:m[5]], ".-")) && !isRoleAccount(l[start:m[3]]) {
				return true
			}
		}
	}
	return false
}

// endsInLoginCommand reports whether a command that logs in to a machine stands before a name and its host.
func endsInLoginCommand(before string) bool {
	return chars.ContainsAny(before[strings.LastIndexByte(before, '\n')+1:], "ssh ", "scp ", "sftp ", "rsync ", "ssh-copy-id ")
}

func isEmailDomain(d string) bool {
	k := strings.LastIndexByte(d, '.')
	if k <= 0 {
		return false
	}
	top := d[k+1:]
	return len(top) >= 2 && !secret.HasByteOf(top, chars.Digits) && !isInList("no-top", top) &&
		!slices.ContainsFunc(lists()["examples"], func(e string) bool { return d == e || strings.HasSuffix(d, "."+e) })
}

func isRoleAccount(local string) bool {
	local, _, _ = strings.Cut(local, "+")
	return isInList("roles", local) || strings.HasSuffix(local, "[bot]") || strings.HasSuffix(local, "-team") || strings.HasPrefix(local, "noreply") || strings.HasPrefix(local, "security-") || strings.HasPrefix(local, "support-")
}
