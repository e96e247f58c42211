package spelling

import "testing"

func TestDenies(t *testing.T) {
	for text, want := range map[string]bool{
		"Never use tabs": true, "Use tabs": false, "don’t deploy on Fridays": true, "it doesn't": true, "except on staging": true, "Notes are short": false,
		"nie ohne Test": true, "nunca en viernes": true, "никогда не удаляй": true, "不要用 npm": true, "タブは使わない": true, "タブを使う": false, "": false,
	} {
		if HasNegation(text) != want {
			t.Errorf("%q: want %t", text, want)
		}
	}
}
