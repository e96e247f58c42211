package transcript

import (
	"testing"
)

var formats = []Format{Claude, Codex, Gemini, Copilot, Lines, Unsupported, Unknown}

// FuzzReaders: no input makes a reader panic, offsets lie within the input, reading can go on
// after any turn, and reading in small parts comes to the end.
func FuzzReaders(f *testing.F) {
	for i, data := range []string{
		claudeSays(`"use tabs"`, typed) + claudeSays(`[{"tool_use_id":"t1","type":"tool_result","content":"Exit code 2","is_error":true}]`, ""),
		codexMeta(`"cli"`, "user") + codexSaid("use tabs") + codexEvent(`{"type":"CommandExecution","id":"c1","command":["/bin/bash","-lc","make"],"exit_code":2}`),
		geminiHead + geminiSays("m1", "user", `"use tabs"`, "") + "\n" + geminiSays("m1", "user", `"use tabs"`, `,"toolCalls":[{"id":"c"}]`) + "\n",
		`{"sessionId":"g","startTime":"x","messages":[` + geminiSays("m1", "user", `"x"`, "") + `,` + geminiSays("m2", "gemini", `"y"`, "") + `]}`,
		`{"type":"user.message","data":{"content":"use tabs"},"id":"e","timestamp":"t"}` + "\n",
		`{"role":"user","content":["x",{"text":"y"}]}` + "\n",
	} {
		f.Add([]byte(data), uint8(i))
	}
	f.Fuzz(func(t *testing.T, data []byte, format uint8) {
		session := Session{Format: formats[int(format)%len(formats)]}
		if session.Format == Unknown {
			session.Format = Detect(data)
		}
		checkOffsets(t, "fuzz", string(data), session.Format)
		o := Options{Session: session, Limit: 64, MaxRecord: 256}
		for range len(data) + 2 {
			_, r := read(string(data[o.Offset:]), o)
			if r.Offset() < o.Offset || r.Offset() > int64(len(data)) {
				t.Fatalf("from %d to %d of %d", o.Offset, r.Offset(), len(data))
			}
			if r.Offset() == o.Offset {
				return
			}
			o.Offset, o.Session = r.Offset(), r.Session()
		}
		t.Fatal("reading does not come to an end")
	})
}

func TestAnUnknownFormatHasNoTurns(t *testing.T) {
	for data, want := range map[string]int{claudeSays(`"use tabs"`, typed): 1, "no transcript\n": 0} {
		if turns, r := read(data, Options{}); len(turns) != want || (r.Session().Format == Unknown) != (want == 0) {
			t.Errorf("%q: %d turns, format %q", data, len(turns), r.Session().Format)
		}
	}
}
