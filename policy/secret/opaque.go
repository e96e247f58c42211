package secret

import (
	"strings"

	"github.com/memctl/memctl/policy/chars"
)

// looksRandom reports whether a value looks made by a machine to be unguessable: of
// at least min bytes, digits among letters, and no date, version, path, name or
// measure.
func looksRandom(v string, min int) bool {
	v = strings.Trim(v, "\"'`")
	if len(v) < min || !looksLikeToken(v) {
		return false
	}
	c := chars.CountBytes(v)
	if c.Distinct < 5 || c.Digits == len(v) && len(v) < 24 {
		return false
	}
	if isHexConstant(v) || isCodeName(v) || isPublicDigest(v) {
		return false
	}
	if c.Digits == 0 && len(v) >= 30 && c.Lowers+c.Uppers == len(v) && (c.Lowers == 0 || c.Uppers == 0) {
		return !looksLikeWords(v) // no word is so long
	}
	if c.Digits == 0 {
		return len(v) >= 18 && c.Lowers+c.Uppers+c.Others == len(v) && !looksLikeWords(v) && !isMadeOfWords(v) && c.Distinct >= 9 && !isWordPath(v)
	}
	return !IsVersion(v) && !isWordPath(v) && !isMadeOfWords(v) && !isDate(v) && !isMeasure(v) && !isVersionedName(v)
}

func looksLikeToken(v string) bool {
	odd := 0
	for i := 0; i < len(v); i++ {
		if chars.ClassOf(v[i])&(chars.Opaque|chars.Colon) == 0 {
			if v[i] <= ' ' || v[i] >= 0x7f || strings.IndexByte("(){}[]<>;,", v[i]) >= 0 {
				return false
			}
			odd++
		}
	}
	return odd*4 <= len(v)
}

// isChecksum: the lengths in hexadecimal that commits and digests have, and UUIDs.
func isChecksum(v string) bool {
	c := chars.CountBytes(v)
	switch len(v) {
	case 32, 40, 56, 64, 96, 128:
		return c.Hex
	case 36:
		return v[8] == '-' && v[13] == '-' && v[18] == '-' && v[23] == '-'
	}
	return strings.HasPrefix(v, "sha") && strings.ContainsAny(v, "-:")
}

// IsVersion: 1.2.3, v0.15.0-rc1, 3.12.
func IsVersion(v string) bool {
	v = strings.TrimPrefix(chars.LowerASCII(v), "v")
	if len(v) > 2 && v[1] == ':' {
		v = v[2:] // an epoch, as packages have it
	}
	n := chars.SpanLen(v, chars.Digits|chars.Dot, len(v))
	return n > 0 && strings.Contains(v[:n], ".") && (n == len(v) || n >= 3 && len(v)-n <= 16)
}

// isDate reports whether a text is digits with marks between, as 2026-11-21T10:00:00Z.
func isDate(v string) bool {
	return strings.Trim(v, "0123456789-:./+TZ") == "" && len(v) <= 30 && (len(v) <= 14 || !strings.ContainsAny(v[:4], "-:/."))
}

// isMeasure reports whether a text is a number with a short unit, as 30s, 512mb, 128bit, 100%.
func isMeasure(v string) bool {
	n := chars.SpanLen(v, chars.Digits|chars.Dot|chars.Underline, len(v))
	return n > 0 && n <= 7 && len(v)-n <= 6 && HasByteOf(v[n:], chars.Lowers) && looksLikeWords(v[n:]) && !HasByteOf(v[n:], chars.Digits)
}

// isWordPath reports whether a text is parts joined by slashes, dots or double colons, most of them plain
// words: a path, a host, a call, a package.
func isWordPath(v string) bool {
	marks, plain, parts := 0, 0, 0
	for len(v) > 0 {
		n := chars.SpanLen(v, chars.Alnum|chars.Underline|chars.Dash, len(v))
		if n < len(v) && chars.ClassOf(v[n])&(chars.Slash|chars.Dot|chars.Colon) == 0 {
			return false
		}
		if n > 0 {
			parts++
			if p := v[:n]; isSimpleName(p) || isCodeName(p) {
				plain++
			}
		}
		if n == len(v) {
			break
		}
		marks++
		v = v[n+1:]
	}
	return marks > 0 && parts > 1 && plain*3 >= parts*2
}

