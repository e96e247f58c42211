package cmd

import (
	"testing"
	"time"
)

func TestReadingInTheBackgroundBacksOff(t *testing.T) {
	want := []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute}
	for failures, pause := range want {
		if got := readingPause(failures); got != pause {
			t.Errorf("after %d failures it waits %v, want %v", failures, got, pause)
		}
	}
	if got := readingPause(1000); got != time.Hour {
		t.Errorf("after 1000 failures it waits %v", got)
	}
}
