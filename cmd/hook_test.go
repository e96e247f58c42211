package cmd

import (
	"testing"
	"time"
)

func TestWithinSaysWhyThereIsNothing(t *testing.T) {
	late := make(chan time.Time)
	close(late)
	for _, tt := range []struct {
		name string
		over <-chan time.Time
		f    func() (string, string)
		got  string
		code string
	}{
		{"an answer", nil, func() (string, string) { return "memory", "" }, "memory", ""},
		{"an error", nil, func() (string, string) { return "", "setting" }, "", "setting"},
		{"a panic", nil, func() (string, string) { panic("no") }, "", "panic"},
		{"too late", late, func() (string, string) { select {} }, "", "timeout"},
	} {
		if got, code := runUntil(tt.over, tt.f); got != tt.got || code != tt.code {
			t.Errorf("%s: got %q, %q", tt.name, got, code)
		}
	}
}
