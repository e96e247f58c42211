package cmd

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/term"
)

// TestCaptureCheckAnswersAtOnce talks to the command: each line is answered before the next
// one is written.
func TestCaptureCheckAnswersAtOnce(t *testing.T) {
	in, ask := io.Pipe()
	answers, out := io.Pipe()
	done := make(chan int, 1)
	go func() {
		done <- Main([]string{"capture", "--check", "-"}, term.Streams{In: in, Out: out, Err: io.Discard}, Parts{})
		out.Close()
	}()
	lines := bufio.NewReader(answers)
	for _, message := range []string{"always answer in English", "fix the parser"} {
		if _, err := io.WriteString(ask, `{"text":"`+message+`"}`+"\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := lines.ReadString('\n'); err != nil || !strings.HasPrefix(line, `{"proposals":[`) {
			t.Fatalf("%q: got %q, %v", message, line, err)
		}
	}
	ask.Close()
	if status := <-done; status != statusDone {
		t.Errorf("status %d", status)
	}
}

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
