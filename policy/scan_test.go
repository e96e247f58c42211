package policy

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy/chars"
)

func TestScanGivesLineAndColumnInBytes(t *testing.T) {
	tests := map[string]struct {
		src          string
		line, column int
	}{
		"at the beginning":             {fakeToken, 1, 1},
		"on a later line":              {"# notes\n\nuse " + fakeToken + "\n", 3, 5},
		"after letters of more":        {"é " + fakeToken, 1, 4},
		"after a CRLF":                 {"a\r\nb: " + fakeToken + "\r\n", 2, 4},
		"after bytes that are no text": {"\xff\xfe\x00\n\x80" + fakeToken, 2, 2},
		"below a fence":                {"```yaml\nx: 1\n```\n" + fakeToken, 4, 1},
	}
	for name, tt := range tests {
		list := Scan([]byte(tt.src))
		if len(list) != 1 || list[0].Line != tt.line || list[0].Column != tt.column || list[0].Rule != RuleSecret {
			t.Errorf("%s: %+v, want one at %d:%d", name, list, tt.line, tt.column)
		}
	}
	if list := Scan([]byte("keep the API key in the vault\n")); len(list) != 0 {
		t.Errorf("a mention: %+v", list)
	}
}

func TestTheKeyOfAnItemIsNoSecretAndATokenInItsPlaceIs(t *testing.T) {
	tests := map[string]struct {
		src  string
		want int
	}{
		"a recovered item":            {"    - key: recovered.x1a2b3c4d\n      value: tabs\n", 0},
		"a short key with a number":   {"key: a.b10000\n", 0},
		"a tombstone's":               {"deletions:\n  - key: infra.eu-west1.k8s-v130\n", 0},
		"a run as long as a token's":  {"    - key: a.x1a2b3c4d5e6f7a8b9c0d1e2f\n", 1},
		"no key's form":               {"    - key: X1a2B3c4D5e6F7\n", 1},
		"in a sentence":               {"the api key: q9.x7k2m4p8w1z5t3v6\n", 1},
		"something beside it on line": {"{api_key: z.x1a2b3c4d5e6f7a8b9}\n", 1},
	}
	for name, tt := range tests {
		if list := Scan([]byte(tt.src)); len(list) != tt.want {
			t.Errorf("%s: %+v, want %d", name, list, tt.want)
		}
	}
}

func TestRedactLeavesNothingThatScanFindsAndAllElse(t *testing.T) {
	looked := 0
	for _, s := range corpus(t)["secrets.jsonl"] {
		if s.Key != "" {
			continue // what only the key makes a secret
		}
		looked++
		src := []byte("before\n" + s.Text + "\nafter\n")
		out := Redact(src)
		if left := Scan(out); len(left) > 0 {
			t.Errorf("%s: still found %s", s.Why, left[0].Kind)
		}
		if !bytes.HasPrefix(out, []byte("before\n")) || !bytes.HasSuffix(out, []byte("after\n")) && !strings.Contains(s.Why, "without its end") || !bytes.Contains(out, []byte("[redacted: ")) {
			t.Errorf("%s: %d bytes became %d", s.Why, len(src), len(out))
		}
		if out := CutSecrets(src); len(Scan(out)) > 0 || !HasPurgedPart(memfile.Str(string(out))) {
			t.Errorf("%s: cut to %q", s.Why, out)
		}
	}
	if looked < 40 {
		t.Errorf("only %d secrets looked at", looked)
	}
	plain := []byte("# rules\nalways run the tests\xff\n")
	if got := Redact(plain); !bytes.Equal(got, plain) {
		t.Errorf("plain bytes became %q", got)
	}
}

// Each text repeats what makes one of the mechanisms look around; a cost that
// grows with the square shows as minutes, not as a few per cent.
func TestCostGrowsWithLengthAndNothingElse(t *testing.T) {
	if testing.Short() {
		t.Skip("reads long texts")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for name, unit := range map[string]string{
		"names and marks":       "key=",
		"names in a row":        "password:secret:token:",
		"BEGIN lines":           "-----BEGIN PRIVATE KEY-----\n",
		"schemes":               "a://b:",
		"dotted tokens":         "eyJ.",
		"base64":                "QUJDREVGR0g",
		"bearer words":          "authorization bearer ",
		"quotes":                "password\"'",
		"tags":                  "\U000e0041",
		"digits":                "12 34-56 ",
		"curl":                  "curl -u a:b ",
		"handlers":              "<x on",
		"secrets":               fakeToken + " ",
		"not text":              "\xff\x00\x80",
		"words of phrases":      "ignore all the your previous instructions ",
		"words that begin them": "do not never you will must ",
		"addresses":             "12 Acre ",
		"mail":                  "a@",
		"pictures":              "![](http",
		"one long word":         "q",
	} {
		took := func(size int) time.Duration {
			text := strings.Repeat(unit, size/len(unit))
			start := threadTime(t)
			Scan([]byte(text))
			p := chars.NewPart("value", text)
			j := judge{c: &Candidate{}}
			j.checkText(&p)
			Inert(text)
			return threadTime(t) - start
		}
		small, large := took(16<<10), took(128<<10)
		t.Logf("%s: 16 KB %v, 128 KB %v", name, small, large)
		// Eight times the text: sixty-four times the work were it a square.
		if large > 28*small && large > time.Second/4 {
			t.Errorf("%s: 16 KB took %v, 128 KB %v", name, small, large)
		}
	}
}
