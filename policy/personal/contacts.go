package personal

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memctl/memctl/policy/chars"
	"github.com/memctl/memctl/policy/secret"
)

// phoneLike is a stretch of digits in groups, with what stands in telephone numbers.
var phoneLike = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\+?\(?\d(?:[+() ./-]{0,2}\d){6,14}(?:x\d+)?`)
})

// HasPhone reports whether a text holds a number to call somebody at.
func HasPhone(p *chars.Part) bool {
	const fewest = 7
	digits := 0
	for i := 0; i < len(p.Text) && digits < fewest; i++ {
		digits += int(chars.Class(p.Text[i]) & chars.Digits)
	}
	return digits == fewest && slices.ContainsFunc(phoneLike().FindAllStringIndex(p.Text, -1), func(at []int) bool { return phoneShape(p, at[0], at[1]) })
}

func phoneShape(p *chars.Part, start, end int) bool {
	t := p.Text
	if start > 0 && chars.Class(t[start-1])&(chars.Word|chars.Dash|chars.Slash|chars.Dot|chars.Colon|chars.Equals|chars.Plus) != 0 || end < len(t) && chars.Class(t[end])&(chars.Word|chars.Slash|chars.Colon) != 0 {
		return false
	}
	body, _, _ := strings.Cut(t[start:end], "x")
	groups := strings.FieldsFunc(body, func(r rune) bool { return r < '0' || r > '9' })
	digits := strings.Join(groups, "")
	n := len(digits)
	if isDateLike(body) || internetAddress(body) || secret.IsVersion(body) && !strings.ContainsAny(body, " -(") ||
		supportLine(p.Lower, start) || fictional(body, n) {
		return false
	}
	words := p.Lower[max(0, start-44):start]
	if chars.ContainsAny(words, "ticket", "issue", "port", "pid", "version", "build", "commit", "card", "id ", "code", "callback", "error", "timeout", "revision", "order", "invoice", "isbn") {
		return false
	}
	switch {
	case body[0] == '+':
		return planned(digits)
	case strings.HasPrefix(digits, "00") && n >= 11 && len(groups) >= 2:
		return planned(digits[2:])
	case n == 10 && len(groups) == 3 && northAmerican(digits) && (body[0] == '(' || len(groups[0]) == 3 && len(groups[1]) == 3),
		n == 11 && len(groups) == 4 && digits[0] == '1' && northAmerican(digits[1:]), strings.HasPrefix(body, "001-") && len(groups) >= 4,
		digits[0] == '0' && body[0] == '(' && n >= 9 && len(groups) >= 2: // an area code of a plan with a 0 before it
		return true
	}
	return chars.ContainsAny(words, "phone", "call", "tel", "mobile", "fax", "reach", "answering", "desk", "cell", "whatsapp", "text me", "number is", "ring ", "dial", "sms", "contact", "office", "home:", "work:", "messages to", "registered") ||
		chars.ContainsAny(p.Lower[end:min(len(p.Lower), end+12)], " office", " fax", " mobile", " cell", " home", "\noffice", " desk")
}

// callingCodes are the countries' codes, each with how many digits may follow it.
const callingCodes = " 1:10-10 7:10-10 20:8-10 27:9-9 30:10-10 31:9-9 32:8-9 33:9-9 34:9-9 36:8-9 39:8-11 40:9-9 41:9-9 43:7-12 44:9-10 45:8-8 46:7-10 47:8-8" +
	" 48:9-9 49:7-12 51:8-9 52:10-11 53:8-8 54:10-11 55:10-11 56:9-9 57:10-10 58:10-10 60:8-10 61:9-9 62:8-12 63:10-10 64:8-10 65:8-8 66:8-9 81:9-10" +
	" 82:8-11 84:9-10 86:10-12 90:10-10 91:10-10 92:10-10 93:9-9 94:9-9 95:8-10 98:10-10 212:9-9 213:8-9 216:8-8 234:8-11 254:9-10 351:9-9 352:6-9 353:8-9" +
	" 354:7-9 356:8-8 357:8-8 358:7-11 359:8-9 370:8-8 371:8-8 372:7-8 373:8-8 374:8-8 375:9-10 380:9-9 381:8-9 385:8-9 386:8-8 387:8-8 389:8-8 420:9-9 421:9-9" +
	" 423:7-9 852:8-8 855:8-9 880:8-10 886:8-9 961:7-8 962:8-9 966:8-9 971:8-9 972:8-9 974:8-8 977:8-10 994:9-9 995:9-9 998:9-9 "

// planned reports whether digits are a number of some country: its code, and as many digits as its plan has.
// A country that the table lacks has from seven to twelve in all.
func planned(digits string) bool {
	for n := 1; n <= 3 && n < len(digits); n++ {
		_, rest, ok := strings.Cut(callingCodes, " "+digits[:n]+":")
		if !ok {
			continue
		}
		limits, _, _ := strings.Cut(rest, " ")
		least, most, _ := strings.Cut(limits, "-")
		left := len(strings.TrimPrefix(digits[n:], "0")) // as in +49 (0)30 …
		return left >= atoi(least) && left <= atoi(most)
	}
	return len(digits) >= 8 && len(digits) <= 12 && digits[0] >= '2'
}

// northAmerican: an area and an exchange begin with two or more.
func northAmerican(digits string) bool { return digits[0] >= '2' && digits[3] >= '2' }

// internetAddress: four numbers up to 255 with dots between, perhaps with a port or in brackets.
func internetAddress(body string) bool {
	parts := strings.Split(strings.Trim(body, "()"), ".")
	for _, part := range parts {
		if part == "" || len(part) > 3 || strings.Trim(part, "0123456789") != "" || atoi(part) > 255 {
			return false
		}
	}
	return len(parts) == 4
}

// fictional: 555-0100 to 555-0199, which no telephone has.
func fictional(body string, n int) bool {
	k := strings.Index(body, "555")
	if k < 0 || n > 11 {
		return false
	}
	rest := strings.TrimLeft(body[k+3:], "- .")
	return len(rest) >= 4 && rest[:2] == "01" && chars.Span(rest, chars.Digits, 9) == 4
}

func isDateLike(s string) bool {
	d := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("-./ ", r) })
	if len(d) < 2 {
		return false
	}
	year := func(p string) bool { return len(p) == 4 && (p[:2] == "19" || p[:2] == "20") }
	return year(d[0]) && len(d[1]) <= 2 || len(d) >= 3 && len(d[0]) <= 2 && len(d[1]) <= 2 && (len(d[2]) == 4 && year(d[2]) || len(d[2]) == 2 && len(d) == 3)
}

// supportLine: a number that is there to be called by anybody.
func supportLine(lower string, start int) bool {
	return chars.ContainsAny(lower[max(0, start-40):start], "support", "hotline", "helpline", "help line", "emergency", "customer service", "toll-free", "toll free")
}

// privateEmail reports whether a text holds the address of a person. Addresses
// of roles, of examples and of machines are none.
func HasPrivateEmail(p *chars.Part) bool {
	l := p.Lower
	for from := 0; ; {
		k := strings.IndexByte(l[from:], '@')
		if k < 0 {
			return false
		}
		at := from + k
		from = at + 1
		start := at
		for start > 0 && at-start < 64 && (chars.Class(l[start-1])&(chars.Dotted|chars.Plus) != 0 || l[start-1] >= 0x80) {
			start--
		}
		domain := l[from : from+chars.Span(l[from:], chars.Dotted, 200)]
		domain = strings.TrimRight(domain, ".-")
		after := l[from+len(domain):]
		if start == at || strings.HasPrefix(after, ":") && !strings.HasPrefix(after, ": ") || start > 0 && strings.IndexByte("/:$>}%", l[start-1]) >= 0 || remoteLogin(l[max(0, start-60):start]) {
			continue
		}
		if emailDomain(domain) && !roleAccount(l[start:at]) {
			return true
		}
	}
}

// remoteLogin reports whether a command that logs in to a machine stands before a name and its host.
func remoteLogin(before string) bool {
	return chars.ContainsAny(before[strings.LastIndexByte(before, '\n')+1:], "ssh ", "scp ", "sftp ", "rsync ", "ssh-copy-id ")
}

func emailDomain(d string) bool {
	k := strings.LastIndexByte(d, '.')
	if k <= 0 {
		return false
	}
	top := d[k+1:]
	if len(top) < 2 || secret.Has(top, chars.Digits) {
		return false
	}
	switch top {
	case "example", "test", "invalid", "local", "localhost", "internal", "js", "ts", "py", "go", "md", "json", "yml", "yaml", "tgz", "css", "lan", "git", "service", "timer":
		return false
	}
	for _, e := range []string{"example.com", "example.org", "example.net", "users.noreply.github.com", "localhost.localdomain", "domain.com", "company.com", "yourcompany.com", "acme.com", "test.com", "foo.com", "bar.com"} {
		if d == e || strings.HasSuffix(d, "."+e) {
			return false
		}
	}
	return true
}

func roleAccount(local string) bool {
	local, _, _ = strings.Cut(local, "+")
	switch local {
	case "git", "root", "admin", "administrator", "security", "support", "info", "help", "contact", "sales", "noreply", "no-reply",
		"donotreply", "do-not-reply", "abuse", "postmaster", "webmaster", "hostmaster", "billing", "legal", "privacy", "press",
		"jobs", "careers", "hello", "team", "dev", "devs", "developers", "engineering", "ops", "devops", "sre", "oncall", "on-call",
		"bot", "ci", "build", "deploy", "ubuntu", "ec2-user", "debian", "user", "username", "me", "you", "your", "name", "someone",
		"feedback", "newsletter", "news", "office", "mail", "email", "accounts", "service", "services", "conduct", "maintainers", "opensource", "oss", "hg", "svn", "alerts", "notifications", "vuln", "vulnerabilities", "hr", "it", "test", "tests", "foo", "bar":
		return true
	}
	return strings.HasSuffix(local, "[bot]") || strings.HasSuffix(local, "-team") || strings.HasPrefix(local, "noreply") || strings.HasPrefix(local, "security-") || strings.HasPrefix(local, "support-")
}
