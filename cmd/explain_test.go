package cmd

import (
	"bytes"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store/statedir"
	"github.com/memctl/memctl/internal/term"
)

// TestExplainLooksInsideErrors checks that a wrapped error gets the same code, status and
// message as the error inside. testdata/errors.txt lists the codes.
func TestExplainLooksInsideErrors(t *testing.T) {
	samples := append(sampleErrors(), &fault.Error{Code: "ambiguous", Status: 1}, statedir.Damaged("x", syscall.ENOSPC))
	for _, err := range samples {
		got, inside := explain(err), explain(fmt.Errorf("adding: %w", err))
		if got.Code != inside.Code || got.Status != inside.Status || got.Retry != inside.Retry {
			t.Errorf("%v: %s, status %d, retry %v; wrapped: %s, %d, %v", err, got.Code, got.Status, got.Retry, inside.Code, inside.Status, inside.Retry)
		}
		if strings.HasSuffix(got.Error(), ".") || strings.Contains(got.Error(), "\n") {
			t.Errorf("not a message of one line without a full stop: %q", got.Error())
		}
	}
}

// failingWriter panics, as a fault in our own code would.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { panic("out of order") }

func TestPanicIsReportedAsABug(t *testing.T) {
	var talk bytes.Buffer
	status := Main([]string{"version"}, term.Streams{In: strings.NewReader(""), Out: failingWriter{}, Err: &talk}, FullParts{})
	if status != statusFault || !strings.HasPrefix(talk.String(), "memctl: error: out of order; this is a bug in memctl") {
		t.Errorf("status %d, stderr %q", status, talk.String())
	}
	if !strings.Contains(talk.String(), "explain_test.go") {
		t.Error("the stack is missing, which a report needs")
	}
}
