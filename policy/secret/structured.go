package secret

import (
	"strings"

	"github.com/memctl/memctl/policy/chars"
)

// structured finds secrets by the structure around them.
func Structured(hits []Hit, p *chars.Part) []Hit {
	text, lower := p.Text, p.Lower
	if len(text) < 8 {
		return hits
	}
	may := p.Pairs.May
	if may("---begin") && strings.Contains(text, "-----BEGIN") || may("putty-") && strings.Contains(text, "PuTTY-User-Key-File") {
		hits = privateKeys(hits, text)
	}
	if p.Long && may("eyj") && strings.Contains(text, "eyJ") {
		hits = webTokens(hits, text)
	}
	if may("://") && strings.Contains(text, "://") {
		hits = urlPasswords(hits, text)
		hits = webhooks(hits, text, lower)
	}
	if may("authorization") && strings.Contains(lower, "authorization") || may("bearer ") && strings.Contains(lower, "bearer ") {
		hits = authHeaders(hits, text, lower)
	}
	if p.Mark && (may("curl") && strings.Contains(lower, "curl") || may("wget") && strings.Contains(lower, "wget")) {
		hits = commandLogins(hits, text, lower)
	}
	if p.Mark && may(" -p") && (may(" -u") || may("sshpass")) {
		hits = flagPasswords(hits, text, lower)
	}
	if may("contribsys") && strings.Contains(lower, "contribsys") {
		hits = bundleLogins(hits, text, lower)
	}
	if p.Mark && strings.IndexByte(lower, ';') >= 0 {
		hits = connectionStrings(hits, text, lower)
	}
	if may("phrase") && strings.Contains(lower, "phrase") || may("mnemonic") && strings.Contains(lower, "mnemonic") {
		hits = seedPhrases(hits, text, lower)
	}
	hits = Seeds(commands(hits, p), lower)
	if p.Digit && may("pin") {
		hits = pins(hits, text)
	}
	if may("code") && p.Digit {
		hits = backupCodes(hits, text, lower)
	}
	if !p.Long || !p.Digit {
		return hits
	}
	if may("sig=") {
		hits = sharedAccess(hits, text)
	}
	if strings.IndexByte(text, '\n') >= 0 {
		hits = wrapped(keyLines(hits, text), text)
	}
	return coloned(hits, text)
}

// maxKeyText is how far the END line of a key is looked for, so that a file of
// nothing but BEGIN lines is read once and not once a line.
const maxKeyText = 32 << 10

// privateKeys: from the BEGIN line to the END line, or as far as it goes.
func privateKeys(hits []Hit, text string) []Hit {
	for from := 0; ; {
		k := strings.Index(text[from:], "-----BEGIN")
		if k < 0 {
			break
		}
		start := from + k
		from = start + len("-----BEGIN")
		line := text[from:min(len(text), from+60)]
		closing := strings.Index(line, "-----")
		if closing < 0 || !strings.Contains(line[:closing], "PRIVATE KEY") {
			continue
		}
		body := from + closing + 5
		var end int
		if e := strings.Index(text[body:min(len(text), body+maxKeyText)], "-----END"); e >= 0 {
			end = body + e
			if c := strings.Index(text[end+8:], "-----"); c >= 0 && c < 60 {
				end += 8 + c + 5
			}
		} else {
			end = min(len(text), body+keyBody(text[body:]))
		}
		// The words alone are a mention; the body is the key.
		if keyBody(text[body:]) >= 16 {
			hits = append(hits, Hit{start, end, "private-key"})
			from = end
		}
	}
	if k := strings.Index(text, "PuTTY-User-Key-File"); k >= 0 && strings.Contains(text[k:], "Private-Lines:") {
		hits = append(hits, Hit{k, len(text), "private-key"})
	}
	return hits
}

