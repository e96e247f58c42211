package secret

import (
	"strings"

	"github.com/memctl/memctl/policy/chars"
)

// flagged is a command that takes a password on its command line.
type flagged struct {
	command string
	flags   []string // what the password stands behind
	cut     byte     // the password is what follows this byte in the argument; 0: all of it
}

var flaggedCommands = []flagged{
	{"ldap", []string{" -w "}, 0},
	{"redis-cli", []string{" -a ", " --pass "}, 0},
	{"keytool", []string{" -storepass ", " -keypass "}, 0},
	{"jarsigner", []string{" -storepass ", " -keypass "}, 0},
	{"smbclient", []string{" -u "}, '%'},
	{"rpcclient", []string{" -u "}, '%'},
	{"net use", []string{" "}, 0},
	{"sqlcmd", []string{" -p "}, 0},
	{"bcp ", []string{" -p "}, 0},
	{"mosquitto_", []string{" -p "}, 0},
	{"ipmitool", []string{" -p "}, 0},
	{"zip ", []string{" -p "}, 0},
	{"az login", []string{" -p "}, 0},
	{"mongo", []string{" -p "}, 0},
	{"docker login", []string{" -p "}, 0},
	{"7z ", []string{" -p"}, 0},
	{"htpasswd -", []string{" "}, 0},
	{"http -a", []string{" -a "}, ':'},
	{"lftp", []string{" -u "}, ','},
	{"sqlplus", []string{" "}, '/'},
	{"sqlldr", []string{" "}, '/'},
	{"expdp", []string{" "}, '/'},
	{"impdp", []string{" "}, '/'},
	{"rman", []string{" target "}, '/'},
	{"jdbc:oracle:", []string{"thin:", "oci:", "oci8:"}, '/'},
}

// commands finds passwords on the command lines of programs that take them there, and in
// files that have one login on each line.
func commands(hits []Hit, p *chars.Part) []Hit {
	if !p.Mark {
		return hits
	}
	for i := range flaggedCommands {
		if i == 0 && !p.Pairs.MayAny(" -", "jdbc:oracle:", "net use", "sqlplus", "sqlldr", "xpdp", "impdp") {
			break
		}
		f := &flaggedCommands[i]
		if p.Pairs.May(f.command) && strings.Contains(p.Lower, f.command) {
			hits = f.find(hits, p)
		}
	}
	if p.Pairs.MayAny("@tcp(", "@unix(") {
		hits = driverLogin(hits, p.Text)
	}
	if p.Pairs.May(" / ") && p.Digit {
		hits = slashLogin(hits, p)
	}
	if p.Digit && strings.Count(p.Text, ":") >= 4 {
		hits = passwordFile(hits, p.Text)
	}
	return hits
}

func (f *flagged) find(hits []Hit, p *chars.Part) []Hit {
	at := strings.Index(p.Lower, f.command) + len(f.command)
	stop := len(p.Text)
	if k := strings.IndexByte(p.Text[at:], '\n'); k >= 0 {
		stop = at + k
	}
	if f.command == "net use" && !strings.Contains(p.Lower[at:stop], "/user:") {
		return hits
	}
	if f.command == "jdbc:oracle:" {
		at-- // its flag may follow at once
	}
	for _, flag := range f.flags {
		for from := at - 1; from < stop; {
			k := strings.Index(p.Lower[from:stop], flag)
			if k < 0 {
				break
			}
			from += k + len(flag)
			start := from
			for start < stop && strings.IndexByte(" \"'", p.Text[start]) >= 0 {
				start++
			}
			end := start
			for end < stop && strings.IndexByte(" \t\"'`", p.Text[end]) < 0 {
				end++
			}
			if f.cut == '/' { // user/password@place
				host := strings.IndexByte(p.Text[start:end], '@')
				if host < 0 {
					continue
				}
				end = start + host
			}
			if f.cut != 0 {
				k := strings.IndexByte(p.Text[start:end], f.cut)
				if k <= 0 {
					continue
				}
				start += k + 1
			}
			if flag == " " && f.cut == 0 && strings.IndexByte("/-\\$", p.Text[min(start, stop-1)]) >= 0 {
				continue
			}
			if argument(p.Text[start:end]) {
				hits = append(hits, Hit{start, end, "command-line-password"})
			}
		}
	}
	return hits
}

