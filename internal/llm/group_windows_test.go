package llm

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestShellOutKeepsQuotes(t *testing.T) {
	for command, want := range map[string]string{
		`echo "a b" & echo c`:          "\"a b\" \r\nc\r\n",
		`cmd /c "echo "a b" & echo c"`: "\"a b\" \r\nc\r\n",
	} {
		out, err := shellOut(context.Background(), command, "", 100)
		if strings.ReplaceAll(out, " ", "") != strings.ReplaceAll(want, " ", "") || err != nil {
			t.Errorf("%s: %q, %v, want %q", command, out, err, want)
		}
	}
}

func TestEndOfTimeEndsTheTree(t *testing.T) {
	late := filepath.Join(t.TempDir(), "late")
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	begun := time.Now()
	_, err := shellOut(ctx, `cmd /c "ping -n 4 127.0.0.1 >NUL & echo x >"`+late+`""`, "", 100)
	if took := time.Since(begun); err == nil || took > 3*time.Second {
		t.Errorf("it took %v, and the error is %v", took, err)
	}
	time.Sleep(4 * time.Second)
	if _, err := os.Stat(late); err == nil {
		t.Error("a grandchild went on")
	}
}
