package transcript

import (
	"io"
	"runtime"
	"strings"
	"testing"
)

// repeated gives the same text again and again, until so many bytes are read.
type repeated struct {
	text string
	at   int
	left int
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), r.left)], r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	r.left -= n
	return n, nil
}

// BenchmarkRead reads 100 MB of a session with large tool outputs, as long sessions have
// them. Aims: 2 s, and 50 MB of memory.
func BenchmarkRead(b *testing.B) {
	output := strings.Repeat(`ok   example.com/app/store\t0.71s\n\"quoted\" text of a test that ran\n`, 200)
	claudeText := claudeSays(`"sort the imports and run the tests again"`, typed) +
		claudeLine(`"message":{"role":"assistant","content":[{"type":"text","text":"`+strings.Repeat("I run them. ", 20)+`"}]},"type":"assistant"`) +
		claudeLine(`"message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make test"}}]},"type":"assistant"`) +
		claudeSays(`[{"tool_use_id":"t1","type":"tool_result","content":"`+output+`","is_error":false}]`, `,"toolUseResult":{"stdout":"`+output+`","stderr":"","interrupted":false}`)
	codexText := codexSaid("sort the imports and run the tests again") + codexEvent(`{"type":"AgentMessage","id":"m","content":[{"type":"Text","text":"`+strings.Repeat("I run them. ", 20)+`"}]}`) +
		codexEvent(`{"type":"CommandExecution","id":"c1","command":["/bin/bash","-lc","make test"],"aggregated_output":"`+output+`","exit_code":0}`)
	geminiText := geminiSays("m1", "user", `"sort the imports"`, "") + "\n" + geminiSays("m2", "gemini", `"I run them."`, `,"toolCalls":[{"id":"c1","name":"run_shell_command","args":{"command":"make test"},"result":[{"functionResponse":{"response":{"output":"`+output+`"}}}],"status":"success"}]`) + "\n"
	for _, c := range []struct {
		format Format
		text   string
	}{{Claude, claudeText}, {Codex, codexText}, {Gemini, geminiText}} {
		b.Run(string(c.format), func(b *testing.B) {
			const size = 100 << 20
			b.SetBytes(size)
			var most uint64
			for b.Loop() {
				r := NewReader(&repeated{text: c.text, left: size}, Options{Session: Session{Format: c.format}, Offset: 1})
				turns := 0
				for range r.Turns() {
					if turns++; turns%5000 == 0 {
						var m runtime.MemStats
						runtime.ReadMemStats(&m)
						most = max(most, m.HeapInuse)
					}
				}
				if turns < 1000 {
					b.Fatalf("%d turns", turns)
				}
			}
			b.ReportMetric(float64(most)/(1<<20), "MB-heap")
		})
	}
}