// keyBody is how far base64 lines go on, with escaped line breaks as they stand
// in JSON, and the headers of old encrypted keys.
func keyBody(s string) int {
	s = s[:min(len(s), maxKeyText)]
	n := 0
	for n < len(s) {
		c := s[n]
		if chars.Class(c)&chars.Base64 == 0 && strings.IndexByte(" \t\r\n\\\"',:|>-", c) < 0 {
			break
		}
		if c == '-' && strings.HasPrefix(s[n:], "-----") {
			break
		}
		n++
	}
	if len(strings.Trim(s[:n], " \t\r\n\\\"',:|>.-nXx")) < 16 || !Has(s[:n], chars.Digits) && n < 64 {
		return 0
	}
	return n
}

// webTokens: three parts joined by dots, the first two JSON in base64.
func webTokens(hits []Hit, text string) []Hit {
	for from := 0; ; {
		k := strings.Index(text[from:], "eyJ")
		if k < 0 {
			return hits
		}
		start := from + k
		n := chars.Span(text[start:], chars.Dotted|chars.Equals, 16384)
		from = start + max(n, 3)
		if start > 0 && chars.IsAlnum(text[start-1]) {
			continue
		}
		parts := strings.Split(text[start:start+n], ".")
		if len(parts) >= 2 && len(parts[0]) >= 17 && len(parts[1]) >= 10 && !placeholder(parts[1]) &&
			(strings.HasPrefix(parts[1], "ey") || len(parts) >= 3) {
			hits = append(hits, Hit{start, start + n, "json-web-token"})
		}
	}
}

// urlPasswords: scheme://user:password@host.
func urlPasswords(hits []Hit, text string) []Hit {
	for from := 0; ; {
		k := strings.Index(text[from:], "://")
		if k < 0 {
			return hits
		}
		at := from + k + 3
		from = at
		n := 0
		for at+n < len(text) && n < 500 && strings.IndexByte(" \t\r\n\"'`<>?\\", text[at+n]) < 0 {
			n++
		}
		authority := text[at : at+n]
		host := strings.LastIndexByte(authority, '@')
		if host < 0 {
			continue
		}
		user, pass, ok := strings.Cut(authority[:host], ":")
		if !ok || strings.Contains(user, "/") || strings.Contains(user, ".") && strings.Contains(pass, "/") || !urlSecret(user, pass) || wellKnown(pass) && localHost(authority[host+1:]) {
			continue
		}
		start := at + len(user) + 1
		hits = append(hits, Hit{start, start + len(pass), "url-password"})
		from = at + host
	}
}

func urlSecret(user, pass string) bool {
	if len(pass) < 3 || placeholder(pass) {
		return false
	}
	u, p := chars.LowerASCII(user), chars.LowerASCII(pass)
	if len(p) <= 3 && len(u) <= 4 {
		return false // abc:xyz
	}
	if p == u && !strings.ContainsAny(p, "0123456789") && len(p) < 6 {
		return false
	}
	return !namesPassword(p)
}

// wellKnown: the passwords that the images and manuals of servers begin with.
func wellKnown(pass string) bool {
	switch chars.LowerASCII(pass) {
	case "postgres", "mysql", "mariadb", "root", "admin", "guest", "rabbitmq", "redis", "mongo",
		"minioadmin", "neo4j", "elastic", "changeit", "docker":
		return true
	}
	return false
}

// localHost: this machine, or a name that only a network of containers knows.
func localHost(address string) bool {
	n := chars.Span(address, chars.Dotted, len(address))
	host := chars.LowerASCII(address[:n])
	return strings.HasPrefix(address, "[::1]") || host == "host.docker.internal" || host == "127.0.0.1" || host == "0.0.0.0" ||
		strings.HasSuffix(host, ".local") || !strings.Contains(host, ".")
}

// namesPassword: the password's name in the password's place.
func namesPassword(p string) bool {
	switch strings.Trim(p, "_-") {
	case "password", "passwd", "pass", "pwd", "pw", "token", "pat", "mypassword", "my_password", "my-password",
		"db_password", "dbpassword", "apikey", "api_key", "key", "user_password", "password123example":
		return true
	}
	return false
}