// argument reports whether an argument could be a password: letters with digits or signs.
func argument(v string) bool {
	if len(v) < 5 || v[0] == '-' || v[0] == '/' || strings.ContainsAny(v, "(){}[]<>") || placeholder(v) || about(v) || common(v) || IsVersion(v) {
		return false
	}
	return Has(v, chars.Letters) && (Has(v, chars.Digits) || strings.ContainsAny(v, "!@#%^*$&?")) && !wordy(v) && !measure(v)
}

// driverLogin: user:password@tcp(host), as Go's driver for MySQL has it.
func driverLogin(hits []Hit, text string) []Hit {
	for _, mark := range []string{"@tcp(", "@unix("} {
		at := strings.Index(text, mark)
		if at < 0 {
			continue
		}
		start := at
		for start > 0 && strings.IndexByte(" \t\n\"'`=:", text[start-1]) < 0 {
			start--
		}
		if start > 0 && text[start-1] == ':' && !placeholder(text[start:at]) && !namesPassword(chars.LowerASCII(text[start:at])) && at-start >= 4 &&
			!(wellKnown(text[start:at]) && localHost(text[at+len(mark):])) {
			hits = append(hits, Hit{start, at, "connection-string"})
		}
	}
	return hits
}

// passwordFile finds lines of .pgpass: host:port:database:user:password.
func passwordFile(hits []Hit, text string) []Hit {
	at := 0
	for line := range strings.Lines(text) {
		begin := at
		at += len(line)
		line = strings.TrimRight(line, "\r\n `")
		f := strings.SplitN(line, ":", 5)
		if len(f) < 5 || strings.ContainsAny(f[1]+f[2]+f[3]+f[4], " /\t,") || f[2] == "" || f[3] == "" {
			continue
		}
		if port := f[1]; port != "*" && (len(port) < 4 || len(port) > 5 || chars.Span(port, chars.Digits, 5) != len(port)) {
			continue
		}
		if argument(f[4]) {
			hits = append(hits, Hit{begin + len(line) - len(f[4]), begin + len(line), "password-file"})
		}
	}
	return hits
}

// slashLogin finds "log in with USER / PASSWORD", where the password has every sort of letter.
func slashLogin(hits []Hit, p *chars.Part) []Hit {
	k := strings.Index(p.Text, " / ")
	if k < 0 || !chars.ContainsAny(p.Lower[max(0, k-80):k], "log in", "log into", "login", "logon", "sign in", "sign into", "creds", "credentials") {
		return hits
	}
	start, stop := valueAt(p.Text, k+len(" / "), 0)
	v := p.Text[start:stop]
	if c := chars.Count(v); len(v) >= 8 && c.Digits > 0 && c.Uppers > 0 && c.Lowers > 0 && argument(v) && mixedPassword(v) {
		hits = append(hits, Hit{start, stop, "credential"})
	}
	return hits
}

// pins finds "PIN for the door is 48213": capitals, because code pins versions too.
func pins(hits []Hit, text string) []Hit {
	for from := 0; ; {
		k := strings.Index(text[from:], "PIN")
		if k < 0 {
			return hits
		}
		at := from + k
		from = at + len("PIN")
		if at > 0 && chars.Class(text[at-1])&(chars.Word|chars.Dash) != 0 || from < len(text) && chars.Class(text[from])&(chars.Word|chars.Dash) != 0 {
			continue
		}
		for _, link := range [...]string{" is ", ": "} {
			k := strings.Index(text[from:min(len(text), from+40)], link)
			if k < 0 || strings.IndexByte(text[from:from+k], '.') >= 0 {
				continue
			}
			start := from + k + len(link)
			if n := chars.Span(text[start:], chars.Digits, 12); n >= 4 && n <= 8 && (start+n == len(text) || chars.Class(text[start+n])&(chars.Word|chars.Dash|chars.Slash|chars.Colon) == 0) {
				return append(hits, Hit{start, start + n, "pin"})
			}
		}
	}
}
