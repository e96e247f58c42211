package index

import (
	"strings"
	"testing"
)

func TestTermsOfIdentifiers(t *testing.T) {
	for text, want := range map[string]string{
		"parseHTTPHeader":    "parsehttphead pars http header",
		"snake_case_name":    "snakecasenam snake case name",
		"cmd/recall.go":      "cmdrecallgo cmd recal go",
		"v1.26.8":            "=1.26.8 v1 26 8",
		"don't in-person":    "person",
		"The APIs of José’s": "api jose",
		"使用Redis缓存":          "使用 redi 缓存",
		"ビルドはDocker20で":      "ヒル ルト トは =docker20 docker 20 て",
		"放到C盘":               "放到 c 盘",
		"サーバーK8s":            "サー ーハ ハー k8s",
	} {
		if got := strings.Join(Terms(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, s := range []string{"parseHTTPHeader net/http v1.2.3", "東京タワーへ行く", "don't José’s café", "_", "a/b\xff.c", "\U000e0041"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, term := range Terms(text) {
			if term == "" || len(term) > maxTermBytes+1 {
				t.Errorf("%q gives the term %q", text, term)
			}
		}
	})
}

func FuzzThesaurus(f *testing.F) {
	// Three words: auto is related to car, and car to auto and motor.
	data := []byte("\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x03\x00\x00\x00\x07\x00\x00\x00\x08\x00\x00\x00\x0c\x00\x00\x00\x09\x00\x00\x00autocarmotor\x00\x01\xe5\x00\x00\xe5\x02\x33\x00")
	if list, _ := thesaurus(data).related("car"); len(list) != 2 || list[0].Term != "auto" || list[1].Term != "motor" {
		f.Fatalf("the words related to car: %v", list)
	}
	f.Add(data, "car")
	f.Fuzz(func(_ *testing.T, data []byte, word string) { thesaurus(data).related(word) })
}
