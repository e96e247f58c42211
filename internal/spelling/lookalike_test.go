package spelling

import (
	"testing"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// folded is Fold as callers use it.
func folded(s string) string { return norm.NFKC.String(Fold(norm.NFKD.String(s))) }

func TestFoldHasFullCaseFolding(t *testing.T) {
	full := cases.Fold()
	seen := 0
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if !unicode.IsLetter(r) {
			continue
		}
		word := "я" + string(r) // no word of Latin letters looks like it
		want := full.String(word)
		if want == word {
			continue
		}
		seen++
		if got := folded(word); got != folded(want) {
			t.Errorf("%q (%U): %q, and its case folded %q", r, r, got, folded(want))
		}
	}
	if seen < 1000 {
		t.Errorf("only %d letters have another case", seen)
	}
}

func TestFoldIsDoneOnce(t *testing.T) {
	for r := range unicode.MaxRune + 1 {
		if !unicode.In(r, unicode.L, unicode.M, unicode.C, unicode.P) || unicode.In(r, unicode.Han, unicode.Hangul, unicode.Co) {
			continue // these have no case and look like no Latin letter
		}
		for _, s := range []string{string(r), "о" + string(r)} {
			if once := folded(s); folded(once) != once {
				t.Fatalf("%q: %q, and of that %q", s, once, folded(once))
			}
		}
	}
}

func TestFoldReadsWhatLooksAlike(t *testing.T) {
	for text, want := range map[string]string{
		"dе\u00adplоy": "deploy", "СОРУ": "copy", "ΝEVER νersion": "never version", "STRASSE straße STRAẞE": "strasse strasse strasse",
		"FRİDAY frıday": "friday friday", "ｄｅｐｌｏｙ 𝐝𝐞𝐩𝐥𝐨𝐲": "deploy deploy", "don’t re‑try": "don't re-try", "de\u200bploy\u2060\ufeff": "deploy", "a\x00b\nc": "ab\nc",
		"ᾳδ": "αιδ", "ﬁle": "file",
	} {
		if got := folded(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"нельзя выкатывать", "никогда", "развёртывание", "café", "schön", "ποτέ δεν", "дослід"} {
		if got := folded(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