// webhooks: addresses that whoever knows them can post to.
func webhooks(hits []Hit, text, lower string) []Hit {
	for _, w := range []struct{ part, kind string }{
		{"hooks.slack.com/services/", "slack-webhook"},
		{"hooks.slack.com/workflows/t", "slack-webhook"},
		{"/api/webhooks/", "discord-webhook"},
		{"outlook.office.com/webhook", "teams-webhook"},
		{"outlook.office365.com/webhook", "teams-webhook"},
		{".webhook.office.com/webhook", "teams-webhook"},
		{"hooks.zapier.com/hooks/catch/", "zapier-webhook"},
		{"open.feishu.cn/open-apis/bot/v2/hook/", "feishu-webhook"},
		{"oapi.dingtalk.com/robot/send?access_token=", "dingtalk-webhook"},
		{"qyapi.weixin.qq.com/cgi-bin/webhook/send?key=", "wecom-webhook"},
	} {
		for from := 0; ; {
			k := strings.Index(lower[from:], w.part)
			if k < 0 {
				break
			}
			start := from + k
			from = start + len(w.part)
			n := chars.Span(text[from:], chars.URLSafe|chars.Slash|1<<13, 400)
			for from+n < len(text) && n < 400 && (text[from+n] == '@' || chars.Class(text[from+n])&(chars.URLSafe|chars.Slash) != 0) {
				n++
			}
			if rest := text[from : from+n]; n >= 16 && Has(rest, chars.Digits) && !placeholder(rest) && !wordy(rest) {
				hits = append(hits, Hit{start, from + n, w.kind})
			}
		}
	}
	return hits
}

// authHeaders: "Authorization: Bearer …", "Bearer …".
func authHeaders(hits []Hit, text, lower string) []Hit {
	for _, scheme := range []string{"bearer ", "basic ", "token ", "apikey ", "digest "} {
		for from := 0; ; {
			k := strings.Index(lower[from:], scheme)
			if k < 0 {
				break
			}
			at := from + k + len(scheme)
			from = at
			if scheme != "bearer " && !strings.Contains(lower[max(0, at-40):at], "authorization") {
				continue
			}
			for at < len(text) && strings.IndexByte(" \"'`:", text[at]) >= 0 {
				at++
			}
			n := chars.Span(text[at:], chars.Opaque|chars.Colon, long)
			if v := text[at : at+n]; n >= 8 && opaque(v, 12) && !placeholder(v) {
				hits = append(hits, Hit{at, at + n, "authorization-header"})
			}
		}
	}
	return hits
}

// seedPhrases: twelve to twenty-four short words after what a wallet calls them.
func seedPhrases(hits []Hit, text, lower string) []Hit {
	for _, name := range []string{"seed phrase", "recovery phrase", "secret phrase", "backup phrase", "mnemonic", "wallet phrase", "secret recovery phrase"} {
		k := strings.Index(lower, name)
		if k < 0 {
			continue
		}
		at := k + len(name)
		words, start, end := 0, at, at
		for i := at; i < len(lower) && i < at+400; {
			n := chars.Span(lower[i:], chars.Lowers, 12)
			if n >= 3 && n <= 8 && !linking(lower[i:i+n]) {
				if words == 0 {
					start = i
				}
				words++
				i += n
				end = i
				continue
			}
			if words >= 12 && (n > 0 || lower[i] == '\n') {
				break
			}
			if n > 0 {
				words = 0
				i += n
				continue
			}
			i++
		}
		if words >= 12 {
			hits = append(hits, Hit{start, end, "seed-phrase"})
		}
	}
	return hits
}

// linking words stand in sentences and in no wallet's word list.
func linking(w string) bool {
	switch w {
	case "the", "and", "for", "with", "from", "into", "are", "was", "has", "have", "not", "its", "your", "our", "their",
		"than", "that", "this", "then", "when", "only", "also", "each", "must", "kept", "keep", "will", "ask", "asks", "please", "before", "after",
		"every", "using", "store", "stored", "never", "should", "use", "used", "them", "they":
		return true
	}
	return false
}