// isSimpleName reports whether a text is a word or words with at most a short number at an end.
func isSimpleName(p string) bool {
	t := strings.Trim(p, "0123456789_-")
	return len(p)-len(t) <= 4 && !HasByteOf(t, chars.Digits) && (len(t) <= 24 && looksLikeWords(t) || isMadeOfWords(t))
}

// isVersionedName reports whether a text is a name such as sha256, utf8, base64, ed25519, sonarqube9.
func isVersionedName(v string) bool {
	t := strings.TrimRight(v, "0123456789")
	return len(v) <= 14 && (len(v)-len(t) <= 4 || v == "ed25519" || v == "Ed25519" || v == "x25519") && !HasByteOf(t, chars.Digits) && looksLikeWords(t) && HasByteOf(t, chars.Lowers)
}

// isCommonWord reports whether a text is a word that is often in a password's place, and is none.
func isCommonWord(v string) bool {
	return isInList("common", chars.LowerASCII(strings.Trim(v, ".!?,;:\"'`")))
}

// isPublicDigest reports whether a text is a digest that says how it was made, a path, or a key that is meant
// to be published.
func isPublicDigest(v string) bool {
	for _, p := range [...]string{"SHA256:", "MD5:", "sha1-", "sha256-", "sha384-", "sha512-", "sha256:", "sha256=", "~/", "./", "../", "pk_live_", "pk_test_", "AAAAB3NzaC1", "AAAAC3NzaC1", "AAAAE2VjZHNh", "age1"} {
		if strings.HasPrefix(v, p) {
			return true
		}
	}
	return false
}

// isHexConstant reports whether a text is a number in hexadecimal as code writes it, or an address on a chain.
func isHexConstant(v string) bool {
	v = strings.TrimPrefix(v, "-")
	return strings.HasPrefix(v, "0x") && len(v) <= 42 && len(v) >= 3 && chars.SpanLen(v[2:], chars.HexAny, len(v)) == len(v)-2
}

// isCodeName reports whether a text is a name as code has it, words joined by their case or by underlines
// with at most two short numbers among them: x25519WrappedKey. In what a
// machine made at random, case and digits change at every second letter.
func isCodeName(v string) bool {
	humps, short, numbers := 0, 0, 0
	mixed := HasByteOf(v, chars.Lowers)
	for i := 0; i < len(v); {
		switch {
		case v[i] == '_':
			i++
			continue
		case chars.ClassOf(v[i])&chars.Digits != 0:
			n := chars.SpanLen(v[i:], chars.Digits, len(v))
			if numbers++; n > 5 || numbers > 2 {
				return false
			}
			i += n
			continue
		case chars.ClassOf(v[i])&chars.Letters == 0:
			return false
		}
		n := camelWordLen(v[i:])
		after := i > 0 && chars.ClassOf(v[i-1])&chars.Digits != 0 && chars.ClassOf(v[i])&chars.Lowers != 0
		if after && n > 1 || mixed && n > 8 && chars.ClassOf(v[i+1])&chars.Uppers != 0 {
			return false // no code goes on small after a number, or shouts in the middle
		}
		if humps++; n <= 2 {
			short++
		} else if !looksLikeWords(v[i : i+n]) {
			return false
		}
		i += n
	}
	return humps >= 2 && short*2 <= humps && humps*3 <= len(v)
}

// camelWordLen is the length of the word in camel case that s begins with.
func camelWordLen(s string) int {
	n := chars.SpanLen(s, chars.Uppers, len(s))
	if n <= 1 {
		return n + chars.SpanLen(s[n:], chars.Lowers, len(s))
	}
	if n < len(s) && chars.ClassOf(s[n])&chars.Lowers != 0 {
		return n - 1 // the last of them begins the next word
	}
	return n
}
