package secret

import (
	"strings"

	"github.com/memctl/memctl/policy/chars"
)

// commandLogins: curl -u user:password.
func commandLogins(hits []Hit, text, lower string) []Hit {
	for _, flag := range []string{" -u ", " -u\"", " -u'", " --user ", " --user=", " --proxy-user ", " --http-password=", " --password="} {
		for from := 0; ; {
			k := strings.Index(lower[from:], flag)
			if k < 0 {
				break
			}
			at := from + k + len(flag)
			from = at
			for at < len(text) && strings.IndexByte(" \"'", text[at]) >= 0 {
				at++
			}
			n := 0
			for at+n < len(text) && n < 300 && strings.IndexByte(" \t\r\n\"'`", text[at+n]) < 0 {
				n++
			}
			user, pass, ok := strings.Cut(text[at:at+n], ":")
			if ok && urlSecret(user, pass) && !placeholder(user) {
				hits = append(hits, Hit{at + len(user) + 1, at + n, "command-line-password"})
			}
		}
	}
	return hits
}

// flagPasswords: -u user -p password, as many commands have it.
func flagPasswords(hits []Hit, text, lower string) []Hit {
	for from := 0; ; {
		k := strings.Index(lower[from:], " -p")
		if k < 0 {
			return hits
		}
		at := from + k + len(" -p")
		from = at
		before := lower[max(0, at-90):at]
		if nl := strings.LastIndexByte(before, '\n'); nl >= 0 {
			before = before[nl:]
		}
		apart := at < len(text) && text[at] == ' '
		if !strings.Contains(before, "sshpass") && !(strings.Contains(before, " -u") && (apart || strings.Contains(before, "mysql"))) {
			continue
		}
		for at < len(text) && strings.IndexByte(" \"'", text[at]) >= 0 {
			at++
		}
		a, b := valueAt(text, at, text[at-1])
		if v := text[a:b]; len(v) >= 5 && v[0] != '-' && v[0] != '/' && (Has(v, chars.Digits|chars.Equals|chars.Plus) || strings.ContainsAny(v, "!@#%^*")) && Has(v, chars.Letters) && !strings.Contains(v, ":") && !placeholder(v) && !about(v) && !common(v) {
			hits = append(hits, Hit{a, b, "command-line-password"})
		}
	}
}

// bundleLogins: what a gem server asks for, two words of eight digits in
// hexadecimal each.
func bundleLogins(hits []Hit, text, lower string) []Hit {
	k := strings.Index(lower, "contribsys")
	for i := k; i+17 <= len(text) && i < k+60; i++ {
		if chars.Span(text[i:], chars.HexLow, 9) == 8 && text[i+8] == ':' && chars.Span(text[i+9:], chars.HexLow, 9) == 8 {
			return append(hits, Hit{i, i + 17, "sidekiq-license"})
		}
	}
	return hits
}

// connectionStrings: Server=…;Password=…; whatever the password looks like.
func connectionStrings(hits []Hit, text, lower string) []Hit {
	if !chars.ContainsAny(lower, "server=", "data source=", "host=", "uid=", "user id=", "endpoint=", "accountname=", "initial catalog=", "database=") {
		return hits
	}
	for _, name := range []string{"password=", "pwd=", "password =", "accountkey=", "sharedaccesskey="} {
		for from := 0; ; {
			k := strings.Index(lower[from:], name)
			if k < 0 {
				break
			}
			at := from + k + len(name)
			from = at
			n := 0
			for at+n < len(text) && n < 300 && strings.IndexByte(";\"' \t\r\n&", text[at+n]) < 0 {
				n++
			}
			if v := text[at : at+n]; n >= 3 && !placeholder(v) && !common(v) && !wordPath(v) && !strings.ContainsAny(v, "[(,") {
				hits = append(hits, Hit{at, at + n, "connection-string"})
			}
		}
	}
	return hits
}
